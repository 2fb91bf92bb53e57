"""The schedules of round robins and groups, cut into the rounds that are drawn together."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any

from tournaments.models import Stage
from tournaments.pairing.round_robin import schedule

Format = Stage.Format

# Bots need no physical rounds: a round robin of larger tables draws so many tables at once, that
# all workers have something to play.
TABLES_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """Entries in the order of their seats; the rest as in the model of a table."""

    entries: tuple[int, ...]
    name: str = ""
    group: int = 0
    go_on: int = 0


def seed_of(stage: Stage, fresh: str) -> str:
    """The seed of the next round: a round robin's and groups' one seed draws all their rounds."""
    if stage.format not in (Format.ROUND_ROBIN, Format.GROUPS):
        return fresh
    first = stage.rounds.order_by("number").values_list("draw_seed", flat=True).first()
    return stage.draw_seed or first or fresh


def of_schedule(
    stage: Stage, number: int, drawn_from: dict[str, Any]
) -> Sequence[DrawnTable] | None:
    """The tables of a round as the schedule has them; None when it is over."""
    drawings = scheduled(stage, drawn_from["fields"], drawn_from["first"])
    index = number - drawn_from["first"]
    return drawings[index] if index < len(drawings) else None


def scheduled(
    stage: Stage, fields: Sequence[Sequence[int]], first: int
) -> Sequence[Sequence[DrawnTable]]:
    """The tables of each round from round `first` on, which these fields play."""
    rules = stage.rules
    days = rules.get("match_days")
    return schedule_drawings(
        tuple(map(tuple, fields)),
        bool(stage.groups),
        rules["table_size"],
        rules["min_size"],
        _seed(stage, first),
        bool(rules.get("double")),
        None if days is None else max(0, days - first + 1),
        # Stages that began before several rounds could be drawn at once go on as they began.
        TABLES_AT_ONCE if stage.draw_seed else 1,
    )


def _seed(stage: Stage, first: int) -> str:
    seed = seed_of(stage, "")
    return seed if first == 1 else hashlib.sha256(f"{seed} from round {first}".encode()).hexdigest()


def reasons_of(stage: Stage, drawn_from: dict[str, Any]) -> list[str]:
    """What the schedules of a basis had to give up."""
    found = [
        reason
        for number, field in enumerate(drawn_from["fields"], 1)
        for reason in schedule(
            field,
            stage.rules["table_size"],
            _of_group(_seed(stage, drawn_from["first"]), number if stage.groups else 0),
            min_size=stage.rules["min_size"],
        ).reasons
    ]
    return list(dict.fromkeys(found))


def _of_group(seed: str, group: int) -> str:
    return hashlib.sha256(f"{seed} group {group}".encode()).hexdigest() if group else seed


@lru_cache(maxsize=32)
def schedule_drawings(
    fields: tuple[tuple[int, ...], ...],
    grouped: bool,
    table_size: int,
    min_size: int,
    seed: str,
    double: bool,
    days: int | None,
    at_once: int,
) -> tuple[tuple[DrawnTable, ...], ...]:
    """All rounds of a schedule that has been cut into drawings."""
    plans = []
    for number, field in enumerate(fields, 1):
        group = number if grouped else 0
        plan = schedule(field, table_size, _of_group(seed, group), min_size=min_size)
        plans.append(
            [
                # Every second time the other one sits first.
                [DrawnTable(table[::-1] if cycle % 2 else table, group=group) for table in tables]
                for cycle in range(_cycles(len(plan.rounds), days, 2 if double else 1))
                for tables in plan.rounds
            ]
        )
    rounds = [
        tuple(table for tables in each for table in tables)
        for each in zip_longest(*plans, fillvalue=())
    ]
    if days is not None:
        cuts = [len(rounds) * day // days for day in range(days + 1)] if days else [0]
    else:
        cuts, tables = [0], 0
        for index, each in enumerate(rounds, 1):
            tables += len(each)
            if table_size == 2 or tables >= at_once or index == len(rounds):
                cuts.append(index)
                tables = 0
    return tuple(
        tuple(table for each in rounds[start:end] for table in each)
        for start, end in pairwise(cuts)
    )


def _cycles(rounds: int, days: int | None, least: int) -> int:
    """How often a schedule of so many rounds is played to fill the match days.

    As often as it takes; up to twice that if each day then has as many rounds.
    """
    if not days:
        return least
    enough = least * max(1, -(-days // (least * rounds)))
    even = (n for n in range(enough, 2 * enough + 1, least) if n * rounds % days == 0)
    return next(even, enough)
