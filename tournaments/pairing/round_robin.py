"""Round robin: everybody meets everybody equally often."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """All rounds of a round robin.

    rounds: the tables of each round, a table being its entrants in seat order. Nobody sits twice
    in a round; who is in no table of a round sits it out, which is no bye and gives no points.
    meetings: the fewest and the most times that any two meet. reasons: what the schedule had to
    give up, and why.
    """

    rounds: tuple[tuple[tuple[int, ...], ...], ...]
    meetings: tuple[int, int]
    reasons: tuple[str, ...] = ()


def schedule(
    entrants: Iterable[int], table_size: int, seed: str, *, min_size: int | None = None
) -> Schedule:
    """The whole round robin, drawn from `seed` (64 hex digits).

    min_size: fewest seats of a table (default: table_size - 1, at least 2). CannotDraw when the
    field is too small or needs too many tables.
    """
    raise NotImplementedError
