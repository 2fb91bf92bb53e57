"""Tables of more than two in which any two entrants meet equally often: difference families.

A few base tables in the numbers modulo v, each turned v times by adding 1 to everybody at it, seat
every entrant in every seat equally often. Two entrants d apart then meet as often as ±d is a
difference inside the base tables; so the base tables are searched for the differences alone.

Where that takes too many tables there are two more ways: one entrant stays in its seats while the
others turn (a 1-rotational design), and a ghost, who is one entrant more than there are: who sits
with the ghost sits at a table that is short by one, everybody equally often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOVES = 300_000
"""Tries for one number of base tables, about a second. More base tables are easier to find."""
MORE_BASES = 12
WARMTH = 0.5
"""How readily a worse move is taken, in units of cost; found by trying."""
AFFORDABLE = 2
"""Equal meetings may take so many times the tables of meetings that differ by one."""
SEAT_MOVES = 100
"""Tries for each table at making seats equal."""

Lot = Callable[[], float]
Table = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Design:
    """Tables of the numbers 0 to n - 1, in seat order.

    meetings: how often any two meet, at least and at most. short: at how many tables that are
    short by one seat everybody sits.
    """

    tables: list[Table]
    meetings: tuple[int, int]
    short: int = 0


@dataclass(frozen=True, slots=True)
class _Family:
    """What is searched: base tables modulo `turns`, of which `fixed` have the one who stays."""

    turns: int
    plain: int
    fixed: int
    meetings: int

    @property
    def tables(self) -> int:
        return self.turns * (self.plain + self.fixed)


def design(
    n: int, k: int, lots: Callable[[str], Lot], *, short_allowed: bool, limit: int
) -> Design | None:
    """Tables of k for n > k > 2 entrants at which any two meet equally often, or nearly so.

    Of the designs with equal meetings the one with the fewest tables, if that are not more than
    twice as many as it takes for any two to meet at all, nor more than `limit`; else one whose
    meetings differ by one. short_allowed: tables of k - 1 are allowed. lots: gives a stream of lots
    for a label. None when nothing is found (not seen for k <= 6 and n <= 200).
    """
    most = min(limit, AFFORDABLE * n * _fewest(n, k))
    equal = [(family, n) for family in _families(n, k)]
    if short_allowed:
        equal += [(family, n + 1) for family in _families(n + 1, k)]
    for family, v in sorted(equal, key=lambda each: (each[0].tables, each[1])):
        if family.tables > most:
            break
        label = f"design {v} {family.plain} {family.fixed}"
        found = _search(family.turns, [k] * family.plain + [k - 1] * family.fixed, lots(label))
        if found is None:
            continue
        tables = [table for base in found[: family.plain] for table in turned(base, family.turns)]
        tables += [
            (family.turns, *table)
            for base in found[family.plain :]
            for table in turned(base, family.turns)
        ]
        equally = (family.meetings, family.meetings)
        if v == n and not family.fixed:
            return Design(tables, equally)
        # The ghost has the last number.
        tables = [tuple(number for number in table if number < n) for table in tables]
        seated = seats_shared(n, tables, lots(f"seats {label}"))
        return Design(seated, equally, family.meetings if v > n else 0)
    bases = base_tables(n, k, lots("design"))
    if bases is None:
        return None
    total = k * (k - 1) * len(bases)
    nearly = (total // (n - 1), -(-total // (n - 1)))
    return Design([table for base in bases for table in turned(base, n)], nearly)


def base_tables(v: int, k: int, lot: Lot) -> list[list[int]] | None:
    """As few base tables of k entrants in Z_v as are found, for v > k > 2.

    Any two meet at least once, and no two meet twice more often than two others do: the numbers
    of meetings are all equal where k (k - 1) t is a multiple of v - 1 for t base tables, and differ
    by one otherwise. None when nothing is found (not seen for k <= 6 and v <= 200).
    """
    fewest = _fewest(v, k)
    for count in range(fewest, fewest + MORE_BASES):
        found = _search(v, [k] * count, lot)
        if found is not None:
            return found
    return None


def turned(base: Sequence[int], v: int) -> list[Table]:
    """The v tables of one base table; each entrant sits once in each seat."""
    return [tuple((number + turn) % v for number in base) for turn in range(v)]


def seats_shared(
    n: int, tables: Sequence[Table], lot: Lot, *, before: Sequence[Table] = ()
) -> list[Table]:
    """The same tables with seats such that everybody sits about equally often in each of them.

    Two at a table change seats as long as that brings the counts nearer to each other; those of
    the tables `before` are counted too.
    """
    seats = max(map(len, tables))
    counts = [[0] * seats for _ in range(n)]
    seated = [list(table) for table in tables]
    for table in (*before, *seated):
        for seat, who in enumerate(table):
            counts[who][seat] += 1
    for _ in range(SEAT_MOVES * len(seated)):
        table = seated[int(lot() * len(seated))]
        i, j = int(lot() * len(table)), int(lot() * len(table))
        one, other = counts[table[i]], counts[table[j]]
        # Of the sum of squared counts; level moves are taken too, they lead out of dead ends.
        if i != j and one[j] - one[i] + 1 + other[i] - other[j] + 1 <= 0:
            one[i], one[j] = one[i] - 1, one[j] + 1
            other[j], other[i] = other[j] - 1, other[i] + 1
            table[i], table[j] = table[j], table[i]
    return [tuple(table) for table in seated]


def _fewest(v: int, k: int) -> int:
    """Base tables that it takes for any two of v to meet."""
    return -(-(v - 1) // (k * (k - 1)))


def _families(v: int, k: int) -> Iterator[_Family]:
    """The smallest families of both kinds in which any two of v meet equally often."""
    for plain in range(1, v):
        meetings, rest = divmod(plain * k * (k - 1), v - 1)
        # Opposite numbers (v even) meet twice in a full turn.
        if not rest and (v % 2 or meetings % 2 == 0):
            yield _Family(v, plain, 0, meetings)
            break
    turns = v - 1
    for fixed in range(1, 2 * k + 1):
        # Who stays meets everybody k - 1 times in a full turn of one base table.
        meetings = fixed * (k - 1)
        differences = meetings * (turns - 1) - fixed * (k - 1) * (k - 2)
        plain, rest = divmod(differences, k * (k - 1))
        if turns > k and plain >= 0 and not rest and (turns % 2 or meetings % 2 == 0):
            yield _Family(turns, plain, fixed, meetings)
            break


def _search(v: int, sizes: Sequence[int], lot: Lot) -> list[list[int]] | None:
    """Base tables of these sizes by annealing on the meetings; None when the moves run out."""
    total = sum(size * (size - 1) for size in sizes)
    least, most = total // (v - 1), -(-total // (v - 1))
    distance = [min(d, v - d) for d in range(v)]
    # Opposite entrants (v even) meet twice in a full turn, and there are half as many such pairs.
    weight = [2] * (v // 2 + 1)
    step = [1] * (v // 2 + 1)
    if v % 2 == 0:
        weight[-1], step[-1] = 1, 2
        if least == most and least % 2:
            return None
    cost_of = [max(0, n - most) + max(0, least - n) for n in range(total + 3)]

    bases: list[list[int]] = [[] for _ in sizes]
    meetings = [0] * (v // 2 + 1)
    for base, size in zip(bases, sizes, strict=True):
        while len(base) < size:
            new = int(lot() * v)
            if new not in base:
                for other in base:
                    d = distance[new - other]
                    meetings[d] += step[d]
                base.append(new)
    cost = sum(weight[d] * cost_of[meetings[d]] for d in range(1, v // 2 + 1))

    for _ in range(MOVES):
        if cost == 0:
            return bases
        base = bases[int(lot() * len(bases))]
        seat, new = int(lot() * len(base)), int(lot() * v)
        if new in base:
            continue
        old = base[seat]
        base[seat] = new
        change = 0
        for i, other in enumerate(base):
            if i != seat:
                d, n = distance[old - other], meetings[distance[old - other]]
                change += weight[d] * (cost_of[n - step[d]] - cost_of[n])
                meetings[d] = n - step[d]
                d, n = distance[new - other], meetings[distance[new - other]]
                change += weight[d] * (cost_of[n + step[d]] - cost_of[n])
                meetings[d] = n + step[d]
        if change <= 0 or lot() < math.exp(-change / WARMTH):
            cost += change
            continue
        base[seat] = old
        for i, other in enumerate(base):
            if i != seat:
                d = distance[old - other]
                meetings[d] += step[d]
                d = distance[new - other]
                meetings[d] -= step[d]
    return None
