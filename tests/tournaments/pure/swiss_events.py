"""Swiss brackets played out by lot, and all the ways there are to seat a small field."""

import random
from collections import Counter
from functools import cache
from hashlib import sha256
from itertools import combinations

from tournaments.pairing.swiss import draw
from tournaments.pairing.tables import table_sizes


def seed(text):
    return sha256(str(text).encode()).hexdigest()


def pair(a, b):
    return (min(a, b), max(a, b))


def pairs_at(tables):
    return Counter(p for table in tables for p in combinations(sorted(table), 2))


class Event:
    """A Swiss bracket that is played out with random results of known strengths."""

    def __init__(self, entrants, table_size, *, min_size=None, number=0):
        self.rng = random.Random(number)
        self.strength = {entrant: self.rng.gauss(0, 1) for entrant in entrants}
        self.points = dict.fromkeys(entrants, 0.0)
        self.table_size, self.min_size, self.number = table_size, min_size, number
        self.history, self.byes, self.draws, self.before = [], [], [], []

    def draw(self):
        return draw(
            self.points,
            self.history,
            self.table_size,
            seed((self.number, len(self.draws))),
            byes_had=self.byes,
            min_size=self.min_size,
        )

    def play(self):
        drawn = self.draw()
        self.check(drawn)
        self.draws.append(drawn)
        self.before.append(dict(self.points))
        for entrant in drawn.byes:
            self.byes.append(entrant)
            self.points[entrant] += 0.5
        for table in drawn.tables:
            self.history.append(table)
            order = sorted(table, key=lambda e: -self.strength[e] - self.rng.gauss(0, 1))
            for place, entrant in enumerate(order):
                self.points[entrant] += 1 - place / (len(table) - 1)
        return drawn

    def check(self, drawn):
        """The hard rules of every round."""
        least = self.min_size or max(2, self.table_size - 1)
        expected = table_sizes(len(self.points), self.table_size, least)
        seated = [entrant for table in drawn.tables for entrant in table]
        assert sorted([*seated, *drawn.byes]) == sorted(self.points), "everybody exactly once"
        assert Counter(map(len, drawn.tables)) == Counter(expected.sizes)
        assert len(drawn.byes) == expected.byes
        byes = Counter(self.byes)
        had = [byes[entrant] for entrant in self.points]
        for entrant in drawn.byes:
            assert byes[entrant] <= sorted(had)[expected.byes - 1], "byes go round"
        met = pairs_at(self.history)
        told = {pair(*r.entrants) for r in drawn.reasons if r.kind == "repeat"}
        assert told == {p for p in pairs_at(drawn.tables) if met[p]}
        assert [r.entrants for r in drawn.reasons if r.kind == "bye"] == [
            (entrant,) for entrant in drawn.byes
        ]


def perfect_matching(entrants, allowed):
    """Whether everybody can be matched by allowed pairs; by trying all ways."""

    @cache
    def possible(left):
        if not left:
            return True
        first, *others = sorted(left)
        return any(allowed(first, other) and possible(left - {first, other}) for other in others)

    return possible(frozenset(entrants))


def matchings(entrants):
    if not entrants:
        yield []
        return
    first, *others = entrants
    for other in others:
        for rest in matchings([e for e in others if e != other]):
            yield [(first, other), *rest]


def partitions(entrants, size):
    if not entrants:
        yield []
        return
    first, *others = entrants
    for company in combinations(others, size - 1):
        for rest in partitions([e for e in others if e not in company], size):
            yield [(first, *company), *rest]
