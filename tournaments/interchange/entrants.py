"""Lists of entrants: CSV, JSON or a tournament report, as rows that name bots."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.faults import UserFault
from tournaments.interchange import trf

MOST_ENTRANTS = 10_000
KINDS = ("csv", "json", "trf")


@dataclass(frozen=True, slots=True)
class Entrant:
    """One row. where: for the report, such as "row 3"; bot: its id, or "player/bot"."""

    where: str
    bot: int | str
    seeding: int | None = None


class RowsRefused(UserFault):
    """A list of which nothing was taken, with each row that is wrong."""

    def __init__(self, rows: Iterable[tuple[str, str]], taken: int) -> None:
        self.rows = list(rows)
        shown = "; ".join(f"{where}: {why}" for where, why in self.rows[:3])
        more = f"; and {len(self.rows) - 3} more" if len(self.rows) > 3 else ""
        super().__init__(
            f"Nothing was entered: {len(self.rows)} of {taken} rows are wrong ({shown}{more})"
        )
        self.errors = [{"field": where, "message": why} for where, why in self.rows]


def kind_of(filename: str) -> str:
    """The kind that a file's name ends with; UserFault when it is none of KINDS."""
    kind = filename.rpartition(".")[2].lower()
    if kind not in KINDS:
        raise UserFault(
            f"A list of entrants is a .csv, .json or .trf file, not {filename!r}", field="file"
        )
    return kind


def read_entrants(data: bytes, kind: str) -> list[Entrant]:
    """The rows of a list; UserFault says what is wrong with the list as a whole."""
    try:
        text = trf.decode(data)
        if kind == "trf":
            rows = _of_report(trf.read(text))
        else:
            rows = _of_json(text) if kind == "json" else _of_csv(text)
    except trf.TrfError as error:
        raise UserFault(str(error), field="file") from None
    if not rows:
        raise UserFault("The list names nobody", field="file")
    if len(rows) > MOST_ENTRANTS:
        raise UserFault(
            f"A list has at most {MOST_ENTRANTS} entrants, not {len(rows)}", field="file"
        )
    return rows


def _of_report(report: trf.Report) -> list[Entrant]:
    """Players by name; a name that its column has cut off counts with the id beside it."""
    rows = []
    for player in report.players:
        cut = len(player.name) >= 33 and player.fide_number.isdigit()
        bot: int | str = int(player.fide_number) if cut else player.name
        rows.append(Entrant(f"player {player.number}", bot, player.number))
    return rows


def _of_json(text: str) -> list[Entrant]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserFault(f"This is no JSON: {error}", field="file") from None
    return entrants_of(data.get("entries") if isinstance(data, dict) else data)


def entrants_of(values: Any) -> list[Entrant]:
    """The rows of a JSON list: "player/bot", or objects with bot (and player) and seeding."""
    if not isinstance(values, list):
        raise UserFault(
            'A list of entrants is a JSON list, such as [{"bot": "ada/wolf", "seeding": 1}], or a '
            "bracket's export",
            field="entries",
        )
    return [_of_value(f"row {number}", value) for number, value in enumerate(values, start=1)]


def _of_value(where: str, value: Any) -> Entrant:
    if isinstance(value, str) or type(value) is int:
        return Entrant(where, value)
    if isinstance(value, Mapping):
        bot, player, seeding = value.get("bot"), value.get("player"), value.get("seeding")
        named = isinstance(bot, str) and isinstance(player, str)
        whole = seeding is None or (type(seeding) is int and seeding >= 1)
        if whole and (named or isinstance(bot, str) or type(bot) is int):
            return Entrant(where, f"{player}/{bot}" if named else bot or "", seeding)
    raise UserFault(
        f'{where}: an entrant is "player/bot", a bot\'s id, or an object with bot, and player and '
        f"seeding (from 1) if you wish; not {json.dumps(value)[:80]}",
        field="entries",
    )


def _of_csv(text: str) -> list[Entrant]:
    first = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text.strip(), newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UserFault(f"This is no CSV: {error}", field="file") from None
    head = [name.strip().lower() for name in lines[0]] if lines else []
    if not {"bot", "bot_id"} & set(head):
        raise UserFault(
            "The first line names the columns; it needs bot (player/bot, or beside a column "
            "player) or bot_id, and may have seeding",
            field="file",
        )
    rows = []
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        row = {name: cell.strip().removeprefix("'") for name, cell in zip(head, cells)}  # noqa: B905 (short lines)
        bot: int | str = row.get("bot", "")
        if bot and row.get("player"):
            bot = f"{row['player']}/{bot}"
        elif not bot and row.get("bot_id", "").isdecimal():
            bot = int(row["bot_id"])
        seeding = row.get("seeding", "")
        if seeding and not (seeding.isascii() and seeding.isdigit() and int(seeding)):
            raise UserFault(
                f"line {number}: seeding must be a number from 1, not {seeding!r}", field="file"
            )
        rows.append(Entrant(f"line {number}", bot, int(seeding) if seeding else None))
    return rows
