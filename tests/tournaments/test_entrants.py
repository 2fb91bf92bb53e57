"""Checks of uploaded versions, played by real workers' code in the real sandbox."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bots import submissions
from bots.models import Bot, Membership, Notice, Player, Submission, User
from tests.builders import CRASHING, FIRST, make_bot, package
from tests.tournaments.rows import entrant
from tests.tournaments.threads import at_once
from tournaments import dispatch, entrants, ladders, outcomes, runner
from tournaments.models import Attempt, Match, Rating

# The thread that renews a lease sees only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]

ILLEGAL = FIRST.replace('message["legal_actions"][0]', '"give up"')
# Works at the smallest table, and dies with a message where the game has six players.
SMALL_ONLY = FIRST.replace(
    "for line in sys.stdin:",
    """for line in sys.stdin:
    if '"players":6' in line.replace(" ", ""):
        print("<b>six</b> is \\x1b[31mtoo many", file=sys.stderr, flush=True)
        sys.exit(3)""",
)
SILENT = "import time\nwhile True:\n    time.sleep(1)\n"


def upload(source=FIRST, *, player=None, **how):
    bot = make_bot(player) if player else make_bot(Player.objects.create(handle=how.pop("handle")))
    return submissions.upload(bot=bot, data=package(source), filename="bot.zip", user=None, **how)


def play_all(worker):
    """Play every queued match, as workers would, and do what follows from each."""
    while match := Match.objects.filter(state="queued").order_by("id").first():
        runner.play(match_id=match.pk, attempt=match.attempt, worker=worker)
        match.refresh_from_db()
        assert match.state != "queued" or match.attempt > 1
        outcomes.match_over(match)


def checked(worker, source, **how):
    submission = upload(source, handle="author", **how)
    entrants.check_submissions()
    submission.refresh_from_db()
    assert submission.state == "checking"
    play_all(worker)
    submission.refresh_from_db()
    return submission


def test_a_good_bot_qualifies_and_becomes_active_as_asked(ladder, worker):
    submission = checked(worker, FIRST, activate=True)
    assert submission.state == "qualified"
    matches = list(submission.qualification.order_by("id"))
    assert [(m.players, m.options) for m in matches] == [
        (3, {"guilds": False, "princesses": 0}),
        (6, {"guilds": False, "princesses": 0}),
        (6, {"guilds": True, "princesses": 2}),
    ]
    assert {(m.kind, m.rated, m.priority) for m in matches} == {("qualification", False, 20)}
    assert submission.log.count("no failure") == 3 + 6 + 6
    submission.bot.refresh_from_db()
    assert submission.bot.active == submission
    assert [row.submission for row in ladders.table(ladder)] == [submission]
    assert Rating.objects.get().matches == 0


def test_a_good_bot_waits_for_its_activation_when_it_was_not_asked_for(ladder, worker):
    submission = checked(worker, FIRST)
    assert submission.state == "qualified"
    assert Bot.objects.get(pk=submission.bot_id).active is None
    assert not ladders.table(ladder).exists()
    entrants.activate(submission=submission, user=None)
    assert ladders.table(ladder).count() == 1


def test_the_house_sits_between_the_copies(ladder):
    house = Player.objects.create(handle="house", name="The house", house=True)
    first, second = entrant(house), entrant(house)
    one = upload(handle="author")
    entrants.check_submissions()
    tables = [
        [c.submission for c in match.contestants.order_by("number")]
        for match in one.qualification.order_by("id")
    ]
    assert tables == [
        [one, first, one],
        [first, one, second, one, first, one],
        [one, first, one, second, one, first],
    ]


def test_a_bot_that_crashes_is_rejected_with_its_reason_first(worker):
    user = User.objects.create_user("author@example.org")
    player = Player.objects.create(handle="author", name="Author")
    Membership.objects.create(user=user, player=player)
    submission = upload(CRASHING, player=player, activate=True)
    entrants.check_submissions()
    play_all(worker)
    submission.refresh_from_db()
    assert submission.state == "rejected"
    first, *_ = submission.log.splitlines()
    assert first == submission.reason
    assert first.startswith("Failed at the Deca Slayer table of 3, seat 0, decision 0: exit: ")
    assert "exit code: 1" in submission.log
    assert "      no good" in submission.log
    assert Notice.objects.get(user=user).text.endswith(submission.reason)
    assert Bot.objects.get(pk=submission.bot_id).active is None


def test_a_bot_that_plays_what_is_not_legal_is_rejected(worker):
    submission = checked(worker, ILLEGAL)
    assert submission.state == "rejected"
    assert ": illegal: " in submission.reason
    assert '"action": "give up"' in submission.log


def test_a_bot_that_fails_at_large_tables_only_is_rejected_for_that(worker):
    submission = checked(worker, SMALL_ONLY)
    assert submission.state == "rejected"
    assert submission.reason.startswith("Failed at the Deca Slayer table of 6, seat 0,")
    assert submission.log.count("no failure") == 3
    assert "with guilds=True, princesses=2" in submission.log
    # What the bot wrote is escaped for terminals; pages quote it as HTML.
    assert r"<b>six</b> is \x1b[31mtoo many" in submission.log
    assert "exit code: 3" in submission.log


def test_a_bot_that_never_answers_is_rejected(worker, monkeypatch):
    # The real limits, but of a shorter time control: 3 × 0.3 s + 1 s until the backstop.
    make = dispatch.make_match

    def hurried(**match):
        return make(**match, time_control=dispatch.making.TimeControl(300, 100, 200))

    monkeypatch.setattr(entrants.dispatch, "make_match", hurried)
    monkeypatch.setattr(entrants, "check_tables", lambda game: [(3, {})])
    submission = checked(worker, SILENT)
    assert submission.state == "rejected"
    assert ": wall: " in submission.reason


def test_what_the_machine_does_is_never_held_against_a_bot(worker, ladder):
    submission = upload(handle="author")
    entrants.check_submissions()
    for match in list(Match.objects.all()):
        for _ in range(3):
            claim = dispatch.claim(match_id=match.pk, attempt=match.attempt, worker=worker)
            dispatch.fail(
                match_id=match.pk, attempt=match.attempt, token=claim.token, reason="no memory"
            )
            match.refresh_from_db()
        outcomes.match_over(match)
    submission.refresh_from_db()
    assert submission.state == "uploaded"
    assert "the fault is ours" in submission.reason
    assert "no memory" in submission.log
    entrants.check_submissions()  # not at once again
    assert Match.objects.count() == 3
    Submission.objects.update(check_started_at=timezone.now() - timedelta(minutes=12))
    entrants.check_submissions()
    assert Match.objects.count() == 6
    play_all(worker)
    submission.refresh_from_db()
    assert submission.state == "qualified"


def test_a_check_has_ten_minutes_and_then_starts_anew(worker):
    submission = upload(handle="author")
    entrants.check_submissions()
    for minutes, state in ((9, "checking"), (10.5, "uploaded"), (11.5, "checking")):
        Submission.objects.update(check_started_at=timezone.now() - timedelta(minutes=minutes))
        entrants.check_submissions()
        submission.refresh_from_db()
        assert submission.state == state
    assert [match.state for match in Match.objects.order_by("id")] == ["void"] * 3 + ["queued"] * 3
    assert not Attempt.objects.exists()


@pytest.mark.parametrize(("began", "judges"), [(1, -1), (-1, 1)])
def test_whose_clock_is_wrong_does_not_make_a_check_late(worker, monkeypatch, began, judges):
    now = timezone.now
    submission = upload(handle="author")
    for hours in (began, judges):
        monkeypatch.setattr(
            "django.utils.timezone.now", lambda hours=hours: now() + timedelta(hours=hours)
        )
        entrants.check_submissions()
    submission.refresh_from_db()
    assert submission.state == "checking"
    assert Match.objects.filter(state="queued").count() == 3
    play_all(worker)
    submission.refresh_from_db()
    assert submission.state == "qualified"


def test_a_failure_counts_even_if_the_check_is_late(worker):
    submission = upload(CRASHING, handle="author")
    entrants.check_submissions()
    match = Match.objects.order_by("id").first()
    runner.play(match_id=match.pk, attempt=1, worker=worker)
    Submission.objects.update(check_started_at=timezone.now() - timedelta(minutes=11))
    entrants.check_submissions()
    submission.refresh_from_db()
    assert submission.state == "rejected"
    assert "not played to its end: Its check ran out of time" in submission.log


def test_a_version_over_the_quota_qualifies_and_says_why_it_is_not_active(worker, settings):
    settings.ACTIVE_BOTS_PER_GAME = 1
    user = User.objects.create_user("author@example.org")
    player = Player.objects.create(handle="author", name="Author")
    Membership.objects.create(user=user, player=player)
    entrant(player)
    submission = upload(FIRST, player=player, activate=True)
    entrants.check_submissions()
    play_all(worker)
    submission.refresh_from_db()
    assert submission.state == "qualified"
    assert Bot.objects.get(pk=submission.bot_id).active is None
    assert Notice.objects.filter(kind="not-activated", text__contains="1 are allowed").exists()


def test_a_flood_of_uploads_is_checked_bit_by_bit(ladder):
    for number in range(entrants.AT_ONCE + 2):
        upload(handle=f"author-{number}")
    entrants.check_submissions()
    entrants.check_submissions()
    assert Submission.objects.filter(state="checking").count() == entrants.AT_ONCE


def test_two_checkers_at_once_make_one_check(ladder):
    upload(handle="author")
    at_once(*[entrants.check_submissions] * 3)
    assert Match.objects.count() == 3
