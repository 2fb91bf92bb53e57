"""Which tables a ladder plays next: a pure choice from plain values.

One candidate is picked for its need (it waits too long, or is little known), then the others for
what the table teaches about it: half of them near in mu, half from the whole ladder, those that
it has met least first. What this guards against was seen on other ladders: bots without a game
for half a day, top bots that never meet, the same two opponents for ever, a flood of newcomers
that starves everybody else, and an owner's bots that decide the ladder among themselves.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

LEAST_BOUND_S = 600.0
LATE = 0.5
"""Share of the waiting bound from which on a candidate goes first. Well before the bound, because
its table still has to be played."""
FRESH_MATCHES = 20
"""With fewer matches a version counts as new: its rating still says little."""
NEW_SHARE = 0.5
"""Share of the tables made for new versions while there are any; the rest is the others'."""
NEAR_SHARE = 0.5
"""Share of the opponents taken from the near in mu."""
NEAR_LEAST = 8
NEAR_PART = 10
"""The near are the tenth of the ladder that is nearest, at least 8: never only the nearest."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active submission on the ladder.

    owners: keys of its player and of that player's members (two bots with a key in common never
    meet, the house's excepted). matches: rated ladder matches played or under way. waiting_s:
    seconds since its last ladder match ended or it entered; 0 while one is queued or running.
    language: what it needs of a worker.
    """

    id: int
    owners: frozenset[str]
    mu: float
    sigma: float
    matches: int
    waiting_s: float
    house: bool = False
    language: str = ""

    @property
    def is_fresh(self) -> bool:
        return self.matches < FRESH_MATCHES


def waiting_bound_s(active: int, seats_per_hour: float) -> float:
    """Seconds that no active bot should wait longer than.

    Three times the mean time between two seats of one bot: active bots ÷ seats started in the
    last hour; at least ten minutes. An hour without a seat counts as one with one.
    """
    return max(LEAST_BOUND_S, 3 * active / max(seats_per_hour, 1.0) * 3600)


def choose_tables(
    candidates: Iterable[Candidate],
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

    Who gets a table: whoever waits longer than half of `bound_s`, the longest first; then by lot,
    half each, the new version with the fewest matches or the longest waiting of the others. Seats
    go to late ones first, then as the module says; where there are enough others, the tables of
    the established stay among them.

    The house sits only where too few others fit, and never gets a table of its own, except on a
    ladder where nobody else is: a new installation's ladder should not be empty.

    sizes: seats that a table of the game may have, the least played first; bound_s: see
    `waiting_bound_s`; met: recent meetings of two ids, the smaller id first; sizes_played: recent
    matches by number of seats; worker_languages: what each living worker can run (empty: no
    limit). The same input and seed give the same tables, whatever the order of the candidates.
    Fewer tables come back when no more can be filled.
    """
    if not sizes or min(sizes) < 2:
        raise ValueError(f"table sizes must be 2 or more, not {sorted(sizes)}")
    choice = _Choice(candidates, bound_s, seed, met or {}, worker_languages)
    played = Counter(sizes_played or {})
    chosen = []
    for _ in range(tables):
        lots = {size: choice.lot() for size in sorted(sizes)}
        table = choice.table(sorted(lots, key=lambda size: (played[size], lots[size])))
        if table is None:
            break
        played[len(table)] += 1
        chosen.append(table)
    return chosen


class _Choice:
    """The ladder while tables are being chosen: what is chosen counts at once."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        bound_s: float,
        seed: str,
        met: Mapping[tuple[int, int], int],
        worker_languages: Sequence[frozenset[str]],
    ) -> None:
        # Only random() keeps its sequence in every version of Python.
        self.lot = random.Random(seed).random
        everybody = sorted(candidates, key=lambda candidate: candidate.id)
        self.others = [c for c in everybody if not c.house]
        self.house = [c for c in everybody if c.house]
        self.established = [c for c in self.others if not c.is_fresh]
        self.fresh = [c for c in self.others if c.is_fresh]
        self.late_s = LATE * bound_s
        self.waiting_s = {c.id: c.waiting_s for c in everybody}
        self.matches = {c.id: c.matches for c in everybody}
        self.met = Counter(met)
        self.worker_languages = worker_languages

    def table(self, sizes: Sequence[int]) -> tuple[int, ...] | None:
        """The next table, of the first size that can be filled; None when none can."""
        for first in self.firsts():
            for size in sizes:
                table = self.fill(first, size)
                if table is not None:
                    self.count(table)
                    lots = {c.id: self.lot() for c in table}
                    return tuple(sorted(lots, key=lots.__getitem__))
        return None

    def firsts(self) -> Iterable[Candidate]:
        """Everybody for whom a table may be made, the neediest first."""
        if not self.others:
            yield from self.by_matches(self.house)
            return
        late = self.late()
        yield from sorted(late, key=lambda c: (-self.waiting_s[c.id], c.id))
        turn = [self.by_matches(self.fresh), self.by_waiting(self.established)]
        if self.lot() >= NEW_SHARE:
            turn.reverse()
        for group in turn:
            yield from group

    def by_matches(self, group: Iterable[Candidate]) -> list[Candidate]:
        lots = {c.id: self.lot() for c in group}
        return sorted(group, key=lambda c: (self.matches[c.id], lots[c.id]))

    def by_waiting(self, group: Iterable[Candidate]) -> list[Candidate]:
        lots = {c.id: self.lot() for c in group}
        return sorted(group, key=lambda c: (-self.waiting_s[c.id], lots[c.id]))

    def late(self) -> list[Candidate]:
        return [c for c in self.others if self.waiting_s[c.id] >= self.late_s]

    def fill(self, first: Candidate, size: int) -> list[Candidate] | None:
        """A table of that size for `first`; None when too few fit."""
        groups = [self.late(), self.others, self.house]
        # With few established ones they would only meet each other again.
        if not first.is_fresh and len(self.established) >= 2 * size:
            groups.insert(1, self.established)
        table = [first]
        while len(table) < size:
            fitting = (self.fitting(group, table) for group in groups)
            allowed = next((group for group in fitting if group), None)
            if allowed is None:
                return None
            table.append(self.opponent(allowed, table))
        return table

    def fitting(self, group: Iterable[Candidate], table: Sequence[Candidate]) -> list[Candidate]:
        """Those of the group who may join the table."""
        ids = {c.id for c in table}
        owners = frozenset[str]().union(*(c.owners for c in table if not c.house))
        languages = {c.language for c in table}
        playable = {
            c.language
            for c in group
            if not self.worker_languages
            or any(languages | {c.language} <= worker for worker in self.worker_languages)
        }
        return [
            c
            for c in group
            if c.id not in ids
            and (c.house or owners.isdisjoint(c.owners))
            and c.language in playable
        ]

    def opponent(self, allowed: Sequence[Candidate], table: Sequence[Candidate]) -> Candidate:
        """One of the allowed: near in mu or from all, the least met by the table, then by lot."""
        if self.lot() < NEAR_SHARE:
            mu = table[0].mu
            near = max(NEAR_LEAST, len(self.others) // NEAR_PART)
            allowed = heapq.nsmallest(near, allowed, key=lambda c: (abs(c.mu - mu), c.id))
        meetings = [sum(self.met[_pair(c, other)] for other in table) for c in allowed]
        least = min(meetings)
        best = [c for c, count in zip(allowed, meetings, strict=True) if count == least]
        return best[int(self.lot() * len(best))]

    def count(self, table: Sequence[Candidate]) -> None:
        """Take the table as played, so that the next one is another."""
        for i, candidate in enumerate(table):
            self.matches[candidate.id] += 1
            self.waiting_s[candidate.id] = 0.0
            for other in table[:i]:
                self.met[_pair(candidate, other)] += 1


def _pair(a: Candidate, b: Candidate) -> tuple[int, int]:
    return (a.id, b.id) if a.id < b.id else (b.id, a.id)
