"""Test matches: whose versions, against whom, how many."""

import pytest

from bots.faults import Conflict, NotAllowed, UserFault
from tests.builders import make_bot, make_player, make_submission
from tournaments import entrants, trials
from tournaments.models import Match

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def author():
    """A user with two qualified versions of a bot, none of them active."""
    user, player = make_player()
    bot = make_bot(player, name="wolf")
    user.first, user.second = make_submission(bot), make_submission(bot)
    user.player = player
    return user


@pytest.fixture
def rival():
    """Another's bot with an active version, and a qualified one that is not active."""
    _, player = make_player("rival")
    bot = make_bot(player, name="owl")
    entrants.activate(submission=make_submission(bot), user=None)
    make_submission(bot)
    return bot


def test_a_version_sits_first_and_the_match_counts_for_nothing(author, rival):
    names = ["rival/owl", f"{author.player.handle}/wolf/v1"]
    match = trials.play_test(submission=author.second, opponents=names, user=author)
    contestants = [c.submission for c in match.contestants.order_by("number")]
    rival.refresh_from_db()
    assert contestants == [author.second, rival.active, author.first]
    assert (match.kind, match.state, match.rated, match.ladder) == ("test", "queued", False, None)
    assert match.rotations == 3


def test_options_and_rotations_are_the_authors_choice(author, rival):
    match = trials.play_test(
        submission=author.first,
        opponents=["rival/owl"] * 3,
        user=author,
        options={"guilds": True},
        rotations=1,
    )
    assert (match.players, match.rotations) == (4, 1)
    assert match.options["guilds"] is True


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["nobody/owl", "rival/owl"], "No bot 'nobody/owl' plays deca-slayer; write player/bot"),
        (["owl", "rival/owl"], "No bot 'owl'"),
        (["rival/owl/v2", "rival/owl"], "Only its owner chooses a version"),
        (["AUTHOR/wolf", "rival/owl"], "has no active version"),
        (["AUTHOR/wolf/v9", "rival/owl"], "has no version 'v9'"),
        (["AUTHOR/wolf/x", "rival/owl"], "has no version 'x'"),
        (["rival/owl"], "for 3 to 6 players, not 2"),
        ([], "for 3 to 6 players, not 1"),
        (["rival/owl"] * 6, "for 3 to 6 players, not 7"),
    ],
)
def test_bad_opponents_are_named_and_nothing_is_made(author, rival, names, says):
    names = [name.replace("AUTHOR", author.player.handle) for name in names]
    with pytest.raises(UserFault, match=says):
        trials.play_test(submission=author.first, opponents=names, user=author)
    assert Match.objects.count() == 0


def test_only_ones_own_qualified_version_is_tested(author, rival):
    stranger, _ = make_player()
    with pytest.raises(NotAllowed, match="Only members"):
        trials.play_test(submission=author.first, opponents=["rival/owl"] * 2, user=stranger)
    fresh = make_submission(author.first.bot, qualified=False)
    with pytest.raises(Conflict, match="is uploaded; only a qualified"):
        trials.play_test(submission=fresh, opponents=["rival/owl"] * 2, user=author)


def test_a_player_has_its_share_of_test_matches(author, rival, settings):
    settings.TEST_MATCHES_WAITING, settings.TEST_MATCHES_PER_DAY = 1, 2

    def test():
        return trials.play_test(submission=author.first, opponents=["rival/owl"] * 2, user=author)

    first = test()
    with pytest.raises(Conflict, match=r"1 test matches of .* are not over yet"):
        test()
    Match.objects.filter(pk=first.pk).update(state="void")
    second = test()
    Match.objects.filter(pk=second.pk).update(state="void")
    with pytest.raises(Conflict, match="has had its 2 test matches within 24 hours"):
        test()
    # Nobody else's share.
    stranger, player = make_player()
    theirs = make_submission(make_bot(player))
    trials.play_test(submission=theirs, opponents=["rival/owl"] * 2, user=stranger)
