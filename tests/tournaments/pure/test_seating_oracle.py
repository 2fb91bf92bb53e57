"""Tables of three to six against the best seating there is, as ortools' CP-SAT finds it."""

import random
from collections import Counter
from itertools import combinations

import pytest
from ortools.sat.python import cp_model

from tournaments.pairing.swiss import draw

REPEAT = 1000
"""Squared points that a repeated meeting weighs as much as."""
STEPS = 6
"""Points are multiples of 1 / STEPS."""


def cost(table, points, met):
    """Squared meetings, and squared distances to the table's mean, times STEPS² and its seats."""
    values = [round(points[entrant] * STEPS) for entrant in table]
    spread = len(values) * sum(value * value for value in values) - sum(values) ** 2
    again = sum(met[pair] ** 2 for pair in combinations(sorted(table), 2))
    return again * REPEAT * STEPS**2 * len(table) + spread


def is_cheaper(points, met, size, limit):
    """Whether some seating costs less than the limit: of all tables some that part the field."""
    model = cp_model.CpModel()
    tables = [(t, cost(t, points, met)) for t in combinations(sorted(points), size)]
    tables = [(table, own) for table, own in tables if own < limit]
    taken = [model.new_bool_var("") for _ in tables]
    at = {entrant: [] for entrant in points}
    for (table, _), one in zip(tables, taken, strict=True):
        for entrant in table:
            at[entrant].append(one)
    for own in at.values():
        model.add_exactly_one(own)
    costs = [own for _, own in tables]
    model.add(cp_model.LinearExpr.weighted_sum(taken, costs) < limit)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    assert status in (cp_model.INFEASIBLE, cp_model.OPTIMAL), solver.status_name(status)
    return status == cp_model.OPTIMAL


def test_the_oracle_finds_what_is_cheaper():
    points = {entrant: entrant // 3 for entrant in range(9)}
    met = Counter()
    assert not is_cheaper(points, met, 3, 0)
    assert is_cheaper(points, met, 3, 1)
    for pair in combinations(range(3), 2):
        met[pair] += 1
    bad = sum(cost(table, points, met) for table in ((0, 1, 2), (3, 4, 5), (6, 7, 8)))
    assert is_cheaper(points, met, 3, bad)


@pytest.mark.parametrize(
    ("n", "size", "rounds", "events"),
    [(9, 3, 2, 3), (12, 3, 3, 4), (12, 4, 2, 2), (16, 4, 3, 3), (18, 6, 1, 1), (20, 4, 3, 2)],
)
def test_no_seating_costs_a_twentieth_less(n, size, rounds, events):
    for number in range(events):
        rng = random.Random(n * 10 + number)
        points = dict.fromkeys(range(n), 0.0)
        history = []
        for index in range(rounds + 1):
            drawn = draw(points, history, size, f"{100 * number + index:064x}")
            met = Counter(p for table in history for p in combinations(sorted(table), 2))
            ours = sum(cost(table, points, met) for table in drawn.tables)
            if ours:
                assert not is_cheaper(points, met, size, int(ours / 1.05)), (number, index)
            for table in drawn.tables:
                history.append(table)
                for place, entrant in enumerate(rng.sample(table, size)):
                    points[entrant] += round(STEPS * (1 - place / (size - 1))) / STEPS
