"""Round robin: everybody meets everybody equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from tournaments.pairing import CannotDraw
from tournaments.pairing.designs import Design, design, seats_shared
from tournaments.pairing.lots import lots, shuffled

MOST_TABLES = 20_000

Rounds = list[list[tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Schedule:
    """All rounds of a round robin.

    rounds: the tables of each round, a table being its entrants in seat order. Nobody sits twice
    in a round; who is in no table of a round sits it out, which is no bye and gives no points.
    meetings: the fewest and the most times that any two meet; they differ by one at most (by two
    if double), and then `reasons` says why.
    """

    rounds: tuple[tuple[tuple[int, ...], ...], ...]
    meetings: tuple[int, int]
    reasons: tuple[str, ...] = ()


def schedule(
    entrants: Iterable[int],
    table_size: int,
    seed: str,
    *,
    min_size: int | None = None,
    double: bool = False,
) -> Schedule:
    """The whole round robin, drawn from `seed` (64 hex digits).

    Tables of two: n - 1 rounds by Berger's tables, n rounds for an odd field. Larger tables: as
    many rounds as it takes; everybody sits at as many tables, and at as many that are short by one
    seat if there are any. A field of `table_size` or fewer plays one table. min_size: fewest seats
    of a table (default: table_size - 1, at least 2). double: all rounds once more, in
    other seats. CannotDraw when the field is too small or needs more than 20,000 tables.
    """
    field = sorted(entrants)
    if len(set(field)) < len(field):
        raise ValueError(f"an entrant is there twice: {field}")
    if table_size < 2:
        raise CannotDraw(f"a table has two seats or more, not {table_size}")
    least = max(2, table_size - 1) if min_size is None else min_size
    if len(field) < least:
        raise CannotDraw(f"{len(field)} entrants cannot fill a table: it takes {least}")
    order = shuffled(field, lots(seed, "order"))
    times = 2 if double else 1
    reasons = []
    if len(order) <= table_size:
        numbered: Rounds = [[tuple(range(len(order)))]]
    elif table_size == 2:
        _check_tables(times * len(order) * (len(order) - 1) // 2)
        numbered = berger(len(order))
    else:
        found = _designed(len(order), table_size, seed, least < table_size, MOST_TABLES // times)
        numbered = _in_rounds(len(order), shuffled(found.tables, lots(seed, "rounds")))
        if found.short:
            reasons.append(
                f"Everybody sits at {times * found.short} tables that are short by one seat: so "
                "any two meet equally often."
            )
    if double:
        again = [[table[::-1] for table in tables] for tables in numbered]
        if len(order) > table_size > 2:
            before = [table for tables in numbered for table in tables]
            turned = [table for tables in again for table in tables]
            shared = iter(
                seats_shared(len(order), turned, lots(seed, "seats again"), before=before)
            )
            again = [[next(shared) for _ in tables] for tables in again]
        numbered += again
    meetings = _meetings(len(order), numbered)
    if meetings[0] < meetings[1]:
        reasons.append(
            f"Any two meet {meetings[0]} or {meetings[1]} times: equal numbers would take more "
            "than twice the tables."
        )
    return Schedule(
        rounds=tuple(
            tuple(tuple(order[number] for number in table) for table in tables)
            for tables in numbered
        ),
        meetings=meetings,
        reasons=tuple(reasons),
    )


def berger(n: int) -> Rounds:
    """Berger's tables (FIDE Handbook C.05, annex 1) for the numbers 0 to n - 1.

    For an odd n the last number of the next larger table is nobody: its opponent sits out.
    """
    even = n + n % 2
    circle, last = even - 1, even - 1
    rounds: Rounds = []
    for number in range(circle):
        # The number that meets the last one; the others pair up around it on the circle.
        hub = number * (even // 2) % circle
        pairs = [(last, hub) if number % 2 else (hub, last)]
        pairs += [((hub + i) % circle, (hub - i) % circle) for i in range(1, even // 2)]
        rounds.append([pair for pair in pairs if max(pair) < n])
    return rounds


def _designed(n: int, table_size: int, seed: str, short_allowed: bool, limit: int) -> Design:
    # Each entrant has n - 1 others to meet, table_size - 1 at a time.
    _check_tables(MOST_TABLES // limit * n * -(-(n - 1) // (table_size * (table_size - 1))))
    found = design(n, table_size, partial(lots, seed), short_allowed=short_allowed, limit=limit)
    if found is None:
        raise CannotDraw(
            f"no balanced round robin of {n} entrants at tables of {table_size} was found; "
            "another table size, a Swiss bracket, or one entrant more or less would do"
        )
    return found


def _in_rounds(n: int, tables: Sequence[tuple[int, ...]]) -> Rounds:
    """Rounds in which nobody sits twice; those who have sat least come first in each."""
    played = [0] * n
    rounds: Rounds = []
    left = list(tables)
    while left:
        left.sort(key=lambda table: sum(played[number] for number in table))
        busy: set[int] = set()
        later, now = [], []
        for table in left:
            if busy.isdisjoint(table):
                busy.update(table)
                now.append(table)
            else:
                later.append(table)
        for number in busy:
            played[number] += 1
        rounds.append(now)
        left = later
    return rounds


def _meetings(n: int, rounds: Rounds) -> tuple[int, int]:
    met = Counter(
        pair for tables in rounds for table in tables for pair in combinations(sorted(table), 2)
    )
    counts = [met[pair] for pair in combinations(range(n), 2)]
    return min(counts), max(counts)


def _check_tables(tables: int) -> None:
    if tables > MOST_TABLES:
        raise CannotDraw(
            f"this round robin would have at least {tables} tables, more than {MOST_TABLES}; "
            "a Swiss bracket would do"
        )
