"""Lists of entrants: every kind that is read, and what is said of one that cannot be."""

import json

import pytest

from bots.faults import UserFault
from tests.tournaments.interchange.documents import document
from tournaments.interchange.crosstable import report_of
from tournaments.interchange.entrants import Entrant, RowsRefused, kind_of, read_entrants
from tournaments.interchange.trf import write


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("bot\nada/wolf\n", [Entrant("line 2", "ada/wolf")]),
        ("Bot;Seeding\r\nada/wolf;2\r\n", [Entrant("line 2", "ada/wolf", 2)]),
        ("player\tbot\tnote\nada\twolf\tx\n", [Entrant("line 2", "ada/wolf")]),
        ("bot_id,seeding\n17,\n\n18,1\n", [Entrant("line 2", 17), Entrant("line 4", 18, 1)]),
        ('bot\n"ada/wolf"\n', [Entrant("line 2", "ada/wolf")]),
    ],
)
def test_csv(text, rows):
    assert read_entrants(text.encode(), "csv") == rows
    assert read_entrants(b"\xef\xbb\xbf" + text.encode(), "csv") == rows


def test_json():
    values = ["ada/wolf", 17, {"bot": 18, "seeding": 3}, {"player": "ada", "bot": "fox"}]
    rows = [
        Entrant("row 1", "ada/wolf"), Entrant("row 2", 17), Entrant("row 3", 18, 3),
        Entrant("row 4", "ada/fox"),
    ]  # fmt: skip
    assert read_entrants(json.dumps(values).encode(), "json") == rows
    assert read_entrants(json.dumps({"entries": values}).encode(), "json") == rows


def test_a_report_gives_names_and_starting_ranks():
    made = document(2, [])
    made["entries"][1]["player"] = "a-very-long-handle-of-some-people"
    text = write(report_of(made))
    assert read_entrants(text.encode(), "trf") == [
        Entrant("player 1", "ada/wolf-1", 1),
        Entrant("player 2", 102, 2),  # its name is cut off; its id stands beside it
    ]


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (b"", "csv", "first line names the columns"),
        (b"bot\n", "csv", "names nobody"),
        (b"name\nwolf\n", "csv", "it needs bot"),
        (b"bot,seeding\nada/wolf,first\n", "csv", "line 2: seeding must be a number"),
        (b"PK\0\0", "csv", "not a text file"),
        (b"{", "json", "This is no JSON"),
        (b"[" * 100_000, "json", "This is no JSON"),
        (b'"ada/wolf"', "json", "A list of entrants is a JSON list"),
        (b'[{"name": "wolf"}]', "json", "row 1: an entrant is"),
        (b'[{"bot": 1, "seeding": 0}]', "json", "row 1: an entrant is"),
        (b"[true]", "json", "row 1: an entrant is"),
        (b"001    x", "trf", "line 1, column 5"),
        (b"bot\n" + b"ada/wolf\n" * 10_001, "csv", "at most 10000 entrants, not 10001"),
    ],
)
def test_a_list_that_cannot_be_read_says_why(data, kind, said):
    with pytest.raises(UserFault, match=said):
        read_entrants(data, kind)


def test_the_kind_is_told_by_the_name():
    assert [kind_of(name) for name in ("a.csv", "A.TRF", "a.b.json")] == ["csv", "trf", "json"]
    with pytest.raises(UserFault, match=r"is a \.csv, \.json or \.trf file"):
        kind_of("entrants.xlsx")


def test_a_refusal_counts_and_shows_the_first_rows():
    fault = RowsRefused([(f"row {n}", "why") for n in range(1, 6)], 9)
    assert fault.message == (
        "Nothing was entered: 5 of 9 rows are wrong "
        "(row 1: why; row 2: why; row 3: why; and 2 more)"
    )
    assert fault.errors[4] == {"field": "row 5", "message": "why"}
