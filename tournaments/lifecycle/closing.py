"""Closing tables and rounds: results, byes, forfeits, and what could not be played."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from django.db.models import Prefetch
from django.utils import timezone

from tournaments import dispatch
from tournaments.bracket_rules import KNOCKOUT
from tournaments.lifecycle import deciding
from tournaments.lifecycle.rounds import first_deals, make_match
from tournaments.lifecycle.stages import tell_organiser
from tournaments.lifecycle.standing import field_of
from tournaments.lifecycle.tally import Tally, tally
from tournaments.models import Bracket, Match, Round, Stage, Table, TableSeat
from tournaments.standings import bye_points, exact

Format = Stage.Format
OVER = (Match.State.FINISHED, Match.State.VOID)

# A void match is nobody's fault and is played again; a table that fails so often is left out.
REPLACEMENTS = 3


def close_tables(bracket: Bracket, round_: Round, *, only: int | None = None) -> None:
    """Close the tables whose matches are over; replace void matches.

    only: the number in the database of the one table to look at.
    """
    tables = round_.tables.filter(closed_at=None).order_by("number")
    if only is not None:
        tables = tables.filter(pk=only)
    stage = round_.stage
    for table in tables.prefetch_related(
        Prefetch(
            "seats",
            TableSeat.objects.order_by("number").select_related("submission__bot__player", "entry"),
        ),
        Prefetch("matches", Match.objects.order_by("id").prefetch_related("contestants")),
    ):
        table.round = round_
        if table.bye:
            _give_bye(stage, table)
        elif len(present(table)) < stage.rules["min_size"]:
            _forfeit(stage, table)
        elif stage.format in KNOCKOUT:
            _knockout(bracket, stage, table)
        else:
            _ordinary(bracket, stage, table)


def present(table: Table) -> list[TableSeat]:
    """The seats of those who can play."""
    return [seat for seat in table.seats.all() if seat.submission_id is not None]


def close_round(bracket: Bracket, round_: Round) -> bool:
    """Close the round when its tables are closed or its deadline has passed."""
    open_tables = list(round_.tables.filter(closed_at=None).order_by("number"))
    if open_tables and (round_.deadline is None or dispatch.database_now() < round_.deadline):
        return False
    if open_tables and round_.stage.format in KNOCKOUT:
        # A knock-out cannot do without a result: its organiser extends the deadline or decides.
        for table in open_tables:
            _stuck(bracket, table, "The deadline has passed and it is not decided.")
        return False
    for table in open_tables:
        # Locked first: a match that finishes at this moment must not be made void.
        cancel(table, "Its round closed at the deadline")
        done = tally(table)
        if done.deals == table.deals:
            write_result(table, done)
        else:
            _leave_out(round_.stage, table, "Not all of its deals could be played: no contest.")
    round_.closed_at = timezone.now()
    round_.save(update_fields=["closed_at"])
    return True


def cancel(table: Table, reason: str) -> None:
    """Void the matches of a table that are not over."""
    running = table.matches.select_for_update(no_key=True).exclude(state__in=OVER)
    for match in running:
        dispatch.void(match=match, reason=reason, user=None)


def _make_missing(
    bracket: Bracket, stage: Stage, table: Table, deals: Sequence[int]
) -> tuple[set[int], set[int]]:
    """Make the matches that these deals miss; which deals are finished, and which are hopeless."""
    seats = present(table)
    finished, under_way, failed = set(), set(), Counter[int]()
    for match in table.matches.all():
        if match.state == Match.State.FINISHED:
            finished.add(match.deal)
        elif not match.is_over:
            under_way.add(match.deal)
        elif match.players == len(seats):  # else it was void because somebody had to leave
            failed[match.deal] += 1
    missing = set(deals) - finished - under_way
    hopeless = {deal for deal in missing if failed[deal] > REPLACEMENTS}
    for deal in sorted(missing - hopeless):
        make_match(bracket, stage, table, seats, deal)
    return finished, hopeless


def _ordinary(bracket: Bracket, stage: Stage, table: Table) -> None:
    """A table of a round robin, of groups or of a Swiss: it plays all its deals."""
    deals = [table.first_deal + index for index in range(table.deals)]
    finished, hopeless = _make_missing(bracket, stage, table, deals)
    if finished.issuperset(deals):
        write_result(table, tally(table))
    elif finished | hopeless >= set(deals):
        _leave_out(stage, table, "Not all of its deals could be played: no contest.")


def write_result(table: Table, result: Tally) -> None:
    """Write the result of a table: means over all plays of its finished matches."""
    seats = list(table.seats.all())
    order = []
    for seat in seats:
        own = result.of(seat.entry_id)
        seat.points, seat.margin = own.points, own.margin
        seat.failures = own.failures
        # Who forfeited is below all who played.
        order.append((own.margin is not None, exact(own.points or 0.0), exact(own.margin or 0.0)))
    for seat, own_order in zip(seats, order, strict=True):
        seat.place = 1 + sum(other > own_order for other in order)
        seat.points = seat.points or 0.0
    close(table, seats)


def _knockout(bracket: Bracket, stage: Stage, table: Table) -> None:
    """A table of a knock-out: it plays until it is decided, and nobody shares a place."""
    seats = present(table)
    seeds = {entry: number for number, entry in enumerate(field_of(stage), 1)}
    result = tally(table)
    sequential = stage.rules.get("sequential", False)
    verdict = deciding.decide_table(
        result,
        seeds={seat.entry_id: seeds[seat.entry_id] for seat in seats},
        go_on=table.go_on,
        least=min(stage.rules["least_deals"], table.deals) if sequential else table.deals,
        cap=table.deals,
    )
    if verdict.decided:
        cancel(table, "Its table is decided")
        absent = sorted(
            (seat.entry_id for seat in table.seats.all() if seat.submission_id is None),
            key=lambda entry: seeds[entry],
        )
        _close_knockout(table, result, [*verdict.order, *absent], verdict.deals, verdict.reason)
        return
    deals = range(1, 1 + min(table.deals, max(len(first_deals(stage)), verdict.deals_wanted)))
    _, hopeless = _make_missing(
        bracket, stage, table, [table.first_deal - 1 + number for number in deals]
    )
    if hopeless:
        _stuck(bracket, table, "A deal could not be played, again and again.")


def _close_knockout(
    table: Table, result: Tally, order: Sequence[int], deals: int, note: str
) -> None:
    seats = list(table.seats.all())
    for seat in seats:
        own = result.of(seat.entry_id, deals=deals)
        seat.points, seat.margin, seat.failures = own.points, own.margin, own.failures
        seat.place = 1 + order.index(seat.entry_id)
    table.note = note
    close(table, seats)


def _stuck(bracket: Bracket, table: Table, why: str) -> None:
    """Tell the organiser, once, that a table of a knock-out needs him."""
    note = f"{why} Its round stays open until the organiser acts."
    if not table.note:
        table.note = note
        table.save(update_fields=["note"])
        tell_organiser(bracket, f"{bracket.title}, table {table.name}: {note}")


def _give_bye(stage: Stage, table: Table) -> None:
    (seat,) = table.seats.all()
    seat.points = float(bye_points(_earlier(stage, seat)))
    close(table, [seat])


def _forfeit(stage: Stage, table: Table) -> None:
    """Too few can play. In a Swiss who cannot gets nothing and the others what a bye gives."""
    seats = list(table.seats.all())
    cancel(table, "Too few of its table can play")
    table.note = "Too few entries had a version that may play: forfeited."
    if stage.format in KNOCKOUT:
        seeds = {entry: number for number, entry in enumerate(field_of(stage), 1)}
        ranked = sorted(seats, key=lambda s: (s.submission_id is None, seeds[s.entry_id]))
        for place, seat in enumerate(ranked, 1):
            seat.place = place
    elif stage.format != Format.SWISS:
        _leave_out(stage, table, table.note)
        return
    else:
        for seat in seats:
            here = seat.submission_id is not None
            seat.points = float(bye_points(_earlier(stage, seat))) if here else 0.0
    close(table, seats)


def _leave_out(stage: Stage, table: Table, note: str) -> None:
    """No contest: in a round robin it counts for nobody, in a Swiss as a bye for all."""
    seats = list(table.seats.all())
    table.left_out = True
    table.note = note
    for seat in seats:
        seat.points = seat.margin = seat.place = None
        if stage.format == Format.SWISS:
            seat.points = float(bye_points(_earlier(stage, seat)))
    close(table, seats)


def leave_out(stage: Stage, table: Table, note: str) -> None:
    """Let a table count for nobody, whatever was played at it."""
    cancel(table, note)
    _leave_out(stage, table, note)


def _earlier(stage: Stage, seat: TableSeat) -> list[Fraction]:
    """The points of an entry at its earlier tables."""
    rows = TableSeat.objects.filter(
        entry=seat.entry_id,
        points__isnull=False,
        table__bye=False,
        table__left_out=False,
        table__round__stage=stage,
    ).exclude(table=seat.table_id)
    return [exact(points) for points in rows.values_list("points", flat=True) if points is not None]


def close(table: Table, seats: Sequence[TableSeat]) -> None:
    """Write a table's result."""
    TableSeat.objects.bulk_update(seats, ["points", "margin", "failures", "place"])
    table.closed_at = timezone.now()
    table.save(update_fields=["closed_at", "left_out", "note"])
