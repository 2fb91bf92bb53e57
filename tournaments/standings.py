"""Standings of a bracket: points, then the tie-breaks that it announced, then shared ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Literal

Number = Fraction | float

LEAST_BYE = Fraction(1, 2)
LEAST_OPPONENT = Fraction(1, 4)
"""An opponent counts for at least this much a table, so that meeting the weakest does not ruin."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """One closed table.

    points: mean place points by entrant (1 for first … 0 for last, so the mean of every table is
    1/2 whatever its size; a forfeit is last: 0); margins: mean margin by entrant. A bye has one
    entrant. A table that is `left_out` counts for nobody as an opponent; of it and of a bye only
    the entrants are read.
    """

    points: Mapping[int, Number]
    margins: Mapping[int, Number] = field(default_factory=dict)
    bye: bool = False
    left_out: bool = False

    @property
    def counts(self) -> bool:
        return not (self.bye or self.left_out)


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line.

    rank: 1 is best, ties share and the next is skipped. points: sum or mean, as was asked. played:
    tables that counted. tie_breaks: value by name, in the order in which they were used; None
    where one does not apply.
    """

    entrant: int
    rank: int
    points: Fraction
    played: int
    byes: int
    withdrawn: bool
    tie_breaks: dict[str, Fraction | None]


def exact(value: Number) -> Fraction:
    """The fraction that a stored float stands for, so that equal points are equal."""
    return Fraction(value).limit_denominator(1_000_000)


def bye_points(earlier: Iterable[Number]) -> Fraction:
    """What a bye is worth: the mean of the entrant's points at earlier tables, at least 1/2."""
    points = [exact(value) for value in earlier]
    return max(LEAST_BYE, sum(points, Fraction(0)) / len(points)) if points else LEAST_BYE


def standings(
    entrants: Collection[int],
    rounds: Sequence[Iterable[TableResult]],
    *,
    scoring: Literal["sum", "mean"] = "sum",
    tie_breaks: Sequence[str] | None = None,
    withdrawn: Collection[int] = (),
) -> list[Row]:
    """The standings after the given rounds, the best first, equals by entrant.

    scoring "sum" (Swiss): points are added up; a bye, and a table left out, gives `bye_points`.
    "mean" (round robin): points per table played; byes and tables left out count for nothing, and
    the tables that a withdrawn entrant missed count 0. Withdrawn entrants stay in the standings
    and remain their opponents' opponents. tie_breaks: names of `TIE_BREAKS` (default: all of them).
    """
    names = list(TIE_BREAKS) if tie_breaks is None else list(tie_breaks)
    unknown = [name for name in names if name not in TIE_BREAKS]
    if unknown:
        raise ValueError(f"unknown tie-breaks {unknown}: there are {list(TIE_BREAKS)}")
    event = _Event(entrants, rounds, scoring, withdrawn)
    values: dict[int, dict[str, Fraction | None]] = {entrant: {} for entrant in event.points}
    groups = _split([sorted(event.points)], event.points.__getitem__)
    for name in names:
        split = []
        for group in groups:
            found = TIE_BREAKS[name].values(event, group)
            for entrant in group:
                values[entrant][name] = found[entrant] if found else None
            split += _split([group], found.__getitem__) if found else [group]
        groups = split
    rows, rank = [], 1
    for group in groups:
        rows += [event.row(entrant, rank, values[entrant]) for entrant in group]
        rank += len(group)
    return rows


def _split(groups: list[list[int]], value: Callable[[int], Fraction]) -> list[list[int]]:
    """Each group parted into those of equal value, the highest first."""
    return [
        list(equal)
        for group in groups
        for _, equal in groupby(sorted(group, key=value, reverse=True), key=value)
    ]


class _Event:
    """What the tie-breaks look at."""

    def __init__(
        self,
        entrants: Collection[int],
        rounds: Sequence[Iterable[TableResult]],
        scoring: Literal["sum", "mean"],
        withdrawn: Collection[int],
    ) -> None:
        self.withdrawn = frozenset(withdrawn)
        self.byes = dict.fromkeys(entrants, 0)
        self.earned: dict[int, list[Fraction]] = {entrant: [] for entrant in entrants}
        """Points at the tables that counted."""
        given = dict.fromkeys(entrants, Fraction(0))
        self.tables: list[dict[int, Fraction]] = []
        self.at: dict[int, list[dict[int, Fraction]]] = defaultdict(list)
        """The tables that counted, by entrant."""
        self.margins: dict[int, list[Fraction]] = defaultdict(list)
        for tables in rounds:
            closed = list(tables)
            # Byes first: they are worth what was earned before this round.
            for table in closed:
                self._check(table)
                if not table.counts:
                    for entrant in table.points:
                        self.byes[entrant] += table.bye
                        given[entrant] += bye_points(self.earned[entrant])
            for table in closed:
                if table.counts:
                    self._count(table)
        self.mean = {entrant: _mean(earned) for entrant, earned in self.earned.items()}
        if scoring == "sum":
            self.points = {e: sum(self.earned[e], given[e]) for e in self.earned}
        else:
            most = max(map(len, self.earned.values()), default=0)
            self.points = dict(self.mean)
            for entrant in self.withdrawn & self.points.keys():
                self.points[entrant] *= Fraction(len(self.earned[entrant]), max(1, most))

    def _check(self, table: TableResult) -> None:
        strange = [entrant for entrant in table.points if entrant not in self.earned]
        if strange:
            raise ValueError(f"a table has the entrants {strange}, who are not in the bracket")
        if table.bye != (len(table.points) == 1):
            raise ValueError(f"a bye has one entrant, a table more: {sorted(table.points)}")

    def _count(self, table: TableResult) -> None:
        points = {entrant: exact(value) for entrant, value in table.points.items()}
        self.tables.append(points)
        for entrant, value in points.items():
            self.earned[entrant].append(value)
            self.at[entrant].append(points)
            if entrant in table.margins:
                self.margins[entrant].append(exact(table.margins[entrant]))

    def row(self, entrant: int, rank: int, values: dict[str, Fraction | None]) -> Row:
        return Row(
            entrant=entrant,
            rank=rank,
            points=self.points[entrant],
            played=len(self.earned[entrant]),
            byes=self.byes[entrant],
            withdrawn=entrant in self.withdrawn,
            tie_breaks=values,
        )


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def _beat(entrant: int, other: int, table: Mapping[int, Fraction]) -> Fraction:
    """The result of one against another at a table: 1 above, 1/2 level, 0 below."""
    mine, its = table[entrant], table[other]
    return Fraction(1, 2) if mine == its else Fraction(mine > its)


Values = dict[int, Fraction] | None


def _head_to_head(event: _Event, group: Sequence[int]) -> Values:
    """Mean result of each pair, summed over the others of the group; only if all of them met."""
    if len(group) < 2:
        return None
    values = {}
    for entrant in group:
        results = [
            [_beat(entrant, other, table) for table in event.at[entrant] if other in table]
            for other in group
            if other != entrant
        ]
        if not all(results):
            return None
        values[entrant] = sum(map(_mean, results), Fraction(0))
    return values


def _mean_opponents(event: _Event, group: Sequence[int]) -> Values:
    """Mean of the opponents' points per table, once for each meeting, at least 1/4 for each."""
    return {
        entrant: _mean(
            [
                max(LEAST_OPPONENT, event.mean[other])
                for table in event.at[entrant]
                for other in table
                if other != entrant
            ]
        )
        for entrant in group
    }


def _sonneborn_berger(event: _Event, group: Sequence[int]) -> Values:
    """Points of those beaten, half of those level, as the mean over a table's opponents, summed."""
    return {
        entrant: sum(
            (
                _mean(
                    [
                        _beat(entrant, other, table) * event.points[other]
                        for other in table
                        if other != entrant
                    ]
                )
                for table in event.at[entrant]
            ),
            Fraction(0),
        )
        for entrant in group
    }


def _margin(event: _Event, group: Sequence[int]) -> Values:
    return {entrant: _mean(event.margins[entrant]) for entrant in group}


def _wins(event: _Event, group: Sequence[int]) -> Values:
    """Tables with nobody above or level."""
    return {
        entrant: Fraction(
            sum(
                all(its < table[entrant] for other, its in table.items() if other != entrant)
                for table in event.at[entrant]
            )
        )
        for entrant in group
    }


@dataclass(frozen=True, slots=True)
class TieBreak:
    """title: as shown; fide: the abbreviation of the FIDE tie-break that it is at tables of two."""

    title: str
    fide: str | None
    values: Callable[[_Event, Sequence[int]], Values]


TIE_BREAKS = {
    "head-to-head": TieBreak("Direct encounter", "DE", _head_to_head),
    "mean-opponents": TieBreak("Mean score of the opponents", None, _mean_opponents),
    "sonneborn-berger": TieBreak("Sonneborn-Berger", "SB", _sonneborn_berger),
    "margin": TieBreak("Mean score margin", None, _margin),
    "wins": TieBreak("Tables won", "WON", _wins),
}
"""All tie-breaks, in the order that is used unless a bracket says otherwise."""
