"""Brackets: stages and rules, standings, rounds on demand, and trees of knock-outs."""

from typing import Any

from django.db.models import Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from bots.faults import UserFault
from bots.models import Act, Bot
from frontend import rules
from frontend.pages import newest_first
from frontend.trees import MANY, Seated, Tree, trees
from tournaments import lifecycle
from tournaments.forecast import forecast, forecast_season
from tournaments.interchange.documents import acts_of
from tournaments.models import Bracket, Entry, Round, Season, Stage, Table, TableSeat
from tournaments.pairing import CannotDraw
from tournaments.standings import Row

ROWS = 100
KNOCKOUT = (Stage.Format.SINGLE_ELIMINATION, Stage.Format.DOUBLE_ELIMINATION)


def brackets(request: HttpRequest) -> HttpResponse:
    """All brackets but those of seasons, newest first."""
    rows = Bracket.objects.filter(season=None).prefetch_related("stages")
    return render(request, "frontend/brackets.html", {"page": newest_first(request, rows)})


def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """One bracket: the stage and the round that are asked for, else the newest ones."""
    found = get_object_or_404(Bracket.objects.select_related("season"), slug=slug)
    stages = list(found.stages.order_by("number"))
    stage = _chosen(request, "stage", stages, [s for s in stages if s.started_at] or stages[:1])
    rounds = list(stage.rounds.order_by("number"))
    round_ = _chosen(request, "round", rounds, rounds)
    standings = lifecycle.standings_of(stage)
    first = _number(request, "from", 1)
    shown = standings[first - 1 : first - 1 + ROWS]
    mine = own_bots(request)
    tables = _tables(round_, request) if round_ else None
    return render(
        request,
        "frontend/bracket.html",
        {
            "bracket": found,
            "stages": stages,
            "stage": stage,
            "format": rules.FORMATS[stage.format],
            "formats": rules.FORMATS,
            "rules": rules.in_words(stage.rules),
            "ties": rules.tie_breaks(stage.rules),
            "count": len(standings),
            "knockout": stage.format in KNOCKOUT,
            "groups": _grouped(stage, shown, _entries(found, shown), mine),
            "pages": _pages(len(standings), first),
            "rounds": rounds,
            "round": round_,
            "tables": tables,
            "table_pages": _pages(_count(round_), _number(request, "tables", 1)),
            "given_up": _given_up(round_, found) if round_ else [],
            "trees": _trees(stage, stage is stages[-1]) if stage.format in KNOCKOUT else [],
            "forecast": cost_of(request, found),
            "acts": acts_in_words(list(acts_of(found))[-ROWS:], f"bracket {found.slug}"),
            "final": found.state == Bracket.State.FINISHED or stage.ended_at is not None,
        },
    )


def acts_in_words(acts: list[Act], whole: str) -> list[dict[str, Any]]:
    """Acts as a page shows them; `whole` is what all of them belong to."""
    bots = {
        f"bot {bot.pk}": str(bot)
        for bot in Bot.objects.select_related("player").filter(
            pk__in={word for act in acts for word in act.target.split()[1:2] if word.isdecimal()}
        )
    }
    rows = []
    for act in acts:
        what = act.target.removesuffix(whole).strip().removesuffix(" of").removesuffix(" from")
        on = f": {bots.get(what, what)}" if what else ""
        rows.append(
            {"at": act.created_at, "what": f"{act.verb.replace('-', ' ')}{on}", "why": act.reason}
        )
    return rows


def _number(request: HttpRequest, name: str, default: int) -> int:
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and 0 < len(value) < 7 else default


def cost_of(request: HttpRequest, of: Bracket | Season) -> str:
    """What it will cost, for organisers before its start."""
    if not request.user.is_staff or of.started_at is not None:
        return ""
    try:
        return rules.forecast_in_words(
            forecast(of) if isinstance(of, Bracket) else forecast_season(of)
        )
    except UserFault as fault:
        return fault.message


def _chosen(request: HttpRequest, name: str, rows: list[Any], default: list[Any]) -> Any:
    """The row whose number is asked for, else the last of `default` (None when there is none)."""
    if name not in request.GET:
        return default[-1] if default else None
    number = _number(request, name, 0)
    for row in rows:
        if row.number == number:
            return row
    raise Http404(f"There is no {name} {request.GET[name][:20]}.")


def _pages(count: int, first: int) -> list[tuple[int, int, bool]]:
    """First and last of each page, and whether it is the one shown; none for a single page."""
    starts = range(1, count + 1, ROWS)
    if len(starts) < 2:
        return []
    return [(start, min(start + ROWS - 1, count), start == first) for start in starts]


def own_bots(request: HttpRequest) -> set[int]:
    """The ids of the bots of whoever looks."""
    if not request.user.is_authenticated:
        return set()
    return set(Bot.objects.filter(player__members=request.user.pk).values_list("pk", flat=True))


def _entries(found: Bracket, rows: list[Row]) -> dict[int, Entry]:
    entries = found.entries.filter(pk__in=[row.entrant for row in rows])
    return {entry.pk: entry for entry in entries.select_related("bot__player")}


def _grouped(
    stage: Stage, rows: list[Row], entries: dict[int, Entry], mine: set[int]
) -> list[tuple[int, list[dict[str, Any]]]]:
    """The lines of the standings, group by group (0: there are no groups)."""
    of = {pk: number for number, pks in enumerate(stage.groups, start=1) for pk in pks}
    groups: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        entry = entries.get(row.entrant)
        if entry is not None:  # else it was withdrawn between the two queries
            line = {
                "row": row,
                "entry": entry,
                "ties": list(row.tie_breaks.values()),
                "me": entry.bot_id in mine,
            }
            groups.setdefault(of.get(row.entrant, 0), []).append(line)
    return list(groups.items())


def _count(round_: Round | None) -> int:
    return round_.tables.count() if round_ else 0


def _tables(round_: Round, request: HttpRequest) -> list[Table]:
    """A page of the round's tables, with everything that a line of them shows."""
    first = _number(request, "tables", 1) - 1
    seats = TableSeat.objects.select_related("entry__bot__player").order_by("place", "number")
    rows = round_.tables.order_by("number").prefetch_related(
        Prefetch("seats", queryset=seats), "matches"
    )
    return list(rows[first : first + ROWS])


def _given_up(round_: Round, found: Bracket) -> list[str]:
    """What the drawing of a round had to give up, in sentences: whom it met, and why."""
    named = {pk for reason in round_.reasons for pk in reason.get("entries", ())}
    entries = {
        entry.pk: str(entry.bot)
        for entry in found.entries.filter(pk__in=named).select_related("bot__player")
    }
    met: dict[str, list[str]] = {}
    for reason in round_.reasons:
        bots = [entries[pk] for pk in reason.get("entries", ()) if pk in entries]
        met.setdefault(reason["text"].rstrip("."), []).append(" and ".join(bots))
    return [
        f"{'; '.join(filter(None, who))}: {why}." if any(who) else f"{why}."
        for why, who in met.items()
    ]


def _trees(stage: Stage, last: bool) -> list[Tree]:
    """The drawings of a knock-out that has begun."""
    if stage.started_at is None:
        return []
    try:
        plan = lifecycle.plan_of(stage)
    except CannotDraw:
        return []
    tables = Table.objects.filter(round__stage=stage)
    if plan.entrants > MANY:
        rounds = sorted({table.round for table in plan.tables})[-2 * len(bin(MANY)) :]
        names = [table.name for table in plan.tables if table.round in rounds]
        tables = tables.filter(name__in=names)
    seats = TableSeat.objects.select_related("entry__bot").order_by("place", "number")
    query = "" if last else f"stage={stage.number}&"
    drawn = {}
    for table in tables.select_related("round").prefetch_related(Prefetch("seats", queryset=seats)):
        closed = table.closed_at is not None
        drawn[table.name] = Seated(
            href=f"?{query}round={table.round.number}#table-{table.pk}",
            seats=tuple(
                (
                    seat.entry.bot.name,
                    "" if seat.points is None else f"{seat.points:.3f}",
                    closed and seat.place is not None and seat.place <= table.go_on,
                )
                for seat in table.seats.all()
            ),
        )
    names_of = dict(Entry.objects.filter(Q(pk__in=stage.field)).values_list("pk", "bot__name"))
    return trees(plan, [names_of.get(pk, "–") for pk in stage.field], drawn)
