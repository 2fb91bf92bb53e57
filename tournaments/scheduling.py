"""Which tables a ladder plays next: a pure choice from plain values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active submission on the ladder.

    owners: keys of its player and of that player's members (two bots with a key in common never
    meet, the house's excepted). matches: rated ladder matches played or under way. waiting_s:
    seconds since its last ladder match ended or it entered; 0 while one is queued or running.
    """

    id: int
    owners: frozenset[str]
    mu: float
    sigma: float
    matches: int
    waiting_s: float
    house: bool = False
    language: str = ""


def waiting_bound_s(active: int, seats_per_hour: float) -> float:
    """Seconds that no active bot should wait longer than.

    Three times the mean time between two seats of one bot: active bots ÷ seats started in the
    last hour; at least ten minutes. An hour without a seat counts as one seat.
    """
    return max(600.0, 3 * active / max(seats_per_hour, 1.0) * 3600)


def choose_tables(
    candidates: Sequence[Candidate],
    *,
    sizes: Collection[int],
    tables: int,
    bound_s: float,
    seed: str,
    met: Mapping[tuple[int, int], int] | None = None,
    sizes_played: Mapping[int, int] | None = None,
    worker_languages: Sequence[frozenset[str]] = (),
) -> list[tuple[int, ...]]:
    """Up to `tables` tables, each the ids of its submissions in the seat order of its first play.

    sizes: seats that a table of the game may have; bound_s: see `waiting_bound_s`; met: recent
    meetings of two ids, the smaller first; sizes_played: recent matches by number of seats;
    worker_languages: what each living worker can run (empty: no limit). The same input and seed
    give the same tables, whatever the order of the candidates.
    """
    raise NotImplementedError
