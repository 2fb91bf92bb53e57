"""Ratings: known answers, the formula by hand, and what must hold for every result."""

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull, BradleyTerryPart

from tournaments.rating import (
    BETA,
    START,
    TAU,
    WINDOW,
    RatingValue,
    interval,
    new_version,
    ordinal,
    rank_ranges,
    update,
)

values = st.builds(
    RatingValue,
    st.floats(-20, 70, allow_nan=False),
    st.floats(0.5, 25 / 3, allow_nan=False),
)
numbered = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.lists(values, min_size=n, max_size=n),
        st.lists(st.integers(1, n), min_size=n, max_size=n),
    )
)


def as_places(ranks):
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


def by_hand(values, places):
    """Weng and Lin 2011, algorithm 1 (Bradley-Terry), each sum divided by the opponents."""
    after = []
    for i, (me, place) in enumerate(zip(values, places, strict=True)):
        mine = me.sigma**2 + TAU**2
        omega = delta = 0.0
        for j, (other, its) in enumerate(zip(values, places, strict=True)):
            if i == j:
                continue
            c = math.sqrt(mine + other.sigma**2 + TAU**2 + 2 * BETA**2)
            p = 1 / (1 + math.exp((other.mu - me.mu) / c))
            s = 1.0 if place < its else 0.5 if place == its else 0.0
            omega += mine / c * (s - p)
            delta += mine / c**2 * p * (1 - p)
        n = len(values) - 1
        after.append(RatingValue(me.mu + omega / n, math.sqrt(mine * max(1 - delta / n, 0.0001))))
    return after


# -- known answers


def test_the_library_gives_its_known_answer_for_two():
    # Published for openskill's defaults (beta = sigma / 2, gamma = sigma / c).
    model = BradleyTerryPart()
    (win,), (loss,) = model.rate([[model.rating()], [model.rating()]])
    assert (win.mu, loss.mu) == pytest.approx((27.635, 22.365), abs=5e-4)
    assert win.sigma == pytest.approx(8.066, abs=5e-4)


def test_two_from_the_start_by_hand():
    # sigma² = 625/9 + 1/1600; c² = 2 sigma² + 2 beta²; the winner gains sigma² / 2c.
    sigma2 = 625 / 9 + 1 / 1600
    c = math.sqrt(2 * sigma2 + 2 * 625 / 9)
    win, loss = update([START, START], [1, 2])
    assert win.mu == pytest.approx(25 + sigma2 / (2 * c), abs=1e-12)
    assert loss.mu == pytest.approx(25 - sigma2 / (2 * c), abs=1e-12)
    assert win.sigma == loss.sigma
    assert win.sigma == pytest.approx(math.sqrt(sigma2 * (1 - sigma2 / (4 * c * c))), abs=1e-12)
    assert win.mu == pytest.approx(27.083347, abs=1e-6)


@given(numbered)
def test_any_table_by_the_formula(table):
    ratings, ranks = table
    places = as_places(ranks)
    for ours, hand in zip(update(ratings, places), by_hand(ratings, places), strict=True):
        assert ours.mu == pytest.approx(hand.mu, abs=1e-11)
        assert ours.sigma == pytest.approx(hand.sigma, abs=1e-11)


LIBRARY = BradleyTerryPart(beta=BETA, tau=TAU, gamma=lambda *_: 1.0, window_size=WINDOW)


@given(numbered)
@settings(max_examples=500)
def test_any_table_as_the_library_has_it_to_the_last_bit(table):
    ratings, ranks = table
    places = as_places(ranks)
    # The order in which opponents are summed up shows in the last bit.
    order = sorted(range(len(places)), key=lambda i: (places[i], ratings[i].mu, ratings[i].sigma))
    theirs = LIBRARY.rate(
        [[LIBRARY.create_rating([ratings[i].mu, ratings[i].sigma])] for i in order],
        ranks=[float(places[i]) for i in order],
    )
    ours = update(ratings, places)
    for i, (rated,) in zip(order, theirs, strict=True):
        assert (ours[i].mu, ours[i].sigma) == (rated.mu, rated.sigma)


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_window_spans_the_table(seats):
    # The full model sums where the partial one takes the mean; so from one prior the gains of
    # the full one are seats - 1 times ours.
    full = BradleyTerryFull(beta=BETA, tau=TAU, gamma=lambda *_: 1.0)
    rated = full.rate([[full.rating()] for _ in range(seats)])
    ours = update([START] * seats, list(range(1, seats + 1)))
    for theirs, mine in zip(rated, ours, strict=True):
        assert (mine.mu - 25) * (seats - 1) == pytest.approx(theirs[0].mu - 25, abs=1e-12)


# -- what holds for every result


@given(numbered)
def test_a_sole_winner_never_loses_and_a_sole_last_never_gains(table):
    ratings, ranks = table
    places = as_places(ranks)
    after = update(ratings, places)
    first, last = min(places), max(places)
    for before, now, place in zip(ratings, after, places, strict=True):
        if place == first and places.count(first) == 1:
            assert now.mu >= before.mu
        if place == last and places.count(last) == 1:
            assert now.mu <= before.mu


@given(numbered, st.randoms(use_true_random=False))
def test_the_order_of_the_contestants_changes_no_bit(table, shuffler):
    ratings, ranks = table
    rows = list(zip(ratings, as_places(ranks), strict=True))
    after = dict(enumerate(update([v for v, _ in rows], [p for _, p in rows])))
    order = list(range(len(rows)))
    shuffler.shuffle(order)
    again = update([rows[i][0] for i in order], [rows[i][1] for i in order])
    assert [after[i] for i in order] == again


@given(st.integers(2, 6), st.floats(1, 8, allow_nan=False), st.data())
def test_with_equal_sigmas_gains_and_losses_cancel(n, sigma, data):
    mus = data.draw(st.lists(st.floats(0, 50, allow_nan=False), min_size=n, max_size=n))
    ranks = data.draw(st.lists(st.integers(1, n), min_size=n, max_size=n))
    after = update([RatingValue(mu, sigma) for mu in mus], as_places(ranks))
    assert sum(now.mu for now in after) == pytest.approx(sum(mus), abs=1e-9)


@pytest.mark.parametrize("n", range(2, 7))
def test_equals_who_all_tie_keep_their_mu(n):
    for mu in (25.0, 3.7):
        assert {v.mu for v in update([RatingValue(mu, 4.0)] * n, [1] * n)} == {mu}


@pytest.mark.parametrize("n", range(2, 7))
def test_from_equal_priors_gains_follow_the_places_in_every_tie_pattern(n):
    for steps in itertools.product([False, True], repeat=n - 1):
        places = as_places(list(itertools.accumulate([0, *map(int, steps)])))
        mus = [value.mu for value in update([START] * n, places)]
        for (p, mu), (q, other) in itertools.pairwise(zip(places, mus, strict=True)):
            assert mu > other if p < q else mu == other


def test_a_log_folds_to_the_same_bits_twice():
    def fold(seed):
        rng = random.Random(seed)
        table = [START] * 12
        for _ in range(300):
            seated = rng.sample(range(12), rng.randint(3, 6))
            places = as_places([rng.randint(1, 4) for _ in seated])
            entries = list(zip(seated, places, strict=True))
            if seed_order.random() < 0.5:
                entries.reverse()
            new = update([table[i] for i, _ in entries], [p for _, p in entries])
            for (i, _), value in zip(entries, new, strict=True):
                table[i] = value
        return table

    seed_order = random.Random(3)
    assert fold(1) == fold(1)


def test_strength_is_found():
    rng = random.Random(11)
    ratings = [START] * 10
    for _ in range(400):
        seated = rng.sample(range(10), 4)
        shown = [rng.gauss(i, 2.0) for i in seated]
        places = [1 + sum(other > s for other in shown) for s in shown]
        for i, value in zip(seated, update([ratings[i] for i in seated], places), strict=True):
            ratings[i] = value
    order = sorted(range(10), key=lambda i: ratings[i].mu)
    assert sum(abs(order.index(i) - i) for i in range(10)) <= 4
    assert all(value.sigma < START.sigma / 3 for value in ratings)


# -- versions, keys, rank ranges


def test_a_new_version_starts_from_its_parent_and_is_less_sure():
    parent = RatingValue(31.0, 1.2)
    # 0.3 x 25/3 = 2.5 and 0.5 x 25/3 = 25/6, in quadrature.
    assert new_version(parent) == RatingValue(31.0, math.sqrt(1.44 + 6.25))
    rewrite = new_version(parent, rewrite=True)
    assert rewrite.mu == 31.0
    assert rewrite.sigma == pytest.approx(math.sqrt(1.44 + (25 / 6) ** 2), abs=1e-12)


def test_ordinal_and_interval():
    assert ordinal(RatingValue(30.0, 2.0)) == 24.0
    assert ordinal(START) == 0.0
    assert interval(RatingValue(30.0, 2.0)) == (26.0, 34.0)


def test_rank_ranges_by_hand():
    table = [
        RatingValue(40, 1),  # 38..42
        RatingValue(30, 2),  # 26..34
        RatingValue(29, 2),  # 25..33
        RatingValue(20, 4),  # 12..28: overlaps both above
        RatingValue(10, 1),  # 8..12: touches the one above, so not clearly below it
        RatingValue(0, 1),  # -2..2
    ]
    assert rank_ranges(table) == [(1, 1), (2, 4), (2, 4), (2, 5), (4, 5), (6, 6)]
    assert rank_ranges([]) == []
    assert rank_ranges([START]) == [(1, 1)]


@given(st.lists(values, max_size=30))
def test_rank_ranges_are_what_counting_pairs_gives(table):
    for value, (best, worst) in zip(table, rank_ranges(table), strict=True):
        low, high = interval(value)
        assert best == 1 + sum(interval(other)[0] > high for other in table)
        assert worst == len(table) - sum(interval(other)[1] < low for other in table)
        assert best <= worst


# -- bad input


@pytest.mark.parametrize(
    ("ratings", "places", "message"),
    [
        ([START], [1], "2 to 9 contestants, not 1"),
        ([START] * 10, list(range(1, 11)), "not 10"),
        ([START] * 2, [1], "2 ratings and 1 places"),
        ([START] * 2, [1.2, 1.7], "whole numbers"),
    ],
)
def test_bad_input_is_refused(ratings, places, message):
    with pytest.raises(ValueError, match=message):
        update(ratings, places)
