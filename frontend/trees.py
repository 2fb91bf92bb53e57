"""A knock-out drawn as a tree: where each table stands, and the lines between them. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tournaments.pairing.knockout import GRAND_FINAL, Place, Plan, PlannedTable, Seed, Source

WIDTH, LINE, GAP_X, GAP_Y, TOP = 216, 21, 36, 14, 30
LONGEST_NAME = 19
COLUMNS_OF_MANY = 6
MANY = 64
"""A larger knock-out shows its last rounds only: whoever looks for the first has their lists."""


@dataclass(frozen=True, slots=True)
class Line:
    """One seat of a table. went_on: whether it goes on; waits: nobody is known yet."""

    y: int
    name: str
    full: str
    points: str = ""
    went_on: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """One table; x and y of its corner, in pixels."""

    name: str
    title: str
    href: str
    x: int
    y: int
    width: int
    height: int
    lines: tuple[Line, ...]

    @property
    def right(self) -> int:
        return self.x + self.width - 8


@dataclass(frozen=True, slots=True)
class Tree:
    """One drawing. heads: x and title of each column; paths: SVG path data."""

    title: str
    width: int
    height: int
    heads: tuple[tuple[int, str], ...]
    boxes: tuple[Box, ...]
    paths: tuple[str, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class Seated:
    """A table that has been drawn: name, points and whether it goes on, of each seat."""

    href: str
    seats: tuple[tuple[str, str, bool], ...]


def trees(plan: Plan, names: Sequence[str], drawn: Mapping[str, Seated]) -> list[Tree]:
    """The drawings of a knock-out: the winners' side with its finals, then the losers' side.

    names: of the entrants by seed, the strongest first; drawn: the tables that exist, by name.
    """
    upper = [table for table in plan.tables if table.part != "losers"]
    lower = [table for table in plan.tables if table.part == "losers"]
    found = [_tree("Winners' side" if lower else "", upper, plan, names, drawn)]
    if lower:
        found.append(_tree("Losers' side", lower, plan, names, drawn))
    return found


def _tree(
    title: str,
    tables: Sequence[PlannedTable],
    plan: Plan,
    names: Sequence[str],
    drawn: Mapping[str, Seated],
) -> Tree:
    rounds = sorted({table.round for table in tables})
    most = len(rounds) if plan.entrants <= MANY else COLUMNS_OF_MANY
    shown = rounds[-most:]
    tables = [table for table in tables if table.round in shown]
    inside = {table.name: table for table in tables}
    seats = max(len(table.sources) for table in tables)
    height = LINE * (seats + 1)
    slots = _slots(inside)
    step = height + GAP_Y
    boxes, paths = [], []
    corner = {
        name: (shown.index(inside[name].round) * (WIDTH + GAP_X), TOP + round(slot * step))
        for name, slot in slots.items()
    }
    for table in tables:
        x, y = corner[table.name]
        lines = _lines(table, y, names, drawn.get(table.name))
        tall = LINE * (len(lines) + 1)
        at = drawn.get(table.name)
        boxes.append(
            Box(table.name, _title(table), at.href if at else "", x, y, WIDTH, tall, lines)
        )
        for child in _children(table, inside):
            from_x, from_y = corner[child.name]
            middle = LINE * (len(child.sources) + 1) // 2
            paths.append(
                f"M{from_x + WIDTH} {from_y + middle}H{x - GAP_X // 2}V{y + tall // 2}H{x}"
            )
    return Tree(
        title=title,
        width=len(shown) * (WIDTH + GAP_X) - GAP_X + 2,
        height=TOP + round((max(slots.values()) + 1) * step),
        heads=tuple(
            (index * (WIDTH + GAP_X), _head(tables, number)) for index, number in enumerate(shown)
        ),
        boxes=tuple(boxes),
        paths=tuple(paths),
        cut=len(shown) < len(rounds),
    )


def _children(table: PlannedTable, inside: Mapping[str, PlannedTable]) -> list[PlannedTable]:
    """The tables of the drawing that a table's entrants come from, winners or losers."""
    names = dict.fromkeys(s.table for s in table.sources if isinstance(s, Place))
    return [inside[name] for name in names if name in inside]


def _slots(inside: Mapping[str, PlannedTable]) -> dict[str, float]:
    """The height of each table in units of one, so that it stands in the middle of its sources."""
    slots: dict[str, float] = {}
    free = 0

    def put(table: PlannedTable) -> float:
        nonlocal free
        fresh = [put(child) for child in _children(table, inside) if child.name not in slots]
        if fresh:
            slots[table.name] = (fresh[0] + fresh[-1]) / 2
        else:
            slots[table.name] = free
            free += 1
        return slots[table.name]

    # From the end: what nothing follows comes first, and takes its sources with it.
    for table in sorted(inside.values(), key=lambda table: (table.part == "third", -table.round)):
        if table.name not in slots:
            put(table)
    return slots


def _lines(
    table: PlannedTable, top: int, names: Sequence[str], drawn: Seated | None
) -> tuple[Line, ...]:
    if drawn is not None:
        return tuple(
            Line(top + LINE * number, _short(name), name, points, went_on)
            for number, (name, points, went_on) in enumerate(drawn.seats, start=1)
        )
    return tuple(
        Line(top + LINE * number, _short(text), text, waits=not isinstance(source, Seed))
        for number, source in enumerate(table.sources, start=1)
        for text in [_source(source, names)]
    )


def _source(source: Source, names: Sequence[str]) -> str:
    if isinstance(source, Seed):
        return names[source.number - 1] if source.number <= len(names) else f"seed {source.number}"
    if source.place == 1:
        return f"winner of {source.table}"
    return f"{_ordinal(source.place)} of {source.table}"


def _ordinal(place: int) -> str:
    ending = {2: "nd", 3: "rd"}.get(place, "th")
    return f"{place}{ending}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _title(table: PlannedTable) -> str:
    if table.part == "third":
        return "Third place"
    if table.part == "final":
        return "Final" if table.name == GRAND_FINAL else "Final again, if it is called for"
    return table.name


def _head(tables: Collection[PlannedTable], number: int) -> str:
    parts = {table.part for table in tables if table.round == number}
    return "Final" if parts <= {"final", "third"} else f"Round {number}"
