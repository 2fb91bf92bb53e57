"""Tables of three and more: blocks of the standings, improved by swaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

SWAPS = 60
"""Proposed swaps for each entrant."""
LEAST_SWAPS = 2000
PASSES = 4
"""How often the search goes over the tables while somebody meets again or sits short undue."""
WARM = 0.5
"""How readily a worse swap is taken at first, in squared points."""
COLD = 0.005
SOFT = (0.5, 1.0, 2.0, 4.0)
"""What a repeated meeting weighs, in squared points, where the search may go through repeats."""
SOFT_PASSES, SOFT_WORK = 40, 600
"""At most so many passes of that kind, and fewer where entrants times passes would be more."""

Pair = tuple[int, int]


def seat(
    points: Sequence[float],
    met: Mapping[Pair, int],
    short: Sequence[int],
    sizes: Sequence[int],
    lot: Callable[[], float],
) -> list[list[int]]:
    """Seat all positions of the standings (0 is the best) at tables of the given sizes.

    points: by position, falling; met: earlier meetings of two positions, the smaller first;
    short: by position, how often it sat at a short table. A short table has fewer seats than the
    first of `sizes`. They start with those that sat short least, from the bottom of the standings,
    the rest in blocks from the top; then entrants swap tables while that lowers the cost. What
    counts, each before all that follow: earlier meetings, squared for each pair; that nobody else
    than at the start sits short; the squared distances to the tables' mean points.
    """
    search = _Search(points, met, short, sizes, lot)
    best, least = search.tables(), search.total()
    proposals = max(LEAST_SWAPS, SWAPS * len(points))
    for turn in range(PASSES):
        # The first pass keeps to the standings; later ones may cross repeats to be rid of one.
        search.swap_around(WARM if turn == 0 else search.repeat, proposals)
        if search.total() < least:
            best, least = search.tables(), search.total()
        if least < search.unit:
            break
    idle = 0
    for turn in range(min(SOFT_PASSES, SOFT_WORK // len(points))):
        if least == 0 or idle > 2 * len(SOFT):
            break
        idle += 1
        # One seating without repeats often cannot be swapped into a better one but through some.
        search.weigh_repeats(SOFT[turn % len(SOFT)])
        search.swap_around(search.repeat, proposals)
        search.weigh_repeats(None)
        search.swap_around(COLD, proposals // 4)
        if search.total() < least:
            best, least, idle = search.tables(), search.total(), 0
    return sorted(best)


class _Search:
    """Tables, their costs, and swaps between them."""

    def __init__(
        self,
        points: Sequence[float],
        met: Mapping[Pair, int],
        short: Sequence[int],
        sizes: Sequence[int],
        lot: Callable[[], float],
    ) -> None:
        self.points, self.lot = points, lot
        self.full = sizes[0]
        self.seats = _blocks(short, sizes)
        due = {who for table in self.seats if len(table) < self.full for who in table}
        # Units, each larger than all that the smaller ones can add up to.
        self.unit = 1 + len(points) * (points[0] - points[-1]) ** 2
        self.undue = [0.0 if i in due else self.unit * (1 + times) for i, times in enumerate(short)]
        self.met = met
        self.weigh_repeats(None)

    def weigh_repeats(self, weight: float | None) -> None:
        """What a meeting that repeats one earlier one costs; None: more than all else."""
        self.repeat = self.unit + math.fsum(self.undue) if weight is None else weight
        self.dear: list[dict[int, float]] = [{} for _ in self.points]
        for (a, b), meetings in self.met.items():
            self.dear[a][b] = self.dear[b][a] = self.repeat * meetings**2
        self.costs = [self.cost(table) for table in self.seats]

    def cost(self, table: Sequence[int]) -> float:
        values = [self.points[who] for who in table]
        total = sum(value * value for value in values) - sum(values) ** 2 / len(values)
        for a, b in combinations(table, 2):
            if b in self.dear[a]:
                total += self.dear[a][b]
        if len(table) < self.full:
            total += sum(self.undue[who] for who in table)
        return total

    def total(self) -> float:
        return math.fsum(self.costs)

    def tables(self) -> list[list[int]]:
        return [sorted(table) for table in self.seats]

    def swap_around(self, warmth: float, proposals: int) -> None:
        """Annealing: propose swaps between near tables, half of them where somebody meets again."""
        if len(self.seats) < 2:
            return
        lot, count = self.lot, len(self.seats)
        cooling = (COLD / 2 / warmth) ** (1 / proposals)
        repeated: list[int] = []
        for done in range(proposals):
            warmth *= cooling
            if done % (count * 4) == 0:
                repeated = [i for i, cost in enumerate(self.costs) if cost >= self.repeat]
            if repeated and lot() < 0.5:
                here = repeated[int(lot() * len(repeated))]
            else:
                here = int(lot() * count)
            # Near tables mostly: each doubling of the distance is equally likely.
            away = int(count ** lot())
            there = here + away if lot() < 0.5 else here - away
            if not 0 <= there < count or there == here:
                continue
            self.swap(here, there, warmth)

    def swap(self, here: int, there: int, warmth: float) -> None:
        """Swap two entrants of two tables by lot, if it pays or the warmth allows."""
        one, other = self.seats[here], self.seats[there]
        i, j = int(self.lot() * len(one)), int(self.lot() * len(other))
        one[i], other[j] = other[j], one[i]
        costs = self.cost(one), self.cost(other)
        change = sum(costs) - self.costs[here] - self.costs[there]
        if change <= 0 or self.lot() < math.exp(-change / warmth):
            self.costs[here], self.costs[there] = costs
        else:
            one[i], other[j] = other[j], one[i]


def _blocks(short: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """The start: short tables from those that sat short least, the others from the top."""
    short_seats = sum(size for size in sizes if size < sizes[0])
    # From the bottom: the highest positions first.
    order = sorted(range(len(short)), key=lambda who: (short[who], -who))
    sits_short = set(order[:short_seats])
    queues = {
        False: iter([who for who in range(len(short)) if who not in sits_short]),
        True: iter(sorted(sits_short)),
    }
    tables = [[next(queues[size < sizes[0]]) for _ in range(size)] for size in sizes]
    return sorted(tables)
