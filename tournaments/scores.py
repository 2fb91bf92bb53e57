"""What the tables of a bracket come to: points, means, and who met whom.

Points are exact. They are added up as whole numbers of one unit that all of them are multiples of,
since fractions would take ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

Number = Fraction | float
Scoring = Literal["sum", "mean"]

LEAST_BYE = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class TableResult:
    """One closed table.

    points: mean place points by entrant (1 for first … 0 for last, so the mean of every table is
    1/2 whatever its size; a forfeit is last: 0); margins: mean margin by entrant. A bye has one
    entrant. A table that is `left_out` counts for nobody as an opponent; of it and of a bye only
    the entrants are read. forfeit: its points were given without play; it counts as any other but
    is no meeting and no win.
    """

    points: Mapping[int, Number]
    margins: Mapping[int, Number] = field(default_factory=dict)
    bye: bool = False
    left_out: bool = False
    forfeit: bool = False

    @property
    def counts(self) -> bool:
        return not (self.bye or self.left_out)


@lru_cache(maxsize=65_536)
def exact(value: Number) -> Fraction:
    """The fraction that a stored float stands for, so that equal points are equal."""
    return Fraction(value).limit_denominator(1_000_000)


def bye_points(earlier: Iterable[Number]) -> Fraction:
    """What a bye is worth: the mean of the entrant's points at earlier tables, at least 1/2."""
    points = [exact(value) for value in earlier]
    return max(LEAST_BYE, sum(points, Fraction(0)) / len(points)) if points else LEAST_BYE


class Line(NamedTuple):
    """One entrant's round of a Swiss at tables of two.

    points: in units of the event. opponent: None for a bye and for who was absent; voluntary: it
    was not played, and neither a bye nor a win by forfeit (FIDE Handbook C.07, 16.2).
    """

    points: int
    opponent: int | None
    played: bool
    voluntary: bool


ABSENT = Line(0, None, played=False, voluntary=True)


class Event:
    """The tables of a bracket added up; what the tie-breaks look at.

    unit: all points at tables are whole multiples of 1 / unit. earned: their sum by entrant, in
    units; met: by entrant the tables that were played, points in units; paired: these and forfeits.
    """

    def __init__(
        self,
        entrants: Collection[int],
        rounds: Sequence[Iterable[TableResult]],
        scoring: Scoring,
        withdrawn: Collection[int],
    ) -> None:
        self.scoring = scoring
        self.withdrawn = frozenset(withdrawn)
        self.rounds = [list(tables) for tables in rounds]
        self.byes = dict.fromkeys(entrants, 0)
        self.played = dict.fromkeys(entrants, 0)
        self.earned = dict.fromkeys(entrants, 0)
        self.given: dict[int, dict[int, Fraction]] = {}
        """Points of byes and of tables left out, by entrant and index of the round."""
        self.met: dict[int, list[dict[int, int]]] = {entrant: [] for entrant in entrants}
        self.paired: dict[int, list[dict[int, int]]] = {entrant: [] for entrant in entrants}
        self._check()
        self.unit = math.lcm(
            1,
            *{
                exact(value).denominator
                for tables in self.rounds
                for table in tables
                if table.counts
                for value in table.points.values()
            },
        )
        self.lines: list[dict[int, Line]] = []
        """By round; filled only in a Swiss at tables of two."""
        self.duels = all(
            len(table.points) == 2 for tables in self.rounds for table in tables if table.counts
        )
        for tables in self.rounds:
            self._close(tables)
        self.points = self._points()

    def _check(self) -> None:
        for tables in self.rounds:
            for table in tables:
                strange = [entrant for entrant in table.points if entrant not in self.byes]
                if strange:
                    raise ValueError(
                        f"a table has the entrants {strange}, who are not in the bracket"
                    )
                if table.bye != (len(table.points) == 1):
                    raise ValueError(f"a bye has one entrant, a table more: {sorted(table.points)}")

    def _close(self, tables: Sequence[TableResult]) -> None:
        lines: dict[int, Line] = {}
        # Byes first: they are worth what was earned before this round.
        for table in tables:
            if not table.counts:
                for entrant in table.points:
                    self.byes[entrant] += table.bye
                    mean = self.mean(entrant) if self.played[entrant] else LEAST_BYE
                    given = max(LEAST_BYE, mean)
                    self.given.setdefault(entrant, {})[len(self.lines)] = given
                    lines[entrant] = Line(0, None, played=False, voluntary=table.left_out)
        for table in tables:
            if table.counts:
                self._count(table, lines)
        self.lines.append(lines)

    def _count(self, table: TableResult, lines: dict[int, Line]) -> None:
        unit, points = self.unit, {}
        for entrant, value in table.points.items():
            fraction = exact(value)
            own = points[entrant] = fraction.numerator * (unit // fraction.denominator)
            self.earned[entrant] += own
            self.played[entrant] += 1
            self.paired[entrant].append(points)
            if not table.forfeit:
                self.met[entrant].append(points)
        if self.duels and self.scoring == "sum":
            (one, mine), (other, its) = points.items()
            played = not table.forfeit
            lines[one] = Line(mine, other, played, not (played or mine > its))
            lines[other] = Line(its, one, played, not (played or its > mine))

    def mean(self, entrant: int) -> Fraction:
        """Its points per table, 0 before the first."""
        return Fraction(self.earned[entrant], self.unit * max(1, self.played[entrant]))

    def _points(self) -> dict[int, Fraction]:
        if self.scoring == "sum":
            return {
                entrant: sum(self.given.get(entrant, {}).values(), Fraction(earned, self.unit))
                for entrant, earned in self.earned.items()
            }
        most = max(self.played.values(), default=0)
        points = {entrant: self.mean(entrant) for entrant in self.earned}
        for entrant in self.withdrawn & points.keys():
            points[entrant] *= Fraction(self.played[entrant], max(1, most))
        return points

    @cached_property
    def means(self) -> tuple[dict[int, int], int]:
        """Everybody's points per table as whole numbers of a unit, of which 4 n make one point."""
        counts = math.lcm(4, *{played for played in self.played.values() if played})
        return {
            entrant: earned * (counts // max(1, self.played[entrant]))
            for entrant, earned in self.earned.items()
        }, self.unit * counts

    @cached_property
    def opponents(self) -> int:
        """A multiple of everybody's number of opponents, counted once for each meeting."""
        return math.lcm(1, *{sum(map(len, own)) - len(own) for own in self.paired.values() if own})

    @cached_property
    def others(self) -> int:
        """A multiple of every table's number of others."""
        return math.lcm(1, *{len(table) - 1 for own in self.met.values() for table in own})

    @cached_property
    def whole_points(self) -> tuple[dict[int, int], int]:
        """Everybody's points as whole numbers of a unit, and how many of it make one point."""
        unit = math.lcm(1, *{points.denominator for points in self.points.values()})
        return {
            entrant: points.numerator * (unit // points.denominator)
            for entrant, points in self.points.items()
        }, unit

    @cached_property
    def rounds_of_two(self) -> tuple[int, dict[int, list[tuple[int, int, bool]]]] | None:
        """Of a Swiss at tables of two: each round of each entrant as FIDE's tie-breaks take it.

        How many units make one point, and by entrant for each round the opponent's score and the
        own result in units, and whether the round was unplayed by one's own will. An opponent's
        rounds unplayed by its own will count as draws from the last other one on; in a round that
        was not played the opponent is a dummy with the own score, but no more than the opponent
        that there should have been or, without one, than draws in all rounds (C.07, 16.3, 16.4).
        """
        if not self.duels or self.scoring != "sum":
            return None
        given = [value for own in self.given.values() for value in own.values()]
        unit = math.lcm(2, self.unit, *{value.denominator for value in given})
        scale = unit // self.unit
        lines: dict[int, list[Line]] = {}
        points: dict[int, list[int]] = {}
        adjusted: dict[int, int] = {}
        for entrant in self.points:
            own = lines[entrant] = [each.get(entrant, ABSENT) for each in self.lines]
            points[entrant] = [line.points * scale for line in own]
            for index, value in self.given.get(entrant, {}).items():
                points[entrant][index] = value.numerator * (unit // value.denominator)
            adjusted[entrant] = sum(points[entrant])
            for line, worth in zip(reversed(own), reversed(points[entrant]), strict=True):
                if not line.voluntary:
                    break
                if line.opponent is None:
                    adjusted[entrant] += unit // 2 - worth
        draws = len(self.lines) * unit // 2
        rounds: dict[int, list[tuple[int, int, bool]]] = {}
        for entrant, own in lines.items():
            total = sum(points[entrant])
            rounds[entrant] = []
            for line, worth in zip(own, points[entrant], strict=True):
                score = draws if line.opponent is None else adjusted[line.opponent]
                if not line.played:
                    score = min(total, score)
                rounds[entrant].append((score, worth, line.voluntary))
        return unit, rounds

    @cached_property
    def margins(self) -> tuple[dict[int, int], int]:
        """Mean margin of the tables that counted and have one, as whole numbers of a unit."""
        own: dict[int, list[Fraction]] = {entrant: [] for entrant in self.earned}
        for tables in self.rounds:
            for table in tables:
                if table.counts:
                    for entrant, margin in table.margins.items():
                        if entrant in table.points:
                            own[entrant].append(exact(margin))
        counts = math.lcm(1, *{len(margins) for margins in own.values() if margins})
        unit = math.lcm(1, *{margin.denominator for each in own.values() for margin in each})
        return {
            entrant: counts
            // max(1, len(margins))
            * sum(margin.numerator * (unit // margin.denominator) for margin in margins)
            for entrant, margins in own.items()
        }, unit * counts
