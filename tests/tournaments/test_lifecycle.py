"""Brackets from the draw to the end. Matches are reported as workers do; nobody calls a draw."""

import threading
from collections import Counter
from itertools import combinations

import pytest
from django.db import connection

from bots import submissions
from bots.faults import Conflict
from tests.builders import make_bot, make_submission
from tests.playing import at_random, play_out
from tournaments import brackets, dispatch, lifecycle
from tournaments.models import Bracket, Match, Round, TableSeat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]


def field(count: int, *, format: str = "swiss", rules: dict | None = None, **kw) -> Bracket:
    """A bracket with entries, not started."""
    bracket = brackets.create_bracket(
        slug="cup",
        title="The Cup",
        game="deca-slayer",
        format=format,
        rules=rules or ({"rounds": 3} if format == "swiss" else {}),
        organiser=None,
        **kw,
    )
    for _ in range(count):
        submission = make_submission(make_bot())
        submissions.activate(submission, user=None)
        submission.bot.refresh_from_db()
        brackets.enter(bracket=bracket, bot=submission.bot, user=None)
    return bracket


def play_all(worker, bots=at_random) -> int:
    """Play what is queued; `bots` is a function, or a dict of functions by submission."""
    queued = list(Match.objects.filter(state="queued").order_by("id"))
    for match in queued:
        order = [c.submission_id for c in match.contestants.order_by("number")]
        chosen = [bots.get(pk, at_random) if isinstance(bots, dict) else bots for pk in order]
        play_out(match, worker, chosen)
    return len(queued)


def run_to_the_end(bracket, worker, bots=at_random) -> None:
    for _ in range(100):
        lifecycle.advance()
        bracket.refresh_from_db()
        if bracket.state == "finished":
            return
        assert bracket.state == "running", bracket.pause_reason
        play_all(worker, bots)
    pytest.fail("it does not end")


def tables_of(bracket) -> list[list[list[int]]]:
    """Entries by round and table, byes included."""
    return [
        [
            list(table.seats.order_by("number").values_list("entry", flat=True))
            for table in round_.tables.order_by("number")
        ]
        for round_ in Round.objects.filter(stage__bracket=bracket).order_by("number")
    ]


def test_a_swiss_runs_to_its_end(worker, broker):
    bracket = field(9, rules={"rounds": 3, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, worker)

    entries = set(bracket.entries.values_list("pk", flat=True))
    rounds = tables_of(bracket)
    assert len(rounds) == 3
    met = Counter()
    for tables in rounds:
        seated = [entry for table in tables for entry in table]
        assert sorted(seated) == sorted(entries)  # each entrant exactly once
        assert [len(table) for table in tables] == [3, 3, 3]
        met.update(frozenset(pair) for table in tables for pair in combinations(table, 2))
    assert max(met.values()) == 1  # nine entrants can play three rounds without meeting again
    assert all(len(r.draw_seed) == 64 for r in Round.objects.all())

    rows = lifecycle.standings_of(bracket.stages.get())
    assert {row.entrant for row in rows} == entries
    assert sum(row.points for row in rows) == 3 * 3 * 3 / 2  # the mean of every table is 1/2
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    assert all(list(row.tie_breaks) == bracket.stages.get().rules["tie_breaks"] for row in rows)


def test_a_bye_is_given_once_and_only_when_it_cannot_be_helped(worker, broker):
    # Tables of exactly three: ten entrants leave one over.
    bracket = field(10, rules={"rounds": 3, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, worker)
    byes = TableSeat.objects.filter(table__bye=True)
    assert byes.count() == 3
    assert len(set(byes.values_list("entry", flat=True))) == 3
    assert all(points >= 0.5 for points in byes.values_list("points", flat=True))
    for tables in tables_of(bracket):
        assert sorted(map(len, tables)) == [1, 3, 3, 3]


def test_a_round_robin_runs_to_its_end_and_everybody_meets_as_often_as_can_be(worker, broker):
    bracket = field(5, format="round-robin", rules={"table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, worker)
    met = Counter()
    # Bots need no physical rounds: so few tables are drawn all at once.
    assert len(tables_of(bracket)) == 1
    for table in tables_of(bracket)[0]:
        met.update(frozenset(pair) for pair in combinations(table, 2))
    assert len(met) == 10
    assert max(met.values()) - min(met.values()) <= 1
    seeds = set(Round.objects.values_list("draw_seed", flat=True))
    assert len(seeds) == 1  # one seed draws the whole schedule
    rows = lifecycle.standings_of(bracket.stages.get())
    # Bots that are all alike get the same from every table: half a point.
    assert [(row.rank, row.points) for row in rows] == [(1, 0.5)] * 5


def test_two_drawers_make_one_round(worker, broker):
    bracket = field(6, rules={"rounds": 2, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    play_all(worker)

    def advance():
        lifecycle.advance()
        connection.close()

    threads = [threading.Thread(target=advance) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lifecycle.advance()
    assert [len(tables) for tables in tables_of(bracket)] == [2, 2]
    assert Match.objects.filter(state="queued").count() == 2


def test_a_void_match_is_replaced_by_a_new_deal(worker, broker):
    bracket = field(3, rules={"rounds": 1, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    first = Match.objects.get()
    dispatch.void(match=first, reason="the machine", user=None)
    lifecycle.advance()
    second = Match.objects.get(state="queued")
    assert second.seed != first.seed
    assert second.deal == first.deal
    run_to_the_end(bracket, worker)
    assert TableSeat.objects.filter(points__isnull=False).count() == 3


def test_a_table_that_cannot_be_played_is_no_contest(worker, broker):
    bracket = field(3, rules={"rounds": 1, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    for _ in range(1 + lifecycle.REPLACEMENTS):
        dispatch.void(match=Match.objects.get(state="queued"), reason="again", user=None)
        lifecycle.advance()
    bracket.refresh_from_db()
    assert bracket.state == "finished"
    rows = lifecycle.standings_of(bracket.stages.get())
    assert [(row.rank, row.points) for row in rows] == [(1, 0.5)] * 3


def test_a_deadline_closes_a_round(worker, broker):
    bracket = field(6, rules={"rounds": 1, "table_size": 3, "round_minutes": 60})
    lifecycle.start(bracket=bracket, user=None)
    play_out(Match.objects.filter(state="queued").first(), worker)
    lifecycle.advance()
    round_ = Round.objects.get()
    assert round_.closed_at is None
    Round.objects.update(deadline=round_.drawn_at)
    lifecycle.advance()
    bracket.refresh_from_db()
    assert bracket.state == "finished"
    assert sorted(Match.objects.values_list("state", flat=True)) == ["finished", "void"]


def test_the_withdrawn_are_not_drawn_again_but_stay_in_the_standings(worker, broker):
    bracket = field(7, rules={"rounds": 2, "table_size": 4})
    lifecycle.start(bracket=bracket, user=None)
    entry = bracket.entries.first()
    brackets.withdraw(entry=entry, user=None, reason="it hangs")
    run_to_the_end(bracket, worker)
    second = tables_of(bracket)[1]
    assert entry.pk not in [pk for table in second for pk in table]
    assert [len(table) for table in second] == [3, 3]
    row = next(r for r in lifecycle.standings_of(bracket.stages.get()) if r.entrant == entry.pk)
    assert row.withdrawn


def test_who_has_no_version_that_may_play_forfeits(worker, broker):
    bracket = field(4, rules={"rounds": 1, "table_size": 4}, follow_active=True)
    absent = bracket.entries.first()
    submissions.deactivate(absent.bot, user=None)
    lifecycle.start(bracket=bracket, user=None)
    assert Match.objects.get().players == 3
    run_to_the_end(bracket, worker)
    seats = {seat.entry_id: seat for seat in TableSeat.objects.all()}
    assert (seats[absent.pk].points, seats[absent.pk].place) == (0.0, 4)
    assert sorted(seat.place for seat in seats.values())[-1] == 4


def test_a_forfeited_table_is_no_meeting(worker, broker):
    """With one of three away too few are left: points are given, and nobody was an opponent."""
    rules = {"rounds": 1, "table_size": 3, "tie_breaks": ["head-to-head"]}
    bracket = field(3, rules=rules, follow_active=True)
    absent = bracket.entries.first()
    submissions.deactivate(absent.bot, user=None)
    lifecycle.start(bracket=bracket, user=None)
    lifecycle.advance()
    rows = {row.entrant: row for row in lifecycle.standings_of(bracket.stages.get())}
    assert {pk: float(row.points) for pk, row in rows.items()} == {
        entry.pk: 0.0 if entry == absent else 0.5 for entry in bracket.entries.all()
    }
    assert [row.tie_breaks["head-to-head"] for row in rows.values()] == [None] * 3
    assert Match.objects.count() == 0


def test_pausing_stops_the_next_draw(worker, broker):
    bracket = field(3, rules={"rounds": 2, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    lifecycle.pause(bracket=bracket, user=None, reason="a fault in the rules")
    play_all(worker)
    lifecycle.advance()
    assert Round.objects.count() == 1
    lifecycle.resume(bracket=bracket, user=None)
    lifecycle.advance()
    assert Round.objects.count() == 2
    with pytest.raises(Conflict):
        lifecycle.start(bracket=bracket, user=None)


def test_too_few_entries_cannot_start(broker):
    bracket = field(2, rules={"rounds": 1, "table_size": 3})
    with pytest.raises(Conflict, match="at least 3"):
        lifecycle.start(bracket=bracket, user=None)
    bracket.refresh_from_db()
    assert bracket.state == "draft"


def test_bracket_matches_count_on_the_ladder_only_under_its_conditions(ladder, worker, broker):
    bracket = field(3, rules={"rounds": 1, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    assert Match.objects.get().rated
    assert Match.objects.get().ladder == ladder
    dispatch.void(match=Match.objects.get(), reason="", user=None)
    Bracket.objects.update(options={"guilds": True, "princesses": 0})
    lifecycle.advance()
    assert not Match.objects.get(state="queued").rated


def test_a_bracket_that_breaks_stops_no_other(worker, broker):
    bracket = field(3, rules={"rounds": 1, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    broken = brackets.create_bracket(
        slug="broken",
        title="Broken",
        game="deca-slayer",
        format="swiss",
        rules={"rounds": 2, "table_size": 3},
        organiser=None,
    )
    for entry in bracket.entries.all():
        brackets.enter(bracket=broken, bot=entry.bot, user=None)
    lifecycle.start(bracket=broken, user=None)
    play_all(worker)
    # A time control under which the next round's match can never end in time.
    Bracket.objects.filter(pk=broken.pk).update(
        time_control={"start_ms": 5000, "move_ms": 100, "bank_ms": 600_000}
    )
    lifecycle.advance()
    bracket.refresh_from_db()
    broken.refresh_from_db()
    assert bracket.state == "finished"
    assert broken.state == "paused"
    assert "too long" in broken.pause_reason


def test_a_swiss_that_everybody_leaves_ends(worker, broker):
    bracket = field(3, rules={"rounds": 3, "table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    for entry in bracket.entries.all():
        brackets.withdraw(entry=entry, user=None, reason="home")
    play_all(worker)
    lifecycle.advance()
    bracket.refresh_from_db()
    assert bracket.state == "finished"
    assert Round.objects.count() == 1
