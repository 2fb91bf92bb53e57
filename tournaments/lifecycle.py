"""Brackets on their way: rounds are opened and closed here alone.

`advance` is called over and over by a task. Each call looks at what the database says and does
the next step, so that any call may be lost, repeated, or run beside another.
"""

import logging
import secrets
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, UserFault
from bots.models import Player, User
from engine.clock import TimeControl
from tournaments import dispatch
from tournaments.brackets import check_organiser, playing_submission
from tournaments.models import Bracket, Entry, Match, Round, Stage, Table, TableSeat
from tournaments.pairing import CannotDraw
from tournaments.pairing.round_robin import Schedule, schedule
from tournaments.pairing.swiss import draw
from tournaments.standings import Row, TableResult, bye_points, exact, standings

logger = logging.getLogger(__name__)
State = Bracket.State
Format = Stage.Format

# A void match is nobody's fault and is played again; a table that fails so often is left out.
REPLACEMENTS = 3


# ------------------------------------------------------------------ acts of the organiser


@transaction.atomic
def start(*, bracket: Bracket, user: User | None, reason: str = "") -> None:
    """Close the entries and draw the first round. Raises Conflict or NotAllowed."""
    check_organiser(user, bracket)
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    if bracket.state != State.DRAFT:
        raise Conflict(f"{bracket.slug} is {bracket.state} already")
    stage = bracket.stages.get()
    entries = bracket.entries.count()
    least = stage.rules["min_size"]
    if entries < least:
        raise Conflict(f"{bracket.slug} has {entries} entries; it needs at least {least}")
    now = timezone.now()
    _set(bracket, state=State.RUNNING, started_at=now)
    Stage.objects.filter(pk=stage.pk).update(started_at=now)
    accounts.record_act(user=user, verb="start", target=f"bracket {bracket.slug}", reason=reason)
    _step(bracket)
    if bracket.state == State.PAUSED:
        # Nothing has been played: the organiser can still change what made it impossible.
        raise Conflict(f"The first round cannot be drawn: {bracket.pause_reason}")


@transaction.atomic
def pause(*, bracket: Bracket, user: User | None, reason: str) -> None:
    """Draw and close nothing until it is resumed; matches that are queued are still played."""
    check_organiser(user, bracket)
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    if bracket.state != State.RUNNING:
        raise Conflict(f"{bracket.slug} is {bracket.state}; only a running bracket can be paused")
    _set(bracket, state=State.PAUSED, pause_reason=reason)
    accounts.record_act(user=user, verb="pause", target=f"bracket {bracket.slug}", reason=reason)


@transaction.atomic
def resume(*, bracket: Bracket, user: User | None, reason: str = "") -> None:
    """Go on with a paused bracket."""
    check_organiser(user, bracket)
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    if bracket.state != State.PAUSED:
        raise Conflict(f"{bracket.slug} is {bracket.state}; only a paused bracket can be resumed")
    _set(bracket, state=State.RUNNING, pause_reason="")
    accounts.record_act(user=user, verb="resume", target=f"bracket {bracket.slug}", reason=reason)


def _set(bracket: Bracket, **fields: object) -> None:
    for name, value in fields.items():
        setattr(bracket, name, value)
    bracket.save(update_fields=list(fields))


# ------------------------------------------------------------------ one step after another


def advance() -> None:
    """Take every running bracket as far as it goes now; one that breaks stops no other."""
    for pk in Bracket.objects.filter(state=State.RUNNING).values_list("pk", flat=True):
        try:
            advance_bracket(pk)
        except Exception:
            logger.exception("Bracket %d could not be advanced", pk)


@transaction.atomic
def advance_bracket(pk: int) -> None:
    """Take one bracket as far as it goes now; a bracket that somebody else holds is left."""
    bracket = (
        Bracket.objects.select_for_update(skip_locked=True).filter(pk=pk, state=State.RUNNING)
    ).first()
    if bracket is not None:
        _step(bracket)


def _step(bracket: Bracket) -> None:
    """Close what is over, draw what is due. The caller holds the bracket's row."""
    stage = bracket.stages.get()
    last = stage.rounds.order_by("number").last()
    try:
        with transaction.atomic():
            if last is not None and last.closed_at is None:
                _close_tables(bracket, last)
                if not _close_round(last):
                    return
            drawn = _draw_next(bracket, stage, last.number + 1 if last else 1)
    except (CannotDraw, UserFault) as error:
        _set(bracket, state=State.PAUSED, pause_reason=f"It cannot go on: {error}")
        logger.warning("Bracket %s is paused: %s", bracket.slug, error)
        return
    if not drawn:
        now = timezone.now()
        Stage.objects.filter(pk=stage.pk).update(ended_at=now)
        _set(bracket, state=State.FINISHED, ended_at=now)
        accounts.notify(
            *_players(bracket),
            kind="bracket-finished",
            text=f"{bracket.title} is finished.",
            url=f"/brackets/{bracket.slug}/",
        )


def _players(bracket: Bracket) -> list[Player]:
    return list(Player.objects.filter(bots__entries__bracket=bracket).distinct())


# ------------------------------------------------------------------ drawing


def _draw_next(bracket: Bracket, stage: Stage, number: int) -> bool:
    """Draw round `number` with its matches; False when there is none left to draw."""
    entries = {entry.pk: entry for entry in bracket.entries.select_related("bot__player")}
    present = {pk for pk, entry in entries.items() if entry.withdrawn_at is None}
    rules = stage.rules
    reasons: list[dict[str, object]] = []
    byes: Sequence[int] = ()
    if stage.format == Format.ROUND_ROBIN:
        first = stage.rounds.filter(number=1).first()
        # One seed draws the whole schedule; the entries at the start are its field.
        seed = first.draw_seed if first else secrets.token_hex(32)
        plan = _schedule(stage, sorted(entries), seed)
        if number > len(plan.rounds):
            return False
        tables = [
            seated
            for table in plan.rounds[number - 1]
            # Whose opponents have all withdrawn sits out.
            if len(seated := [pk for pk in table if pk in present]) > 1
        ]
        reasons = [{"kind": "schedule", "text": text} for text in plan.reasons]
    else:
        # What is left of the field when nearly all have withdrawn plays no more rounds.
        if number > rules["rounds"] or (number > 1 and len(present) < rules["min_size"]):
            return False
        seed = secrets.token_hex(32)
        rows = {row.entrant: row.points for row in standings_of(stage)}
        seats = TableSeat.objects.filter(table__round__stage=stage)
        history: dict[int, list[int]] = {}
        byes_had = []
        for table, bye, entry in seats.values_list("table", "table__bye", "entry"):
            history.setdefault(table, []).append(entry)
            if bye:
                byes_had.append(entry)
        drawn = draw(
            {pk: rows[pk] for pk in present},
            history.values(),
            rules["table_size"],
            seed,
            byes_had=byes_had,
            min_size=rules["min_size"],
        )
        tables = [list(table) for table in drawn.tables]
        byes = drawn.byes
        reasons = [
            {"kind": reason.kind, "entries": list(reason.entrants), "text": reason.text}
            for reason in drawn.reasons
        ]
    _open_round(bracket, stage, number, seed, tables, byes, reasons, entries)
    return True


def _schedule(stage: Stage, entries: list[int], seed: str) -> Schedule:
    return schedule(entries, stage.rules["table_size"], seed, min_size=stage.rules["min_size"])


def _open_round(
    bracket: Bracket,
    stage: Stage,
    number: int,
    seed: str,
    tables: Sequence[Sequence[int]],
    byes: Sequence[int],
    reasons: list[dict[str, object]],
    entries: dict[int, Entry],
) -> None:
    now = timezone.now()
    minutes = stage.rules["round_minutes"]
    round_ = Round.objects.create(
        stage=stage,
        number=number,
        draw_seed=seed,
        reasons=reasons,
        drawn_at=now,
        deadline=now + timedelta(minutes=minutes) if minutes else None,
    )
    for index, seated in enumerate(tables, start=1):
        table = Table.objects.create(round=round_, number=index, deals=stage.rules["deals"])
        TableSeat.objects.bulk_create(
            TableSeat(
                table=table,
                number=seat,
                entry=entries[pk],
                submission=playing_submission(entries[pk]),
            )
            for seat, pk in enumerate(seated)
        )
        for deal in range(1, table.deals + 1):
            _make_match(bracket, table, deal)
    for index, pk in enumerate(byes, start=len(tables) + 1):
        table = Table.objects.create(round=round_, number=index, deals=0, bye=True)
        TableSeat.objects.create(table=table, number=0, entry=entries[pk])
    accounts.notify(
        *_players(bracket),
        kind="round-drawn",
        text=f"Round {number} of {bracket.title} is drawn.",
        url=f"/brackets/{bracket.slug}/",
    )


def _make_match(bracket: Bracket, table: Table, deal: int) -> Match | None:
    """The match of one deal; None when too few of the table's entries can play."""
    submissions = [
        seat.submission
        for seat in table.seats.select_related("submission__bot__player").order_by("number")
        if seat.submission is not None
    ]
    if len(submissions) < table.round.stage.rules["min_size"]:
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
    )


# ------------------------------------------------------------------ closing


def _close_tables(bracket: Bracket, round_: Round) -> None:
    """Close the tables whose matches are over; replace void matches."""
    for table in round_.tables.filter(closed_at=None).order_by("number"):
        if table.bye:
            _give_bye(table)
            continue
        seats = list(table.seats.all())
        if sum(seat.submission_id is not None for seat in seats) < round_.stage.rules["min_size"]:
            _forfeit(table, seats)
            continue
        matches = list(table.matches.order_by("id"))
        finished = {m.deal for m in matches if m.state == Match.State.FINISHED}
        pending = {m.deal for m in matches if not m.is_over}
        for deal in sorted(set(range(1, table.deals + 1)) - finished - pending):
            if sum(match.deal == deal for match in matches) <= REPLACEMENTS:
                _make_match(bracket, table, deal)
                pending.add(deal)
        if not pending:
            _close_table(table, [m for m in matches if m.state == Match.State.FINISHED])


def _close_table(table: Table, matches: Sequence[Match]) -> None:
    """Write the result of a table: means over all plays of its finished matches.

    A table of which some deal could not be played is left out, so that all rest on as many deals.
    """
    seats = list(table.seats.all())
    if len(matches) < table.deals:
        _leave_out(table, seats, "Not all of its deals could be played: no contest.")
        return
    plays = sum(match.rotations for match in matches)
    sums = {seat.submission_id: [0.0, 0.0, 0] for seat in seats if seat.submission_id}
    for match in matches:
        for contestant in match.contestants.all():
            mine = sums[contestant.submission_id]
            mine[0] += contestant.place_points or 0.0
            mine[1] += contestant.margin or 0.0
            mine[2] += contestant.failures
    for seat in seats:
        points, margin, failures = sums.get(seat.submission_id or 0, (0.0, None, 0))
        seat.points = points / plays
        seat.margin = None if margin is None else margin / plays
        seat.failures = int(failures)
    order = [(exact(s.points or 0.0), exact(s.margin or 0.0), s.margin is not None) for s in seats]
    for seat, own in zip(seats, order, strict=True):
        # Who forfeited is below all who played.
        seat.place = 1 + sum((o[2], o[0], o[1]) > (own[2], own[0], own[1]) for o in order)
    _close(table, seats)


def _give_bye(table: Table) -> None:
    seat = table.seats.get()
    seat.points = float(bye_points(_earlier(seat)))
    _close(table, [seat])


def _forfeit(table: Table, seats: list[TableSeat]) -> None:
    """Too few can play. In a Swiss who cannot gets nothing and the others what a bye gives."""
    table.note = "Too few entries had a version that may play: forfeited."
    if table.round.stage.format == Format.ROUND_ROBIN:
        _leave_out(table, seats, table.note)
        return
    for seat in seats:
        present = seat.submission_id is not None
        seat.points = float(bye_points(_earlier(seat))) if present else 0.0
    _close(table, seats)


def _leave_out(table: Table, seats: list[TableSeat], note: str) -> None:
    """No contest: in a round robin it counts for nobody, in a Swiss as a bye for all."""
    table.left_out = True
    table.note = note
    if table.round.stage.format == Format.SWISS:
        for seat in seats:
            seat.points = float(bye_points(_earlier(seat)))
    _close(table, seats)


def _earlier(seat: TableSeat) -> list[Fraction]:
    """The points of an entry at its earlier tables."""
    rows = TableSeat.objects.filter(
        entry=seat.entry_id,
        points__isnull=False,
        table__bye=False,
        table__left_out=False,
        table__round__stage=seat.table.round.stage_id,
    ).exclude(table=seat.table_id)
    return [exact(points) for points in rows.values_list("points", flat=True) if points is not None]


def _close(table: Table, seats: Sequence[TableSeat]) -> None:
    TableSeat.objects.bulk_update(seats, ["points", "margin", "failures", "place"])
    table.closed_at = timezone.now()
    table.save(update_fields=["closed_at", "left_out", "note"])


def _close_round(round_: Round) -> bool:
    """Close the round when its tables are closed or its deadline has passed."""
    open_tables = list(round_.tables.filter(closed_at=None).order_by("number"))
    if open_tables and (round_.deadline is None or timezone.now() < round_.deadline):
        return False
    for table in open_tables:
        # Locked first: a match that finishes at this moment must not be made void.
        running = table.matches.select_for_update().exclude(
            state__in=[Match.State.FINISHED, Match.State.VOID]
        )
        for match in running:
            dispatch.void(match=match, reason="Its round closed at the deadline", user=None)
        finished = list(table.matches.filter(state=Match.State.FINISHED))
        _close_table(table, finished)
    round_.closed_at = timezone.now()
    round_.save(update_fields=["closed_at"])
    return True


# ------------------------------------------------------------------ standings


def standings_of(stage: Stage) -> list[Row]:
    """The table after all closed tables, best first; `entrant` is the entry's id."""
    entries = dict(stage.bracket.entries.values_list("pk", "withdrawn_at"))
    rounds: dict[int, dict[int, TableResult]] = {}
    points: dict[int, dict[int, Fraction]] = {}
    margins: dict[int, dict[int, Fraction]] = {}
    tables = {
        table.pk: table
        for table in Table.objects.filter(
            round__stage=stage, closed_at__isnull=False
        ).select_related("round")
    }
    for seat in TableSeat.objects.filter(table__in=tables).order_by("table", "number"):
        points.setdefault(seat.table_id, {})[seat.entry_id] = exact(seat.points or 0.0)
        if seat.margin is not None:
            margins.setdefault(seat.table_id, {})[seat.entry_id] = exact(seat.margin)
    for pk, table in tables.items():
        rounds.setdefault(table.round.number, {})[table.number] = TableResult(
            points=points[pk],
            margins=margins.get(pk, {}),
            bye=table.bye,
            left_out=table.left_out,
        )
    return standings(
        sorted(entries),
        [[rounds[number][table] for table in sorted(rounds[number])] for number in sorted(rounds)],
        scoring="mean" if stage.format == Format.ROUND_ROBIN else "sum",
        tie_breaks=stage.rules["tie_breaks"],
        withdrawn=[pk for pk, withdrawn in entries.items() if withdrawn],
    )
