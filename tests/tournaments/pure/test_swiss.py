"""Swiss drawings: hard rules, the best pairing by brute force, and what must not matter."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction as F
from itertools import combinations, pairwise
from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.pure.swiss_events import (
    Event,
    matchings,
    pair,
    pairs_at,
    partitions,
    perfect_matching,
    seed,
)
from tournaments.pairing import CannotDraw
from tournaments.pairing.swiss import acceleration, draw

ROOT = Path(__file__).parents[3]


# -- hard rules, over whole events


@pytest.mark.parametrize(
    ("n", "table_size", "min_size", "rounds"),
    [
        (2, 2, None, 2),
        (3, 2, None, 4),
        (5, 2, None, 6),
        (7, 2, None, 8),
        (8, 2, None, 9),
        (31, 2, None, 7),
        (3, 3, None, 2),
        (5, 3, 3, 5),
        (7, 3, 3, 4),
        (5, 4, 3, 6),
        (7, 4, None, 4),
        (11, 4, None, 5),
        (6, 6, None, 2),
        (13, 6, 5, 4),
        (50, 5, None, 5),
    ],
)
def test_hard_rules_hold_in_every_round(n, table_size, min_size, rounds):
    for number in range(4 if n < 20 else 1):
        event = Event(range(100, 100 + n), table_size, min_size=min_size, number=number)
        for _ in range(rounds):
            event.play()
        byes = Counter(dict.fromkeys(event.points, 0))
        byes.update(event.byes)
        assert max(byes.values()) - min(byes.values()) <= 1


@pytest.mark.parametrize(("n", "table_size"), [(9, 2), (10, 2), (12, 3), (17, 4)])
def test_hard_rules_hold_when_entrants_withdraw(n, table_size):
    for number in range(5):
        event = Event(range(n), table_size, number=number)
        for _ in range(5):
            event.play()
            if len(event.points) > 5:
                del event.points[event.rng.choice(sorted(event.points))]


@pytest.mark.parametrize(("n", "table_size"), [(0, 2), (1, 2), (1, 4), (2, 4), (2, 3)])
def test_a_field_that_fills_no_table_cannot_be_drawn(n, table_size):
    with pytest.raises(CannotDraw, match=f"{n} entrants cannot fill a table"):
        draw(dict.fromkeys(range(n), 0.0), [], table_size, seed(1), min_size=table_size)


# -- tables of two


def test_no_repeat_while_a_pairing_without_one_exists():
    repeated = 0
    for number in range(60):
        n = 4 + number % 9
        event = Event(range(n), 2, number=number)
        for _ in range(n):
            met = pairs_at(event.history)
            byes = Counter(event.byes)
            fewest = min(byes[e] for e in event.points)

            def allowed(a, b, n=n, met=met, byes=byes, fewest=fewest):
                if b == n:
                    return byes[a] == fewest
                return not met[pair(a, b)]

            possible = perfect_matching(range(n + n % 2), allowed)
            drawn = event.play()
            repeats = sum(r.kind == "repeat" for r in drawn.reasons)
            assert (repeats == 0) == possible
            repeated += repeats
    assert repeated, "some of these events must run out of pairings"


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.data())
def test_the_pairing_is_the_best_of_all(n, data):
    points = {
        e: data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]), label=f"points {e}")
        for e in range(n)
    }
    everybody = list(combinations(range(n), 2))
    met = Counter(data.draw(st.lists(st.sampled_from(everybody), max_size=2 * n), label="met"))
    byes = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True), label="byes")
    history = [p for p, times in met.items() for _ in range(times)]
    number = data.draw(st.integers(0, 5), label="seed")
    drawn = draw(points, history, 2, seed(number), byes_had=byes)

    def cost(pairs, bye):
        return (
            sum(met[pair(a, b)] ** 2 for a, b in pairs),
            0.0 if bye is None else points[bye],
            round(sum((points[a] - points[b]) ** 2 for a, b in pairs), 6),
        )

    open_to_byes = [e for e in range(n) if e not in byes] or list(range(n))
    ways = []
    for bye in open_to_byes if n % 2 else [None]:
        field = [e for e in range(n) if e != bye]
        ways += [cost(pairs, bye) for pairs in matchings(field)]
    assert cost(drawn.tables, drawn.byes[0] if drawn.byes else None) == min(ways)


def test_the_bye_goes_to_the_lowest_who_had_none():
    points = {1: 3.0, 2: 2.0, 3: 1.0, 4: 0.5, 5: 0.0}
    assert draw(points, [], 2, seed(1)).byes == (5,)
    assert draw(points, [], 2, seed(1), byes_had=[5]).byes == (4,)
    (reason,) = draw(points, [], 2, seed(1), byes_had=[5]).reasons
    assert (reason.kind, reason.entrants) == ("bye", (4,))
    assert "lowest in the standings of those who had none" in reason.text
    again = draw(points, [], 2, seed(1), byes_had=[1, 2, 3, 4, 5])
    assert again.byes == (5,)
    assert "it has had 1, and nobody left had fewer" in again.reasons[0].text


def test_the_bye_moves_up_before_a_meeting_is_repeated():
    # Without 3, who has met both others, 1 and 2 can play; with anybody else out it is a repeat.
    points = {1: 2.0, 2: 0.0, 3: 1.0}
    drawn = draw(points, [(1, 3), (2, 3)], 2, seed(1))
    assert drawn.byes == (3,)
    assert "would have repeated a meeting" in drawn.reasons[0].text


def test_one_pair_again_and_again_is_worse_than_two_pairs_once_more():
    points = dict.fromkeys(range(4), 0.0)
    met = {(0, 1): 3, (0, 2): 2, (1, 3): 2, (0, 3): 3, (1, 2): 3}
    history = [p for p, times in met.items() for _ in range(times)]
    # Meetings squared: 9 for 0-1 and 2-3 (never met), 4 + 4, 9 + 9.
    drawn = draw(points, history, 2, seed(1))
    assert {pair(*table) for table in drawn.tables} == {(0, 2), (1, 3)}


def test_two_byes_for_tables_of_exactly_three():
    points = {1: 3.0, 2: 2.0, 3: 1.0, 4: 0.5, 5: 0.0}
    drawn = draw(points, [], 3, seed(1), min_size=3, byes_had=[4])
    assert drawn.byes == (5, 3)
    assert all("of those who had none" in reason.text for reason in drawn.reasons)


def test_all_met_gives_the_fewest_repeats_and_says_so():
    points = dict.fromkeys(range(4), 1.0)
    history = [*combinations(range(4), 2), (0, 1), (2, 3), (0, 2)]
    drawn = draw(points, history, 2, seed(1))
    # 0-3 and 1-2 have met once, the others' best pairings hold a pair that has met twice.
    assert {pair(*table) for table in drawn.tables} == {(0, 3), (1, 2)}
    assert sorted((r.kind, pair(*r.entrants)) for r in drawn.reasons) == [
        ("repeat", (0, 3)),
        ("repeat", (1, 2)),
    ]
    assert all("without a repeated meeting" in r.text for r in drawn.reasons)


def test_all_tied_is_a_drawing_by_lot():
    points = dict.fromkeys(range(6), 0.0)
    seen = Counter(
        frozenset(pair(*t) for t in draw(points, [], 2, seed(i)).tables) for i in range(300)
    )
    # 15 pairings of six, 20 times each.
    assert len(seen) == 15
    assert max(seen.values()) < 45


def test_a_large_field_without_repeats():
    event = Event(range(601), 2, number=3)
    for _ in range(4):
        event.play()
    assert not [r for d in event.draws for r in d.reasons if r.kind == "repeat"]
    # On a line neighbours in pairs are the least sum of squares, whoever has met.
    for drawn, before in zip(event.draws, event.before, strict=True):
        left = sorted(value for e, value in before.items() if e not in drawn.byes)
        least = sum((a - b) ** 2 for a, b in zip(left[::2], left[1::2], strict=True))
        assert sum((before[a] - before[b]) ** 2 for a, b in drawn.tables) == least


def test_a_large_field_whose_neighbours_have_all_met():
    n = 240
    points = {e: float(n - e) for e in range(n)}
    history = [(a, b) for a, b in combinations(range(n), 2) if b - a <= 40]
    drawn = draw(points, history, 2, seed(1))
    assert not drawn.reasons
    assert all(abs(a - b) > 40 for a, b in drawn.tables)


def test_a_large_field_whose_top_has_all_met_plays_the_others():
    n = 270
    points = {e: float(n - e) for e in range(n)}
    for met in (range(110), range(160, n)):
        drawn = draw(points, list(combinations(met, 2)), 2, seed(1))
        assert not drawn.reasons
        assert sorted(e for table in drawn.tables for e in table) == list(range(n))
        assert not any(a in met and b in met for a, b in drawn.tables)


def test_the_bye_of_a_large_field_goes_up_to_the_only_one_who_had_none():
    points = {e: float(501 - e) for e in range(501)}
    drawn = draw(points, [], 2, seed(1), byes_had=set(points) - {3})
    assert drawn.byes == (3,)
    assert len(drawn.tables) == 250


@pytest.mark.parametrize("n", [20, 41, 60])
def test_the_pairing_costs_as_little_as_another_library_finds(n):
    for number in range(4):
        event = Event(range(n), 2, number=number)
        for _ in range(5):
            event.play()
        met = pairs_at(event.history)
        drawn = event.draw()
        (bye,) = drawn.byes or (None,)
        points = {e: round(value * 1000) for e, value in event.points.items() if e != bye}
        graph = networkx.Graph()
        graph.add_weighted_edges_from(
            (a, b, -((points[a] - points[b]) ** 2))
            for a, b in combinations(points, 2)
            if not met[pair(a, b)]
        )
        best = networkx.max_weight_matching(graph, maxcardinality=True)
        assert 2 * len(best) == len(points)
        cost = sum((points[a] - points[b]) ** 2 for a, b in drawn.tables)
        assert cost == sum((points[a] - points[b]) ** 2 for a, b in best)


# -- accelerated rounds


def test_acceleration_by_the_handbook():
    # 9 rounds: 5 accelerated, 3 with a whole point. 10 entrants: the upper 6.
    field = list("abcdefghij")
    full, half = dict.fromkeys("abcdef", F(1)), dict.fromkeys("abcdef", F(1, 2))
    rounds = [acceleration(field, number, 9) for number in range(1, 7)]
    assert rounds == [full, full, full, half, half, {}]
    assert [len(acceleration(range(n), 1, 9)) for n in (2, 3, 4, 5, 8, 161)] == [2, 2, 2, 4, 4, 82]


def test_the_stronger_half_plays_itself_first():
    field = range(40)
    points = dict.fromkeys(field, F(0))
    first = draw(points, [], 2, seed(1), accelerated=acceleration(field, 1, 6))
    assert all((a < 20) == (b < 20) for a, b in first.tables)
    # Winners of the lower half now meet losers of the upper.
    points = {e: F(1) if e % 2 else F(0) for e in field}
    second = draw(points, [], 2, seed(1), accelerated=acceleration(field, 2, 6))
    kinds = Counter(tuple(sorted((e < 20, e % 2) for e in table)) for table in second.tables)
    same = {((True, 1), (True, 1)): 5, ((False, 0), (False, 0)): 5}
    level = {k: times for k, times in kinds.items() if set(k) <= {(True, 0), (False, 1)}}
    assert kinds == same | level
    assert kinds[(False, 1), (True, 0)] > 0
    assert draw(points, [], 2, seed(1), accelerated={}) == draw(points, [], 2, seed(1))


# -- larger tables


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([(6, 3), (8, 4), (9, 3), (10, 5)]), st.integers(0, 10**6))
def test_small_fields_at_larger_tables_get_the_fewest_repeats(field, number):
    n, table_size = field
    rng = random.Random(number)
    points = {e: rng.randrange(0, 9) / 3 for e in range(n)}
    met = Counter(rng.sample(list(combinations(range(n), 2)), rng.randrange(0, n * 2)))
    drawn = draw(points, list(met), table_size, seed(number))
    ways = [sum(met[p] for p in pairs_at(w)) for w in partitions(list(range(n)), table_size)]
    assert sum(met[p] for p in pairs_at(drawn.tables)) == min(ways)


def test_small_fields_without_history_sit_with_the_nearest():
    points = {e: e / 2 for e in range(8)}
    drawn = draw(points, [], 4, seed(1))
    assert [sorted(t) for t in drawn.tables] == [[4, 5, 6, 7], [0, 1, 2, 3]]


@pytest.mark.parametrize(("n", "table_size", "rounds"), [(64, 4, 6), (30, 4, 6), (100, 6, 6)])
def test_nobody_meets_again_where_the_field_is_large_enough(n, table_size, rounds):
    event = Event(range(n), table_size, number=1)
    for _ in range(rounds):
        event.play()
    assert max(pairs_at(event.history).values()) == 1


def test_sixteen_at_tables_of_four_come_near_the_only_perfect_plan():
    # Five rounds without a repeat exist (the lines of the affine plane of order 4), but which
    # ones they are is fixed after two rounds.
    event = Event(range(16), 4, number=2)
    for _ in range(5):
        event.play()
    counts = pairs_at(event.history)
    assert max(counts.values()) == 2
    assert sum(times > 1 for times in counts.values()) <= 12


def test_short_tables_go_round_from_the_bottom():
    event = Event(range(22), 4, number=5)
    event.points = {e: 0.01 * (22 - e) for e in range(22)}
    short = Counter()
    first = event.play()
    assert {e for t in first.tables if len(t) == 3 for e in t} == set(range(16, 22))
    short.update(range(16, 22))
    for _ in range(2):
        short.update(e for t in event.play().tables if len(t) == 3 for e in t)
    # 18 short seats in three rounds for 22 entrants.
    assert max(short.values()) == 1


def test_seats_are_by_lot():
    points = {e: float(e) for e in range(4)}
    seats = Counter(draw(points, [], 4, seed(i)).tables[0].index(3) for i in range(200))
    assert all(30 <= seats[seat] <= 75 for seat in range(4))


# -- what must not matter


@pytest.mark.parametrize(("n", "table_size"), [(13, 2), (14, 3), (21, 4)])
def test_only_seed_points_and_history_matter(n, table_size):
    event = Event(range(n), table_size, number=1)
    for _ in range(3):
        event.play()
    drawn = event.draw()
    # The same rows in another order, and tables told in another order.
    rows = list(event.points.items())
    event.rng.shuffle(rows)
    history = [tuple(reversed(table)) for table in reversed(event.history)]
    arguments = {"byes_had": list(reversed(event.byes))}
    again = draw(dict(rows), history, table_size, seed((1, 3)), **arguments)
    assert again == drawn
    # The same event under other numbers, in the same order.
    name = dict(enumerate(sorted(random.Random(0).sample(range(10_000), n))))
    renamed = draw(
        {name[e]: points for e, points in rows},
        [[name[e] for e in table] for table in history],
        table_size,
        seed((1, 3)),
        byes_had=[name[e] for e in event.byes],
    )
    assert renamed.tables == tuple(tuple(name[e] for e in table) for table in drawn.tables)
    assert renamed.byes == tuple(name[e] for e in drawn.byes)
    other = draw(event.points, event.history, table_size, seed("other"), byes_had=event.byes)
    assert other.tables != drawn.tables


def test_points_that_were_added_up_in_another_order_are_equal():
    one, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one != other
    assert draw({1: one, 2: other, 3: 0.0, 4: 0.0}, [], 2, seed(1)) == draw(
        {1: other, 2: one, 3: 0.0, 4: 0.0}, [], 2, seed(1)
    )


def everything():
    """Drawings of all kinds, as plain lists."""
    from tournaments.pairing import fide_dutch
    from tournaments.pairing.knockout import double_elimination, single_elimination
    from tournaments.pairing.round_robin import schedule
    from tournaments.standings import TIE_BREAKS, TableResult, standings

    made = []
    made.append(list(map(repr, single_elimination(11, table_size=4).tables)))
    made.append(list(map(repr, double_elimination(11).tables)))
    field, past = range(9), []
    for _ in range(2):
        drawn = fide_dutch.draw(field, past, seed(1), field=field, rounds=3)
        games = tuple(fide_dutch.Game(a, b, (a < b) / 1) for a, b in drawn.tables)
        past.append(fide_dutch.PastRound(games, drawn.byes))
        made.append([list(drawn.tables), list(drawn.byes)])
    tables = [
        [TableResult({g.first: g.score, g.second: 1 - g.score}) for g in p.games] for p in past
    ]
    made.append(list(map(repr, standings(field, tables, tie_breaks=list(TIE_BREAKS)))))
    for n, table_size in ((13, 2), (22, 4), (210, 2)):
        event = Event(range(n), table_size, number=9)
        made.append([[list(d.tables), list(d.byes)] for d in [event.play(), event.play()]])
    made += [schedule(range(n), k, seed(n)).rounds for n, k in ((9, 2), (8, 4), (12, 4), (11, 4))]
    return json.dumps(made)


def test_the_hash_seed_does_not_matter():
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('drawn', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "print(module.everything())\n"
    )
    here = everything()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == here


def test_the_best_table_comes_first():
    event = Event(range(40), 2, number=4)
    for _ in range(4):
        event.play()
    best = [max(event.points[e] for e in table) for table in event.draw().tables]
    assert all(a >= b for a, b in pairwise(best))


def test_a_seed_must_be_a_seed():
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        draw({1: 0.0, 2: 0.0}, [], 2, "draw")
