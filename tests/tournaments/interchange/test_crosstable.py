"""A stage as a tournament report: results, refusals, and gacrux as a second opinion."""

from decimal import Decimal

import pytest
from gacrux.pairingchecker import pairingchecker
from gacrux.tiebreakchecker import tiebreakchecker

from tests.tournaments.interchange.documents import RULES, document, fide_swiss, table
from tests.tournaments.interchange.oracle import ask
from tournaments.interchange.crosstable import report_of
from tournaments.interchange.trf import Game, TrfError, read, write


def games(report):
    return {player.number: player.games for player in report.players}


def test_results_are_those_of_the_tables():
    rounds = [
        [table(1, 0.75, 0.25), table(2, 0.5, 0.5, entries=(14, 13))],
        [table(1, 0.0, 1.0, entries=(13, 11)), table(2, 0.5, entries=(12,), bye=True)],
        [
            table(1, 0.5, 0.5, left_out=True, places=[None, None]),
            table(2, 0.0, 0.5, entries=(13, 14), places=[None, None]),
        ],
    ]
    absent = rounds[2][1]["seats"][0]
    absent["version"] = None  # its only version was suspended
    report = report_of(document(4, rounds))
    assert games(report) == {
        1: (Game(2, "w", "1"), Game(3, "b", "1"), Game(0, "-", "H")),
        2: (Game(1, "b", "0"), Game(0, "-", "U"), Game(0, "-", "H")),
        3: (Game(4, "b", "="), Game(1, "w", "0"), Game(4, "w", "-")),
        4: (Game(3, "w", "="), Game(0, "-", "Z"), Game(3, "b", "+")),
    }
    assert [player.points for player in report.players] == [
        Decimal("2.5"), Decimal("1.0"), Decimal("0.5"), Decimal("1.5"),
    ]  # fmt: skip
    assert report.players[0].name == "ada/wolf-1"
    assert report.players[0].fide_number == "101"
    assert read(write(report)) == report
    assert read(write(report, 16)).players == report.players


def test_an_open_round_is_not_reported_yet():
    one = document(2, [[table(1, 1.0, 0.0)], [table(1, None, None, places=[None, None])]])
    one["stages"][0]["rounds"][1]["closed_at"] = None
    assert games(report_of(one)) == {1: (Game(2, "w", "1"),), 2: (Game(1, "b", "0"),)}


def test_several_tables_of_one_entry_in_one_drawing_take_a_round_each():
    drawing = [
        table(1, 1.0, 0.0),
        table(2, 1.0, 0.0, entries=(11, 13)),
        table(3, 0.0, 1.0, entries=(12, 13)),
    ]
    report = report_of(document(3, [drawing], format="round-robin"))
    absent = Game(0, "-", "Z")
    assert games(report) == {
        1: (Game(2, "w", "1"), Game(3, "w", "1"), absent),
        2: (Game(1, "b", "0"), absent, Game(3, "w", "0")),
        3: (absent, Game(1, "b", "0"), Game(2, "b", "1")),
    }
    assert (report.rounds, len(report.dates)) == (3, 3)
    assert report.type_code == "CUSTOM_ROUNDROBIN"


def test_tie_breaks_are_named_only_where_the_report_says_what_the_standings_say():
    whole = report_of(document(2, [[table(1, 1.0, 0.0)]]))
    assert whole.standing_order == ("PTS", "BH/C1", "BH", "SB")
    parted = report_of(document(2, [[table(1, 0.75, 0.25)]]))
    assert parted.standing_order == ()
    assert any("mean place points" in comment for comment in parted.comments)
    own = RULES | {"tie_breaks": ["sonneborn-berger", "margin", "wins"]}
    assert report_of(document(2, [[table(1, 1.0, 0.0)]], rules=own)).standing_order == ("PTS", "SB")


def test_what_trf_cannot_hold_is_refused_with_the_way_out():
    with pytest.raises(TrfError, match=r"tables of 3, and TRF knows .* as JSON or CSV"):
        report_of(document(3, [], rules=RULES | {"table_size": 3}))
    with pytest.raises(TrfError, match="at most 9999 players, this stage 10000"):
        report_of(document(10_000, []))
    two = document(2, [])
    two["stages"].append({**two["stages"][0], "number": 2})
    with pytest.raises(TrfError, match="say which of 1, 2"):
        report_of(two)
    with pytest.raises(TrfError, match="there is no stage 3"):
        report_of(two, 3)
    assert report_of(two, 2).players


@pytest.mark.parametrize(("count", "rounds", "seed"), [(8, 4, 1), (13, 5, 2), (20, 7, 3)])
def test_gacrux_finds_our_fide_rounds_right_in_our_report(
    count, rounds, seed, tmp_path, monkeypatch
):
    file = tmp_path / "cup.trf"
    file.write_bytes(write(report_of(fide_swiss(count, rounds, seed))).encode())
    answer = ask(pairingchecker, file, monkeypatch, "-c")
    assert answer["status"]["code"] == 0, answer["status"]
    assert answer["pairingResult"]["check"] is True


def test_gacrux_finds_a_round_wrong_that_is_wrong(tmp_path, monkeypatch):
    wrong = fide_swiss(8, 3, 1)
    first = wrong["stages"][0]["rounds"][0]["tables"]
    one, two = first[0]["seats"][1], first[1]["seats"][1]
    one["entry"], two["entry"] = two["entry"], one["entry"]
    file = tmp_path / "cup.trf"
    file.write_bytes(write(report_of(wrong)).encode())
    assert ask(pairingchecker, file, monkeypatch, "-c")["pairingResult"]["check"] is False


@pytest.mark.parametrize(("count", "rounds", "seed"), [(8, 4, 4), (20, 7, 5)])
def test_gacrux_ranks_a_report_as_our_standings_do(count, rounds, seed, tmp_path, monkeypatch):
    played = fide_swiss(count, rounds, seed)
    report = report_of(played)
    assert report.standing_order == ("PTS", "BH/C1", "BH", "SB")
    file = tmp_path / "cup.trf"
    file.write_bytes(write(report).encode())
    answer = ask(tiebreakchecker, file, monkeypatch, "-c", "-s", "-t", *report.standing_order)
    found = {each["cid"]: each for each in answer["tiebreakResult"]["competitors"]}
    for row in played["stages"][0]["standings"]:
        theirs = found[row["entry"] - 10]
        assert theirs["rank"] == row["rank"]
        assert [float(value) for value in theirs["tiebreakScore"]] == pytest.approx(
            [row["points"], *row["tie_breaks"].values()]
        )
