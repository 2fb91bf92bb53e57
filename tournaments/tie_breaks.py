"""The tie-breaks that a bracket can announce, each as a value for every entrant.

In a Swiss at tables of two those with a FIDE abbreviation are FIDE's (Handbook C.07 as of
2026-03-01), also where a round was not played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from tournaments.scores import Event

LEAST_OPPONENT = Fraction(1, 4)
"""An opponent counts for at least this much a table, so that meeting the weakest does not ruin."""

Values = tuple[Mapping[int, int], int]
"""Values by entrant as whole numbers of a unit, and how many of it make one."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """title: as shown; fide: the abbreviation of the FIDE tie-break that it is at tables of two.

    values: by entrant, for a group of equals; None where it does not apply. again: those whom it
    has not parted from each other are compared among themselves, until that parts nobody.
    """

    title: str
    fide: str | None
    values: Callable[[Event, Sequence[int]], Values | None]
    again: bool = False


def whole(values: Mapping[int, Fraction]) -> Values:
    """Fractions as whole numbers of one unit: these are compared ten times as fast."""
    unit = math.lcm(1, *{value.denominator for value in values.values()})
    return {e: value.numerator * (unit // value.denominator) for e, value in values.items()}, unit


def _beat_twice(mine: int, its: int) -> int:
    """Twice the result of one against another at a table: 2 above, 1 level, 0 below."""
    return (mine > its) + (mine >= its)


def _head_to_head(event: Event, group: Sequence[int]) -> Values | None:
    """Mean result of each pair, summed over the others of the group; only if all of them met."""
    if len(group) < 2:
        return None
    members = frozenset(group)
    values = {}
    for entrant in group:
        results: dict[int, list[int]] = {}
        for table in event.met[entrant]:
            for other in members.intersection(table):
                if other != entrant:
                    twice = _beat_twice(table[entrant], table[other])
                    results.setdefault(other, []).append(twice)
        if len(results) < len(group) - 1:
            return None
        values[entrant] = sum(
            (Fraction(sum(twice), 2 * len(twice)) for twice in results.values()), Fraction(0)
        )
    return whole(values)


def _mean_opponents(event: Event, group: Sequence[int]) -> Values:
    """Mean of the opponents' points per table, once for each meeting, at least 1/4 for each."""
    means, unit = event.means
    least = int(unit * LEAST_OPPONENT)
    counts = event.opponents
    values = {}
    for entrant in group:
        opponents = [
            max(least, means[other])
            for table in event.paired[entrant]
            for other in table
            if other != entrant
        ]
        values[entrant] = sum(opponents) * (counts // max(1, len(opponents)))
    return values, unit * counts


def _sonneborn_berger(event: Event, group: Sequence[int]) -> Values:
    """Points of those beaten, half of those level, as the mean over a table's opponents, summed."""
    if event.rounds_of_two is not None:
        unit, rounds = event.rounds_of_two
        return {
            entrant: sum(score * own for score, own, _ in rounds[entrant]) for entrant in group
        }, unit * unit
    points, unit = event.whole_points
    sizes = event.others
    return {
        entrant: sum(
            sizes
            // (len(table) - 1)
            * sum(
                _beat_twice(table[entrant], its) * points[other]
                for other, its in table.items()
                if other != entrant
            )
            for table in event.met[entrant]
        )
        for entrant in group
    }, 2 * sizes * unit


def _margin(event: Event, group: Sequence[int]) -> Values:
    return event.margins


def _wins(event: Event, group: Sequence[int]) -> Values:
    """Tables with nobody above or level, played out."""
    return {
        entrant: sum(
            sum(its >= table[entrant] for its in table.values()) == 1
            for table in event.met[entrant]
        )
        for entrant in group
    }, 1


def _buchholz(event: Event, group: Sequence[int], *, low: int, high: int) -> Values | None:
    """Sum of the opponents' points, without the `low` lowest and the `high` highest of them.

    Among the lowest those of rounds that one did not play of one's own will go first. Only at
    tables of two: at larger ones sums are not fair, since tables differ in size.
    """
    if not event.duels:
        return None
    if event.rounds_of_two is None:
        # All against all: rounds that were not played count for nothing.
        found = {
            entrant: sorted(
                (event.earned[other], False)
                for table in event.met[entrant]
                for other in table
                if other != entrant
            )
            for entrant in group
        }
        unit = event.unit
    else:
        unit, rounds = event.rounds_of_two
        found = {
            entrant: sorted((score, voluntary) for score, _, voluntary in rounds[entrant])
            for entrant in group
        }
    return {entrant: _cut(found[entrant], low, high) for entrant in group}, unit


def _cut(scores: list[tuple[int, bool]], low: int, high: int) -> int:
    """The sum of rising scores without some at both ends."""
    left = list(scores)
    for _ in range(min(low, len(left))):
        left.remove(next((each for each in left if each[1]), left[0]))
    return sum(score for score, _ in left[: max(0, len(left) - high)])


TIE_BREAKS = {
    "head-to-head": TieBreak("Direct encounter", "DE", _head_to_head, again=True),
    "mean-opponents": TieBreak("Mean score of the opponents", None, _mean_opponents),
    "sonneborn-berger": TieBreak("Sonneborn-Berger", "SB", _sonneborn_berger),
    "margin": TieBreak("Mean score margin", None, _margin),
    "wins": TieBreak("Tables won", "WON", _wins),
    "buchholz": TieBreak("Buchholz", "BH", partial(_buchholz, low=0, high=0)),
    "buchholz-cut-1": TieBreak(
        "Buchholz without the lowest", "BH/C1", partial(_buchholz, low=1, high=0)
    ),
    "median-buchholz": TieBreak(
        "Buchholz without the lowest and the highest", "BH/M1", partial(_buchholz, low=1, high=1)
    ),
}
"""All tie-breaks by name."""

USUAL = ("head-to-head", "mean-opponents", "sonneborn-berger", "margin", "wins")
"""Those that are used, in this order, unless a bracket says otherwise: they fit all tables."""
