"""Swiss: each round seats entrants with near points together who have not met before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a drawing had to give up.

    kind: "repeat" (they meet again) or "bye" (a bye was unavoidable); entrants: whom it touches;
    text: why, without names.
    """

    kind: str
    entrants: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Draw:
    """One round: tables (entrants in seat order, the best table first), byes, and reasons."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    reasons: tuple[Reason, ...]


def draw(
    standings: Mapping[int, Fraction | float],
    history: Iterable[Sequence[int]],
    table_size: int,
    seed: str,
    *,
    byes_had: Collection[int] = (),
    min_size: int | None = None,
) -> Draw:
    """Draw the next round from `seed` (64 hex digits).

    standings: points so far of everybody who is to be seated (no withdrawn ones); history: every
    earlier table of the event (entrants who sat together); byes_had: those that had a bye or an
    unplayed win, once for each; min_size: fewest seats of a table (default: table_size - 1, at
    least 2). CannotDraw when no table can be filled.
    """
    raise NotImplementedError
