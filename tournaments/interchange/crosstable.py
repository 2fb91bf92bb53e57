"""A stage with tables of two as a tournament report; from the exported document, nothing else.

TRF knows wins, draws and losses. A table of bots is several plays, so its points may lie between:
who has more has won. Where all tables ended 1–0 or ½–½ the report says what our standings say, and
names their tie-breaks; elsewhere it carries our ranks and says so in a comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tournaments.interchange.trf import MOST_PLAYERS, Game, Player, Report, TrfError
from tournaments.standings import TIE_BREAKS

PROGRAM = "Slayer League"
BYE = Decimal("0.5")
WHOLE = (0.0, 0.5, 1.0)
TYPES = {
    "swiss": "CUSTOM_SWISS",
    "round-robin": "CUSTOM_ROUNDROBIN",
    "groups": "CUSTOM_ROUNDROBIN",
    "single-elimination": "CUSTOM_KNOCKOUT",
    "double-elimination": "CUSTOM_KNOCKOUT",
}
FIDE_DUTCH = "FIDE_DUTCH_2026"


def report_of(document: Mapping[str, Any], stage: int | None = None) -> Report:
    """The report of one stage (of a bracket with several, `stage` says which), of its closed
    rounds. TrfError when its tables are not of two, or it has too many entries."""
    found = _stage(document, stage)
    size = found["rules"]["table_size"]
    if size != 2:
        raise TrfError(
            f"stage {found['number']} has tables of {size}, and TRF knows tables of two only; "
            "export it as JSON or CSV"
        )
    entries = {entry["id"]: entry for entry in document["entries"]}
    order = found["field"] or sorted(
        entries, key=lambda pk: (entries[pk]["seeding"] or MOST_PLAYERS + 1, pk)
    )
    if len(order) > MOST_PLAYERS:
        raise TrfError(
            f"TRF holds at most {MOST_PLAYERS} players, this stage {len(order)}; "
            "export it as JSON or CSV"
        )
    numbers = {pk: number for number, pk in enumerate(order, start=1)}
    columns: list[dict[int, Game]] = []
    dates = []
    exact = True
    for round_ in found["rounds"]:
        if not round_["closed_at"]:
            continue
        drawn: list[dict[int, Game]] = [{}]
        for table in round_["tables"]:
            games = dict(_games(table, numbers, found["format"]))
            # One drawing may hold several tables of an entry: each takes a round of the report.
            free = [column for column in drawn if not column.keys() & games.keys()]
            if not free:
                drawn.append({})
                free = drawn[-1:]
            free[0].update(games)
            exact = exact and _exact(table)
        columns += drawn
        dates += [_day(round_["drawn_at"])[2:]] * len(drawn)
    absent = Game(0, "-", "Z")
    games_of = {pk: tuple(column.get(pk, absent) for column in columns) for pk in order}
    ranks = {row["entry"]: row["rank"] for row in found["standings"] if not row["group"]}
    bracket = document["bracket"]
    swiss = found["format"] == "swiss"
    report = Report(
        name=bracket["title"],
        players=(),
        start=_day(bracket["started_at"]),
        end=_day(bracket["ended_at"]),
        kind=found["format"],
        dates=tuple(dates),
        rounds=found["rules"].get("rounds") or (len(columns) or None),
        points={"W": Decimal(1), "D": BYE, "L": Decimal(0), "A": Decimal(0), "P": BYE},
        program=PROGRAM,
        type_code=FIDE_DUTCH
        if found["rules"].get("ruleset") == "fide-dutch-2026"
        else TYPES[found["format"]],
        standing_order=_codes(found["rules"]["tie_breaks"]) if exact and swiss else (),
        comments=(
            f"{bracket['game']} edition {bracket['edition']}, stage {found['number']}",
            *(
                ()
                if exact and swiss
                else (
                    "Ranks follow the bracket's own points (mean place points of several plays), "
                    "which TRF cannot hold: see its CSV or JSON",
                )
            ),
        ),
    )
    players = tuple(
        Player(
            number=numbers[pk],
            name=_name(entries[pk]),
            fide_number=str(entries[pk]["bot_id"]),
            points=sum((report.worth(game) for game in games_of[pk]), Decimal(0)),
            rank=ranks.get(pk),
            games=games_of[pk],
        )
        for pk in order
    )
    return replace(report, players=players)


def _stage(document: Mapping[str, Any], number: int | None) -> Mapping[str, Any]:
    stages: dict[int, Mapping[str, Any]] = {each["number"]: each for each in document["stages"]}
    if number is None and len(stages) == 1:
        return next(iter(stages.values()))
    if number not in stages:
        known = ", ".join(map(str, stages))
        raise TrfError(
            f"a report is of one stage: say which of {known}"
            if number is None
            else f"there is no stage {number}; there are {known}"
        )
    return stages[number]


def _games(
    table: Mapping[str, Any], numbers: Mapping[int, int], format: str
) -> list[tuple[int, Game]]:
    """Each entry of a closed table with its line of the round."""
    seats = table["seats"]
    if table["bye"]:
        return [(seat["entry"], Game(0, "-", "U")) for seat in seats]
    if len(seats) != 2:
        raise TrfError(f"table {table['number']} has {len(seats)} seats; TRF has two")
    first, second = seats
    if table["left_out"]:
        given = "H" if format == "swiss" else "Z"
        return [(seat["entry"], Game(0, "-", given)) for seat in seats]
    played = [seat["place"] is not None and seat["version"] is not None for seat in seats]
    mine, its = first["points"] or 0.0, second["points"] or 0.0
    if all(played):
        one, other = ("1", "0") if mine > its else ("0", "1") if mine < its else ("=", "=")
    else:
        here = [seat["version"] is not None for seat in seats]
        one, other = ("+" if here[0] else "-"), ("+" if here[1] else "-")
        if all(here):
            one = other = "-"
    return [
        (first["entry"], Game(numbers[second["entry"]], "w", one)),
        (second["entry"], Game(numbers[first["entry"]], "b", other)),
    ]


def _exact(table: Mapping[str, Any]) -> bool:
    """Whether its points are those that a report's results stand for."""
    points = [seat["points"] for seat in table["seats"]]
    if table["bye"] or table["left_out"]:
        return all(value in (None, 0.5) for value in points)
    return all(seat["place"] is not None for seat in table["seats"]) and all(
        value in WHOLE for value in points
    )


def _codes(names: list[str]) -> tuple[str, ...]:
    """FIDE's codes of the tie-breaks, as far as every one of them has a code."""
    codes = ["PTS"]
    for name in names:
        code = TIE_BREAKS[name].fide
        if code is None:
            break
        codes.append(code)
    return tuple(codes)


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['player']}/{entry['bot']}"[:33]


def _day(moment: str | None) -> str:
    return moment[:10].replace("-", "/") if moment else ""
