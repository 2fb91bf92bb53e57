"""Swiss: each round seats entrants with near points together who have not met before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from tournaments.pairing import CannotDraw
from tournaments.pairing.lots import lots, shuffled
from tournaments.pairing.matching import match
from tournaments.pairing.seating import seat
from tournaments.pairing.tables import table_sizes


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a drawing had to give up.

    kind: "repeat" (they meet again) or "bye"; entrants: whom it touches; text: why, without names.
    """

    kind: str
    entrants: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Draw:
    """One round: tables (entrants in seat order, the best table first), byes, and reasons."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    reasons: tuple[Reason, ...]


def draw(
    standings: Mapping[int, Fraction | float],
    history: Iterable[Sequence[int]],
    table_size: int,
    seed: str,
    *,
    byes_had: Iterable[int] = (),
    min_size: int | None = None,
    accelerated: Mapping[int, Fraction] | None = None,
) -> Draw:
    """Draw the next round from `seed` (64 hex digits).

    Everybody gets one seat or a bye. Tables of two never repeat a meeting while any pairing of the
    field without one exists; larger tables avoid it as far as the search goes. Byes go to the
    lowest who had the fewest. Seats are by lot: a duplicate set rotates them exactly.

    standings: points so far of everybody who is to be seated (no withdrawn ones); history: every
    earlier table of the event; byes_had: who had a bye or an unplayed win, once for each;
    min_size: fewest seats of a table (default: table_size - 1, at least 2); accelerated: points
    that count in this drawing alone, as of `acceleration`. CannotDraw when no table can be filled.
    """
    least = max(2, table_size - 1) if min_size is None else min_size
    sizes = table_sizes(len(standings), table_size, least)
    if not sizes.sizes:
        raise CannotDraw(f"{len(standings)} entrants cannot fill a table: it takes {least}")
    by_lot = shuffled(sorted(standings), lots(seed, "order"))
    # Rounded, so that equal points that were added up in another order stay equal.
    extra = accelerated or {}
    points = {
        entrant: round(float(standings[entrant] + extra.get(entrant, 0)), 3) for entrant in by_lot
    }
    order = sorted(by_lot, key=lambda entrant: -points[entrant])
    field = _Field(order, [points[entrant] for entrant in order], list(history))
    byes = Counter(byes_had)
    # The lowest first among those who had the fewest.
    may_bye = sorted(range(len(order)), key=lambda position: (byes[order[position]], -position))
    reasons: list[Reason] = []

    if table_size == 2:
        fewest = byes[order[may_bye[0]]]
        eligible = [position for position in may_bye if byes[order[position]] == fewest]
        matching = match(field.points, field.met, eligible, lots(seed, "pairs"))
        tables = [list(pair) for pair in matching.pairs]
        out = [] if matching.bye is None else [matching.bye]
        again = "no pairing of this field without a repeated meeting is left"
    else:
        out = may_bye[: sizes.byes]
        tables = field.seat(set(out), sizes.sizes, table_size, lots(seed, "tables"))
        again = "no seating of this field without a repeated meeting was found"

    highest = max((points[order[position]] for position in may_bye[: len(out)]), default=0.0)
    for entrant in (order[position] for position in out):
        text = _why_bye(byes[entrant], passed_over=points[entrant] > highest)
        reasons.append(Reason("bye", (entrant,), text))
    for table in tables:
        for pair in combinations(sorted(table), 2):
            if field.met[pair]:
                reasons.append(Reason("repeat", tuple(order[i] for i in pair), again))
    seats = lots(seed, "seats")
    return Draw(
        tables=tuple(tuple(order[i] for i in shuffled(table, seats)) for table in tables),
        byes=tuple(order[i] for i in out),
        reasons=tuple(reasons),
    )


def acceleration(field: Sequence[int], number: int, rounds: int) -> dict[int, Fraction]:
    """Points that part a large field sooner in round `number` of `rounds`: Baku acceleration.

    field: everybody, the strongest first. The stronger half (rounded up to even) gets one point in
    the first half of the accelerated rounds and half a point in the second; these are the first
    half of all rounds (FIDE Handbook C.04.7).
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    if not 1 <= number <= accelerated:
        return {}
    upper = field[: 2 * -(-len(field) // 4)]
    return dict.fromkeys(upper, Fraction(1) if number <= full else Fraction(1, 2))


class _Field:
    """The entrants by position in the standings (0 is the best), and whom each has met."""

    def __init__(self, order: list[int], points: list[float], history: list[Sequence[int]]) -> None:
        self.points, self.history = points, history
        self.position = {entrant: i for i, entrant in enumerate(order)}
        self.met: Counter[tuple[int, int]] = Counter()
        for table in history:
            # Those who have withdrawn since are met by nobody any more.
            present = sorted(self.position[e] for e in table if e in self.position)
            self.met.update(combinations(present, 2))

    def seat(
        self, out: set[int], sizes: Sequence[int], table_size: int, lot: Callable[[], float]
    ) -> list[list[int]]:
        """Tables of three and more for everybody but those who are out."""
        short = Counter(
            self.position[entrant]
            for table in self.history
            if 1 < len(table) < table_size
            for entrant in table
            if entrant in self.position
        )
        seated = [i for i in range(len(self.points)) if i not in out]
        number = {position: i for i, position in enumerate(seated)}
        tables = seat(
            [self.points[i] for i in seated],
            {
                (number[a], number[b]): meetings
                for (a, b), meetings in self.met.items()
                if a in number and b in number
            },
            [short[i] for i in seated],
            sizes,
            lot,
        )
        return [[seated[i] for i in table] for table in tables]


def _why_bye(had: int, *, passed_over: bool) -> str:
    """had: how many byes it had; passed_over: somebody lower could have had this one."""
    if had:
        return f"the field does not fill its tables; it has had {had}, and nobody left had fewer"
    if passed_over:
        return "a bye for one lower in the standings would have repeated a meeting"
    return "the field does not fill its tables; lowest in the standings of those who had none"
