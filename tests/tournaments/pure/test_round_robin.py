"""Round robins: known tables, balance of meetings and seats, rounds."""

import itertools
import random
from collections import Counter

import pytest
from gacrux.berger import bergertables

from tournaments.pairing import CannotDraw
from tournaments.pairing.designs import base_tables, turned
from tournaments.pairing.lots import lots
from tournaments.pairing.round_robin import berger, schedule

SEED = "5e" * 32


def meetings(rounds):
    return Counter(
        pair
        for tables in rounds
        for table in tables
        for pair in itertools.combinations(sorted(table), 2)
    )


def sat(rounds):
    return Counter(entrant for tables in rounds for table in tables for entrant in table)


def seat_counts(rounds):
    return Counter(
        (entrant, seat)
        for tables in rounds
        for table in tables
        for seat, entrant in enumerate(table)
    )


# -- tables of two


def test_the_published_table_for_six():
    published = [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]
    assert [[(a + 1, b + 1) for a, b in tables] for tables in berger(6)] == published


def test_the_published_table_for_four():
    published = [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]]
    assert [[(a + 1, b + 1) for a, b in tables] for tables in berger(4)] == published


@pytest.mark.parametrize("n", range(2, 41))
def test_bergers_tables_are_those_of_another_program(n):
    theirs = bergertables(n)["pairing"]
    # It numbers from 1, and the last number of an odd field is nobody.
    assert [set(pairs) for pairs in berger(n)] == [
        {
            (pair["white"] - 1, pair["black"] - 1)
            for pair in theirs[number].values()
            if max(pair.values()) <= n
        }
        for number in sorted(theirs)
    ]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 8, 11, 20, 33])
def test_tables_of_two(n):
    rounds = schedule(range(n), 2, SEED).rounds
    assert len(rounds) == n - 1 + n % 2
    assert meetings(rounds) == dict.fromkeys(itertools.combinations(range(n), 2), 1)
    for tables in rounds:
        seated = [entrant for table in tables for entrant in table]
        assert len(set(seated)) == len(seated) == n - n % 2
    first = Counter(table[0] for tables in rounds for table in tables)
    second = Counter(table[1] for tables in rounds for table in tables)
    assert all(abs(first[i] - second[i]) <= 1 for i in range(n))


def test_in_an_odd_field_everybody_sits_out_once():
    rounds = schedule(range(7), 2, SEED).rounds
    out = [set(range(7)) - {e for table in tables for e in table} for tables in rounds]
    assert sorted(e for sitting in out for e in sitting) == list(range(7))


# -- larger tables


@pytest.mark.parametrize(
    ("v", "k", "bases", "met"),
    [(7, 3, 1, 1), (13, 4, 1, 1), (21, 5, 1, 1), (11, 5, 1, 2), (5, 4, 1, 3), (9, 4, 1, (1, 2))],
)
def test_known_designs_are_found(v, k, bases, met):
    found = base_tables(v, k, lots(SEED, "design"))
    assert len(found) == bases
    counts = meetings([turned(base, v) for base in found])
    low, high = met if isinstance(met, tuple) else (met, met)
    assert (min(counts.values()), max(counts.values())) == (low, high)
    assert len(counts) == v * (v - 1) // 2


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 16, 20, 25, 31])
def test_everybody_meets_everybody_about_equally_and_sits_everywhere(n, k):
    plan = schedule(range(n), k, SEED, min_size=2)
    counts = meetings(plan.rounds)
    low, high = plan.meetings
    assert set(counts) == set(itertools.combinations(range(n), 2))
    assert (min(counts.values()), max(counts.values())) == (low, high)
    assert 1 <= low <= high <= low + 1
    assert any("Any two meet" in reason for reason in plan.reasons) == (low != high)
    assert len(set(sat(plan.rounds).values())) == 1
    tables = [table for tables in plan.rounds for table in tables]
    if n > k:
        # Short by one seat at most, and everybody at as many of these.
        assert {len(table) for table in tables} <= {k, k - 1}
        short = sat([[table for table in tables if len(table) < k]])
        assert len(set(short.values())) <= 1
        assert len(short) in (0, n)
        assert bool(short) == any("short by one seat" in reason for reason in plan.reasons)
        seats = seat_counts(plan.rounds)
        for seat in range(k):
            counts = [seats[entrant, seat] for entrant in range(n)]
            assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(
    ("n", "k", "tables", "met", "short"),
    [
        # The plane of order 3 without one point, and that of order 4.
        (12, 4, 13, 1, 1),
        (20, 5, 21, 1, 1),
        # Fano's plane without one point, and its complement.
        (6, 3, 7, 1, 1),
        (6, 4, 7, 2, 2),
        # The affine space of order 2: one entrant stays, seven turn.
        (8, 4, 14, 3, 0),
        (9, 4, 18, 3, 0),
    ],
)
def test_equal_meetings_where_they_cost_little(n, k, tables, met, short):
    plan = schedule(range(n), k, SEED)
    assert plan.meetings == (met, met)
    seated = [table for tables in plan.rounds for table in tables]
    assert len(seated) == tables
    assert set(sat([[table for table in seated if len(table) < k]]).values()) == {short} - {0}


def test_no_short_tables_where_they_are_not_allowed():
    plan = schedule(range(12), 4, SEED, min_size=4)
    assert {len(table) for tables in plan.rounds for table in tables} == {4}
    assert plan.meetings == (1, 2)
    assert "equal numbers would take more than twice the tables" in plan.reasons[0]


@pytest.mark.parametrize(("n", "k"), [(6, 2), (7, 2), (3, 4), (7, 3), (8, 4)])
def test_double_is_the_same_again_in_other_seats(n, k):
    once, twice = schedule(range(n), k, SEED), schedule(range(n), k, SEED, double=True)
    assert twice.rounds[: len(once.rounds)] == once.rounds
    again = twice.rounds[len(once.rounds) :]
    assert [[set(table) for table in tables] for tables in again] == [
        [set(table) for table in tables] for tables in once.rounds
    ]
    if k == 2:
        assert again == tuple(tuple(table[::-1] for table in tables) for tables in once.rounds)
    assert twice.meetings == tuple(2 * times for times in once.meetings)


@pytest.mark.parametrize(("n", "k"), [(7, 3), (12, 4), (25, 4), (40, 3), (60, 6)])
def test_rounds_hold_nobody_twice_and_spread_everybody(n, k):
    rounds = schedule(range(n), k, SEED).rounds
    played = Counter(dict.fromkeys(range(n), 0))
    for tables in rounds:
        seated = [entrant for table in tables for entrant in table]
        assert len(set(seated)) == len(seated)
        played.update(seated)
        assert max(played.values()) - min(played.values()) <= 4


def test_a_small_field_plays_one_table():
    plan = schedule([4, 9, 2], 4, SEED)
    assert [[sorted(table) for table in tables] for tables in plan.rounds] == [[[2, 4, 9]]]
    assert plan.meetings == (1, 1)


# -- the drawing


@pytest.mark.parametrize(("n", "k"), [(9, 2), (9, 3), (12, 4)])
def test_only_the_order_of_the_numbers_and_the_seed_matter(n, k):
    names = sorted(random.Random(n).sample(range(1000), n))
    plan = schedule(range(n), k, SEED)
    other = schedule(reversed(names), k, SEED)
    assert other.rounds == tuple(
        tuple(tuple(names[e] for e in table) for table in tables) for tables in plan.rounds
    )
    assert schedule(range(n), k, "5f" * 32).rounds != plan.rounds


@pytest.mark.parametrize(
    ("entrants", "table_size", "options", "message"),
    [
        ([], 2, {}, "0 entrants cannot fill a table: it takes 2"),
        ([1], 2, {}, "1 entrants cannot fill"),
        ([1, 2], 4, {}, "it takes 3"),
        ([1, 2, 3], 4, {"min_size": 4}, "it takes 4"),
        (range(300), 2, {}, "at least 44850 tables, more than 20000; a Swiss bracket"),
        (range(3000), 4, {}, "tables, more than 20000"),
        ([1, 2], 1, {}, "two seats or more, not 1"),
    ],
)
def test_what_cannot_be_drawn_says_why(entrants, table_size, options, message):
    with pytest.raises(CannotDraw, match=message):
        schedule(entrants, table_size, SEED, **options)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="twice"):
        schedule([1, 1, 2], 2, SEED)
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        schedule([1, 2], 2, "seed")
