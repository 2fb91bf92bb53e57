"""Tables of two: a perfect matching of least cost, without repeats while there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import rustworkx

COMPLETE = 200
"""Up to this many entrants every pair is weighed at once; larger fields are cut into blocks."""
LEAST_BLOCK, MOST_BLOCK = 96, 160
"""Where a large field is cut: at the widest gap in points between these sizes."""
WINDOW = 16
"""How far apart in the standings the near ones of a block are. Widened until all fit."""
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
    squared differences in points; lots. A field of more than 200 is matched block by block from
    the top, near pairs first; a block that has no matching without a repeat is joined to the next
    one (the last to the one above), up to the whole field.
    """
    n = len(points)
    field = _Field([round(value * STEPS) for value in points], met, may_bye, lot)
    done: list[tuple[int, list[Pair]]] = []
    start, waiting = 0, _blocks(field.scores)
    end = waiting.pop(0)
    while True:
        pairs = field.without_repeats(start, end)
        if pairs is None and waiting:
            end = waiting.pop(0)
        elif pairs is None and done:
            start, _ = done.pop()
        elif pairs is None:
            pairs = field.cheapest(0, n, n, repeats=True)
            assert pairs is not None, "a complete graph has a perfect matching"
            done = [(0, pairs)]
            break
        else:
            done.append((start, pairs))
            if not waiting:
                break
            start, end = end, waiting.pop(0)
    found = [pair for _, pairs in done for pair in pairs]
    bye = next((a for a, b in found if b == n), None)
    return Matching(sorted(pair for pair in found if pair[1] != n), bye)


def _blocks(scores: Sequence[int]) -> list[int]:
    """Where the blocks of the standings end: all but the last have an even number."""
    ends: list[int] = []
    start, n = 0, len(scores)
    while n - start > max(COMPLETE, LEAST_BLOCK + MOST_BLOCK):
        cuts = range(start + LEAST_BLOCK, start + MOST_BLOCK + 1, 2)
        start = max(cuts, key=lambda cut: scores[cut - 1] - scores[cut])
        ends.append(start)
    return [*ends, n]


class _Field:
    """The standings, of which some are matched at a time."""

    def __init__(
        self,
        scores: Sequence[int],
        met: Mapping[Pair, int],
        may_bye: Sequence[int],
        lot: Callable[[], float],
    ) -> None:
        self.scores, self.met, self.may_bye, self.lot = scores, met, may_bye, lot

    def without_repeats(self, start: int, end: int) -> list[Pair] | None:
        """The cheapest pairs of these positions; None when there are none without a repeat."""
        size = end - start
        window = size if len(self.scores) <= COMPLETE else WINDOW
        while True:
            pairs = self.cheapest(start, end, window, repeats=False)
            if pairs is not None or window >= size:
                return pairs
            window *= 4

    def cheapest(self, start: int, end: int, window: int, *, repeats: bool) -> list[Pair] | None:
        """The cheapest perfect matching of near pairs; None when there is none.

        Where the number of the whole field is odd its last position takes "nobody" for one more.
        """
        scores, met, lot = self.scores, self.met, self.lot
        n = len(scores)
        nobody = end == n and n % 2 == 1
        size = end - start + nobody
        may_bye = [who for who in self.may_bye if who >= start] if nobody else []
        if nobody and not may_bye:
            return None
        # Units, each larger than all that the smaller ones can add up to.
        tables = size // 2 + 1
        gap_unit = NOISE * tables
        bye_unit = gap_unit * (tables * (scores[start] - scores[end - 1]) ** 2 + 1)
        repeat_unit = bye_unit * (len(may_bye) + 1)

        costs: list[tuple[int, int, int]] = []
        for a in range(start, end):
            mine = scores[a]
            for b in range(a + 1, min(end, a + window + 1)):
                cost = (mine - scores[b]) ** 2 * gap_unit
                if (a, b) in met:
                    if not repeats:
                        continue
                    cost += met[a, b] ** 2 * repeat_unit
                costs.append((a - start, b - start, cost + int(lot() * NOISE)))
        if nobody:
            levels = {score: i for i, score in enumerate(sorted({scores[w] for w in may_bye}))}
            costs += [
                (who - start, n - start, levels[scores[who]] * bye_unit + int(lot() * NOISE))
                for who in may_bye[:window]
            ]
        dearest = max((cost for _, _, cost in costs), default=0)
        graph = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from(range(size))
        graph.add_edges_from([(a, b, dearest - cost) for a, b, cost in costs])
        found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
        if 2 * len(found) < size:
            return None
        return [(min(pair) + start, max(pair) + start) for pair in found]
