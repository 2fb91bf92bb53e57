"""Divisions, and who goes up and down. Entrants are numbered from the strongest on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.leagues import (
    Outcome,
    PlayOff,
    apart,
    divide,
    division_sizes,
    movers,
    next_levels,
    outcomes,
    play_offs,
    snake,
)

C, P, S, R, W = (
    Outcome.CHAMPION,
    Outcome.PROMOTED,
    Outcome.STAYS,
    Outcome.RELEGATED,
    Outcome.WITHDRAWN,
)


@pytest.mark.parametrize(
    ("entrants", "size", "sizes"),
    [
        (12, 4, [4, 4, 4]),
        (13, 4, [4, 4, 5]),
        (14, 4, [4, 4, 4, 2]),
        (15, 4, [4, 4, 4, 3]),
        (3, 4, [3]),
        (5, 4, [5]),
        (0, 4, []),
        (29, 10, [10, 10, 9]),
        (24, 10, [10, 14]),
    ],
)
def test_the_rest_is_a_division_of_its_own_from_half_a_division_on(entrants, size, sizes):
    assert division_sizes(entrants, size) == sizes


def test_a_division_that_could_not_fill_a_table_is_none():
    assert division_sizes(14, 4, least=3) == [4, 4, 6]


def test_the_lowest_takes_all_when_divisions_are_limited():
    assert division_sizes(30, 8, most=2) == [8, 22]
    assert division_sizes(30, 8, most=1) == [30]


@given(st.integers(2, 300), st.integers(2, 30), st.integers(2, 6))
def test_every_division_but_the_lowest_is_full(entrants, size, least):
    sizes = division_sizes(entrants, size, least=least)
    assert sum(sizes) == entrants
    assert all(count == size for count in sizes[:-1])
    if len(sizes) > 1:
        assert sizes[-1] >= min(least, size)
        assert 2 * sizes[-1] >= size
        assert sizes[-1] < size + max(size / 2, least)


def test_divide_keeps_the_order():
    assert divide([5, 3, 9, 1], [1, 3]) == [[5], [3, 9, 1]]
    with pytest.raises(ValueError, match="do not fill"):
        divide([1, 2], [3])


THREE = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]


def test_one_goes_up_and_one_down_at_each_border():
    assert outcomes(THREE, up=1) == {
        1: C, 2: S, 3: S, 4: R,
        5: P, 6: S, 7: S, 8: R,
        9: P, 10: S, 11: S, 12: S,
    }  # fmt: skip


def test_the_next_season_has_those_who_came_down_before_those_who_stayed():
    found = outcomes(THREE, up=1)
    assert next_levels(THREE, found) == [
        (1, 1), (2, 1), (3, 1), (5, 1),
        (4, 2), (6, 2), (7, 2), (9, 2),
        (8, 3), (10, 3), (11, 3), (12, 3),
    ]  # fmt: skip


def test_a_withdrawn_ones_place_is_one_that_goes_down():
    # 4 came fourth and withdrew: nobody else of its division goes down.
    found = outcomes(THREE, up=1, withdrawn={4, 12})
    assert [found[entrant] for entrant in (3, 4, 5, 8, 12)] == [S, W, P, R, W]
    assert 4 not in dict(next_levels(THREE, found))


def test_the_champion_is_the_best_who_is_still_there():
    found = outcomes([[2, 3, 1]], up=1, withdrawn={1})
    assert (found[2], found[1]) == (C, W)


def test_no_division_loses_more_than_half():
    assert movers(4, 4, 3) == 2
    assert movers(4, 3, 3) == 1
    found = outcomes([[1, 2], [3, 4], [5, 6]], up=2)
    assert found == {1: C, 2: R, 3: P, 4: R, 5: P, 6: S}


def test_play_offs_at_both_borders():
    assert play_offs(THREE, up=1) == [PlayOff(3, (6,)), PlayOff(7, (10,))]
    # Tables of three: 7, the last safe one of the second division, has a play-off of its own.
    assert play_offs(THREE, up=1, seats=3) == [None, PlayOff(7, (10, 11))]
    assert play_offs(THREE[:2], up=1, seats=3) == [PlayOff(3, (6, 7))]
    assert play_offs(THREE, up=1, withdrawn={6}) == [None, PlayOff(7, (10,))]
    assert play_offs(THREE[:1], up=1) == []


def test_nobody_is_in_two_matters_at_once():
    assert play_offs([[1, 2], [3, 4], [5, 6]], up=1) == [None, None]
    assert play_offs([[1, 2, 3], [4, 5, 6], [7, 8, 9]], up=1) == [None, PlayOff(5, (8,))]


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.integers(0, 4),
    st.integers(2, 4),
)
def test_all_concerned_by_a_border_are_different(sizes, up, seats):
    entrants = iter(range(1, 100))
    divisions = [[next(entrants) for _ in range(size)] for size in sizes]
    found = outcomes(divisions, up=up)
    moved = {entrant for entrant, outcome in found.items() if outcome in (P, R)}
    concerned = []
    for off in play_offs(divisions, up=up, seats=seats):
        if off is not None:
            concerned += [off.holder, *off.challengers]
            assert len(off.challengers) == seats - 1
    assert len(set(concerned)) == len(concerned)
    assert not moved & set(concerned)
    # As many come up as go down at every border: sizes stay.
    assert sum(o == P for o in found.values()) == sum(o == R for o in found.values())


def test_who_wins_a_play_off_has_the_higher_place():
    first, second = PlayOff(3, (6,)), PlayOff(7, (10,))
    found = outcomes(THREE, up=1, won={0: (first, 6), 1: (second, 7)})
    assert [found[entrant] for entrant in (3, 6, 7, 10)] == [R, P, S, S]
    assert [level for _, level in next_levels(THREE, found)].count(1) == 4
    with pytest.raises(ValueError, match="not in the play-off"):
        outcomes(THREE, up=1, won={0: (first, 9)})


def test_groups_are_dealt_there_and_back():
    assert snake(range(1, 10), 3) == [[1, 6, 7], [2, 5, 8], [3, 4, 9]]
    assert snake([5, 9, 1], 2) == [[5], [9, 1]]


def test_no_group_meets_itself_at_once():
    # Two groups of four, of which two go on: 1 and 4, 2 and 3.
    assert apart([1, 2, 3, 4], [[1, 4, 5, 8], [2, 3, 6, 7]]) == [1, 2, 4, 3]
    assert apart([1, 2, 4, 3], [[1, 4, 5, 8], [2, 3, 6, 7]]) == [1, 2, 4, 3]
    # One group only: it cannot be helped.
    assert apart([1, 2, 3, 4], [[1, 2, 3, 4]]) == [1, 2, 3, 4]


@given(st.integers(2, 6), st.integers(1, 3))
def test_the_winners_keep_their_seeds_and_nobody_is_lost(groups, each):
    field = snake(range(groups * 4), groups)
    through = [group[place] for place in range(each) for group in field]
    placed = apart(through, field)
    assert sorted(placed) == sorted(through)
    half = len(through) - len(through) // 2
    assert placed[:half] == through[:half]
