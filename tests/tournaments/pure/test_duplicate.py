"""Duplicate sets: rotations, and the result of a match from its plays."""

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.places import places
from tournaments.duplicate import PlayOutcome, margins, result, rotations_for, seats


def ranks(scores):
    return [1 + sum(other > score for other in scores) for score in scores]


def outcome(seats, scores, failed=()):
    """A play whose places follow the scores, failed seats (all at one decision) last."""
    return PlayOutcome(
        seats, scores, places(ranks(scores), dict.fromkeys(failed, 0)), tuple(failed)
    )


def test_contestant_i_sits_at_seat_i_plus_r():
    assert seats(4, 0) == [0, 1, 2, 3]
    assert seats(4, 1) == [3, 0, 1, 2]
    for n in range(2, 7):
        for r in range(n):
            assert all(seats(n, r)[(i + r) % n] == i for i in range(n))


def test_every_contestant_sits_once_in_every_seat():
    for n in range(2, 7):
        assert all({seats(n, r)[seat] for r in range(n)} == set(range(n)) for seat in range(n))


def test_rotations_are_one_for_each_seat_unless_fewer_are_asked():
    assert rotations_for(4) == 4
    assert rotations_for(4, 0) == 4
    assert rotations_for(4, 1) == 1
    assert rotations_for(3, 4) == 3
    with pytest.raises(ValueError, match="not -1"):
        rotations_for(4, -1)


def test_margin_is_own_score_minus_the_mean_of_the_other_seats():
    # 10 - 4; 4 - 7 …: the margins of a table sum to 0.
    assert margins(outcome([0, 1, 2], [10, 4, 4])) == [F(6), F(-3), F(-3)]


def test_a_failed_bot_gets_the_lowest_margin_of_its_table():
    # Its stand-in won with 10 points; the lowest margin is seat 2's: 2 - 7.
    assert margins(outcome([0, 1, 2], [10, 4, 2], failed=[0])) == [F(-5), F(-2), F(-5)]


def test_a_match_by_hand():
    plays = [
        outcome([0, 1, 2], [30, 20, 10]),  # seat: 0 1 2; points 1, 1/2, 0
        outcome([2, 0, 1], [20, 20, 5]),  # contestants 2 and 0 share the first place: 3/4 each
        outcome([1, 2, 0], [12, 9, 0]),  # contestants 1, 2, 0: 1, 1/2, 0
    ]
    a, b, c = result(3, plays)
    assert (a.points, b.points, c.points) == (F(7, 4), F(3, 2), F(5, 4))
    # 0: 30-15, 20-12.5, 0-10.5; 1: 20-20, 5-20, 12-4.5; 2: 10-25, 20-12.5, 9-6.
    assert (a.margin, b.margin, c.margin) == (F(12), F(-15, 2), F(-9, 2))
    assert (a.place, b.place, c.place) == (1, 2, 3)


def test_equal_points_are_parted_by_margin():
    plays = [outcome([0, 1], [9, 3]), outcome([1, 0], [5, 4])]
    a, b = result(2, plays)
    assert a.points == b.points == 1
    assert (a.margin, b.margin) == (5, -5)
    assert (a.place, b.place) == (1, 2)


def test_equal_points_and_margins_share_the_place_and_the_next_is_skipped():
    plays = [outcome([0, 1, 2], [6, 6, 9])] * 3
    assert [c.place for c in result(3, plays)] == [2, 2, 1]
    plays = [outcome([0, 1, 2], [6, 6, 3])]
    assert [c.place for c in result(3, plays)] == [1, 1, 3]


def test_a_failure_counts_in_its_play_only():
    plays = [outcome([0, 1], [9, 3], failed=[0]), outcome([1, 0], [3, 9])]
    a, b = result(2, plays)
    assert (a.points, b.points) == (1, 1)
    assert (a.failures, b.failures) == (1, 0)
    # First play: margins 6 and -6, the failed one gets -6 as well; second: +6 and -6.
    assert (a.margin, b.margin) == (0, -12)
    assert (a.place, b.place) == (1, 2)


def test_all_failed_share():
    (a, b, c) = result(3, [outcome([0, 1, 2], [5, 4, 0], failed=[0, 1, 2])])
    assert {a.points, b.points, c.points} == {F(1, 2)}
    assert {a.place, b.place, c.place} == {1}


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-5, 50), min_size=n, max_size=n), min_size=n, max_size=n
        )
    )
)
def test_points_and_margins_of_any_match_add_up(rows):
    n = len(rows)
    contestants = result(n, [outcome(seats(n, r), row) for r, row in enumerate(rows)])
    assert sum(c.points for c in contestants) == F(n * n, 2)
    assert sum(c.margin for c in contestants) == 0
    keys = [(c.points, c.margin) for c in contestants]
    assert [c.place for c in contestants] == [1 + sum(k > key for k in keys) for key in keys]


def test_a_bot_against_copies_of_itself_ties_whatever_the_deal():
    # A deterministic bot scores by seat only, so all rotations have the same scores.
    contestants = result(4, [outcome(seats(4, r), [31, 7, 18, 18]) for r in range(4)])
    assert {c.place for c in contestants} == {1}
    assert {c.margin for c in contestants} == {0}


@pytest.mark.parametrize(
    ("plays", "message"),
    [
        ([], "only when it has plays"),
        ([PlayOutcome([0, 0], [1, 2], [2, 1])], r"play 0 seats \[0, 0\]"),
        ([PlayOutcome([0, 1], [1], [2, 1])], "1 scores and 2 places for 2 seats"),
        ([PlayOutcome([0, 1], [1, 2], [3, 1])], r"places \[3, 1\] do not add up"),
        ([PlayOutcome([0, 1], [1, 2], [2, 1], [2])], r"failures at the seats \[2\]"),
    ],
)
def test_plays_that_do_not_fit_are_refused(plays, message):
    with pytest.raises(ValueError, match=message):
        result(2, plays)


def test_out_of_range():
    with pytest.raises(ValueError, match="rotation 3 is out of range"):
        seats(3, 3)
    with pytest.raises(ValueError, match="at least two contestants"):
        result(1, [PlayOutcome([0], [1], [1])])
