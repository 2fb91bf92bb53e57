"""Suspension: of bots that fail too often, and of bots that make attempts void."""

import pytest

from bots.models import Act, Notice, Submission, User
from tests.builders import make_submission
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, rated, report
from tournaments import dispatch, entrants, ladders, outcomes
from tournaments.models import Contestant

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def failing(ladder, submission, others, *, failed, times):
    for _ in range(times):
        match = rated(ladder, [submission, *others], [3, 1, 2])
        Contestant.objects.filter(match=match, submission=submission).update(failures=failed)
        outcomes.match_over(match)
    submission.refresh_from_db()


def test_a_bot_that_failed_in_ten_of_its_last_twenty_rated_matches_is_suspended(ladder):
    user = User.objects.create_user("author@example.org")
    bad, *others = (entrant() for _ in range(3))
    bad.bot.player.members.add(user)
    failing(ladder, bad, others, failed=1, times=5)
    failing(ladder, bad, others, failed=0, times=10)
    failing(ladder, bad, others, failed=2, times=4)
    assert bad.state == "qualified"  # 9 of 19
    failing(ladder, bad, others, failed=3, times=1)
    assert bad.state == "suspended"
    assert bad.reason == "It failed in 10 of its last 20 rated matches"
    bad.bot.refresh_from_db()
    assert bad.bot.active is None
    assert bad not in [row.submission for row in ladders.table(ladder)]
    assert Contestant.objects.filter(submission=bad).count() == 20
    notice = Notice.objects.get(user=user)
    assert (notice.kind, notice.url) == ("suspended", f"/submissions/{bad.pk}/")
    assert Act.objects.filter(verb="suspend", user=None).count() == 1
    assert {each.state for each in Submission.objects.exclude(pk=bad.pk)} == {"qualified"}


def test_failures_of_long_ago_are_forgotten(ladder):
    bad, *others = (entrant() for _ in range(3))
    failing(ladder, bad, others, failed=1, times=9)
    failing(ladder, bad, others, failed=0, times=15)
    failing(ladder, bad, others, failed=1, times=4)
    assert bad.state == "qualified"  # of the last 20 it failed in 5


def test_good_matches_of_long_ago_do_not_count(ladder):
    bad, *others = (entrant() for _ in range(3))
    failing(ladder, bad, others, failed=0, times=15)
    failing(ladder, bad, others, failed=1, times=10)
    assert bad.state == "suspended"


def voids(ladder, seats, *workers):
    """A match whose attempts fail on these workers, one after the other."""
    match = ladder_match(ladder, seats)
    for worker in workers:
        dispatch.fail(**ids(claimed(match, worker)), reason="the sandbox broke")
        match.refresh_from_db()
    outcomes.match_over(match)
    return {each.state for each in Submission.objects.all()}


def test_a_bot_that_makes_attempts_void_on_two_workers_is_suspended(ladder):
    bad, *others = (entrant() for _ in range(7))
    one, two = make_worker("one"), make_worker("two")
    assert voids(ladder, [bad, *others[:2]], one, two, one) == {"qualified"}
    assert voids(ladder, [bad, *others[2:4]], one, two, one) == {"qualified"}
    assert voids(ladder, [bad, *others[4:]], two, one, two) == {"qualified", "suspended"}
    bad.refresh_from_db()
    assert bad.state == "suspended"
    assert "3 of its matches became void" in bad.reason
    assert "9 failed attempts on 2 workers" in bad.reason


def test_an_attempt_that_failed_counts_for_nothing_when_the_next_succeeds(ladder):
    workers = [make_worker("one"), make_worker("two")]
    bad, *others = (entrant() for _ in range(9))
    for number in range(4):
        match = ladder_match(ladder, [bad, *others[2 * number :][:2]])
        for worker in workers:
            dispatch.fail(**ids(claimed(match, worker)), reason="the machine went away")
            match.refresh_from_db()
            outcomes.match_over(match)
        claim = claimed(match, workers[0])
        assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
        outcomes.match_over(match)
    assert {each.state for each in Submission.objects.all()} == {"qualified"}


def test_nobody_is_suspended_while_it_is_not_clear_which_bot_it_is(ladder):
    bots = [entrant() for _ in range(3)]
    assert voids(ladder, bots, make_worker("one"), make_worker("two"), make_worker("three")) == {
        "qualified"
    }


def test_where_machines_fail_often_no_bot_is_suspended_for_it(ladder):
    bots = [entrant() for _ in range(7)]
    # All matches become void, whoever plays: each bot has its share of it.
    for first in range(7):
        table = [bots[(first + step) % 7] for step in (0, 1, 3)]
        # Others each time: a worker on which much fails is paused.
        workers = [make_worker(f"{first}-{number}") for number in range(3)]
        assert voids(ladder, table, *workers) == {"qualified"}


def test_one_bot_among_many_matches_is_still_found(ladder):
    workers = [make_worker("one"), make_worker("two")]
    bad, *others = (entrant() for _ in range(7))
    for number in range(6):
        claim = claimed(ladder_match(ladder, others[number % 4 :][:3]), workers[0])
        dispatch.finish(**ids(claim), result=report(claim))
    assert voids(ladder, [bad, *others[:2]], *workers, workers[0]) == {"qualified"}
    assert voids(ladder, [bad, *others[2:4]], *workers, workers[0]) == {"qualified"}
    found = voids(ladder, [bad, *others[4:]], *workers, workers[0])
    assert found == {"qualified", "suspended"}


# Of 10 throws of a fair coin 8 or more heads: (45 + 10 + 1) / 1024; of one, all or none.
@pytest.mark.parametrize(
    ("number", "of", "each", "right"),
    [(8, 10, 0.5, 56 / 1024), (0, 5, 0.3, 1.0), (3, 3, 0.1, 0.001), (2, 5, 1.0, 1.0)],
)
def test_the_odds_of_bad_luck(number, of, each, right):
    assert entrants.at_least(number, of=of, each=each) == pytest.approx(right)


def test_one_bad_worker_does_not_suspend_a_bot(ladder):
    bad, *others = (entrant() for _ in range(5))
    one = make_worker("one")
    voids(ladder, [bad, *others[:2]], one, one, one)
    assert voids(ladder, [bad, *others[2:]], one, one, one) == {"qualified"}


def test_what_a_shut_down_worker_hands_back_is_held_against_nobody(ladder):
    bad, *others = (entrant() for _ in range(5))
    for table in (others[:2], others[2:]):
        match = ladder_match(ladder, [bad, *table])
        for name in ("one", "two"):
            dispatch.hand_back(**ids(claimed(match, make_worker(name))))
            match.refresh_from_db()
        outcomes.match_over(match)
    assert {each.state for each in Submission.objects.all()} == {"qualified"}


def test_suspending_an_older_version_leaves_the_active_one(ladder):
    old = entrant()
    new = make_submission(old.bot)
    entrants.activate(submission=new, user=None)
    assert entrants.suspend(submission=old, reason="x", user=None)
    assert [row.submission for row in ladders.table(ladder)] == [new]
    assert not entrants.suspend(submission=old, reason="again", user=None)


def busy(ladder, house, others, *, matches):
    """The house's bot fills tables everywhere, and nothing goes wrong."""
    for number in range(matches):
        table = [house, *(others[(number + step) % len(others)] for step in range(2))]
        rated(ladder, table, [1, 2, 3])


@pytest.mark.parametrize(
    ("elsewhere", "failing", "paused"),
    [(0, 0, False), (9, 0, False), (10, 0, True), (10, 2, False)],
)
def test_a_bot_that_is_in_every_match_does_not_hide_a_bad_machine(
    ladder, elsewhere, failing, paused
):
    house, *others = (entrant() for _ in range(6))
    bad, good = make_worker("bad"), make_worker("good")

    def fail(number, worker):
        table = [house, others[number % 5], others[(number + 1) % 5]]
        match = ladder_match(ladder, table, rotations=1)
        dispatch.fail(**ids(claimed(match, worker)), reason="the sandbox broke")
        match.refresh_from_db()
        outcomes.match_over(match)

    fail(0, bad)
    # What it does on other workers from then on shows whether it is the bot.
    for _ in range(elsewhere):
        claim = claimed(ladder_match(ladder, [house, *others[:2]], rotations=1), good)
        assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
    for number in range(failing):
        fail(number, good)
    for number in range(1, 5):
        fail(number, bad)
    bad.refresh_from_db()
    assert bad.paused is paused


@pytest.mark.parametrize(
    ("finished", "of_both", "suspended"), [(29, 0, False), (30, 0, True), (0, 30, False)]
)
def test_a_bot_that_is_in_every_match_hides_no_bad_bot_that_can_be_told_from_it(
    ladder, finished, of_both, suspended
):
    house, bad, *others = (entrant() for _ in range(5))
    busy(ladder, house, others, matches=finished)
    for _ in range(of_both):  # then much play clears the one as well as the other
        rated(ladder, [house, bad, others[0]], [1, 2, 3])
    workers = [make_worker("one"), make_worker("two")]
    for other in others:
        voids(ladder, [house, bad, other], *workers, workers[0])
    bad.refresh_from_db()
    house.refresh_from_db()
    assert house.state == "qualified"
    assert bad.state == ("suspended" if suspended else "qualified")


def test_one_void_match_tells_nothing_of_those_who_sat_there(ladder):
    house, bad, *others = (entrant() for _ in range(5))
    busy(ladder, house, others, matches=10)
    busy(ladder, others[0], others[1:], matches=10)
    workers = [make_worker("one"), make_worker("two")]
    assert voids(ladder, [house, bad, others[0]], *workers, workers[0]) == {"qualified"}
