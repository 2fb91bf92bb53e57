"""Standings: points, byes and every tie-break, computed by hand."""

import itertools
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.places import place_points
from tournaments.standings import TIE_BREAKS, TableResult, bye_points, standings


def two(winner, loser, *, margin=0):
    return TableResult({winner: 1, loser: 0}, {winner: margin, loser: -margin})


def level(a, b):
    return TableResult({a: F(1, 2), b: F(1, 2)}, {a: 0, b: 0})


def order(*entrants, margins=None):
    """A table that ended in this order, nobody level."""
    last = len(entrants) - 1
    return TableResult(
        {e: F(last - i, last) for i, e in enumerate(entrants)},
        dict(zip(entrants, margins, strict=True)) if margins else {},
    )


def bye(entrant):
    return TableResult({entrant: 0}, bye=True)


def ranks(rows):
    return {row.entrant: row.rank for row in rows}


def column(rows, name):
    return {row.entrant: row.tie_breaks[name] for row in rows}


# -- points


@pytest.mark.parametrize("seats", range(2, 7))
def test_every_table_has_the_same_mean_whatever_its_size_and_ties(seats):
    for steps in itertools.product([0, 1], repeat=seats - 1):
        keys = list(itertools.accumulate([0, *steps]))
        places = [1 + sum(other < key for other in keys) for key in keys]
        assert sum(place_points(places)) / seats == F(1, 2)


def test_points_are_added_up():
    rows = standings(range(1, 5), [[two(1, 2), two(3, 4)], [two(1, 3), two(4, 2)]])
    assert {row.entrant: row.points for row in rows} == {1: 2, 2: 0, 3: 1, 4: 1}
    assert [row.played for row in rows] == [2, 2, 2, 2]


def test_equal_points_from_floats_are_equal():
    third = 1 / 3
    # 0.1 + 0.2 + 0.3 and 0.6, in thirds and in tenths.
    rounds = [
        [TableResult({1: 0.1, 2: 0.9}), TableResult({3: 0.6, 4: 0.4})],
        [TableResult({1: 0.2, 4: 0.8}), TableResult({3: third, 2: 1 - third})],
        [TableResult({1: 0.3, 4: 0.7}), TableResult({3: 0.0, 2: 1.0})],
    ]
    points = {row.entrant: row.points for row in standings(range(1, 5), rounds)}
    assert points[1] == F(3, 5)
    assert points[3] == F(3, 5) + F(1, 3)
    assert points[2] == F(9, 10) + F(2, 3) + 1


def test_a_bye_is_worth_the_own_mean_so_far_and_at_least_a_half():
    assert bye_points([]) == F(1, 2)
    assert bye_points([0.0, 0.25]) == F(1, 2)
    assert bye_points([1.0, 0.5]) == F(3, 4)
    rounds = [
        [bye(1), two(2, 3)],
        [two(1, 2), bye(3)],
        [bye(1), two(3, 2)],
        [bye(2), two(1, 3)],
    ]
    rows = {row.entrant: row for row in standings([1, 2, 3], rounds)}
    # 1: 1/2 before anything, 1, its mean of 1, 1. 2: 1, 0, 0, at least 1/2. 3: 0, 1/2, 1, 0.
    assert (rows[1].points, rows[2].points, rows[3].points) == (F(7, 2), F(3, 2), F(3, 2))
    assert (rows[1].byes, rows[1].played) == (2, 2)


def test_swiss_gives_the_own_mean_for_a_table_left_out():
    rounds = [
        [two(1, 2), two(3, 4)],
        [TableResult({1: 0, 3: 0}, left_out=True), two(2, 4)],
    ]
    rows = {row.entrant: row for row in standings(range(1, 5), rounds)}
    assert (rows[1].points, rows[3].points) == (2, 2)
    assert (rows[1].played, rows[1].byes) == (1, 0)
    # They have not met, and 1's only opponent is 2.
    assert rows[1].tie_breaks["head-to-head"] is None
    assert rows[1].tie_breaks["mean-opponents"] == F(1, 2)


def test_round_robin_goes_by_points_per_table_played():
    rounds = [
        [two(1, 2), two(3, 4)],
        [two(1, 3), TableResult({2: 0, 4: 0}, left_out=True)],
        [two(4, 1), two(2, 3)],
    ]
    rows = {row.entrant: row for row in standings(range(1, 5), rounds, scoring="mean")}
    assert {e: row.points for e, row in rows.items()} == {
        1: F(2, 3),
        2: F(1, 2),
        3: F(1, 3),
        4: F(1, 2),
    }
    assert rows[2].played == 2


def test_a_withdrawn_entrant_stays_and_its_missed_tables_count_nothing():
    rounds = [[two(9, 1), two(2, 3)], [two(1, 2)], [two(3, 1)]]
    swiss = standings([1, 2, 3, 9], rounds, withdrawn=[9])
    assert {row.entrant: row.points for row in swiss} == {1: 1, 2: 1, 3: 1, 9: 1}
    assert [row.withdrawn for row in swiss if row.entrant == 9] == [True]
    robin = standings([1, 2, 3, 9], rounds, scoring="mean", withdrawn=[9])
    assert {row.entrant: row.points for row in robin} == {
        1: F(1, 3),
        2: F(1, 2),
        3: F(1, 2),
        9: F(1, 3),
    }
    # It remains 1's opponent: 9 (1), 2 (1/2), 3 (1/2).
    assert column(swiss, "mean-opponents")[1] == F(2, 3)


# -- tie-breaks, tables of two


ALL_PLAY_ALL = [
    [two(1, 2), two(3, 4)],
    [level(1, 3), two(2, 4)],
    [two(4, 1), two(2, 3)],
]


def test_an_event_of_four_by_hand():
    rows = standings(range(1, 5), ALL_PLAY_ALL)
    assert {row.entrant: row.points for row in rows} == {2: 2, 1: F(3, 2), 3: F(3, 2), 4: 1}
    # 1 and 3 drew; their opponents' means are (2/3 + 1/2 + 1/3) / 3 for both.
    assert column(rows, "head-to-head") == {1: F(1, 2), 2: None, 3: F(1, 2), 4: None}
    assert column(rows, "mean-opponents")[1] == column(rows, "mean-opponents")[3] == F(1, 2)
    # 1 beat 2 (2 points) and drew 3 (half of 1.5); 3 beat 4 (1) and drew 1.
    assert column(rows, "sonneborn-berger") == {1: F(11, 4), 2: F(5, 2), 3: F(7, 4), 4: F(3, 2)}
    assert column(rows, "wins") == {1: 1, 2: 2, 3: 1, 4: 1}
    assert ranks(rows) == {2: 1, 1: 2, 3: 3, 4: 4}


def test_head_to_head_counts_only_if_all_who_are_tied_have_met():
    # 1, 2 and 3 have two points each and beat one another in a ring.
    ring = [[two(1, 2), two(3, 4)], [two(2, 3), two(1, 4)], [two(3, 1), two(2, 4)]]
    rows = standings(range(1, 5), ring)
    assert column(rows, "head-to-head") == {1: 1, 2: 1, 3: 1, 4: None}
    assert ranks(rows) == {1: 1, 2: 1, 3: 1, 4: 4}
    # Two of three tied have met, so it says nothing.
    rows = standings(
        range(1, 5), [[two(1, 2), two(3, 4)], [two(2, 4)]], tie_breaks=["head-to-head"]
    )
    assert column(rows, "head-to-head") == dict.fromkeys(range(1, 5))
    assert ranks(rows) == {1: 1, 2: 1, 3: 1, 4: 4}


def test_head_to_head_parts_two_who_met():
    rows = standings(range(1, 5), [[two(2, 1), two(3, 4)], [two(1, 3), two(4, 2)]])
    # All have one point and not all have met.
    assert {row.points for row in rows} == {1}
    rows = standings(
        range(1, 5), [[two(2, 1), two(3, 4)], [two(1, 3), two(2, 4)], [two(1, 4), two(3, 2)]]
    )
    assert column(rows, "head-to-head") == {1: 1, 2: 1, 3: 1, 4: None}
    rows = standings([1, 2, 3], [[two(2, 1)], [two(1, 3)]])
    assert column(rows, "head-to-head") == {1: 0, 2: 1, 3: None}
    assert ranks(rows) == {2: 1, 1: 2, 3: 3}


def test_several_meetings_of_a_pair_count_as_their_mean():
    rounds = [[two(1, 2)], [two(1, 2)], [two(2, 1)], [two(2, 3)], [two(3, 4)], [two(4, 3)]]
    rows = standings(range(1, 5), rounds)
    assert column(rows, "head-to-head")[1] == F(2, 3)
    assert column(rows, "head-to-head")[2] == F(1, 3)
    assert ranks(rows)[1] == 1


def test_an_opponent_counts_at_least_a_quarter_and_byes_not_at_all():
    rounds = [[two(1, 2), bye(3)], [two(3, 2), bye(1)]]
    rows = standings([1, 2, 3], rounds)
    assert column(rows, "mean-opponents") == {1: F(1, 4), 2: F(1), 3: F(1, 4)}
    # 1 has 2 points: 1 and its mean so far; 3 has 1/2 and 1.
    assert ranks(rows) == {1: 1, 3: 2, 2: 3}


def test_margin_and_wins():
    rounds = [[two(1, 2, margin=3), two(3, 4, margin=8)]]
    rows = standings(range(1, 5), rounds)
    assert column(rows, "margin") == {1: 3, 2: -3, 3: 8, 4: -8}
    assert ranks(rows) == {3: 1, 1: 2, 2: 3, 4: 4}
    # Before the margin both are level in everything.
    rows = standings(range(1, 5), rounds, tie_breaks=["mean-opponents", "sonneborn-berger"])
    assert ranks(rows) == {1: 1, 3: 1, 2: 3, 4: 3}


def test_wins_part_those_who_drew_from_those_who_won():
    rounds = [[level(1, 2), two(3, 4)], [level(1, 2), two(4, 3)]]
    rows = standings(range(1, 5), rounds, tie_breaks=["wins"])
    assert column(rows, "wins") == {1: 0, 2: 0, 3: 1, 4: 1}
    assert ranks(rows) == {3: 1, 4: 1, 1: 3, 2: 3}


# -- tie-breaks, larger tables


def test_tables_of_different_sizes_by_hand():
    rounds = [
        [order(1, 2, 3, 4), order(5, 6, 7)],
        [order(5, 1, 2, 6), order(4, 7, 3)],
    ]
    rows = standings(range(1, 8), rounds)
    points = {row.entrant: row.points for row in rows}
    assert points == {
        1: 1 + F(2, 3),
        2: F(2, 3) + F(1, 3),
        3: F(1, 3),
        4: F(1),
        5: F(2),
        6: F(1, 2),
        7: F(1, 2),
    }
    # 2 met 1 (5/6), 3 (1/6: floor), 4 (1/2), then 5 (1), 1, 6 (1/4).
    assert (
        column(rows, "mean-opponents")[2]
        == (F(5, 6) + F(1, 4) + F(1, 2) + 1 + F(5, 6) + F(1, 4)) / 6
    )
    # 4 met 1, 2 (1/2), 3 and, at the short table, 7 (1/4) and 3.
    assert (
        column(rows, "mean-opponents")[4] == (F(5, 6) + F(1, 2) + F(1, 4) + F(1, 4) + F(1, 4)) / 5
    )
    # 2 beat 3 (1/3) and 4 (1) of three, then 6 (1/2) of three; 4 beat 7 (1/2) and 3 of two.
    assert column(rows, "sonneborn-berger")[2] == F(4, 9) + F(1, 6)
    assert column(rows, "sonneborn-berger")[4] == F(5, 12)
    # They met once and 2 was above.
    assert column(rows, "head-to-head")[2] == 1
    assert column(rows, "head-to-head")[4] == 0
    assert column(rows, "wins") == {1: 1, 2: 0, 3: 0, 4: 1, 5: 2, 6: 0, 7: 0}
    assert [row.entrant for row in rows][:4] == [5, 1, 2, 4]


def test_level_entrants_share_half_of_each_other():
    table = TableResult({1: F(5, 6), 2: F(5, 6), 3: F(1, 3), 4: 0})
    rows = standings(range(1, 5), [[table]])
    # Half of 2's 5/6, the whole of 3's 1/3 and 4's 0, of three opponents.
    assert column(rows, "sonneborn-berger")[1] == (F(5, 12) + F(1, 3)) / 3
    assert column(rows, "wins") == dict.fromkeys(range(1, 5), 0)
    assert ranks(rows) == {1: 1, 2: 1, 3: 3, 4: 4}


# -- order, ranks, names


def test_before_the_first_round_all_share_the_first_rank():
    rows = standings([3, 1, 2], [])
    assert [(row.entrant, row.rank, row.points) for row in rows] == [
        (1, 1, 0),
        (2, 1, 0),
        (3, 1, 0),
    ]


def test_the_announced_order_of_tie_breaks_is_kept_in_the_row():
    rows = standings([1, 2], [[two(1, 2)]], tie_breaks=["wins", "margin"])
    assert [list(row.tie_breaks) for row in rows] == [["wins", "margin"]] * 2


def test_names_of_the_field():
    assert {name: t.fide for name, t in TIE_BREAKS.items() if t.fide} == {
        "head-to-head": "DE",
        "sonneborn-berger": "SB",
        "wins": "WON",
        "buchholz": "BH",
        "buchholz-cut-1": "BH/C1",
        "median-buchholz": "BH/M1",
    }


@given(st.data())
def test_any_event_adds_up_and_does_not_depend_on_the_order_of_rows(data):
    n = data.draw(st.integers(4, 9))
    rounds = []
    for _ in range(data.draw(st.integers(0, 4))):
        seats = data.draw(st.permutations(range(n)))
        rounds.append([order(*seats[: n // 2]), order(*seats[n // 2 :])])
    rows = standings(range(n), rounds)
    assert sum(row.points for row in rows) == F(n * len(rounds), 2)
    keys = [(row.points, tuple(row.tie_breaks.values())) for row in rows]
    for a, b in itertools.pairwise(range(n)):
        assert (rows[a].rank == rows[b].rank) == (keys[a] == keys[b])
        assert rows[b].rank in (rows[a].rank, b + 1)
    shuffled = [list(reversed(tables)) for tables in rounds]
    assert standings(list(reversed(range(n))), shuffled) == rows


@pytest.mark.parametrize(
    ("rounds", "options", "message"),
    [
        ([[two(1, 7)]], {}, r"entrants \[7\], who are not in the bracket"),
        ([[TableResult({1: 0})]], {}, "a bye has one entrant"),
        ([[TableResult({1: 0, 2: 1}, bye=True)]], {}, "a bye has one entrant"),
        ([], {"tie_breaks": ["buchholtz"]}, r"unknown tie-breaks \['buchholtz'\]: there are"),
    ],
)
def test_bad_input_is_refused(rounds, options, message):
    with pytest.raises(ValueError, match=message):
        standings([1, 2], rounds, **options)
