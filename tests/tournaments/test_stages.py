"""Stages one after the other, Swiss options, round robins in few drawings; and that a round's
record gives the round again."""

from collections import Counter
from datetime import timedelta
from itertools import combinations

import pytest
from django.utils import timezone

from bots.faults import Conflict, UserFault
from bots.models import Act
from tests.tournaments.chosen import run_to_the_end, settle_all
from tests.tournaments.fields import field_of_bots
from tests.tournaments.threads import at_once
from tournaments import brackets, dispatch, lifecycle
from tournaments.models import Bracket, Match, Round, Stage, Table, TableSeat
from tournaments.pairing.lots import lots, shuffled

pytestmark = [pytest.mark.django_db, pytest.mark.db]

FINAL = {
    "format": "single-elimination",
    "rules": {"table_size": 2, "sequential": False, "deals": 1},
}


def staged(count, *stages, **kw):
    return field_of_bots(count, stages=stages, **kw)


def seed_of(bracket):
    return {entry.pk: entry.seeding for entry in bracket.entries.all()}


def tables(stage):
    """Seeds at each table, by round; better seed first."""
    seed = seed_of(stage.bracket)
    return [
        [
            tuple(sorted(seed[seat.entry_id] for seat in table.seats.all()))
            for table in round_.tables.order_by("number")
        ]
        for round_ in stage.rounds.order_by("number")
    ]


def the_same_again(bracket):
    """Every round of a bracket comes out of its record as it was drawn; how many they are."""
    count = 0
    for round_ in Round.objects.filter(stage__bracket=bracket):
        drawn = lifecycle.draw_again(round_)
        kept = round_.tables.order_by("number")
        assert [(t.entries, t.name, t.group) for t in drawn.tables] == [
            (tuple(s.entry_id for s in t.seats.order_by("number")), t.name, t.group)
            for t in kept.filter(bye=False)
        ]
        assert list(drawn.byes) == [t.seats.get().entry_id for t in kept.filter(bye=True)]
        count += 1
    return count


def test_groups_then_a_knock_out():
    bracket, strength = staged(
        8,
        {"format": "groups", "rules": {"groups": 2, "advance": 4, "table_size": 2,
                                       "seeding": "given"}},
        FINAL,
    )  # fmt: skip
    lifecycle.start(bracket=bracket, user=None)
    groups, final = bracket.stages.all()
    seed = seed_of(bracket)
    assert [[seed[pk] for pk in group] for group in groups.groups] == [[1, 4, 5, 8], [2, 3, 6, 7]]
    run_to_the_end(bracket, strength)
    met = Counter(pair for round_ in tables(groups) for pair in round_)
    assert len(met) == 12
    assert set(met.values()) == {1}
    groups.refresh_from_db()
    final.refresh_from_db()
    # Both winners, then both seconds, so placed that no group meets itself at once.
    assert [seed[pk] for pk in final.field] == [1, 2, 4, 3]
    assert tables(final) == [[(1, 3), (2, 4)], [(1, 2)]]
    first_round = tables(final)[0]
    group_of = {seed[pk]: number for number, group in enumerate(groups.groups) for pk in group}
    assert all(group_of[one] != group_of[other] for one, other in first_round)
    rows = lifecycle.standings_of(groups, group=2)
    assert [(row.rank, seed[row.entrant]) for row in rows] == [(1, 2), (2, 3), (3, 6), (4, 7)]
    assert len(lifecycle.standings_of(groups)) == 8
    assert the_same_again(bracket) == 5


def test_a_swiss_then_its_top_cut():
    bracket, strength = staged(
        10, {"format": "swiss", "rules": {"table_size": 2, "rounds": 5, "advance": 4}}, FINAL
    )
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    swiss, final = bracket.stages.all()
    seed = seed_of(bracket)
    order = [seed[row.entrant] for row in lifecycle.standings_of(swiss)]
    assert order[0] == 1
    assert [seed[pk] for pk in final.field] == [seed[pk] for pk in lifecycle.ranking(swiss)[:4]]
    assert seed[lifecycle.ranking(final)[0]] == 1
    assert the_same_again(bracket) == 5 + 2


def test_who_has_withdrawn_does_not_go_on():
    bracket, strength = staged(
        6, {"format": "round-robin", "rules": {"table_size": 2, "advance": 2}}, FINAL
    )
    lifecycle.start(bracket=bracket, user=None)
    robin, final = bracket.stages.all()
    while Match.objects.filter(state="queued").exists() and robin.rounds.count() < 5:
        settle_all(strength)
        lifecycle.advance_bracket(bracket.pk)
    brackets.withdraw(entry=bracket.entries.get(seeding=1), user=None, reason="done")
    run_to_the_end(bracket, strength)
    final.refresh_from_db()
    seed = seed_of(bracket)
    assert [seed[pk] for pk in final.field] == [2, 3]


def test_too_few_to_go_on_pauses_with_the_reason():
    bracket, strength = staged(
        3, {"format": "round-robin", "rules": {"table_size": 2, "advance": 2}}, FINAL
    )
    lifecycle.start(bracket=bracket, user=None)
    for entry in bracket.entries.filter(seeding__gt=1):
        brackets.withdraw(entry=entry, user=None, reason="home")
    settle_all(strength)
    lifecycle.advance_bracket(bracket.pk)
    bracket.refresh_from_db()
    assert bracket.state == "paused"
    assert "stage 2 has 1 entries; it needs at least 2" in bracket.pause_reason


def test_drawn_seeds_come_from_the_recorded_seed():
    bracket, _ = field_of_bots(8, **FINAL | {"rules": {**FINAL["rules"], "seeding": "drawn"}})
    lifecycle.start(bracket=bracket, user=None)
    stage = bracket.stages.get()
    pks = sorted(bracket.entries.values_list("pk", flat=True))
    assert sorted(stage.field) == pks
    assert stage.field == shuffled(pks, lots(stage.draw_seed, "seeding"))


def test_a_stage_to_come_has_no_standings():
    bracket, _ = staged(
        4, {"format": "round-robin", "rules": {"table_size": 2, "advance": 2}}, FINAL
    )
    lifecycle.start(bracket=bracket, user=None)
    robin, final = bracket.stages.all()
    assert len(lifecycle.standings_of(robin)) == 4
    assert lifecycle.standings_of(final) == []


# ------------------------------------------------------------------ Swiss options


def test_fide_dutch_pairs_the_upper_half_with_the_lower():
    bracket, strength = field_of_bots(
        8,
        format="swiss",
        rules={
            "table_size": 2,
            "rounds": 3,
            "ruleset": "fide-dutch-2026",
            "seeding": "given",
        },
    )
    lifecycle.start(bracket=bracket, user=None)
    stage = bracket.stages.get()
    assert sorted(tables(stage)[0]) == [(1, 5), (2, 6), (3, 7), (4, 8)]
    run_to_the_end(bracket, strength)
    # Of the four winners 1 and 3 have sat on one side, 2 and 4 on the other: nobody twice.
    assert {(1, 4), (2, 3)} <= set(tables(stage)[1])
    assert (1, 2) in tables(stage)[2]
    assert any("fide-dutch-2026" in reason["text"] for reason in Round.objects.first().reasons)
    assert the_same_again(bracket) == 3


def test_an_accelerated_swiss_parts_the_field_sooner():
    bracket, strength = field_of_bots(
        8,
        format="swiss",
        rules={"table_size": 2, "rounds": 4, "accelerated": True, "seeding": "given"},
    )
    lifecycle.start(bracket=bracket, user=None)
    # The stronger half meets itself in the first round.
    for one, other in tables(bracket.stages.get())[0]:
        assert (one <= 4) == (other <= 4)
    run_to_the_end(bracket, strength)
    assert the_same_again(bracket) == 4


# ------------------------------------------------------------------ round robins


def test_a_double_round_robin_meets_twice_one_round_after_the_other():
    bracket, strength = field_of_bots(
        4, format="round-robin", rules={"table_size": 2, "double": True}
    )
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    rounds = tables(bracket.stages.get())
    assert [len(each) for each in rounds] == [2] * 6
    met = Counter(pair for each in rounds for pair in each)
    assert set(met.values()) == {2}
    assert len(met) == 6
    # Each sits first in one of the two.
    ordered = [
        tuple(table.seats.order_by("number").values_list("entry", flat=True))
        for table in Table.objects.all()
    ]
    assert len(set(ordered)) == 12


@pytest.mark.parametrize(
    ("count", "size", "days", "a_day", "meetings"),
    [
        (4, 2, 6, 2, {2}),  # three rounds, twice
        (4, 3, 6, 2, {6}),  # four tables with two meetings each, three times
        (4, 4, 6, 1, {6}),  # one table, six times
        (6, 2, 5, 3, {1}),
    ],
)
def test_a_round_robin_fills_its_match_days(count, size, days, a_day, meetings):
    bracket, strength = field_of_bots(
        count, format="round-robin", rules={"table_size": size, "match_days": days}
    )
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    rounds = tables(bracket.stages.get())
    assert [len(each) for each in rounds] == [a_day] * days
    met = Counter(pair for each in rounds for table in each for pair in combinations(table, 2))
    assert set(met.values()) == meetings
    assert the_same_again(bracket) == days


def test_a_bracket_may_play_fewer_rotations_of_each_deal():
    bracket, strength = field_of_bots(
        4, format="round-robin", rules={"table_size": 4, "rotations": 2}
    )
    lifecycle.start(bracket=bracket, user=None)
    assert Match.objects.get().rotations == 2
    run_to_the_end(bracket, strength)
    points = TableSeat.objects.order_by("place").values_list("points", flat=True)
    assert list(points) == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])


def test_large_tables_are_drawn_many_rounds_at_once():
    bracket, _ = field_of_bots(16, format="round-robin", rules={"table_size": 3})
    lifecycle.start(bracket=bracket, user=None)
    first = Round.objects.get()
    assert lifecycle.TABLES_AT_ONCE <= first.tables.count() < 40
    assert first.tables.count() == Match.objects.count()


# ------------------------------------------------------------------ one drawing, once


@pytest.mark.django_db(transaction=True)
def test_two_drawers_at_once_make_one_round():
    bracket, strength = field_of_bots(6, format="swiss", rules={"table_size": 2, "rounds": 3})
    lifecycle.start(bracket=bracket, user=None)
    for number in (2, 3):
        settle_all(strength)
        at_once(
            lambda: lifecycle.advance_bracket(bracket.pk),
            lambda: lifecycle.advance_bracket(bracket.pk, table=Table.objects.first().pk),
            lambda: lifecycle.advance(),
        )
        lifecycle.advance()
        assert [r.tables.count() for r in Round.objects.order_by("number")] == [3] * number
    assert the_same_again(bracket) == 3


def test_a_drawing_that_fails_leaves_nothing_and_pauses():
    bracket, strength = field_of_bots(3, format="swiss", rules={"table_size": 3, "rounds": 2})
    lifecycle.start(bracket=bracket, user=None)
    settle_all(strength)
    # A time control under which the next round's matches could never end in time.
    Bracket.objects.update(time_control={"start_ms": 5000, "move_ms": 60_000, "bank_ms": 600_000})
    lifecycle.advance_bracket(bracket.pk)
    bracket.refresh_from_db()
    assert bracket.state == "paused"
    assert "too long" in bracket.pause_reason
    assert Round.objects.count() == 1
    assert TableSeat.objects.count() == 3


# ------------------------------------------------------------------ the organiser's acts


def test_a_voided_table_counts_for_nobody():
    bracket, strength = field_of_bots(4, format="round-robin", rules={"table_size": 2})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    stage = bracket.stages.get()
    seed = seed_of(bracket)
    assert [float(row.points) for row in lifecycle.standings_of(stage)] == [
        1.0, pytest.approx(2 / 3), pytest.approx(1 / 3), 0.0,
    ]  # fmt: skip
    decisive = next(
        table
        for table in Table.objects.all()
        if {seed[seat.entry_id] for seat in table.seats.all()} == {1, 4}
    )
    lifecycle.void_table(table=decisive, user=None, reason="the engine dealt a card twice")
    rows = {seed[row.entrant]: row for row in lifecycle.standings_of(stage)}
    assert (float(rows[1].points), rows[1].played) == (1.0, 2)
    assert (float(rows[4].points), rows[4].played) == (0.0, 2)
    assert Act.objects.get(verb="void").reason == "the engine dealt a card twice"
    with pytest.raises(Conflict, match="already"):
        lifecycle.void_table(table=decisive, user=None, reason="again")


def test_rules_change_after_the_draw_by_a_logged_act_only():
    bracket, _ = field_of_bots(4, format="swiss", rules={"table_size": 2, "rounds": 3})
    lifecycle.start(bracket=bracket, user=None)
    stage = bracket.stages.get()
    with pytest.raises(Conflict, match="table_size cannot change"):
        lifecycle.change_rules(
            stage=stage, user=None, changes={"table_size": 4, "min_size": 2}, reason="larger"
        )
    with pytest.raises(UserFault, match="1 to 50"):
        lifecycle.change_rules(stage=stage, user=None, changes={"rounds": 0}, reason="fewer")
    lifecycle.change_rules(stage=stage, user=None, changes={"rounds": 2}, reason="a power cut")
    assert Stage.objects.get().rules["rounds"] == 2
    assert Act.objects.get(verb="change-rules").reason == "a power cut (rounds: 3 → 2)"


def test_a_deadline_is_extended_by_a_logged_act():
    bracket, _ = field_of_bots(
        4, format="swiss", rules={"table_size": 2, "rounds": 1, "round_minutes": 5}
    )
    lifecycle.start(bracket=bracket, user=None)
    round_ = Round.objects.get()
    later = timezone.now() + timedelta(hours=3)
    lifecycle.extend(round_=round_, user=None, deadline=later, reason="workers are slow")
    round_.refresh_from_db()
    assert round_.deadline == later
    assert "workers are slow" in Act.objects.get(verb="extend").reason
    with pytest.raises(UserFault, match="to come"):
        lifecycle.extend(round_=round_, user=None, deadline=round_.drawn_at, reason="no")


def test_a_deadline_cannot_be_given_to_a_closed_round():
    bracket, strength = field_of_bots(2, format="swiss", rules={"table_size": 2, "rounds": 1})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    with pytest.raises(Conflict, match="closed"):
        lifecycle.extend(round_=Round.objects.get(), user=None, deadline=None, reason="for ever")


# ------------------------------------------------------------------ size


def test_standings_take_as_many_queries_for_a_large_field(django_assert_max_num_queries):
    counts = []
    for count, rounds in ((6, 2), (12, 3)):
        bracket, strength = field_of_bots(
            count,
            slug=f"of-{count}",
            format="swiss",
            rules={"table_size": 4, "rounds": rounds},
        )
        lifecycle.start(bracket=bracket, user=None)
        run_to_the_end(bracket, strength)
        with django_assert_max_num_queries(10) as seen:
            rows = lifecycle.standings_of(Stage.objects.get(bracket=bracket))
        assert len(rows) == count
        counts.append(len(seen.captured_queries))
        # Asked again, as every page does, they are there unless something has happened.
        with django_assert_max_num_queries(5):
            assert lifecycle.standings_of(Stage.objects.get(bracket=bracket)) == rows
    assert counts[0] == counts[1]
    last = Table.objects.filter(round__stage__bracket=bracket).last()
    lifecycle.void_table(table=last, user=None, reason="a fault")
    assert lifecycle.standings_of(Stage.objects.get(bracket=bracket)) != rows


def test_closing_one_table_does_not_look_at_the_others(django_assert_max_num_queries):
    bracket, strength = field_of_bots(40, format="swiss", rules={"table_size": 4, "rounds": 2})
    lifecycle.start(bracket=bracket, user=None)
    match = Match.objects.filter(state="queued").first()
    settle_all(strength, pk=match.pk)
    with django_assert_max_num_queries(20):
        lifecycle.advance_bracket(bracket.pk, table=match.table_id)
    assert Table.objects.filter(closed_at__isnull=False).count() == 1


def test_a_void_match_of_a_table_that_lost_a_seat_is_no_failure_of_the_table():
    bracket, strength = field_of_bots(4, format="swiss", rules={"table_size": 4, "rounds": 1})
    lifecycle.start(bracket=bracket, user=None)
    for _ in range(lifecycle.REPLACEMENTS):
        dispatch.void(match=Match.objects.get(state="queued"), reason="machine", user=None)
        lifecycle.advance_bracket(bracket.pk)
    lifecycle.disqualify(entry=bracket.entries.get(seeding=4), user=None, reason="collusion")
    lifecycle.advance_bracket(bracket.pk)
    assert Match.objects.get(state="queued").players == 3
    run_to_the_end(bracket, strength)
    seats = {seat.entry.seeding: seat for seat in TableSeat.objects.select_related("entry")}
    assert [seats[seed].place for seed in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert [seats[seed].points for seed in (1, 2, 3, 4)] == [1.0, 0.5, 0.0, 0.0]
