"""Tables of more than two in which any two entrants meet equally often: difference families.

A few base tables in the numbers modulo v, each turned v times by adding 1 to everybody at it, seat
every entrant in every seat equally often. Two entrants d apart then meet as often as ±d is a
difference inside the base tables; so the base tables are searched for the differences alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

MOVES = 300_000
"""Tries for one number of base tables, about a second. More base tables are easier to find."""
MORE_BASES = 12
WARMTH = 0.5
"""How readily a worse move is taken, in units of cost; found by trying."""


def base_tables(v: int, k: int, lot: Callable[[], float]) -> list[list[int]] | None:
    """As few base tables of k entrants in Z_v as are found, for v > k > 2.

    Any two meet at least once, and no two meet twice more often than two others do: the numbers
    of meetings are all equal where k (k - 1) t is a multiple of v - 1 for t base tables, and differ
    by one otherwise. None when nothing is found (not seen for k <= 6 and v <= 200).
    """
    fewest = -(-(v - 1) // (k * (k - 1)))
    for count in range(fewest, fewest + MORE_BASES):
        found = _search(v, k, count, lot)
        if found is not None:
            return found
    return None


def turned(base: list[int], v: int) -> list[tuple[int, ...]]:
    """The v tables of one base table; each entrant sits once in each seat."""
    return [tuple((number + turn) % v for number in base) for turn in range(v)]


def _search(v: int, k: int, count: int, lot: Callable[[], float]) -> list[list[int]] | None:
    """Annealing on the meetings by distance; None when the moves run out."""
    total = k * (k - 1) * count
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

    bases: list[list[int]] = [[] for _ in range(count)]
    meetings = [0] * (v // 2 + 1)
    for base in bases:
        while len(base) < k:
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
        base = bases[int(lot() * count)]
        seat, new = int(lot() * k), int(lot() * v)
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
