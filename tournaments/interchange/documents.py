"""A bracket or a season as one JSON document: rules, draws with their seeds, tables, standings.

The form is that of the schemas beside this file; a change that breaks readers is a new version.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from bots.models import Act
from tournaments import lifecycle
from tournaments.models import Bracket, Entry, Match, Stage, Table, TableSeat
from tournaments.standings import Row

BRACKET, VERSION = "slayer-league-bracket", 1
TABLE = (
    "number", "name", "group", "go_on", "deals", "first_deal", "bye", "left_out", "note"
)  # fmt: skip
SEAT = ("number", "entry", "points", "margin", "place", "failures")


def bracket_document(bracket: Bracket) -> dict[str, Any]:
    """Everything of a bracket that its page shows; the number of queries does not grow with it."""
    stages = list(bracket.stages.order_by("number"))
    return {
        "format": BRACKET,
        "version": VERSION,
        "exported_at": time_text(timezone.now()),
        "bracket": {
            **{
                name: getattr(bracket, name)
                for name in (
                    "slug", "title", "game", "edition", "options", "time_control", "rated",
                    "follow_active", "state", "pause_reason",
                )
            },
            "season": bracket.season.slug if bracket.season else None,
            **times(bracket, "created_at", "started_at", "ended_at"),
        },
        "entries": [
            _entry(entry)
            for entry in bracket.entries.select_related("bot__player", "submission").order_by("id")
        ],
        "stages": [_stage(stage) for stage in stages],
        "acts": [
            {
                "at": time_text(act.created_at), "verb": act.verb, "on": act.target,
                "reason": act.reason,
            }
            for act in acts_of(bracket)
        ],
    }  # fmt: skip


def acts_of(bracket: Bracket) -> Iterable[Act]:
    """What organisers, owners and the service did to a bracket and its entries, oldest first."""
    name = f"bracket {bracket.slug}"
    return Act.objects.filter(Q(target=name) | Q(target__endswith=f" {name}")).order_by("id")


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "player": entry.bot.player.handle,
        "bot": entry.bot.name,
        "bot_id": entry.bot_id,
        "version": entry.submission.number if entry.submission else None,
        "sha256": entry.submission.sha256 if entry.submission else None,
        "seeding": entry.seeding,
        "withdrawn_at": time_text(entry.withdrawn_at),
        "withdrawn_reason": entry.withdrawn_reason,
        "disqualified": entry.disqualified,
        "dropped": entry.dropped,
        "first_round": entry.first_round,
    }


def _stage(stage: Stage) -> dict[str, Any]:
    tables = _tables(stage)
    return {
        "number": stage.number,
        "format": stage.format,
        "rules": stage.rules,
        "draw_seed": stage.draw_seed,
        "field": stage.field,
        "groups": stage.groups,
        **times(stage, "started_at", "ended_at"),
        "rounds": [
            {
                "number": round_.number,
                "draw_seed": round_.draw_seed,
                "drawn_from": round_.drawn_from,
                "reasons": round_.reasons,
                **times(round_, "drawn_at", "deadline", "closed_at"),
                "tables": tables.get(round_.pk, []),
            }
            for round_ in stage.rounds.order_by("number")
        ],
        "standings": standing_rows(stage),
    }


def _tables(stage: Stage) -> dict[int, list[dict[str, Any]]]:
    """The tables of each round, in three queries and without objects: there may be thousands."""
    here = {"table__round__stage": stage}
    seats: dict[int, list[dict[str, Any]]] = {}
    for table, version, *values in (
        TableSeat.objects.filter(**here)
        .order_by("table", "number")
        .values_list("table", "submission__number", *SEAT)
    ):
        number, entry, *result = values
        seat = {"number": number, "entry": entry, "version": version}
        seats.setdefault(table, []).append(seat | dict(zip(SEAT[2:], result, strict=True)))
    matches: dict[int | None, list[int]] = {}
    for of, match in Match.objects.filter(**here).order_by("id").values_list("table", "pk"):
        matches.setdefault(of, []).append(match)
    rounds: dict[int, list[dict[str, Any]]] = {}
    for pk, round_, closed_at, *values in (
        Table.objects.filter(round__stage=stage)
        .order_by("number")
        .values_list("pk", "round", "closed_at", *TABLE)
    ):
        rounds.setdefault(round_, []).append(
            {
                **dict(zip(TABLE, values, strict=True)),
                "closed_at": time_text(closed_at),
                "seats": seats.get(pk, []),
                "matches": matches.get(pk, []),
            }
        )
    return rounds


def standing_rows(stage: Stage) -> list[dict[str, Any]]:
    """The standings of a stage as plain values, best first, one group after the other.

    `entry` is the entry's id; `group` 0 where there are none.
    """
    group = {pk: number for number, pks in enumerate(stage.groups, start=1) for pk in pks}
    return [
        {**plain_row(row), "group": group.get(row.entrant, 0), "entry": row.entrant}
        for row in lifecycle.standings_of(stage)
    ]


def plain_row(row: Row) -> dict[str, Any]:
    """A line of standings without its entrant; numbers as floats."""
    return {
        "rank": row.rank,
        "points": float(row.points),
        "played": row.played,
        "byes": row.byes,
        "withdrawn": row.withdrawn,
        "tie_breaks": {
            name: None if value is None else float(value) for name, value in row.tie_breaks.items()
        },
    }


def times(row: object, *names: str) -> dict[str, str | None]:
    """Moments of a row by their fields' names."""
    return {name: time_text(getattr(row, name)) for name in names}


def time_text(moment: datetime | None) -> str | None:
    """A moment by ISO 8601."""
    return None if moment is None else moment.isoformat()
