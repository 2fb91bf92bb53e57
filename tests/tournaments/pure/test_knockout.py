"""Knockouts: known brackets, counts of lost tables, and plans of every size played out."""

import random
from collections import Counter

import pytest

from tournaments.pairing import CannotDraw
from tournaments.pairing.knockout import Place, Seed, double_elimination, fold, single_elimination


def played(plan, entrants, choose):
    """The results of a plan whose tables end in the order that `choose` gives."""
    results = {}
    while not plan.over(results):
        tables = plan.ready(entrants, results)
        assert tables, "a plan that is not over has a table to play"
        for table, seated in tables:
            assert len(set(seated)) == len(seated)
            results[table.name] = choose(table, seated)
    assert plan.ready(entrants, results) == []
    return results


def by_lot(number):
    rng = random.Random(number)
    return lambda table, seated: rng.sample(seated, len(seated))


def by_strength(table, seated):
    return sorted(seated)


def seeds_of(table):
    return [source.number for source in table.sources if isinstance(source, Seed)]


# -- single elimination


def test_the_seeds_of_eight_and_sixteen():
    assert fold(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert fold(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


def test_eight_entrants():
    plan = single_elimination(8)
    assert [(t.name, t.part, t.round, t.go_on) for t in plan.tables] == [
        *((f"W1-{i}", "winners", 1, 1) for i in range(1, 5)),
        ("W2-1", "winners", 2, 1),
        ("W2-2", "winners", 2, 1),
        ("F1", "final", 3, 1),
    ]
    assert [seeds_of(t) for t in plan.tables[:4]] == [[1, 8], [4, 5], [2, 7], [3, 6]]
    assert plan.tables[4].sources == (Place("W1-1", 1), Place("W1-2", 1))
    assert plan.tables[6].sources == (Place("W2-1", 1), Place("W2-2", 1))


def test_top_seeds_wait_where_the_first_round_is_not_full():
    plan = single_elimination(5)
    assert {t.name: t.sources for t in plan.tables} == {
        "W1-1": (Seed(4), Seed(5)),
        "W2-1": (Seed(1), Place("W1-1", 1)),
        "W2-2": (Seed(2), Seed(3)),
        "F1": (Place("W2-1", 1), Place("W2-2", 1)),
    }
    for n in range(2, 66):
        tables = single_elimination(n).tables
        size = 1 << (n - 1).bit_length()
        waits = sorted(s for t in tables if t.round == 2 for s in seeds_of(t))
        assert waits == list(range(1, size - n + 1)) or n == 2
        assert len(tables) == n - 1


@pytest.mark.parametrize("table_size", [2, 3, 4, 5, 6])
def test_the_strongest_win_in_their_order(table_size):
    for n in range(2, 70):
        plan = single_elimination(n, table_size=table_size)
        results = played(plan, range(1, n + 1), by_strength)
        ranking = plan.ranking(range(1, n + 1), results)
        assert ranking[:2] == [[1], [2]]
        assert sorted(e for group in ranking for e in group) == list(range(1, n + 1))


def test_the_ranking_says_who_is_still_in_and_how_far_the_others_came():
    plan = single_elimination(8, third_place=True)
    entrants = list(range(1, 9))
    results = {"W1-1": [8, 1], "W1-2": [4, 5]}
    assert plan.ranking(entrants, results) == [[2, 3, 4, 6, 7, 8], [1, 5]]
    results |= {"W1-3": [2, 7], "W1-4": [3, 6], "W2-1": [8, 4]}
    # 4 plays for the third place, whoever that will be against.
    assert plan.ranking(entrants, results) == [[2, 3, 8], [4], [1, 5, 6, 7]]
    results |= {"W2-2": [2, 3]}
    assert plan.ranking(entrants, results) == [[2, 8], [3, 4], [1, 5, 6, 7]]
    assert [(t.name, s) for t, s in plan.ready(entrants, results)] == [
        ("T", (4, 3)),
        ("F1", (8, 2)),
    ]
    results |= {"F1": [2, 8]}
    assert not plan.over(results)
    results |= {"T": [4, 3]}
    assert plan.over(results)
    assert plan.ranking(entrants, results) == [[2], [8], [4], [3], [1, 5, 6, 7]]


@pytest.mark.parametrize(("n", "third"), [(2, False), (3, False), (4, True), (5, True), (33, True)])
def test_the_third_place_takes_two_semi_finals(n, third):
    plan = single_elimination(n, third_place=True)
    assert ("T" in plan.by_name) == third
    assert len(plan.tables) == n - 1 + third


# -- tables of more than two


def test_sixteen_at_tables_of_four():
    plan = single_elimination(16, table_size=4)
    assert [seeds_of(t) for t in plan.tables if t.round == 1] == [
        [1, 8, 9, 16],
        [4, 5, 12, 13],
        [2, 7, 10, 15],
        [3, 6, 11, 14],
    ]
    semi = plan.by_name["W2-1"]
    assert semi.sources == (
        Place("W1-1", 1),
        Place("W1-1", 2),
        Place("W1-2", 1),
        Place("W1-2", 2),
    )
    assert {t.name: t.go_on for t in plan.tables if t.round > 1} == {
        "W2-1": 2,
        "W2-2": 2,
        "F1": 1,
    }


def test_the_top_third_of_twenty_four_waits():
    plan = single_elimination(24, table_size=4)
    first = [t for t in plan.tables if t.round == 1]
    assert sorted(s for t in first for s in seeds_of(t)) == list(range(9, 25))
    assert [seeds_of(t) for t in plan.tables if t.round == 2] == [[1, 8], [4, 5], [2, 7], [3, 6]]
    assert len({len(t.sources) for t in plan.tables}) == 1


def test_the_shortest_tables_are_the_top_seeds():
    plan = single_elimination(7, table_size=4)
    assert [seeds_of(t) for t in plan.tables[:2]] == [[1, 4, 5], [2, 3, 6, 7]]


@pytest.mark.parametrize("table_size", [3, 4, 5, 6])
@pytest.mark.parametrize("n", range(2, 66))
def test_any_number_at_larger_tables(n, table_size):
    plan = single_elimination(n, table_size=table_size)
    seeded = [s for t in plan.tables for s in seeds_of(t)]
    assert sorted(seeded) == list(range(1, n + 1))
    taken = [source for t in plan.tables for source in t.sources]
    assert len(set(taken)) == len(taken), "a place is taken once"
    for table in plan.tables:
        assert 1 <= table.go_on < len(table.sources) <= table_size
        if table.part != "final":
            assert table.go_on == table_size // 2
            goes_on = {Place(table.name, p) for p in range(1, table.go_on + 1)}
            assert goes_on <= set(taken)
        for source in table.sources:
            if isinstance(source, Place):
                assert plan.by_name[source.table].round == table.round - 1
    results = played(plan, range(n), by_lot(n))
    assert len(plan.ranking(range(n), results)[0]) == 1
    if n > table_size:
        # Who waits is stronger than all who play in the first round.
        late = [s for t in plan.tables if t.round == 2 for s in seeds_of(t)]
        assert sorted(late) == list(range(1, len(late) + 1))


# -- double elimination


@pytest.mark.parametrize("n", range(2, 34))
def test_everybody_but_the_champion_loses_exactly_twice(n):
    plan = double_elimination(n)
    counts = set()
    for number in range(40):
        results = played(plan, range(n), by_lot(number))
        lost = Counter(order[1] for order in results.values())
        ((champion,), *others) = plan.ranking(range(n), results)
        assert lost.pop(champion, 0) == ("F2" in results)
        assert lost == Counter({e: 2 for e in range(n) if e != champion})
        assert sorted(e for group in others for e in group) == sorted(set(range(n)) - {champion})
        assert others[0] == [results["F2" if "F2" in results else "F1"][1]]
        counts.add(len(results))
    # Without and with a reset.
    assert counts == {2 * n - 2, 2 * n - 1}


def test_the_reset_is_played_only_if_the_losers_side_wins():
    plan = double_elimination(4)
    entrants = [10, 20, 30, 40]
    results = {"W1-1": [10, 40], "W1-2": [20, 30], "W2-1": [10, 20], "L1-1": [30, 40]}
    results |= {"L2-1": [20, 30]}
    assert [(t.name, s) for t, s in plan.ready(entrants, results)] == [("F1", (10, 20))]
    assert plan.over(results | {"F1": [10, 20]})
    assert plan.ranking(entrants, results | {"F1": [10, 20]}) == [[10], [20], [30], [40]]
    again = results | {"F1": [20, 10]}
    assert not plan.over(again)
    assert plan.ranking(entrants, again) == [[10, 20], [30], [40]]
    assert [(t.name, set(s)) for t, s in plan.ready(entrants, again)] == [("F2", {10, 20})]
    assert plan.ranking(entrants, again | {"F2": [10, 20]}) == [[10], [20], [30], [40]]


@pytest.mark.parametrize(("n", "earliest"), [(8, 3), (16, 4), (32, 5)])
def test_who_met_on_the_winners_side_meets_again_late(n, earliest):
    plan = double_elimination(n)
    seen = set()
    for number in range(300):
        met = set()
        rng = random.Random(number)

        def choose(table, seated, met=met, rng=rng):
            if table.part == "losers" and frozenset(seated) in met:
                seen.add(int(table.name[1:].partition("-")[0]))
            met.add(frozenset(seated))
            return rng.sample(seated, 2)

        played(plan, range(n), choose)
    assert min(seen) == earliest


@pytest.mark.parametrize("table_size", [3, 4, 5, 6])
@pytest.mark.parametrize("n", range(2, 34))
def test_two_lower_halves_and_out_at_larger_tables(n, table_size):
    plan = double_elimination(n, table_size=table_size)
    for number in range(5):
        results = played(plan, range(n), by_lot(number))
        ((champion,), *_) = plan.ranking(range(n), results)
        lost = Counter()
        for name, order in results.items():
            table = plan.by_name[name]
            assert 2 <= len(order) <= table_size
            lost.update(order[table.go_on :] if table.part != "final" else ())
        finalists = set(results["F1"])
        for entrant in range(n):
            if entrant in finalists:
                assert lost[entrant] <= 1
            else:
                assert lost[entrant] == 2
        assert champion in finalists
    results = played(plan, range(n), by_strength)
    assert plan.ranking(range(n), results)[0] == [0]
    assert "F2" not in results


@pytest.mark.parametrize("table_size", [2, 3, 4, 6])
@pytest.mark.parametrize("make", [single_elimination, double_elimination])
def test_every_source_is_of_an_earlier_round(make, table_size):
    for n in (2, 3, 5, 7, 12, 21, 33):
        plan = make(n, table_size=table_size)
        for table in plan.tables:
            for source in table.sources:
                if isinstance(source, Place):
                    assert plan.by_name[source.table].round < table.round
        names = [table.name for table in plan.tables]
        assert len(set(names)) == len(names)
        rounds = {table.round for table in plan.tables}
        assert rounds == set(range(1, max(rounds) + 1))


# -- bad input


@pytest.mark.parametrize("make", [single_elimination, double_elimination])
@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (0, {}, "two entrants or more, not 0"),
        (1, {}, "two entrants or more, not 1"),
        (20_001, {}, "20000 entrants at most"),
        (4, {"table_size": 1}, "two seats or more, not 1"),
        (8, {"table_size": 3, "min_size": 3}, r"a table of 2 \(.*\); a table takes 3 at least"),
    ],
)
def test_what_cannot_be_drawn_says_why(make, n, options, message):
    with pytest.raises(CannotDraw, match=message):
        make(n, **options)


def test_a_third_place_is_for_tables_of_two():
    with pytest.raises(CannotDraw, match="a larger final has a third place"):
        single_elimination(8, table_size=4, third_place=True)


@pytest.mark.parametrize(
    ("entrants", "results", "message"),
    [
        ([1, 2, 3], {}, r"for 4 entrants, not for \[1, 2, 3\]"),
        ([1, 2, 3, 3], {}, "for 4 entrants"),
        ([1, 2, 3, 4], {"X1": [1, 2]}, r"results of \['X1'\], which are no tables"),
        ([1, 2, 3, 4], {"W1-1": [1, 2]}, r"of W1-1 is of \[1, 2\], its entrants are \[1, 4\]"),
        ([1, 2, 3, 4], {"W1-1": [1, 4], "F1": [1, 2]}, r"of F1 is of \[1, 2\]"),
    ],
)
def test_results_that_do_not_fit_are_refused(entrants, results, message):
    with pytest.raises(ValueError, match=message):
        single_elimination(4).ready(entrants, results)
