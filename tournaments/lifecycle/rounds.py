"""The rows of a round: its tables, seats, byes, and the first matches of each table."""

import secrets
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from bots import accounts
from bots.models import Player
from engine.clock import TimeControl
from tournaments import dispatch
from tournaments.brackets import playing_submission
from tournaments.lifecycle.drawing import draw_round
from tournaments.lifecycle.schedules import seed_of
from tournaments.models import Bracket, Entry, Match, MatchDay, Round, Stage, Table, TableSeat


def open_round(
    bracket: Bracket, stage: Stage, number: int, drawn_from: dict[str, Any], day: MatchDay | None
) -> Round:
    """Draw a round and make its tables and matches, in the caller's transaction."""
    seed = seed_of(stage, secrets.token_hex(32))
    drawing = draw_round(stage, number, seed, drawn_from)
    now = dispatch.database_now()
    minutes = stage.rules["round_minutes"]
    deadline = now + timedelta(minutes=minutes) if minutes else None
    round_ = Round.objects.create(
        stage=stage,
        number=number,
        draw_seed=seed,
        drawn_from=drawn_from,
        reasons=list(drawing.reasons),
        drawn_at=now,
        deadline=deadline if day is None else day.deadline,
        match_day=day,
    )
    deals = stage.rules["deals"]
    tables = Table.objects.bulk_create(
        [
            Table(
                round=round_,
                number=index,
                deals=deals,
                name=drawn.name,
                group=drawn.group,
                go_on=drawn.go_on,
            )
            for index, drawn in enumerate(drawing.tables, 1)
        ]
        + [
            Table(round=round_, number=index, deals=0, bye=True)
            for index in range(len(drawing.tables) + 1, len(drawing.tables) + 1 + len(drawing.byes))
        ]
    )
    seated = [drawn.entries for drawn in drawing.tables] + [(pk,) for pk in drawing.byes]
    entries = _entries(bracket, {pk for entries in seated for pk in entries})
    seats = [
        [
            TableSeat(
                table=table,
                number=seat,
                entry=entries[pk],
                submission=None if table.bye else _plays(entries[pk]),
            )
            for seat, pk in enumerate(pks)
        ]
        for table, pks in zip(tables, seated, strict=True)
    ]
    TableSeat.objects.bulk_create(seat for own in seats for seat in own)
    for table, own in zip(tables, seats, strict=True):
        if not table.bye:
            for deal in first_deals(stage):
                make_match(bracket, stage, table, own, deal)
    accounts.notify(
        *Player.objects.filter(bots__entries__bracket=bracket).distinct(),
        kind="round-drawn",
        text=f"Round {number} of {bracket.title} is drawn.",
        url=f"/brackets/{bracket.slug}/",
    )
    return round_


def _entries(bracket: Bracket, pks: Collection[int]) -> dict[int, Entry]:
    rows = bracket.entries.filter(pk__in=pks).select_related(
        "bot__player", "bot__active__bot__player", "submission__bot__player"
    )
    return {entry.pk: entry for entry in rows}


def _plays(entry: Entry) -> Any:
    """What plays for an entry; a knock-out seats those who have withdrawn, and they forfeit."""
    return playing_submission(entry) if entry.withdrawn_at is None else None


def first_deals(stage: Stage) -> range:
    """The deals that every table of a stage plays, whatever comes of them."""
    rules = stage.rules
    return range(1, 1 + (rules["least_deals"] if rules.get("sequential") else rules["deals"]))


def make_match(
    bracket: Bracket, stage: Stage, table: Table, seats: Sequence[TableSeat], deal: int
) -> Match | None:
    """The match of one deal; None when too few of the table's entries can play."""
    submissions = [seat.submission for seat in seats if seat.submission is not None]
    if len(submissions) < stage.rules["min_size"]:
        return None
    return dispatch.make_match(
        kind=Match.Kind.BRACKET,
        game=bracket.game,
        edition=bracket.edition,
        submissions=submissions,
        options=bracket.options,
        time_control=TimeControl.from_dict(bracket.time_control),
        rated=bracket.rated,
        table=table,
        deal=deal,
        rotations=stage.rules.get("rotations", 0),
    )
