"""Standings of a stage from its closed tables: a handful of queries whatever its size."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from django.db.models import Count, Max, Q

from tournaments.lifecycle.plans import plan_for
from tournaments.models import Stage, Table, TableSeat
from tournaments.pairing.knockout import Plan
from tournaments.standings import Row, TableResult, exact, standings

Format = Stage.Format


def field_of(stage: Stage) -> list[int]:
    """Who plays a stage, strongest first; before the first starts, all entries as they came."""
    if stage.field or stage.number > 1:
        return list(stage.field)
    return list(stage.bracket.entries.order_by("id").values_list("pk", flat=True))


def standings_of(stage: Stage, *, group: int = 0) -> list[Row]:
    """The table after all closed tables, best first; `entrant` is the entry's id.

    group: of a stage of groups the number of one; 0 gives all groups, one after the other, each
    with ranks of its own. Of a knock-out, points are the tables from which an entry went on, and
    who is still in shares the first rank.
    """
    if stage.format in (Format.SINGLE_ELIMINATION, Format.DOUBLE_ELIMINATION):
        return _knockout(stage, field_of(stage))
    return list(_kept(_Now(_state(stage), group, stage)))


@dataclass(frozen=True, slots=True)
class _Now:
    """A stage's standings as of a state: all that they depend on and that may change."""

    state: tuple[Hashable, ...]
    group: int
    stage: Stage = field(compare=False)


def _state(stage: Stage) -> tuple[Hashable, ...]:
    """Changes whenever a table is closed or voided, or an entry comes, leaves or is dropped."""
    tables = Table.objects.filter(round__stage=stage, closed_at__isnull=False).aggregate(
        closed=Count("pk"), last=Max("closed_at")
    )
    entries = stage.bracket.entries.aggregate(
        all=Count("pk"),
        last=Max("pk"),
        left=Count("withdrawn_at"),
        dropped=Count("pk", filter=Q(dropped=True)),
    )
    rules = (stage.format, tuple(stage.rules["tie_breaks"]), len(stage.field), stage.started_at)
    return (stage.pk, *rules, *tables.values(), *entries.values())


# The standings of a large field take a good part of a second, and pages ask for them again.
@lru_cache(maxsize=128)
def _kept(now: _Now) -> tuple[Row, ...]:
    return tuple(_computed(now.stage, now.group))


def _computed(stage: Stage, group: int) -> list[Row]:
    tables = _results(stage)
    if stage.format != Format.GROUPS or not stage.groups:
        return _rows(stage, field_of(stage), tables)
    numbers = [group] if group else range(1, len(stage.groups) + 1)
    return [
        row
        for number in numbers
        for row in _rows(
            stage, stage.groups[number - 1], [table for table in tables if table[1] == number]
        )
    ]


_Tables = list[tuple[int, int, TableResult]]


def _results(stage: Stage) -> _Tables:
    """Round, group and result of every closed table, in their order."""
    tables = list(
        Table.objects.filter(round__stage=stage, closed_at__isnull=False)
        .order_by("round__number", "number")
        .values_list("pk", "round__number", "group", "bye", "left_out")
    )
    points: dict[int, dict[int, Fraction]] = {pk: {} for pk, *_ in tables}
    margins: dict[int, dict[int, Fraction]] = {pk: {} for pk, *_ in tables}
    for table, entry, gained, margin in (
        TableSeat.objects.filter(
            table__round__stage=stage, table__closed_at__isnull=False, entry__dropped=False
        )
        .order_by("table", "number")
        .values_list("table", "entry", "points", "margin")
    ):
        if table in points:  # else it was closed between the two queries
            points[table][entry] = exact(gained or 0.0)
            if margin is not None:
                margins[table][entry] = exact(margin)
    return [
        (
            number,
            group,
            TableResult(
                points[pk],
                margins[pk],
                bye=bye,
                left_out=left_out,
                forfeit=not (bye or left_out or margins[pk]),  # nobody played
            ),
        )
        for pk, number, group, bye, left_out in tables
        # Of a table whose others were dropped nobody may be left to compare with.
        if len(points[pk]) > 1 or (bye and points[pk])
    ]


def _rows(stage: Stage, field: list[int], tables: _Tables) -> list[Row]:
    rounds: dict[int, list[TableResult]] = {}
    for number, _, result in tables:
        rounds.setdefault(number, []).append(result)
    entries = dict(stage.bracket.entries.values_list("pk", "withdrawn_at"))
    withdrawn = {pk for pk in field if entries.get(pk) is not None}
    late = set(
        stage.bracket.entries.filter(first_round__gt=1, pk__in=field).values_list("pk", flat=True)
    )
    rows = standings(
        sorted(field),
        [rounds[number] for number in sorted(rounds)],
        scoring="sum" if stage.format == Format.SWISS else "mean",
        tie_breaks=stage.rules["tie_breaks"],
        # A late entrant's missed tables count 0, as those that a withdrawn one misses.
        withdrawn=withdrawn | late,
    )
    return [replace(row, withdrawn=row.entrant in withdrawn) for row in rows]


# ------------------------------------------------------------------ knock-outs


def knockout_results(stage: Stage, *, before: int | None = None) -> dict[str, list[int]]:
    """The entries of each closed table of a knock-out by its name, best first.

    before: only those of earlier rounds than this.
    """
    seats = TableSeat.objects.filter(table__round__stage=stage, table__closed_at__isnull=False)
    if before is not None:
        seats = seats.filter(table__round__number__lt=before)
    found: dict[str, list[int]] = {}
    for name, entry in seats.order_by("table", "place").values_list("table__name", "entry"):
        found.setdefault(name, []).append(entry)
    return found


def _knockout(stage: Stage, field: list[int]) -> list[Row]:
    withdrawn = set(
        stage.bracket.entries.filter(withdrawn_at__isnull=False).values_list("pk", flat=True)
    )
    if stage.started_at is None:
        groups, results, plan = [field], {}, None
    else:
        plan, results = plan_for(stage.format, stage.rules, len(field)), knockout_results(stage)
        groups = plan.ranking(field, results)
    played = Counter(entry for order in results.values() for entry in order)
    gone_on = Counter(
        entry
        for name, order in results.items()
        if plan is not None
        for entry in order[: plan.by_name[name].go_on]
    )
    rows, rank = [], 1
    for group in groups:
        rows += [
            Row(
                entrant=entry,
                rank=rank,
                points=Fraction(gone_on[entry]),
                played=played[entry],
                byes=0,
                withdrawn=entry in withdrawn,
                tie_breaks=dict.fromkeys(stage.rules["tie_breaks"]),
            )
            for entry in group
        ]
        rank += len(group)
    return rows


def plan_of(stage: Stage) -> Plan:
    """The plan of a knock-out stage with the field that it has."""
    return plan_for(stage.format, stage.rules, len(field_of(stage)))
