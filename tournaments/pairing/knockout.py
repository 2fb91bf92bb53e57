"""Knockout brackets: which tables there are, and who sits at them as results come in.

A plan is made once, from the number of entrants alone. Its tables name their sources: a seed, or a
place at an earlier table. Where a full bracket has nobody, the plan has no table: the other one
goes straight on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from tournaments.pairing import CannotDraw

Part = Literal["winners", "losers", "final", "third"]

MOST_ENTRANTS = 20_000

GRAND_FINAL, RESET = "F1", "F2"


@dataclass(frozen=True, slots=True)
class Seed:
    """The entrant of a seed; 1 is the strongest."""

    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """Who came `place`th (1 is the best) at an earlier table."""

    table: str
    place: int


Source: TypeAlias = Seed | Place


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """One table of a knockout.

    name: "W1-3" is the third table of the first round, "L2-1" the first of the losers' second,
    "F1" the final, "F2" its reset, "T" the table for the third place. round: counts the rounds of
    play from 1 over all parts; every source is of an earlier one. sources: in a grand final those
    of the winners' side come first. go_on: how many places go on from it; 1 where it is the last.
    """

    name: str
    part: Part
    round: int
    sources: tuple[Source, ...]
    go_on: int


@dataclass(frozen=True)
class Plan:
    """All tables of a knockout, each after those that it takes its entrants from."""

    entrants: int
    tables: tuple[PlannedTable, ...]

    @cached_property
    def by_name(self) -> dict[str, PlannedTable]:
        return {table.name: table for table in self.tables}

    def ready(
        self, entrants: Sequence[int], results: Mapping[str, Sequence[int]]
    ) -> list[tuple[PlannedTable, tuple[int, ...]]]:
        """The tables that can be played now and have no result, each with its entrants.

        entrants: by seed, the strongest first; results: the entrants of each table that was
        played, by its name, best first. ValueError when a result is not of its table's entrants.
        """
        seated = self._seated(entrants, results)
        return [
            (table, seated[table.name])
            for table in self.tables
            if table.name in seated and table.name not in results
        ]

    def over(self, results: Mapping[str, Sequence[int]]) -> bool:
        """Whether every table has its result; a reset counts only where it was called for."""
        return all(
            table.name in results or (table.name == RESET and not self._reset_due(results))
            for table in self.tables
        )

    def ranking(
        self, entrants: Sequence[int], results: Mapping[str, Sequence[int]]
    ) -> list[list[int]]:
        """Groups of equals, the best first: who is still in, then by how far they came.

        Those who went out in one round share a group if they came equally far at their tables.
        """
        seated = self._seated(entrants, results)
        # (round, for the title, -place) of the table that decided about each; None: still in.
        reached: dict[int, tuple[int, bool, int] | None] = dict.fromkeys(entrants)
        for table in self.tables:
            if table.name not in seated or table.name not in results:
                continue
            for place, entrant in enumerate(results[table.name], start=1):
                if Place(table.name, place) in self._third:
                    # Who waits to play for the third place can win no more.
                    reached[entrant] = (table.round + 1, False, -1)
                elif not self._goes_on(table, place, results):
                    reached[entrant] = (table.round, table.part != "third", -place)
        levels = sorted({level for level in reached.values() if level is not None}, reverse=True)
        still_in = [entrant for entrant in entrants if reached[entrant] is None]
        groups = [[e for e in entrants if reached[e] == level] for level in levels]
        return [still_in, *groups] if still_in else groups

    def _goes_on(
        self, table: PlannedTable, place: int, results: Mapping[str, Sequence[int]]
    ) -> bool:
        if table.name == GRAND_FINAL and self._reset_due(results):
            return True
        return Place(table.name, place) in self._places_played_for

    @cached_property
    def _third(self) -> frozenset[Source]:
        return frozenset(
            source for table in self.tables if table.part == "third" for source in table.sources
        )

    @cached_property
    def _places_played_for(self) -> frozenset[Source]:
        return frozenset(
            source for table in self.tables if table.name != RESET for source in table.sources
        )

    def _reset_due(self, results: Mapping[str, Sequence[int]]) -> bool:
        """Whether one of the losers' side won the grand final, so that it is played once more."""
        if RESET not in self.by_name or GRAND_FINAL not in results:
            return False
        final = self.by_name[GRAND_FINAL]
        unbeaten = [
            results[source.table][source.place - 1]
            for source in final.sources
            if isinstance(source, Place) and self._is_unbeaten(source)
        ]
        return results[GRAND_FINAL][0] not in unbeaten

    def _is_unbeaten(self, source: Place) -> bool:
        table = self.by_name[source.table]
        return table.part == "winners" and source.place <= table.go_on

    def _seated(
        self, entrants: Sequence[int], results: Mapping[str, Sequence[int]]
    ) -> dict[str, tuple[int, ...]]:
        """Who sits at each table of which that is known."""
        if len(entrants) != self.entrants or len(set(entrants)) != self.entrants:
            raise ValueError(f"the plan is for {self.entrants} entrants, not for {list(entrants)}")
        unknown = sorted(name for name in results if name not in self.by_name)
        if unknown:
            raise ValueError(f"results of {unknown}, which are no tables of this plan")
        seated: dict[str, tuple[int, ...]] = {}
        for table in self.tables:
            if table.name == RESET and not self._reset_due(results):
                known: list[int] = []
            else:
                known = [
                    entrants[source.number - 1]
                    if isinstance(source, Seed)
                    else results[source.table][source.place - 1]
                    for source in table.sources
                    if isinstance(source, Seed) or source.table in results
                ]
            if len(known) == len(table.sources):
                seated[table.name] = tuple(known)
            if table.name in results:
                expected, found = sorted(known), sorted(results[table.name])
                if len(known) < len(table.sources) or found != expected:
                    raise ValueError(
                        f"the result of {table.name} is of {found}, its entrants are {expected}"
                    )
        return seated


def single_elimination(
    n: int, *, table_size: int = 2, third_place: bool = False, min_size: int = 2
) -> Plan:
    """Tables of which the upper half goes on (of an odd size: rounded down), up to one final.

    Seeds are folded: 1 and 2 can meet in the final only, and in each round the strongest sit with
    the weakest. In a field that does not fill the first round the top seeds wait for the second;
    tables of the first round may be short, the top seeds' first. third_place: the losers of two
    semi-finals play for it; only at tables of two (a larger final has its own third place).
    CannotDraw when the field is too small or large, or a table would have fewer than `min_size`
    seats.
    """
    _check(n, table_size)
    if third_place and table_size > 2:
        raise CannotDraw(
            "a table for the third place is for tables of two: a larger final has a third place"
        )
    rounds = _winners(n, table_size)
    semi_finals = rounds[-2] if len(rounds) > 1 else []
    rounds[-1] = [_final(rounds[-1][0])]
    tables = [table for tables in rounds for table in tables]
    if third_place and len(semi_finals) == 2:
        losers = tuple(Place(table.name, 2) for table in semi_finals)
        tables.insert(-1, PlannedTable("T", "third", len(rounds), losers, 1))
    return _plan(n, tables, min_size)


def double_elimination(n: int, *, table_size: int = 2, min_size: int = 2) -> Plan:
    """Who is in the lower half of a table drops to the losers' side, and there it is out.

    The two sides meet in a grand final, which is played once more if the losers' side wins it. At
    tables of two everybody but the champion loses exactly twice, in 2 n - 2 or 2 n - 1 tables.
    CannotDraw as for `single_elimination`.
    """
    _check(n, table_size)
    winners = _winners(n, table_size)
    losers, last = _losers_of_two(n, winners) if table_size == 2 else _losers(winners, table_size)
    top = winners[-1][0]
    sources = tuple(Place(top.name, place) for place in range(1, top.go_on + 1)) + tuple(last)
    tables = [table for tables in (*winners, *losers) for table in tables]
    number = 1 + max(table.round for table in tables)
    places = tuple(Place(GRAND_FINAL, place) for place in range(1, len(sources) + 1))
    tables.append(PlannedTable(GRAND_FINAL, "final", number, sources, 1))
    tables.append(PlannedTable(RESET, "final", number + 1, places, 1))
    return _plan(n, tables, min_size)


def fold(count: int, ways: int = 2) -> list[int]:
    """The order of `count` = ways^m seeds from the top of a bracket: 1 8 4 5 2 7 3 6 for eight.

    Each seed of a round meets the one that mirrors it in the next larger round.
    """
    order = [1]
    while len(order) < count:
        size = len(order)
        order = [
            seed
            for top in order
            for seed in (
                way * size + top if way % 2 == 0 else (way + 1) * size + 1 - top
                for way in range(ways)
            )
        ]
    return order


# ------------------------------------------------------------------ the winners' side


def _winners(n: int, k: int) -> list[list[PlannedTable]]:
    """The tables of each round, the last being one; all of them in the order of the bracket."""
    upper = k // 2
    # A later table takes the upper halves of so many: as many as fit its seats.
    ways = k // upper
    seats = ways * upper
    count = 1
    while count * k < n:
        count *= ways
    if count == 1:
        entrants = tuple(map(Seed, range(1, n + 1)))
        return [[PlannedTable("W1-1", "winners", 1, entrants, max(1, min(upper, n // 2)))]]
    # Each table that is not played leaves its places in the next round to seeds that wait.
    waiting = max(0, seats * count - n) // (seats - upper)
    seeds = _folded(range(1, waiting * upper + 1), [upper] * waiting)
    small, larger = divmod(n - waiting * upper, count - waiting)
    sizes = [small] * (count - waiting - larger) + [small + 1] * larger
    seeds += _folded(range(waiting * upper + 1, n + 1), sizes)
    rounds: list[list[PlannedTable]] = [[]]
    feeds: list[tuple[Source, ...]] = []
    for position in fold(count, ways):
        entrants = tuple(map(Seed, seeds[position - 1]))
        if position <= waiting:
            feeds.append(entrants)
        else:
            feeds.append(_add(rounds[0], "winners", 1, 1, entrants, upper))
    while len(feeds) > 1:
        number = len(rounds) + 1
        tables: list[PlannedTable] = []
        feeds = [
            _add(tables, "winners", number, number, sum(feeds[i : i + ways], ()), upper)
            for i in range(0, len(feeds), ways)
        ]
        rounds.append(tables)
    return rounds


def _folded(seeds: Iterable[int], sizes: Sequence[int]) -> list[list[int]]:
    """Seeds dealt to tables of rising sizes, there and back: 1 8 9 16, 2 7 10 15, …"""
    tables: list[list[int]] = [[] for _ in sizes]
    left = iter(seeds)
    for turn in range(max(sizes, default=0)):
        open_tables = [table for table, size in zip(tables, sizes, strict=True) if size > turn]
        for table in reversed(open_tables) if turn % 2 else open_tables:
            table.append(next(left))
    return tables


def _add(
    tables: list[PlannedTable],
    part: Part,
    part_round: int,
    number: int,
    sources: tuple[Source, ...],
    go_on: int,
) -> tuple[Source, ...]:
    """Plan one more table of a round; who goes on from it."""
    letter = "W" if part == "winners" else "L"
    name = f"{letter}{part_round}-{len(tables) + 1}"
    tables.append(PlannedTable(name, part, number, sources, go_on))
    return tuple(Place(name, place) for place in range(1, go_on + 1))


def _final(table: PlannedTable) -> PlannedTable:
    return PlannedTable(GRAND_FINAL, "final", table.round, table.sources, 1)


# ------------------------------------------------------------------ the losers' side


def _reversed(items: list[Source | None]) -> list[Source | None]:
    return items[::-1]


def _halves_reversed(items: list[Source | None]) -> list[Source | None]:
    half = len(items) // 2
    return items[:half][::-1] + items[half:][::-1]


def _halves_swapped(items: list[Source | None]) -> list[Source | None]:
    half = len(items) // 2
    return items[half:] + items[:half]


DROPS = (_reversed, _halves_reversed, _halves_swapped)
"""In which order the losers of the winners' rounds 2, 3, 4, 5 … drop, over and over.

Chosen so that two who met on the winners' side meet again as late as can be: of 16 in the losers'
round 4 at the earliest, of 32 in round 5.
"""


def _losers_of_two(
    n: int, winners: list[list[PlannedTable]]
) -> tuple[list[list[PlannedTable]], list[Source]]:
    """The losers' rounds at tables of two, and who comes out of them."""
    size = 1 << len(winners)
    by_seeds = {table.sources: table for table in winners[0]}
    order = fold(size)
    # The first round in full: nobody drops from where a seed waits.
    dropped: list[Source | None] = []
    for i in range(0, size, 2):
        table = by_seeds.get((Seed(order[i]), Seed(order[i + 1])))
        dropped.append(Place(table.name, 2) if table else None)
    side = _Losers(winners)
    left = side.play(dropped[0::2], dropped[1::2]) if size > 2 else dropped
    for number, tables in enumerate(winners[1:], start=2):
        fresh: list[Source | None] = [Place(table.name, 2) for table in tables]
        left = side.play(left, DROPS[(number - 2) % len(DROPS)](fresh))
        if len(left) > 1:
            left = side.play(left[0::2], left[1::2])
    return side.rounds, [source for source in left if source is not None]


class _Losers:
    """The losers' rounds so far."""

    def __init__(self, winners: list[list[PlannedTable]]) -> None:
        self.rounds: list[list[PlannedTable]] = []
        self._number = {table.name: table.round for tables in winners for table in tables}

    def play(self, ones: list[Source | None], others: list[Source | None]) -> list[Source | None]:
        """One round of tables of two; who has nobody to play goes on."""
        pairs = list(zip(ones, others, strict=True))
        known = [(one, other) for one, other in pairs if one is not None and other is not None]
        winners = iter(self.tables(known, [1] * len(known)))
        return [
            next(winners)[0] if one is not None and other is not None else one or other
            for one, other in pairs
        ]

    def tables(
        self, seated: Sequence[Sequence[Source]], go_on: Sequence[int]
    ) -> list[tuple[Source, ...]]:
        """One round of the given tables; who goes on from each."""
        if not seated:
            return []
        number = 1 + max(
            self._number[source.table]
            for sources in seated
            for source in sources
            if isinstance(source, Place)
        )
        if self.rounds:
            number = max(number, self.rounds[-1][0].round + 1)
        tables: list[PlannedTable] = []
        feeds = [
            _add(tables, "losers", len(self.rounds) + 1, number, tuple(sources), count)
            for sources, count in zip(seated, go_on, strict=True)
        ]
        self.rounds.append(tables)
        self._number |= {table.name: number for table in tables}
        return feeds


def _losers(
    winners: list[list[PlannedTable]], k: int
) -> tuple[list[list[PlannedTable]], list[Source]]:
    """The losers' rounds at larger tables, and who comes out of them.

    Before the losers of a winners' round come in, those who are there play until they are no more
    than these; at the end until they are no more than come from the winners' side.
    """
    side = _Losers(winners)
    left: list[Source] = []
    for i, tables in enumerate(winners):
        # By place, each next place from the other end, so that table-mates are far apart.
        fresh: list[Source] = []
        for place in range(1, k + 1):
            row = [
                Place(table.name, place)
                for table in tables
                if table.go_on < place <= len(table.sources)
            ]
            fresh += row[::-1] if place % 2 else row
        left += fresh
        after = winners[i + 1] if i + 1 < len(winners) else None
        if after is None:
            most = tables[0].go_on
        else:
            most = sum(len(table.sources) - table.go_on for table in after)
        while len(left) > max(1, most):
            count = -(-len(left) // k)
            small, larger = divmod(len(left), count)
            sizes = [small] * (count - larger) + [small + 1] * larger
            numbers = _folded(range(len(left)), sizes)
            seated = [[left[number] for number in table] for table in numbers]
            feeds = side.tables(seated, [max(1, min(k // 2, size // 2)) for size in sizes])
            # All winners first, then all seconds, …
            left = [feed[place] for place in range(k) for feed in feeds if place < len(feed)]
    return side.rounds, left


# ------------------------------------------------------------------ checks


def _check(n: int, table_size: int) -> None:
    if table_size < 2:
        raise CannotDraw(f"a table has two seats or more, not {table_size}")
    if n < 2:
        raise CannotDraw(f"a knockout takes two entrants or more, not {n}")
    if n > MOST_ENTRANTS:
        raise CannotDraw(f"a knockout takes {MOST_ENTRANTS} entrants at most, not {n}")


def _plan(n: int, tables: Sequence[PlannedTable], min_size: int) -> Plan:
    for table in tables:
        if len(table.sources) < min_size:
            raise CannotDraw(
                f"a knockout of {n} entrants would have a table of {len(table.sources)} "
                f"({table.name}); a table takes {min_size} at least. Another number of entrants "
                "or another table size would do"
            )
    return Plan(n, tuple(tables))
