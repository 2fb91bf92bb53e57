import random
from dataclasses import dataclass

import pytest
from django.db import transaction

from bots.faults import Conflict, UserFault
from bots.models import Act
from tests.builders import make_submission
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, played, rated, report
from tests.tournaments.threads import at_once
from tournaments import dispatch, entrants, ladders, ledger, rating
from tournaments.models import Rating, RatingChange
from tournaments.rating import RatingValue

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def of(submission, generation=1):
    found = Rating.objects.get(submission=submission, generation=generation)
    return RatingValue(found.mu, found.sigma)


def table(ladder):
    ladder.refresh_from_db()
    return [row.submission for row in ladders.table(ladder)]


def test_a_first_version_enters_with_the_start_values(ladder):
    submission = entrant()
    assert of(submission) == RatingValue(25.0, 25 / 3)
    row = RatingChange.objects.get()
    assert (row.kind, row.seq, row.parent, row.mu_before) == ("enter", 1, None, None)
    assert (row.mu, row.sigma) == (25.0, 25 / 3)
    assert table(ladder) == [submission]


@pytest.mark.parametrize(("rewrite", "widening"), [(False, 0.3), (True, 0.5)])
def test_a_new_version_starts_from_its_parent(ladder, rewrite, widening):
    one, other, third = entrant(), entrant(), entrant()
    rated(ladder, [one, other, third], [1, 2, 3])
    parent = of(one)
    two = make_submission(one.bot, rewrite=rewrite)
    entrants.activate(submission=two, user=None)
    assert of(two).mu == parent.mu
    # service.md, Ratings: sigma' = √(sigma² + (0.3 sigma0)²), 0.5 for a declared rewrite
    assert of(two).sigma == pytest.approx((parent.sigma**2 + (widening * 25 / 3) ** 2) ** 0.5)
    row = RatingChange.objects.get(submission=two)
    assert (row.parent, row.mu_before, row.sigma_before) == (one, parent.mu, parent.sigma)
    assert one not in table(ladder)
    assert two in table(ladder)
    assert of(one) == parent


def test_a_roll_back_goes_on_with_the_old_rating(ladder):
    one, other, third = entrant(), entrant(), entrant()
    rated(ladder, [one, other, third], [1, 2, 3])
    before = of(one)
    two = make_submission(one.bot)
    entrants.activate(submission=two, user=None)
    rated(ladder, [two, other, third], [3, 1, 2])
    entrants.activate(submission=one, user=None)
    assert of(one) == before
    assert {one, other, third} == set(table(ladder))
    assert RatingChange.objects.filter(submission=one, kind="enter").count() == 1
    # The next version's parent is the one that was active, not the last uploaded.
    three = make_submission(one.bot)
    entrants.activate(submission=three, user=None)
    assert RatingChange.objects.get(submission=three).parent == one


def test_a_version_that_follows_a_pause_starts_from_the_last_one(ladder):
    one = entrant()
    entrants.deactivate(bot=one.bot, user=None)
    assert table(ladder) == []
    two = make_submission(one.bot)
    entrants.activate(submission=two, user=None)
    assert RatingChange.objects.get(submission=two).parent == one


def test_a_rated_match_changes_all_its_bots_at_once(ladder, worker):
    bots = [entrant() for _ in range(4)]
    match = played(ladder, bots, crash={2})
    contestants = list(match.contestants.order_by("number"))
    expected = rating.update([rating.START] * 4, [each.place for each in contestants])
    assert [of(bot) for bot in bots] == expected
    rows = RatingChange.objects.filter(match=match)
    assert {row.seq for row in rows} == {5}  # after four that entered
    assert {row.place for row in rows if row.submission == bots[2]} == {4}
    assert set(Rating.objects.values_list("matches", flat=True)) == {1}
    match.refresh_from_db()
    ladder.refresh_from_db()
    assert ladder.seq == 5
    [played_at] = {each.played_at for each in Rating.objects.all()}
    assert match.ended_at <= played_at <= dispatch.database_now()


@pytest.mark.parametrize("kind", ["qualification", "test"])
def test_other_matches_change_nothing(ladder, worker, kind):
    bots = [entrant() for _ in range(3)]
    claim = claimed(ladder_match(ladder, bots, kind=kind))
    assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
    assert not RatingChange.objects.filter(kind="match").exists()
    assert {of(bot) for bot in bots} == {rating.START}


def test_a_pinned_version_that_never_was_active_enters_off_the_table(ladder, worker):
    bots = [entrant() for _ in range(2)]
    old = entrant()
    pinned = make_submission(old.bot)
    claim = claimed(ladder_match(None, [*bots, pinned], kind="bracket"))
    dispatch.finish(**ids(claim), result=report(claim))
    assert Rating.objects.get(submission=pinned).matches == 1
    assert RatingChange.objects.get(submission=pinned, kind="enter").parent == old
    assert set(table(ladder)) == {*bots, old}
    assert ledger.check(ladder) == []


def history(ladder, *, matches=60, seed=7):
    """A season: versions come, matches are played, some are rolled back."""
    dice = random.Random(seed)
    players = [[entrant()] for _ in range(6)]
    active = {i: versions[0] for i, versions in enumerate(players)}
    for number in range(matches):
        if number % 9 == 8:
            i = dice.randrange(6)
            if len(players[i]) > 1 and dice.random() < 0.3:
                active[i] = players[i][0]
            else:
                active[i] = make_submission(players[i][0].bot, rewrite=dice.random() < 0.5)
                players[i].append(active[i])
            entrants.activate(submission=active[i], user=None)
        size = dice.choice([3, 4, 5, 6])
        seats = dice.sample(sorted(active), size)
        rated(ladder, [active[i] for i in seats], [dice.randint(1, size) for _ in seats])
    ladder.refresh_from_db()
    return [version for versions in players for version in versions]


def stored(ladder, generation):
    return {
        row.submission_id: ledger.Standing(RatingValue(row.mu, row.sigma), row.matches)
        for row in Rating.objects.filter(ladder=ladder, generation=generation)
    }


def test_folding_the_ledger_gives_the_ratings_bit_for_bit(ladder):
    history(ladder)
    assert ledger.fold(ladder) == stored(ladder, 1)
    assert ledger.check(ladder) == []


def test_rating_anew_gives_the_same_bits(ladder):
    history(ladder)
    generation = ledger.rerate(ladder=ladder, reason="a check")
    assert generation.number == 2
    assert stored(ladder, 2) == stored(ladder, 1)
    # What is shown has not changed, and the act is logged.
    ladder.refresh_from_db()
    assert ladder.generation == 1
    assert Act.objects.filter(verb="rerate", reason="a check").exists()


@pytest.mark.parametrize("what", ["rating", "row", "missing row", "matches"])
def test_the_check_finds_what_was_tampered_with(ladder, what):
    versions = history(ladder, matches=8)
    one = Rating.objects.filter(matches__gt=0).first()
    if what == "rating":
        Rating.objects.filter(pk=one.pk).update(mu=one.mu + 1e-12)
    elif what == "matches":
        Rating.objects.filter(pk=one.pk).update(matches=one.matches + 1)
    else:
        row = RatingChange.objects.filter(kind="match").order_by("seq").first()
        if what == "row":
            RatingChange.objects.filter(pk=row.pk).update(mu=row.mu + 1e-9)
        else:
            row.delete()
    assert len(versions) >= 6
    assert ledger.check(ladder) != []


def test_without_a_banned_bot_the_others_are_rated_as_if_it_had_not_been_there(ladder):
    one, two, three, banned = (entrant() for _ in range(4))
    rated(ladder, [banned, one, two], [1, 2, 3])
    rated(ladder, [three, banned, one], [3, 2, 1])
    number = ledger.rerate(ladder=ladder, without=[banned.pk], reason="cheated").number
    first, second = rating.update([rating.START] * 2, [1, 2])
    expected = rating.update([first, rating.START], [1, 2])
    assert of(one, number) == expected[0]
    assert of(two, number) == second
    assert of(three, number) == expected[1]
    assert not Rating.objects.filter(submission=banned, generation=number).exists()


def test_a_match_that_leaves_one_bot_alone_changes_nothing(ladder):
    one, two, three = (entrant() for _ in range(3))
    rated(ladder, [one, two, three], [1, 2, 3])
    number = ledger.rerate(ladder=ladder, without=[two.pk, three.pk]).number
    assert of(one, number) == rating.START
    assert Rating.objects.get(submission=one, generation=number).matches == 0
    ledger.show(ladder=ladder, number=number)
    assert ledger.check(ladder) == []


def test_a_voided_match_is_left_out_of_the_next_generation(ladder, worker):
    bots = [entrant() for _ in range(3)]
    first, second = played(ladder, bots), played(ladder, bots, choose=1)
    before = stored(ladder, 1)
    dispatch.void(match=first, reason="wrong rules", user=None)
    assert stored(ladder, 1) == before
    assert ledger.check(ladder) == []
    number = ledger.rerate(ladder=ladder).number
    places = [each.place for each in second.contestants.order_by("number")]
    assert [of(bot, number) for bot in bots] == rating.update([rating.START] * 3, places)


def test_showing_a_generation_swaps_the_table_and_later_results_go_there(ladder, worker):
    bots = [entrant() for _ in range(4)]
    banned = bots[3]
    rated(ladder, bots, [4, 3, 2, 1])
    number = ledger.rerate(ladder=ladder, without=[banned.pk], reason="cheated").number
    rated(ladder, [bots[0], bots[1], banned], [1, 2, 3])  # goes on beside, and is made up for
    entrants.suspend(submission=banned, reason="cheated", user=None)
    ledger.show(ladder=ladder, number=number, reason="cheated")
    assert set(table(ladder)) == set(bots[:3])
    assert ledger.check(ladder) == []
    assert Rating.objects.get(submission=bots[0], generation=number).matches == 2
    match = rated(ladder, [bots[0], bots[2], banned], [3, 2, 1])
    assert {row.submission for row in match.changes.all()} == {bots[0], bots[2]}
    assert {row.place for row in match.changes.all()} == {1, 2}
    assert set(match.changes.values_list("generation", flat=True)) == {number}
    assert ledger.check(ladder) == []

    entered = entrant()
    ledger.show(ladder=ladder, number=1)
    assert entered in table(ladder)
    assert Rating.objects.get(submission=banned, generation=1).matches == 3
    assert ledger.check(ladder) == []


def test_only_a_generation_that_exists_can_be_shown(ladder):
    ledger.rerate(ladder=ladder)
    with pytest.raises(UserFault, match="no generation 7; it has: 1, 2"):
        ledger.show(ladder=ladder, number=7)


def test_a_version_that_is_left_out_cannot_be_activated(ladder):
    one = entrant()
    entrants.deactivate(bot=one.bot, user=None)
    ledger.show(ladder=ladder, number=ledger.rerate(ladder=ladder, without=[one.pk]).number)
    with pytest.raises(Conflict, match="left out"):
        entrants.activate(submission=one, user=None)
    one.bot.refresh_from_db()
    assert one.bot.active is None


@dataclass
class Turn:
    claim: object
    result: object

    def finish(self):
        return dispatch.finish(**ids(self.claim), result=self.result).verdict


@pytest.mark.django_db(transaction=True)
def test_results_that_come_at_once_are_rated_one_after_the_other(ladder, worker):
    bots = [entrant() for _ in range(4)]
    turns = []
    for number in range(6):
        seats = bots[number % 2 :][:3]
        claim = claimed(ladder_match(ladder, seats))
        turns.append(Turn(claim, report(claim, choose=number)))
    newcomer = entrant(active=False)
    verdicts = at_once(
        *[turn.finish for turn in turns],
        lambda: entrants.activate(submission=newcomer, user=None),
    )
    assert verdicts == ["accepted"] * 6 + [None]
    rows = RatingChange.objects.filter(kind="match")
    assert len(set(rows.values_list("seq", flat=True))) == 6
    assert sorted(Rating.objects.values_list("matches", flat=True)) == [0, 3, 3, 6, 6]
    assert ledger.check(ladder) == []


@pytest.mark.django_db(transaction=True)
def test_a_rerate_beside_live_play_loses_nothing(ladder, worker):
    bots = [entrant() for _ in range(3)]
    for _ in range(3):
        rated(ladder, bots, [1, 2, 3])
    claim = claimed(ladder_match(ladder, bots))
    turn = Turn(claim, report(claim))

    def swap():
        ledger.show(ladder=ladder, number=ledger.rerate(ladder=ladder).number)

    verdict, _ = at_once(turn.finish, swap)
    assert verdict == "accepted"
    ladder.refresh_from_db()
    assert ladder.generation == 2
    assert {row.matches for row in Rating.objects.filter(generation=2)} == {4}
    assert ledger.check(ladder) == []


def test_a_ladder_that_opens_late_lists_who_is_active_already(db):
    one = entrant()
    ladder = ladders.open_ladder("deca-slayer")
    assert table(ladder) == [one]
    assert ladders.open_ladder("deca-slayer") == ladder
    with transaction.atomic():
        assert ledger.check(ladder) == []
