"""Tables of two: a perfect matching of least cost, without repeats while there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import rustworkx

COMPLETE = 200
"""Up to this many entrants every pair is weighed; in larger fields only near ones, at first."""
WINDOW = 16
"""How far apart in the standings the near ones of a large field are. Doubled until all fit."""
STEPS = 1000
"""Points are compared in thousandths."""
NOISE = 1 << 30
"""Lots that part equal costs, so that one matching is the cheapest."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Matching:
    """Who sits with whom, by position in the standings; bye: the one left over."""

    pairs: list[Pair]
    bye: int | None


def match(
    points: Sequence[float],
    met: Mapping[Pair, int],
    may_bye: Sequence[int],
    lot: Callable[[], float],
) -> Matching:
    """Match all positions of the standings (0 is the best) in twos.

    points: by position, falling; met: earlier meetings of two positions, the smaller first;
    may_bye: who may get the bye of an odd field, from the bottom. What counts, each before all that
    follow: no repeat, or the fewest (squared for each pair); the bye to the lowest points; the
    squared differences in points; lots. In a field of more than 200 only near pairs are weighed
    where that is enough.
    """
    n = len(points)
    window = n if n <= COMPLETE else WINDOW
    while True:
        found = _cheapest(points, met, may_bye, lot, window=window, repeats=False)
        if found is None and window >= n:
            found = _cheapest(points, met, may_bye, lot, window=n, repeats=True)
            assert found is not None, "a complete graph has a perfect matching"
        if found is not None:
            return found
        window *= 2


def _cheapest(
    points: Sequence[float],
    met: Mapping[Pair, int],
    may_bye: Sequence[int],
    lot: Callable[[], float],
    *,
    window: int,
    repeats: bool,
) -> Matching | None:
    """The cheapest perfect matching of the graph; None when it has none."""
    n = len(points)
    scores = [round(value * STEPS) for value in points]
    # Units, each larger than all that the smaller ones can add up to.
    tables = n // 2 + 1
    gap_unit = NOISE * tables
    bye_unit = gap_unit * (tables * (scores[0] - scores[-1]) ** 2 + 1)
    repeat_unit = bye_unit * (len(may_bye) + 1)

    costs: list[tuple[int, int, int]] = []
    for a in range(n):
        for b in range(a + 1, min(n, a + window + 1)):
            meetings = met.get((a, b), 0)
            if meetings and not repeats:
                continue
            gap = scores[a] - scores[b]
            cost = meetings**2 * repeat_unit + gap**2 * gap_unit + int(lot() * NOISE)
            costs.append((a, b, cost))
    nobody = n
    if n % 2:
        levels = sorted({scores[who] for who in may_bye})
        costs += [
            (who, nobody, levels.index(scores[who]) * bye_unit + int(lot() * NOISE))
            for who in may_bye[:window]
        ]

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n + n % 2))
    dearest = max((cost for _, _, cost in costs), default=0)
    graph.add_edges_from([(a, b, dearest - cost) for a, b, cost in costs])
    pairs = sorted(
        (min(pair), max(pair))
        for pair in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    )
    if 2 * len(pairs) < n:
        return None
    bye = next((a for a, b in pairs if b == nobody), None)
    return Matching([pair for pair in pairs if pair[1] != nobody], bye)
