"""Tie-breaks at tables of two are those that gacrux's tie-break checker works out."""

import random
import sys
from decimal import Decimal
from fractions import Fraction as F

import pytest
from gacrux.tiebreakchecker import tiebreakchecker

from tests.tournaments.pure.chess_events import Event
from tournaments.pairing.fide_dutch import Game, PastRound
from tournaments.pairing.round_robin import berger
from tournaments.standings import TIE_BREAKS, TableResult, standings

FIDE = {tie_break.fide: name for name, tie_break in TIE_BREAKS.items() if tie_break.fide}


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """gacrux's values of some tie-breaks of a report, by entrant and code, and its ranks."""

    def check(event, codes, *options):
        source, result = tmp_path / "event.trf", tmp_path / "result"
        source.write_text(event.report(), newline="\n")
        arguments = ["checker", "-i", str(source), "-o", str(result), "-f", "TRF", "-d", "T"]
        monkeypatch.setattr(sys, "argv", [*arguments, *options, "-t", *codes])
        tiebreakchecker().common_main()
        head, *lines = result.read_text().splitlines()
        assert head.split("\t") == ["StartNo", "Rank", *codes]
        cells = {event.field[int(n) - 1]: rest for n, *rest in (line.split("\t") for line in lines)}
        values = {e: dict(zip(codes, own[1:], strict=True)) for e, own in cells.items()}
        return values, {entrant: int(own[0]) for entrant, own in cells.items()}

    return check


def results(event):
    """The rounds of a chess event as tables of a bracket."""
    rounds = []
    for earlier in event.past:
        tables = [TableResult({entrant: 0}, bye=True) for entrant in earlier.byes]
        for game in earlier.games:
            first = game.score or 0
            second = 0 if game.score is None else 1 - game.score
            tables.append(
                TableResult({game.first: first, game.second: second}, forfeit=not game.played)
            )
        rounds.append(tables)
    return rounds


def test_a_swiss_with_forfeits_byes_and_absences(checked):
    codes = ["PTS", "BH", "BH/C1", "BH/M1", "SB", "WON"]
    compared = forfeits = byes = 0
    for number in range(60):
        event = Event(number)
        while len(event.past) < event.rounds and event.play():
            pass
        event.rounds = len(event.past)
        if not event.colour:
            continue
        names = [FIDE[code] for code in codes[1:]]
        rows = standings(event.field, results(event), tie_breaks=names)
        if any(row.byes and row.points != event.points()[row.entrant] for row in rows):
            # Here a bye can be worth more than half a point, there it cannot.
            continue
        theirs, ranks = checked(event, codes, "-s")
        for row in rows:
            ours = {"PTS": row.points} | {c: row.tie_breaks[FIDE[c]] for c in codes[1:]}
            assert ours == {code: F(value) for code, value in theirs[row.entrant].items()}, number
            assert row.rank == ranks[row.entrant]
        compared += 1
        forfeits += sum(not game.played for past in event.past for game in past.games)
        byes += sum(len(past.byes) for past in event.past)
    assert compared >= 30
    assert min(forfeits, byes) >= 20


def round_robin(field, score):
    """Everybody against everybody; score(a, b) of the first."""
    event = Event(0)
    event.field, event.gone = field, set()
    event.past = [
        PastRound(tuple(Game(field[a], field[b], score(field[a], field[b])) for a, b in pairs))
        for pairs in berger(len(field))
    ]
    event.rounds, event.colour = len(event.past), "W"
    return event


def test_direct_encounter_and_sonneborn_berger_of_a_round_robin(checked):
    for number in range(30):
        rng = random.Random(number)
        event = round_robin(
            rng.sample(range(100), rng.choice((4, 5, 6, 8))),
            lambda a, b, rng=rng: rng.choice((0, 0.5, 0.5, 1)),
        )
        for names in (["head-to-head"], ["sonneborn-berger", "head-to-head"]):
            codes = ["PTS", *(TIE_BREAKS[name].fide for name in names)]
            _, ranks = checked(event, codes, "-p")
            rows = standings(event.field, results(event), scoring="mean", tie_breaks=names)
            assert {row.entrant: row.rank for row in rows} == ranks, number


def test_direct_encounter_is_applied_anew_among_those_whom_it_left_equal(checked):
    # 1 to 4 have three points each. Among them 1 and 2 have two, 3 and 4 have one; then 1 beat 2
    # and 3 beat 4.
    beat = {(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (4, 1), (1, 6), (2, 5), (5, 1), (6, 2)}
    beat |= {(3, 5), (3, 6), (4, 5), (4, 6), (5, 6)}
    event = round_robin([1, 2, 3, 4, 5, 6], lambda a, b: int((a, b) in beat))
    rows = standings(event.field, results(event), tie_breaks=["head-to-head"])
    assert [(row.entrant, row.rank, row.points) for row in rows[:4]] == [
        (1, 1, 3),
        (2, 2, 3),
        (3, 3, 3),
        (4, 4, 3),
    ]
    assert [row.tie_breaks["head-to-head"] for row in rows[:4]] == [2, 2, 1, 1]
    assert [row.again for row in rows[:4]] == [(1,), (0,), (1,), (0,)]
    _, ranks = checked(event, ["PTS", "DE"], "-p")
    assert {row.entrant: row.rank for row in rows} == ranks


def test_the_values_that_the_report_adds_up_to(checked):
    # The report is not made by our standings, so that both sides come from the results.
    event = Event(3)
    while len(event.past) < event.rounds and event.play():
        pass
    values, _ = checked(event, ["PTS"], "-s")
    assert {e: Decimal(own["PTS"]) for e, own in values.items()} == {
        e: Decimal(str(points)) for e, points in event.points().items()
    }
