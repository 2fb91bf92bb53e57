"""Ratings: one Bradley-Terry update for each finished rated match, all its bots at once.

Model: Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (JMLR 12, 2011),
Bradley-Terry with partial pairing, as openskill implements it. Three settings differ from the
library's: `beta` is as large as the first sigma (card games are noisy), `gamma` is 1 (a version
never drifts, so its sigma may fall freely), and the window spans every table, without which the
result would depend on the order of tied seats.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openskill.models import BradleyTerryPart

MU = 25.0
SIGMA = 25 / 3
BETA = 25 / 3
TAU = 25 / 1000
WINDOW = 8
"""At least seats - 1 of the largest table."""

VERSION_WIDENING = 0.3
"""Share of the first sigma that a new version's sigma is widened by, in quadrature."""
REWRITE_WIDENING = 0.5


@dataclass(frozen=True, slots=True)
class RatingValue:
    """A strength and how sure of it we are (one standard deviation)."""

    mu: float
    sigma: float


START = RatingValue(MU, SIGMA)


def _one(*_: Any) -> float:
    return 1.0


_model = BradleyTerryPart(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, gamma=_one, window_size=WINDOW)


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
    # The library cuts ranks to whole numbers without a word.
    if any(type(place) is not int for place in places):
        raise ValueError(f"places must be whole numbers, not {list(places)}")
    order = sorted(range(len(values)), key=lambda i: (places[i], values[i].mu, values[i].sigma))
    rated = _model.rate(
        [[_model.create_rating([values[i].mu, values[i].sigma])] for i in order],
        ranks=[float(places[i]) for i in order],
    )
    after = dict(zip(order, rated, strict=True))
    return [RatingValue(after[i][0].mu, after[i][0].sigma) for i in range(len(values))]


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
