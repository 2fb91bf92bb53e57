"""CSV: what a spreadsheet makes of it."""

import csv
import io

import pytest

from tests.tournaments.interchange.documents import RULES, document, table
from tournaments.interchange.entrants import read_entrants
from tournaments.interchange.sheets import bracket_sheet, season_sheet, sheet
from tournaments.standings import TableResult, standings


def lines(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "＝1", "|cmd"])
def test_no_text_becomes_a_formula(text):
    assert lines(sheet([[text]])) == [[f"'{text}"]]


def test_numbers_stay_numbers_and_texts_are_quoted():
    assert sheet([[-1.5, 2, None, True, 'a "b", c', "Ä"]]) == '-1.5,2,,yes,"a ""b"", c",Ä\r\n'


def test_the_standings_of_a_bracket():
    rows = standings(
        [11, 12, 13], [[TableResult({11: 1, 12: 0})]], tie_breaks=["margin", "sonneborn-berger"]
    )
    head, *body = lines(bracket_sheet(document(3, [], rows=rows), "standings"))
    assert head == [
        "stage", "rank", "bot", "entry", "points", "played", "byes", "withdrawn", "margin",
        "sonneborn-berger",
    ]  # fmt: skip
    assert body[0] == ["1", "1", "ada/wolf-1", "11", "1.0", "1", "0", "no", "0.0", "0.0"]
    assert [line[2] for line in body] == ["ada/wolf-1", "ada/wolf-2", "ada/wolf-3"]


def test_a_line_for_each_seat():
    note = "=HYPERLINK()"
    made = document(2, [[table(1, 0.75, 0.25, note=note)]], rules=RULES)
    head, *body = lines(bracket_sheet(made, "tables"))
    one, two = (dict(zip(head, line, strict=True)) for line in body)
    assert (one["bot"], one["place"], one["points"]) == ("ada/wolf-1", "1", "0.75")
    assert (two["bot"], two["place"], two["note"]) == ("ada/wolf-2", "2", f"'{note}")


def test_the_entries_can_be_read_as_a_list_of_entrants():
    text = bracket_sheet(document(3, []), "entries")
    rows = read_entrants(text.encode(), "csv")
    assert [(row.bot, row.seeding) for row in rows] == [
        ("ada/wolf-1", 1), ("ada/wolf-2", 2), ("ada/wolf-3", 3),
    ]  # fmt: skip


def test_the_standings_of_a_season():
    row = {
        "rank": 1, "player": "ada", "bot": "wolf", "points": 0.75, "played": 2, "byes": 0,
        "withdrawn": False, "zone": "champion", "outcome": "", "tie_breaks": {"margin": -2.5},
    }  # fmt: skip
    season = {"divisions": [{"level": 1, "name": "Division 1", "standings": [row]}]}
    assert lines(season_sheet(season)) == [
        ["level", "division", "rank", "bot", "points", "played", "byes", "withdrawn", "zone",
         "outcome", "margin"],
        ["1", "Division 1", "1", "ada/wolf", "0.75", "2", "0", "no", "champion", "", "-2.5"],
    ]  # fmt: skip
