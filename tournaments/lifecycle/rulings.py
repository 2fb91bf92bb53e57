"""The organiser's rulings on entries and tables, and entries that come late or leave."""

from collections import Counter

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict
from bots.models import Bot, Submission, User
from tournaments.bracket_rules import KNOCKOUT
from tournaments.lifecycle import closing
from tournaments.lifecycle.acts import locked, record
from tournaments.lifecycle.schedules import scheduled
from tournaments.lifecycle.tally import tally
from tournaments.models import Bracket, Entry, Stage, Table, TableSeat

State = Bracket.State
Format = Stage.Format


@transaction.atomic
def disqualify(*, entry: Entry, user: User | None, reason: str) -> None:
    """Take an entry out at once: its open tables go on without it, what is closed stands.

    Raises Conflict or NotAllowed; of a season's bracket the season's entry is disqualified.
    """
    bracket = locked(entry.bracket, user)
    if bracket.season_id is not None:
        raise Conflict(f"{bracket.slug} belongs to a season: disqualify the season's entry")
    leave(bracket=bracket, entry=entry, reason=reason, disqualified=True, at_once=True)
    record(bracket, user, "disqualify", reason, f"bot {entry.bot_id}")


def leave(
    *, bracket: Bracket, entry: Entry, reason: str, disqualified: bool, at_once: bool
) -> None:
    """Take an entry out of a bracket whose row is held: it is not drawn any more.

    at_once: its open tables are played without it; otherwise they are played as drawn. Conflict
    when the bracket has not started or is finished, or it has left already.
    """
    if bracket.state not in (State.RUNNING, State.PAUSED):
        raise Conflict(f"{bracket.slug} is {bracket.state}")
    left = Entry.objects.filter(pk=entry.pk, disqualified=False)
    if not disqualified:
        left = left.filter(withdrawn_at=None)
    if not left.update(
        withdrawn_at=timezone.now(), withdrawn_reason=reason, disqualified=disqualified
    ):
        raise Conflict(f"{entry.bot} has left already")
    if at_once:
        open_seats = TableSeat.objects.filter(
            entry=entry, table__closed_at=None, table__bye=False, submission__isnull=False
        ).select_related("table")
        for seat in open_seats:
            closing.cancel(seat.table, f"{entry.bot} has left")
            TableSeat.objects.filter(pk=seat.pk).update(submission=None)


@transaction.atomic
def drop_results(*, entry: Entry) -> None:
    """Let all results of an entry that has left count for nobody.

    The others' points at its closed tables are taken anew from the recorded plays, as if it had
    not sat there; a table of which only one is left counts for nobody. The caller logs it.
    """
    bracket = Bracket.objects.select_for_update(no_key=True).get(pk=entry.bracket_id)
    Entry.objects.filter(pk=entry.pk).update(dropped=True)
    for table in (
        Table.objects.filter(
            round__stage__bracket=bracket,
            seats__entry=entry,
            closed_at__isnull=False,
            bye=False,
            left_out=False,
        )
        .select_related("round__stage")
        .order_by("id")
    ):
        others = [
            seat
            for seat in table.seats.select_related("entry")
            if seat.submission_id is not None and not seat.entry.dropped
        ]
        if len(others) < 2:
            note = "Nobody is left whose results count."
            closing.leave_out(table.round.stage, table, note)
        else:
            closing.write_result(table, tally(table))


@transaction.atomic
def enter_late(*, bracket: Bracket, bot: Bot, submission: Submission | None) -> Entry:
    """Enter a bot in a running round robin from its next round on; the caller logs it.

    The rounds that are not drawn yet are scheduled anew, with everybody who is in by then.
    """
    bracket = Bracket.objects.select_for_update(no_key=True).get(pk=bracket.pk)
    stage = bracket.stages.get(number=1)
    if bracket.state not in (State.RUNNING, State.PAUSED) or stage.format != Format.ROUND_ROBIN:
        raise Conflict(f"{bracket.slug} takes no late entrants")
    first = stage.rounds.count() + 1
    days = stage.rules["match_days"]
    if days is None or first > days:
        raise Conflict(f"All rounds of {bracket.slug} are drawn")
    entry, made = Entry.objects.get_or_create(
        bracket=bracket, bot=bot, defaults={"submission": submission, "first_round": first}
    )
    if not made:
        raise Conflict(f"{bot} has entered already", field="bot")
    stage.field = [*stage.field, entry.pk]
    stage.save(update_fields=["field"])
    return entry


def tables_in_all(stage: Stage) -> tuple[Counter[int], Counter[int]]:
    """By entry of a round robin or of groups: its closed tables, and all that it has or will have.

    Tables that were left out do not count as closed.
    """
    closed: Counter[int] = Counter()
    every: Counter[int] = Counter()
    for entry, closed_at, left_out in TableSeat.objects.filter(
        table__round__stage=stage
    ).values_list("entry", "table__closed_at", "table__left_out"):
        every[entry] += 1
        closed[entry] += closed_at is not None and not left_out
    drawn = stage.rounds.count()
    late = dict(
        stage.bracket.entries.filter(first_round__gt=1, pk__in=stage.field).values_list(
            "pk", "first_round"
        )
    )
    first = max(late.values(), default=1)
    rounds = scheduled(stage, stage.groups or [stage.field], first)
    for tables in rounds[max(0, drawn - first + 1) :]:
        every.update(entry for table in tables for entry in table.entries)
    return closed, every


@transaction.atomic
def void_table(*, table: Table, user: User | None, reason: str) -> None:
    """Take back what happened at a table.

    Of a round robin, groups or a Swiss it counts for nobody from now on (in a Swiss each gets what
    a bye gives). Of a knock-out it is played again with new deals, if nothing has been drawn since.
    Matches that are over stay as they are, and their ratings too. Raises Conflict or NotAllowed.
    """
    bracket = locked(table.round.stage.bracket, user)
    table = (
        Table.objects.select_for_update(of=("self",), no_key=True)
        .select_related("round__stage")
        .get(pk=table.pk)
    )
    stage = table.round.stage
    if bracket.state == State.DRAFT or table.bye:
        raise Conflict("A bye cannot be voided: nothing was played")
    if stage.number < bracket.stages.filter(started_at__isnull=False).count():
        raise Conflict(f"Stage {stage.number} is over, and the next was made from its result")
    season = bracket.season
    # Play-offs and places are made from what the divisions came to.
    used = ("playoff", "finished") if hasattr(bracket, "division") else ("finished",)
    if season is not None and season.state in used:
        raise Conflict(f"{season.slug} is past its match days: {season.state}")
    if stage.format in KNOCKOUT:
        _play_again(bracket, stage, table, reason)
    elif table.left_out:
        raise Conflict(f"Table {table.number} counts for nobody already")
    else:
        closing.leave_out(stage, table, f"Void: {reason}")
    record(bracket, user, "void", reason, f"table {table.name or table.number}")


def _play_again(bracket: Bracket, stage: Stage, table: Table, reason: str) -> None:
    round_ = table.round
    if stage.rounds.filter(number__gt=round_.number).exists():
        raise Conflict(
            f"Round {round_.number + 1} is drawn from the result of table {table.name} already"
        )
    closing.cancel(table, f"Void: {reason}")
    last = max((match.deal for match in table.matches.all()), default=0)
    table.first_deal, table.closed_at, table.note = last + 1, None, ""
    table.save(update_fields=["first_deal", "closed_at", "note"])
    table.seats.update(points=None, margin=None, place=None, failures=0)
    round_.closed_at = None
    round_.save(update_fields=["closed_at"])
    stage.ended_at = None
    stage.save(update_fields=["ended_at"])
    if bracket.state == State.FINISHED:
        bracket.state, bracket.ended_at = State.RUNNING, None
        bracket.save(update_fields=["state", "ended_at"])
    accounts.notify(
        *{seat.entry.bot.player for seat in table.seats.select_related("entry__bot__player")},
        kind="table-void",
        text=f"Table {table.name} of {bracket.title} is played again: {reason}",
        url=f"/brackets/{bracket.slug}/",
    )
