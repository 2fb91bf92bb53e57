"""Standings of a bracket: points, then the tie-breaks that it announced, then shared ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from tournaments.scores import Event, Scoring, TableResult, bye_points, exact
from tournaments.tie_breaks import LEAST_OPPONENT, TIE_BREAKS, USUAL, TieBreak

__all__ = [
    "LEAST_OPPONENT",
    "TIE_BREAKS",
    "USUAL",
    "Row",
    "TableResult",
    "bye_points",
    "exact",
    "standings",
]


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line.

    rank: 1 is best, ties share and the next is skipped. points: sum or mean, as was asked. played:
    tables that counted. tie_breaks: value by name, in the order in which they were used; None
    where one does not apply. again: the further values of one that was compared anew among those
    whom it had left equal.
    """

    entrant: int
    rank: int
    points: Fraction
    played: int
    byes: int
    withdrawn: bool
    tie_breaks: dict[str, Fraction | None]
    again: tuple[Fraction, ...] = ()


def standings(
    entrants: Collection[int],
    rounds: Sequence[Iterable[TableResult]],
    *,
    scoring: Scoring = "sum",
    tie_breaks: Sequence[str] | None = None,
    withdrawn: Collection[int] = (),
) -> list[Row]:
    """The standings after the given rounds, the best first, equals by entrant.

    scoring "sum" (Swiss): points are added up; a bye, and a table left out, gives `bye_points`.
    "mean" (round robin): points per table played; byes and tables left out count for nothing, and
    the tables that a withdrawn entrant missed count 0. Withdrawn entrants stay in the standings
    and remain their opponents' opponents. tie_breaks: names of `TIE_BREAKS` (default: `USUAL`).
    """
    names = list(USUAL) if tie_breaks is None else list(tie_breaks)
    unknown = [name for name in names if name not in TIE_BREAKS]
    if unknown:
        raise ValueError(f"unknown tie-breaks {unknown}: there are {list(TIE_BREAKS)}")
    event = Event(entrants, rounds, scoring, withdrawn)
    values: dict[int, dict[str, Fraction | None]] = {entrant: {} for entrant in event.points}
    again: dict[int, tuple[Fraction, ...]] = {}
    groups = _split(sorted(event.points), event.whole_points[0])
    for name in names:
        split: list[list[int]] = []
        for group in groups:
            found = TIE_BREAKS[name].values(event, group)
            for entrant in group:
                values[entrant][name] = Fraction(found[0][entrant], found[1]) if found else None
            parts = _split(group, found[0]) if found else [group]
            if TIE_BREAKS[name].again and len(parts) > 1:
                parts = [
                    smaller
                    for part in parts
                    for smaller in _compared_again(event, TIE_BREAKS[name], part, again)
                ]
            split += parts
        groups = split
    rows, rank = [], 1
    for group in groups:
        rows += [
            Row(
                entrant=entrant,
                rank=rank,
                points=event.points[entrant],
                played=event.played[entrant],
                byes=event.byes[entrant],
                withdrawn=entrant in event.withdrawn,
                tie_breaks=values[entrant],
                again=again.get(entrant, ()),
            )
            for entrant in group
        ]
        rank += len(group)
    return rows


def _compared_again(
    event: Event, tie_break: TieBreak, group: list[int], again: dict[int, tuple[Fraction, ...]]
) -> list[list[int]]:
    """A group that a tie-break has left equal, parted by it further as long as that parts any."""
    found = tie_break.values(event, group)
    if found is None:
        return [group]
    values, unit = found
    parts = _split(group, values)
    if len(parts) == 1:
        return [group]
    for entrant in group:
        again[entrant] = (*again.get(entrant, ()), Fraction(values[entrant], unit))
    return [smaller for part in parts for smaller in _compared_again(event, tie_break, part, again)]


def _split(group: Sequence[int], values: Mapping[int, int]) -> list[list[int]]:
    """The group parted into those of equal value, the highest first."""
    if len(group) == 1:
        return [list(group)]
    order = sorted(group, key=values.__getitem__, reverse=True)
    return [list(equal) for _, equal in groupby(order, key=values.__getitem__)]
