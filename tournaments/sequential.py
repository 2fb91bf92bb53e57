"""When a knockout table is decided: a sequential test on the scores of whole deals.

The deal is the unit, played in all its rotations: plays of one deal hang together, and counted one
by one they would look surer than they are. The test is the generalised sequential probability
ratio test with the variance estimated from the deals (M. Van den Bergh, "A practical introduction
to the GSPRT").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EFFECT = 0.1
"""The difference in mean place points that must be told apart: 0.55 against 0.45 at two seats."""

LEAST_VARIANCE = 1e-3
"""Deals that all ended alike say that the variance is small, not that it is nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the deals say.

    decided: no more deals are needed; order: the entrants, best first, as of now; llr: the log
    likelihood ratio for the last who goes on against the next, None where there is nothing to
    tell; reason: why it is decided, or what is missing.
    """

    decided: bool
    order: tuple[int, ...]
    llr: float | None
    reason: str


def decide(
    scores: Mapping[int, Sequence[float]],
    *,
    seeds: Mapping[int, int],
    go_on: int,
    least: int,
    cap: int,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> Verdict:
    """Whether the first `go_on` of a table are told apart from the others.

    scores: for each entrant its place points (0 to 1, the mean over all rotations) in each deal,
    for all in the same deals; seeds: 1 is the strongest. From `least` deals on the go_on-th and
    the next are tested: it is decided when one is better by `EFFECT` rather than worse by it, with
    the error `alpha` (`beta` for the converse). At `cap` deals the order decides: the higher mean,
    then the better seed. ValueError for bad input.
    """
    counts = {len(deals) for deals in scores.values()}
    if len(counts) != 1:
        raise ValueError(f"the entrants have scores of {sorted(counts)} deals: it takes as many")
    if go_on < 1:
        raise ValueError(f"one goes on at least, not {go_on}")
    if not 1 <= least <= cap:
        raise ValueError(f"from {least} deals on, {cap} at most: it takes 1 or more, rising")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ValueError(f"errors of {alpha} and {beta}: they are above 0 and below 0.5")
    missing = sorted(entrant for entrant in scores if entrant not in seeds)
    if missing:
        raise ValueError(f"no seeds for {missing}")
    deals = counts.pop()
    # Rounded, so that equal sums added up in another order stay equal.
    total = {entrant: round(math.fsum(own), 9) for entrant, own in scores.items()}
    order = tuple(sorted(scores, key=lambda entrant: (-total[entrant], seeds[entrant])))
    if len(order) <= go_on:
        return Verdict(True, order, None, "Nobody is left to be told apart from.")
    if deals == 0:
        return Verdict(False, order, None, f"No deal is played yet; {least} are needed.")
    last, following = order[go_on - 1], order[go_on]
    differences = [a - b for a, b in zip(scores[last], scores[following], strict=True)]
    ratio = llr(differences, -EFFECT, EFFECT)
    upper = math.log((1 - beta) / alpha)
    # The one in front is at least as good, so the ratio never falls to the lower bound.
    if deals >= least and ratio >= upper:
        return Verdict(True, order, ratio, f"Told apart after {deals} deals.")
    if deals >= cap:
        level = total[last] == total[following]
        by = "the better seed" if level else "the higher mean"
        return Verdict(True, order, ratio, f"Not told apart in {deals} deals: {by} goes on.")
    missing_deals = f" and {least - deals} more deals" if deals < least else ""
    return Verdict(
        False, order, ratio, f"A ratio of {ratio:.2f}; it takes {upper:.2f}{missing_deals}."
    )


def llr(blocks: Sequence[float], s0: float, s1: float) -> float:
    """The log likelihood ratio of a mean of s1 against one of s0: n (s1-s0) (2m-s0-s1) / (2 var).

    blocks: scores of independent deals; m and var are their mean and variance (as of the whole
    population).
    """
    n = len(blocks)
    mean = math.fsum(blocks) / n
    variance = math.fsum((score - mean) ** 2 for score in blocks) / n
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * max(variance, LEAST_VARIANCE))
