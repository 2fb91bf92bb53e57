"""CSV for spreadsheets (RFC 4180): standings, tables and entries of an exported document."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SHEETS = ("standings", "tables", "entries")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%")
"""A text that begins with one of these may be run as a formula; a ' before it makes it a text."""

Cell = str | int | float | bool | None


def sheet(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV; numbers stay numbers, no text becomes a formula."""
    out = io.StringIO()
    csv.writer(out).writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: Cell) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return f"'{value}"
    return value


def bracket_sheet(document: Mapping[str, Any], name: str) -> str:
    """One of SHEETS of a bracket's document."""
    return sheet({"standings": _standings, "tables": _tables, "entries": _entries}[name](document))


def _who(document: Mapping[str, Any]) -> dict[int, str]:
    return {each["id"]: f"{each['player']}/{each['bot']}" for each in document["entries"]}


def _standings(document: Mapping[str, Any]) -> Iterable[Sequence[Cell]]:
    """A line for each entry in each stage; every tie-break that any stage uses has a column."""
    who = _who(document)
    ties = list(
        dict.fromkeys(
            tie
            for stage in document["stages"]
            for row in stage["standings"]
            for tie in row["tie_breaks"]
        )
    )
    grouped = any(row["group"] for stage in document["stages"] for row in stage["standings"])
    group = ["group"] * grouped
    yield [
        "stage", *group, "rank", "bot", "entry", "points", "played", "byes", "withdrawn", *ties
    ]  # fmt: skip
    for stage in document["stages"]:
        for row in stage["standings"]:
            yield [
                stage["number"], *[row["group"] for _ in group], row["rank"], who[row["entry"]],
                row["entry"], row["points"], row["played"], row["byes"], row["withdrawn"],
                *(row["tie_breaks"].get(tie) for tie in ties),
            ]  # fmt: skip


def _tables(document: Mapping[str, Any]) -> Iterable[Sequence[Cell]]:
    """A line for each seat."""
    who = _who(document)
    yield [
        "stage", "round", "table", "name", "group", "bye", "left_out", "seat", "bot", "entry",
        "version", "place", "points", "margin", "failures", "matches", "closed_at", "note",
    ]  # fmt: skip
    for stage in document["stages"]:
        for round_ in stage["rounds"]:
            for table in round_["tables"]:
                for seat in table["seats"]:
                    yield [
                        stage["number"], round_["number"], table["number"], table["name"],
                        table["group"] or None, table["bye"], table["left_out"], seat["number"],
                        who[seat["entry"]], seat["entry"], seat["version"], seat["place"],
                        seat["points"], seat["margin"], seat["failures"],
                        " ".join(str(match) for match in table["matches"]), table["closed_at"],
                        table["note"],
                    ]  # fmt: skip


def _entries(document: Mapping[str, Any]) -> Iterable[Sequence[Cell]]:
    """A line for each entry; the list can be read again as one of entrants."""
    columns = [
        "player", "bot", "bot_id", "version", "seeding", "withdrawn_at", "withdrawn_reason",
        "disqualified",
    ]  # fmt: skip
    yield columns
    for entry in document["entries"]:
        yield [entry[column] for column in columns]


def season_sheet(document: Mapping[str, Any]) -> str:
    """The standings of a season's divisions, a line for each entrant."""
    ties = list(
        dict.fromkeys(
            tie
            for division in document["divisions"]
            for row in division["standings"]
            for tie in row["tie_breaks"]
        )
    )
    head = ("level", "division", "rank", "bot", "points", "played", "byes", "withdrawn")
    rows: list[Sequence[Cell]] = [[*head, "zone", "outcome", *ties]]
    for division in document["divisions"]:
        for row in division["standings"]:
            line = {**row, "level": division["level"], "division": division["name"]}
            line["bot"] = f"{row['player']}/{row['bot']}"
            values = [line[name] for name in head]
            values += [row["zone"], row["outcome"]]
            rows.append([*values, *(row["tie_breaks"].get(tie) for tie in ties)])
    return sheet(rows)
