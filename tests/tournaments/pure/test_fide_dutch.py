"""Rounds by FIDE's Dutch system: every one is what gacrux's checker finds in the report of it.

The report is written by the tests, column by column, so that the checker reads what happened and
not what our module told its engine.
"""

import random
import sys
import warnings
from collections import Counter

import pytest
from gacrux.pairingchecker import pairingchecker

from tests.tournaments.pure.chess_events import Event, seed
from tournaments.pairing import CannotDraw
from tournaments.pairing.fide_dutch import MOST_ENTRANTS, RULESET, Game, PastRound, draw


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """What gacrux's checker says of a report: its last line."""

    def check(report):
        source, result = tmp_path / "event.trf", tmp_path / "result"
        source.write_text(report, newline="\n")
        arguments = f"checker -i {source} -o {result} -f TRF -m dutch -c -d T"
        monkeypatch.setattr(sys, "argv", arguments.split())
        pairingchecker().common_main()
        return result.read_text().splitlines()[-1]

    return check


def test_rounds_are_what_the_checker_finds(checked):
    rounds = Counter()
    for number in range(100):
        event = Event(number)
        while len(event.past) < event.rounds and event.play():
            rounds["drawn"] += 1
        if event.past and event.colour:
            assert checked(event.report()) == "Check: True", number
            rounds["checked"] += len(event.past)
        for earlier in event.past:
            rounds["byes"] += len(earlier.byes)
            rounds["forfeits"] += sum(not game.played for game in earlier.games)
        rounds["withdrawn"] += len(event.gone)
    assert rounds["checked"] >= 350
    assert min(rounds[what] for what in ("byes", "forfeits", "withdrawn")) >= 20


def test_the_checker_finds_a_round_that_is_not_by_the_rules(checked):
    event = Event(1)
    while event.play() and len(event.past) < 3:
        pass
    one, other, *rest = event.past[0].games
    crossed = (Game(one.first, other.second, one.score), Game(other.first, one.second, other.score))
    event.past = [PastRound((*crossed, *rest), event.past[0].byes)]
    assert checked(event.report()) == "Check: False"


def test_the_first_round_of_eight():
    # The upper half against the lower, colours in turn (C.04.3, example of round 1).
    drawn = draw(range(1, 9), [], seed(0), field=range(1, 9), rounds=3)
    assert [set(table) for table in drawn.tables] == [{1, 5}, {2, 6}, {3, 7}, {4, 8}]
    assert len({min(a, b) == a for a, b in drawn.tables[0::2]}) == 1
    assert {min(a, b) == a for a, b in drawn.tables} == {True, False}
    assert [reason.kind for reason in drawn.reasons] == ["ruleset"]
    assert drawn.reasons[0].text.startswith(f"Paired by {RULESET} (gacrux 1.")


def test_the_lowest_gets_the_bye():
    drawn = draw(range(5), [], seed(0), field=range(5), rounds=3)
    assert drawn.byes == (4,)
    assert [(r.kind, r.entrants) for r in drawn.reasons[1:]] == [("bye", (4,))]


def test_the_seed_draws_who_sits_first_and_nothing_else():
    drawn = [draw(range(8), [], seed(i), field=range(8), rounds=3) for i in range(20)]
    assert len({d.tables[0] for d in drawn}) == 2
    assert len({tuple(frozenset(t) for t in d.tables) for d in drawn}) == 1
    # From round 2 on it is as it was drawn in round 1, whatever the seed.
    past = [PastRound(tuple(Game(a, b, 0.5) for a, b in drawn[0].tables))]
    later = {draw(range(8), past, seed(i), field=range(8), rounds=3) for i in range(20)}
    assert len(later) == 1


def test_names_and_the_order_of_rows_do_not_matter():
    event = Event(4)
    event.play()
    event.play()
    here = event.here()
    drawn = event.draw(here)
    rng = random.Random(0)
    for earlier in event.past:
        assert earlier.games
    event.past = [PastRound(tuple(rng.sample(p.games, len(p.games))), p.byes) for p in event.past]
    assert event.draw(rng.sample(sorted(here), len(here))) == drawn
    name = {e: 5000 - e for e in event.field}
    renamed = draw(
        [name[e] for e in here],
        [
            PastRound(
                tuple(Game(name[g.first], name[g.second], g.score, g.played) for g in p.games),
                tuple(name[e] for e in p.byes),
            )
            for p in event.past
        ],
        seed(4),
        field=[name[e] for e in event.field],
        rounds=event.rounds,
    )
    assert renamed.tables == tuple((name[a], name[b]) for a, b in drawn.tables)


def test_nothing_else_of_the_process_is_touched():
    state = random.getstate()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(range(6), [], seed(0), field=range(6), rounds=3)
    assert random.getstate() == state


def test_too_many_entrants_are_refused_with_the_reason():
    field = range(MOST_ENTRANTS + 1)
    with pytest.raises(CannotDraw, match="for up to 300 entrants, not for 301: an exact pairing"):
        draw(field, [], seed(0), field=field, rounds=9)


def test_a_field_that_has_met_cannot_be_paired():
    past = [PastRound((Game(1, 2, 1),))]
    with pytest.raises(CannotDraw, match="allows no pairing of these 2 entrants"):
        draw([1, 2], past, seed(0), field=[1, 2], rounds=3)
    # A forfeit is no meeting, nor is a table that was left out.
    for score in (1, None, 0.5):
        past = [PastRound((Game(1, 2, score, played=False),))]
        assert set(draw([1, 2], past, seed(0), field=[1, 2], rounds=3).tables[0]) == {1, 2}


def test_no_contest_gives_half_a_point_to_both():
    # With half a point for all five the bye goes to who has played; with nothing for 2 and 4 to
    # one of them, the lowest.
    level = Game(1, 3, 0.5)
    for score, out in ((0.5, {3}), (None, {2, 4})):
        past = [PastRound((level, Game(2, 4, score, played=False)), byes=(5,))]
        drawn = draw(range(1, 6), past, seed(0), field=range(1, 6), rounds=3)
        assert set(drawn.byes) <= out


@pytest.mark.parametrize("n", [0, 1])
def test_nobody_to_meet(n):
    with pytest.raises(CannotDraw, match=f"{n} entrants cannot fill a table"):
        draw(range(n), [], seed(0), field=range(n), rounds=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"field": [1, 2, 2]}, "twice"),
        ({"present": [1, 9]}, r"\[9\] are not in the field"),
        ({"past": [PastRound((Game(1, 9, 1),))]}, r"\[9\] are not in the field"),
        ({"past": [PastRound((Game(1, 2, 1),), byes=(1,))]}, "twice in round 1"),
        ({"past": [PastRound((Game(1, 2, None),))]}, "1 and 2 played without a score"),
        ({"rounds": 0}, "all of the 0 rounds"),
        ({"seed": "seed"}, "64 lower-case hex digits"),
    ],
)
def test_bad_input_is_refused(change, message):
    options = {"present": [1, 2], "past": [], "seed": seed(0), "field": [1, 2, 3], "rounds": 3}
    options |= change
    with pytest.raises(ValueError, match=message):
        draw(
            options.pop("present"),
            options.pop("past"),
            options.pop("seed"),
            **options,
        )
