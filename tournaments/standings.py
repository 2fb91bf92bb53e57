"""Standings of a bracket: points, then the tie-breaks that it announced, then shared ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class TableResult:
    """One closed table.

    points: mean place points by entrant (1 for first … 0 for last; a forfeit is last: 0);
    margins: mean margin by entrant. A bye has one entrant. A table that is `left_out` counts for
    nobody's opponents; its points are not read.
    """

    points: Mapping[int, Number]
    margins: Mapping[int, Number] = field(default_factory=dict)
    bye: bool = False
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line. tie_breaks: value by name, in order; None where one does not apply."""

    entrant: int
    rank: int
    points: Fraction
    played: int
    byes: int
    withdrawn: bool
    tie_breaks: dict[str, Fraction | None]


DEFAULT_TIE_BREAKS = ("head-to-head", "mean-opponents", "sonneborn-berger", "margin", "wins")


def bye_points(earlier: Iterable[Number]) -> Fraction:
    """What a bye is worth: the mean of the entrant's points at earlier tables, at least 1/2."""
    raise NotImplementedError


def standings(
    entrants: Collection[int],
    rounds: Sequence[Sequence[TableResult]],
    *,
    scoring: Literal["sum", "mean"] = "sum",
    tie_breaks: Sequence[str] = DEFAULT_TIE_BREAKS,
    withdrawn: Collection[int] = (),
) -> list[Row]:
    """The table after the given rounds, best first.

    scoring "sum" (Swiss): points are added up; a bye and a left-out table give `bye_points`.
    "mean" (round robin): points per table played; left-out tables and byes count for nobody, and
    the tables that a withdrawn entrant missed count 0.
    """
    raise NotImplementedError
