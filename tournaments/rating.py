"""Ratings: one Bradley-Terry update for each finished rated match, all its bots at once.

Model: Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (JMLR 12, 2011),
Bradley-Terry with partial pairing, as openskill's `BradleyTerryPart` does it, with three settings
of its own: `beta` is as large as the first sigma (card games are noisy), `gamma` is 1 (a version
never drifts, so its sigma may fall freely), and the window spans every table, without which the
result would depend on the order of tied seats. The tests compare with the library bit for bit; it
takes several times as long, since it makes an id for each rating and a deep copy of each table.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

MU = 25.0
SIGMA = 25 / 3
BETA = 25 / 3
TAU = 25 / 1000
KAPPA = 0.0001
"""The least that one match leaves of the square of a sigma, as a share."""
WINDOW = 8
"""What the library is to be given for the same results: at least seats - 1 of the largest table."""

VERSION_WIDENING = 0.3
"""Share of the first sigma that a new version's sigma is widened by, in quadrature."""
REWRITE_WIDENING = 0.5


@dataclass(frozen=True, slots=True)
class RatingValue:
    """A strength and how sure of it we are (one standard deviation)."""

    mu: float
    sigma: float


START = RatingValue(MU, SIGMA)


def new_version(parent: RatingValue, rewrite: bool = False) -> RatingValue:
    """Where a new version starts: the parent's mu, its sigma widened (more for a rewrite)."""
    widening = (REWRITE_WIDENING if rewrite else VERSION_WIDENING) * SIGMA
    return RatingValue(parent.mu, math.sqrt(parent.sigma**2 + widening**2))


def update(values: Sequence[RatingValue], places: Sequence[int]) -> list[RatingValue]:
    """New ratings, in the order given, after one match (places: whole numbers, 1 is best).

    The result does not depend on the order of the contestants, bit for bit: they are rated in the
    order of (place, mu, sigma), and those equal in all three are exchangeable. So a refold of the
    ledger gives what was stored.
    """
    if len(values) != len(places):
        raise ValueError(f"{len(values)} ratings and {len(places)} places: one place for each")
    if not 2 <= len(values) <= WINDOW + 1:
        raise ValueError(f"a rated match has 2 to {WINDOW + 1} contestants, not {len(values)}")
    if any(type(place) is not int for place in places):
        raise ValueError(f"places must be whole numbers, not {list(places)}")
    order = sorted(range(len(values)), key=lambda i: (places[i], values[i].mu, values[i].sigma))
    mus = [values[i].mu for i in order]
    sigmas = [math.sqrt(values[i].sigma * values[i].sigma + TAU * TAU) for i in order]
    squares = [sigma**2 for sigma in sigmas]
    after = list(values)
    for one, number in enumerate(order):
        omega = delta = 0.0
        for other, opponent in enumerate(order):
            if other == one:
                continue
            c = math.sqrt(squares[one] + squares[other] + 2 * BETA**2)
            p = 1 / (1 + math.exp((mus[other] - mus[one]) / c))
            ahead = places[opponent] - places[number]
            score = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
            omega += squares[one] / c * (score - p)
            delta += squares[one] / c / c * p * (1 - p)
        others = len(order) - 1
        after[number] = RatingValue(
            mus[one] + omega / others, sigmas[one] * math.sqrt(max(1 - delta / others, KAPPA))
        )
    return after


def ordinal(value: RatingValue) -> float:
    """The sort key of a ladder: mu - 3 sigma."""
    return value.mu - 3 * value.sigma


def interval(value: RatingValue) -> tuple[float, float]:
    """The interval shown: mu - 2 sigma to mu + 2 sigma."""
    return value.mu - 2 * value.sigma, value.mu + 2 * value.sigma


def rank_ranges(values: Sequence[RatingValue]) -> list[tuple[int, int]]:
    """The ranks that each may hold, (best, worst), in the order given.

    One is clearly above another when the whole of its interval is. Best = 1 + how many are
    clearly above; worst = how many are not clearly below (itself counted). O(n log n).
    """
    lows = sorted(interval(value)[0] for value in values)
    highs = sorted(interval(value)[1] for value in values)
    ranges = []
    for value in values:
        low, high = interval(value)
        above = len(lows) - bisect_right(lows, high)
        below = bisect_left(highs, low)
        ranges.append((1 + above, len(values) - below))
    return ranges
