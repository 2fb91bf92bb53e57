"""Drawing a round: from what is recorded with it alone, so that the same round comes out again.

A round's basis, together with its draw seed, the stage's rules and the tables of earlier rounds,
says everything that the drawing depends on.
"""

from dataclasses import dataclass
from typing import Any

from tournaments.bracket_rules import FIDE_DUTCH, KNOCKOUT
from tournaments.lifecycle.plans import plan_for
from tournaments.lifecycle.schedules import DrawnTable, of_schedule, reasons_of
from tournaments.lifecycle.standing import field_of, knockout_results, standings_of
from tournaments.models import Round, Stage, TableSeat
from tournaments.pairing import CannotDraw, swiss
from tournaments.pairing.lots import lots, shuffled

Format = Stage.Format


@dataclass(frozen=True, slots=True)
class Drawing:
    """The tables of a round, who has a bye, and what the drawing had to give up."""

    tables: tuple[DrawnTable, ...]
    byes: tuple[int, ...] = ()
    reasons: tuple[dict[str, Any], ...] = ()


def basis(stage: Stage, number: int) -> dict[str, Any] | None:
    """What round `number` is drawn from now; None when the stage has no such round."""
    if stage.format in KNOCKOUT:
        results = knockout_results(stage)
        over = plan_for(stage.format, stage.rules, len(field_of(stage))).over(results)
        return None if over else {"results": results}
    withdrawn = set(
        stage.bracket.entries.filter(withdrawn_at__isnull=False).values_list("pk", flat=True)
    )
    if stage.format == Format.SWISS:
        present = set(field_of(stage)) - withdrawn
        # What is left of the field when nearly all have withdrawn plays no more rounds.
        too_few = number > 1 and len(present) < stage.rules["min_size"]
        if number > stage.rules["rounds"] or too_few:
            return None
        if stage.rules.get("ruleset") == FIDE_DUTCH:
            return {
                "present": sorted(present),
                "past": _past(stage),
                "rounds": stage.rules["rounds"],
            }
        return {
            "rounds": stage.rules["rounds"],
            "points": [
                [row.entrant, float(row.points)]
                for row in standings_of(stage)
                if row.entrant in present
            ],
        }
    late = dict(stage.bracket.entries.filter(first_round__gt=1).values_list("pk", "first_round"))
    field = field_of(stage)
    drawn_from = {
        "fields": [
            [pk for pk in group if late.get(pk, 1) <= number] for group in stage.groups or [field]
        ],
        # A late entrant changes the schedule of all rounds from its first one on.
        "first": max((late[pk] for pk in field if late.get(pk, number + 1) <= number), default=1),
        "absent": sorted(withdrawn & set(field)),
    }
    return drawn_from if of_schedule(stage, number, drawn_from) is not None else None


def draw_round(stage: Stage, number: int, seed: str, drawn_from: dict[str, Any]) -> Drawing:
    """The tables of a round from its recorded seed and basis. CannotDraw when there are none."""
    if stage.format in KNOCKOUT:
        return _knockout(stage, seed, drawn_from)
    if stage.format == Format.SWISS:
        return _swiss(stage, number, seed, drawn_from)
    tables = of_schedule(stage, number, drawn_from) or []
    absent = set(drawn_from["absent"])
    seated = [
        DrawnTable(tuple(pk for pk in table.entries if pk not in absent), group=table.group)
        for table in tables
    ]
    return Drawing(
        # Whose opponents have all withdrawn sits out.
        tuple(table for table in seated if len(table.entries) > 1),
        reasons=tuple(
            {"kind": "schedule", "text": text}
            for text in reasons_of(stage, drawn_from)
            if number == drawn_from["first"]
        ),
    )


def draw_again(round_: Round) -> Drawing:
    """The drawing that a round's record gives: the same as that round's tables."""
    return draw_round(round_.stage, round_.number, round_.draw_seed, round_.drawn_from)


# ------------------------------------------------------------------ knock-outs and Swiss


def _knockout(stage: Stage, seed: str, drawn_from: dict[str, Any]) -> Drawing:
    field = field_of(stage)
    plan = plan_for(stage.format, stage.rules, len(field))
    lot = lots(seed, "seats")
    tables = tuple(
        DrawnTable(tuple(shuffled(entries, lot)), name=table.name, go_on=table.go_on)
        for table, entries in plan.ready(field, drawn_from["results"])
    )
    if not tables:
        raise CannotDraw("the knock-out is not over, but no table of it can be played")
    return Drawing(tables)


def _past(stage: Stage) -> list[dict[str, Any]]:
    """The closed rounds of a Swiss at tables of two, as `fide_dutch.PastRound` takes them."""
    rounds: dict[int, dict[str, Any]] = {}
    tables: dict[int, list[tuple[int, float | None, bool]]] = {}
    for table, number, bye, left_out, entry, submission, points, place in (
        TableSeat.objects.filter(table__round__stage=stage, table__closed_at__isnull=False)
        .order_by("table__round__number", "table__number", "number")
        .values_list(
            "table", "table__round__number", "table__bye", "table__left_out", "entry",
            "submission", "points", "place",
        )
    ):  # fmt: skip
        past = rounds.setdefault(number, {"games": [], "byes": []})
        if bye:
            past["byes"].append(entry)
            continue
        played = place is not None and not left_out
        score = points
        if not played:
            score = 0.5 if left_out else (None if submission is None else 1.0)
        seats = tables.setdefault(table, [])
        seats.append((entry, score, played))
        if len(seats) == 2:
            (first, score, played), (second, other, _) = seats
            if score is None and other is not None:
                score = 0.0  # a forfeit of the first
            past["games"].append([first, second, score, played])
    return [rounds[number] for number in sorted(rounds)]


def _swiss(stage: Stage, number: int, seed: str, drawn_from: dict[str, Any]) -> Drawing:
    rules = stage.rules
    if "past" in drawn_from:
        from tournaments.pairing import fide_dutch  # brings networkx, which takes a second

        return _as_drawn(
            fide_dutch.draw(
                drawn_from["present"],
                [
                    fide_dutch.PastRound(
                        tuple(fide_dutch.Game(*game) for game in past["games"]),
                        tuple(past["byes"]),
                    )
                    for past in drawn_from["past"]
                ],
                seed,
                field=field_of(stage),
                rounds=drawn_from["rounds"],
            )
        )
    history: dict[int, list[int]] = {}
    byes_had = []
    for table, bye, entry in (
        TableSeat.objects.filter(table__round__stage=stage, table__round__number__lt=number)
        .order_by("table__round__number", "table", "number")
        .values_list("table", "table__bye", "entry")
    ):
        history.setdefault(table, []).append(entry)
        if bye:
            byes_had.append(entry)
    points = dict(drawn_from["points"])
    return _as_drawn(
        swiss.draw(
            points,
            history.values(),
            rules["table_size"],
            seed,
            byes_had=byes_had,
            min_size=rules["min_size"],
            accelerated=swiss.acceleration(field_of(stage), number, drawn_from["rounds"])
            if rules.get("accelerated")
            else None,
        )
    )


def _as_drawn(drawn: swiss.Draw) -> Drawing:
    return Drawing(
        tuple(DrawnTable(tuple(table)) for table in drawn.tables),
        tuple(drawn.byes),
        tuple(
            {"kind": reason.kind, "entries": list(reason.entrants), "text": reason.text}
            for reason in drawn.reasons
        ),
    )
