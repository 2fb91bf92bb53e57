"""What holds of every bracket, whatever its field, its results and who leaves it."""

import random
from collections import Counter
from fractions import Fraction as F
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.places import place_points
from tournaments.pairing import CannotDraw
from tournaments.pairing.knockout import double_elimination, single_elimination
from tournaments.pairing.round_robin import schedule
from tournaments.pairing.swiss import draw
from tournaments.pairing.tables import table_sizes
from tournaments.standings import TIE_BREAKS, TableResult, standings

FIELDS = st.sampled_from([1, 2, 3, 5, 7, 8, 12])
SEEDS = st.integers(0, 10**6).map(lambda number: f"{number:064x}")


def results(table, kind, rng):
    """A table's place points; entrant 0 crashes in every game and is last alone."""
    if kind == "tied":
        places = [1] * len(table)
    else:
        keys = [rng.randrange(3) if kind == "ties" else rng.random() for _ in table]
        if kind == "crash":
            keys = [-1 if entrant == 0 else key for entrant, key in zip(table, keys, strict=True)]
        places = [1 + sum(other > key for other in keys) for key in keys]
    points = dict(zip(table, place_points(places), strict=True))
    return TableResult(points, {entrant: points[entrant] - F(1, 2) for entrant in table})


@settings(max_examples=40, deadline=None)
@given(
    FIELDS,
    st.integers(2, 6),
    st.sampled_from(["apart", "ties", "tied", "crash"]),
    st.booleans(),
    SEEDS,
)
def test_a_swiss(n, table_size, kind, withdrawals, seed):
    rng = random.Random(seed)
    field, gone, byes = list(range(n)), set(), Counter()
    rounds, history = [], []
    least = max(2, table_size - 1)
    for number in range(4):
        rows = standings(field, rounds, withdrawn=gone)
        points = {row.entrant: row.points for row in rows if row.entrant not in gone}
        told = (points, history, table_size, f"{seed[:-1]}{number}")
        expected = table_sizes(len(points), table_size, least)
        if not expected.sizes:
            with pytest.raises(CannotDraw, match="cannot fill a table"):
                draw(*told, byes_had=byes.elements())
            break
        drawn = draw(*told, byes_had=byes.elements())
        # The same again from the same seed, whatever order the rows come in.
        shuffled = dict(rng.sample(list(points.items()), len(points)))
        again = (shuffled, [t[::-1] for t in history[::-1]], table_size, f"{seed[:-1]}{number}")
        assert draw(*again, byes_had=list(byes.elements())[::-1]) == drawn

        seated = [entrant for table in drawn.tables for entrant in table]
        assert sorted([*seated, *drawn.byes]) == sorted(points), "everybody exactly once"
        assert sorted(map(len, drawn.tables)) == sorted(expected.sizes)
        byes.update(drawn.byes)
        if not withdrawals:
            had = [byes[entrant] for entrant in field]
            assert max(had) - min(had) <= 1, "byes go round"
        met = Counter(p for table in history for p in combinations(sorted(table), 2))
        repeats = sum(
            bool(met[p]) for table in drawn.tables for p in combinations(sorted(table), 2)
        )
        assert repeats == sum(reason.kind == "repeat" for reason in drawn.reasons)

        tables = [results(table, kind, rng) for table in drawn.tables]
        for table in tables:
            assert sum(map(F, table.points.values())) == F(len(table.points), 2)
        history += drawn.tables
        rounds.append([*tables, *(TableResult({e: 0}, bye=True) for e in drawn.byes)])
        if withdrawals and len(points) > 1:
            gone.add(rng.choice(sorted(points)))

    rows = standings(field, rounds, withdrawn=gone, tie_breaks=list(TIE_BREAKS))
    assert sorted(row.entrant for row in rows) == field
    if kind == "crash":
        crashed = next(row for row in rows if row.entrant == 0)
        assert crashed.points <= F(crashed.byes, 2)
        assert not any(row.points < crashed.points for row in rows if row.played == crashed.played)
    if kind == "tied":
        assert {row.points for row in rows if not withdrawals} <= {F(len(rounds), 2)}


@settings(max_examples=40, deadline=None)
@given(FIELDS, st.integers(2, 6), st.booleans(), SEEDS)
def test_a_round_robin(n, table_size, double, seed):
    least = max(2, table_size - 1)
    if n < least:
        with pytest.raises(CannotDraw, match="cannot fill a table"):
            schedule(range(n), table_size, seed, double=double)
        return
    plan = schedule(range(n), table_size, seed, double=double)
    assert schedule(reversed(range(n)), table_size, seed, double=double) == plan
    tables = [table for tables in plan.rounds for table in tables]
    assert all(least <= len(table) <= table_size for table in tables)
    met = Counter(p for table in tables for p in combinations(sorted(table), 2))
    low, high = plan.meetings
    assert {met[p] for p in combinations(range(n), 2)} <= set(range(low, high + 1))
    assert high - low <= 1 + double
    for seat in range(table_size):
        sat = Counter(table[seat] for table in tables if len(table) > seat)
        if n > table_size:
            assert max(sat.values(), default=0) - min(sat[e] for e in range(n)) <= 1
    for seated in plan.rounds:
        everybody = [entrant for table in seated for entrant in table]
        assert len(set(everybody)) == len(everybody), "nobody sits twice in a round"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([single_elimination, double_elimination]),
    FIELDS,
    st.integers(2, 6),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_a_knockout(make, n, table_size, crash, rng):
    if n < 2:
        with pytest.raises(CannotDraw, match="two entrants or more"):
            make(n, table_size=table_size)
        return
    plan = make(n, table_size=table_size)
    assert make(n, table_size=table_size) == plan
    field = rng.sample(range(n), n)
    results = {}
    while not plan.over(results):
        for table, seated in plan.ready(field, results):
            assert len(set(seated)) == len(seated)
            order = rng.sample(seated, len(seated))
            if crash:
                order.sort(key=lambda entrant: entrant == 0)
            results[table.name] = order
        groups = plan.ranking(field, results)
        assert sorted(entrant for group in groups for entrant in group) == list(range(n))
    assert len(groups[0]) == 1
    if crash:
        sat = sum(0 in order for order in results.values())
        assert sat <= (1 if make is single_elimination else 2)
