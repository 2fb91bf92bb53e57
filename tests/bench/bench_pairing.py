"""How long drawing a round and computing standings take; run: python -m tests.bench.bench_pairing

The yardstick is `rustworkx.max_weight_matching` on the graph that joins each entrant to the 16
below it in the standings, with the weights of our own matching (squared differences in points, then
lots), timed in the same run on the same field. All times are of the processor.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import rustworkx
from gacrux.pairingchecker import pairingchecker

from tests.tournaments.pure import chess_events
from tournaments.pairing import fide_dutch, swiss
from tournaments.standings import TIE_BREAKS, TableResult, standings

SIZES = (100, 1_000, 5_000)
NEIGHBOURS = 16
ROUNDS = 6
NOISE = 1 << 30


def timed(work, times=3):
    """What the work gave, and the middle of some runs' seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        found = work()
        seconds.append(time.process_time() - start)
    return found, statistics.median(seconds)


class Event:
    """A Swiss played out with entrants of known strengths."""

    def __init__(self, n, table_size, *, whole=False):
        self.rng = random.Random(n)
        self.n, self.table_size, self.whole = n, table_size, whole
        self.strength = [self.rng.gauss(0, 1) for _ in range(n)]
        self.points = dict.fromkeys(range(n), 0.0)
        self.history, self.rounds, self.byes = [], [], []

    def draw(self):
        seed = f"{len(self.rounds):064x}"
        return swiss.draw(self.points, self.history, self.table_size, seed, byes_had=self.byes)

    def play(self, drawn):
        results = [TableResult({entrant: 0}, bye=True) for entrant in drawn.byes]
        for entrant in drawn.byes:
            self.byes.append(entrant)
            self.points[entrant] += 0.5
        for table in drawn.tables:
            points = self.result(table)
            for entrant, value in points.items():
                self.points[entrant] += value
            self.history.append(table)
            results.append(TableResult(points, {e: v - 0.5 for e, v in points.items()}))
        self.rounds.append(results)

    def result(self, table):
        """Place points: of one play, or the mean over four."""
        plays = 1 if self.whole else 4
        points = dict.fromkeys(table, 0.0)
        for _ in range(plays):
            order = sorted(table, key=lambda e: -self.strength[e] - self.rng.gauss(0, 1))
            for place, entrant in enumerate(order):
                points[entrant] += (1 - place / (len(table) - 1)) / plays
        return points


def yardstick(event):
    """Seconds of the matching, and the mean squared difference in points that it comes to.

    Earlier meetings are left in: it may repeat them.
    """
    lot = random.Random(1).randrange
    order = sorted(event.points, key=lambda e: -event.points[e])
    scores = [round(event.points[e] * 1000) for e in order]
    costs = [
        (a, b, (scores[a] - scores[b]) ** 2 * NOISE * event.n + lot(NOISE))
        for a in range(event.n)
        for b in range(a + 1, min(event.n, a + 1 + NEIGHBOURS))
    ]
    dearest = max(cost for _, _, cost in costs)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(event.n))
    graph.add_edges_from([(a, b, dearest - cost) for a, b, cost in costs])
    pairs, seconds = timed(
        lambda: rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int), 1
    )
    return seconds, [(order[a], order[b]) for a, b in pairs]


def spread(event, tables):
    """The mean squared difference in points of two who sit together."""
    gaps = [
        (event.points[a] - event.points[b]) ** 2
        for table in tables
        for a, b in combinations(table, 2)
    ]
    return sum(gaps) / len(gaps)


def repeats(event, drawn):
    met = {pair for table in event.history for pair in combinations(sorted(table), 2)}
    return sum(pair in met for table in drawn.tables for pair in combinations(sorted(table), 2))


def swiss_rounds(table_size, *, whole):
    limit = {2: 0.5, 4: 1.0}[table_size]
    kind = "one play a table" if whole else "means of four plays"
    print(f"\nSwiss, tables of {table_size}, {kind}, round {ROUNDS + 1}")
    for n in SIZES:
        event = Event(n, table_size, whole=whole)
        for _ in range(ROUNDS):
            event.play(event.draw())
        drawn, seconds = timed(event.draw)
        stick, pairs = yardstick(event)
        rows, table = timed(
            lambda event=event: standings(
                range(event.n), event.rounds, tie_breaks=list(TIE_BREAKS)
            ),
            1,
        )
        again = repeats(event, drawn)
        print(
            f"{n:6}: drawn in {seconds:7.3f} s = {seconds / stick:5.2f} x the matching's "
            f"{stick:6.3f} s (goal {limit}), {again} repeats, spread "
            f"{spread(event, drawn.tables):.4f} (its {spread(event, pairs):.4f}, repeats allowed); "
            f"standings {table:6.3f} s = {table / stick:5.2f} x (goal 0.2)"
        )
        assert len(rows) == n


def exact_dutch():
    """Our rounds, and what gacrux's own program takes to pair the same ones from a report."""
    event = chess_events.Event(1)
    event.rounds = 5
    print(f"\n{fide_dutch.RULESET}, {fide_dutch.MOST_ENTRANTS} entrants")
    event.field, event.late = list(range(fide_dutch.MOST_ENTRANTS)), set()
    for number in range(1, event.rounds + 1):
        drawn, ours = timed(lambda: event.draw(event.here()), 1)
        with tempfile.TemporaryDirectory() as folder:
            source, result = Path(folder) / "event.trf", Path(folder) / "pairs"
            event.colour = event.colour or "W"
            source.write_text(event.report(), newline="\n")
            sys.argv = (
                f"checker -i {source} -o {result} -f TRF -m dutch -p -n {number} -d T -t w"
            ).split()
            _, theirs = timed(lambda: pairingchecker().common_main(), 1)
            lines = result.read_text().split()
        pairs = {frozenset(map(int, lines[i : i + 2])) for i in range(1, len(lines), 2)}
        same = pairs == {frozenset(event.field.index(e) + 1 for e in t) for t in drawn.tables}
        print(
            f"round {number}: {ours:6.2f} s = {ours / theirs:4.2f} x its own {theirs:6.2f} s "
            f"(goal 1.5), {'the same pairs' if same else 'OTHER PAIRS'}"
        )
        event.past.append(
            fide_dutch.PastRound(
                tuple(
                    fide_dutch.Game(a, b, event.rng.choice((0, 0.5, 1))) for a, b in drawn.tables
                ),
                drawn.byes,
            )
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["two", "four", "dutch"])
    only = parser.parse_args().only
    if only in (None, "two"):
        swiss_rounds(2, whole=True)
        swiss_rounds(2, whole=False)
    if only in (None, "four"):
        swiss_rounds(4, whole=True)
        swiss_rounds(4, whole=False)
    if only in (None, "dutch"):
        exact_dutch()


if __name__ == "__main__":
    main()
