from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.places import Decisions, place_points, places
from tests.engine.scripted import GAME, SEED


@pytest.mark.parametrize(
    ("ranks", "failed", "expected"),
    [
        ([1, 2, 2, 4], {}, [1, 2, 2, 4]),
        # The best by rank failed: below all others, who move up.
        ([1, 2, 3], {0: 50}, [3, 1, 2]),
        # The later failure stands higher.
        ([1, 2, 3, 4], {0: 10, 1: 30}, [4, 3, 1, 2]),
        # Equal decisions share, and the ranks of the others keep their ties.
        ([1, 1, 3, 4], {2: 7, 3: 7}, [1, 1, 3, 3]),
        # All failed: only the decisions count.
        ([1, 2, 3], {0: 0, 1: 9, 2: 0}, [2, 1, 2]),
    ],
)
def test_places(ranks, failed, expected):
    assert places(ranks, failed) == expected


@pytest.mark.parametrize(
    ("given_places", "expected"),
    [
        ([1, 2], [1, 0]),
        ([2, 1, 3], [Fraction(1, 2), 1, 0]),
        ([1, 2, 3, 4], [1, Fraction(2, 3), Fraction(1, 3), 0]),
        # Second and third share: the mean of 2/3 and 1/3.
        ([1, 2, 2, 4], [1, Fraction(1, 2), Fraction(1, 2), 0]),
        ([1, 1, 1], [Fraction(1, 2)] * 3),
        ([1, 2, 2, 2, 2, 6], [1, *[Fraction(1, 2)] * 4, 0]),
        ([1], [1]),
    ],
)
def test_place_points(given_places, expected):
    assert place_points(given_places) == expected


@given(st.lists(st.integers(1, 6), min_size=2, max_size=6), st.data())
def test_points_follow_places_and_their_sum_is_half_the_table(keys, data):
    failed = data.draw(
        st.dictionaries(st.integers(0, len(keys) - 1), st.integers(0, 3), max_size=len(keys))
    )
    ranks = [1 + sum(other < key for other in keys) for key in keys]
    final = places(ranks, failed)
    points = place_points(final)
    assert sum(points) == Fraction(len(keys), 2)
    for one in range(len(keys)):
        for other in range(len(keys)):
            assert (final[one] < final[other]) == (points[one] > points[other])


@pytest.mark.parametrize("wrong", [[2, 3], [1, 1, 2], [1, 3, 3], [0, 1]])
def test_places_that_do_not_add_up_give_no_points(wrong):
    with pytest.raises(ValueError, match="do not add up"):
        place_points(wrong)


def numbers_faced(*moves):
    """The decision that each mover faced when it moved."""
    state = GAME.new_initial_state(3, SEED)
    decisions, faced = Decisions(state), []
    for seat, action in moves:
        faced.append(decisions.number(seat))
        state.apply_action(seat, action)
        decisions.advance(seat, state)
    return faced


def test_seats_that_decide_at_the_same_time_face_one_decision():
    bids = [(0, "bid 1"), (1, "bid 2"), (2, "bid 3")]
    # Three bids are one decision, the word of seat 0 the next, then three bids again.
    assert numbers_faced(*bids, (0, "low"), *bids) == [0, 0, 0, 3, 4, 4, 4]


def test_an_answer_in_several_parts_is_still_one_decision():
    moves = [(0, "think"), (0, "bid 1"), (1, "bid 1"), (2, "think"), (2, "bid 1"), (0, "low")]
    assert numbers_faced(*moves) == [0, 0, 0, 0, 0, 5]


def test_a_single_seat_is_first_or_nothing() -> None:
    assert place_points([1]) == [1]
    with pytest.raises(ValueError, match="do not add up"):
        place_points([2])
