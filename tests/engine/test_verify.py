import random
import re
from dataclasses import replace

import pytest

from engine import games
from engine.local import play_local
from engine.record import Failure, Record
from engine.referee import play
from engine.verify import Mismatch, verify
from tests.engine.scripted import GAME, SEED, TIME, ScriptedSandbox, seats

DECA = games.get("deca-slayer")


def at_random(salt):
    chooser = random.Random(salt)
    return lambda observation, legal: chooser.choice(legal)


@pytest.fixture(scope="module")
def record():
    return play_local(DECA, players=4, seed=SEED, bots=[at_random(seat) for seat in range(4)])


def failing_play(**fails_at):
    """Four random players; `s1=20` makes seat 1 say nonsense at its 20th request."""

    def script(seat):
        chooser = random.Random(seat)
        asked = -1

        def reply(message):
            nonlocal asked
            asked += 1
            if asked == fails_at.get(f"s{seat}"):
                return b"nonsense"
            return chooser.choice(message.get("legal_actions", ["ready"]))

        return reply

    return play(
        DECA,
        players=4,
        options={},
        seed=SEED,
        seats=seats(4),
        time=TIME,
        sandbox=ScriptedSandbox(*(script(seat) for seat in range(4))),
    ).record


def differs(record):
    with pytest.raises(Mismatch) as caught:
        verify(record)
    return caught.value.where, str(caught.value)


def test_a_play_is_right_and_its_final_state_comes_back(record):
    state = verify(record)
    assert state.is_terminal()
    assert state.scores() == record.scores
    assert verify(Record.from_dict(record.to_dict())).ranks() == record.places


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"edition": "99"}, "no edition '99'"),
        ({"options": {"guilds": 1, "princesses": 0}}, "guilds"),
        ({"options": {"gold": 1}}, "unknown option 'gold'"),
        ({"options": {}}, "option '.*' has no value; a record names all options"),
        ({"players": 7}, "3 to 6 players"),
    ],
)
def test_a_deal_that_cannot_be(record, change, complaint):
    where, message = differs(replace(record, **change))
    assert where == "deal"
    assert re.match("deal: .*" + complaint, message)


def test_another_seed_differs_soon(record):
    where, _ = differs(replace(record, seed="5f" + SEED[2:]))
    assert where.startswith("action ")


def test_a_wrong_action_is_named_by_its_position(record):
    seat, index = record.actions[17]
    for wrong, complaint in (
        ((seat, 10**6), "index 1000000 is none of Deca Slayer's actions, 0 to 148"),
        (((seat + 1) % 4, index), f"seat {(seat + 1) % 4} acts; to decide: {seat}"),
        ((seat, 148), f"seat {seat} plays 'transmute dragon'; legal are: "),
    ):
        actions = [*record.actions[:17], wrong, *record.actions[18:]]
        where, message = differs(replace(record, actions=actions))
        assert where == "action 17"
        assert complaint in message


def test_too_few_and_too_many_actions(record):
    short = replace(record, actions=record.actions[:-1], cpu_ms=record.cpu_ms[:-1])
    last = record.actions[-1][0]
    assert differs(short) == (
        "end",
        f"end: the play is not over after the {len(short.actions)} actions of the record; "
        f"to decide: {last}",
    )
    long = replace(
        record, actions=[*record.actions, record.actions[-1]], cpu_ms=[*record.cpu_ms, None]
    )
    where, message = differs(long)
    assert where == f"action {len(record.actions)}"
    assert "the play is over" in message


def test_other_scores_and_places(record):
    scores = [score + 1 for score in record.scores]
    assert differs(replace(record, scores=scores)) == (
        "scores",
        f"scores: the record says {scores}; the play ends with {record.scores}",
    )
    assert differs(replace(record, places=[1, 1, 1, 1]))[0] == "places"


def test_a_play_with_failures_is_right():
    record = failing_play(s1=20, s2=0, s3=7)
    verify(record)
    assert [(failure.seat, failure.reason) for failure in record.failures] == [
        (1, "form"),
        (2, "form"),
        (3, "form"),
    ]
    assert record.places == [1, 2, 4, 3]


def test_a_stand_in_must_play_what_its_stream_gives():
    record = failing_play(s1=20)
    (failure,) = record.failures
    # The same actions as a bot's own choices, not as a stand-in's from an earlier decision on.
    own = [at for at, (seat, _) in enumerate(record.actions) if seat == 1 and at < failure.decision]
    earlier = replace(record, failures=[replace(failure, decision=own[5])])
    where, message = differs(earlier)
    assert where.startswith("action ")
    assert int(where.split()[1]) >= own[5]
    assert "the bot of seat 1 had failed and its stand-in plays" in message
    assert "by the rules it plays" in message


def test_a_stand_in_takes_no_cpu_time():
    record = failing_play(s1=20)
    position = record.failures[0].decision
    times = [*record.cpu_ms[:position], 5, *record.cpu_ms[position + 1 :]]
    assert differs(replace(record, cpu_ms=times)) == (
        f"action {position}",
        f"action {position}: seat 1's stand-in has a CPU time; only bots have",
    )


def test_a_failure_at_another_seats_decision_or_after_the_end(record):
    acting = record.actions[30][0]
    other = (acting + 1) % 4
    failure = Failure(other, 30, "time", "late")
    assert differs(replace(record, failures=[failure])) == (
        "failures",
        f"failures: seat {other} fails at decision 30, which was seat {acting}'s",
    )
    total = len(record.actions)
    where, message = differs(replace(record, failures=[replace(failure, decision=total)]))
    assert where == "failures"
    assert f"only {total} actions were applied" in message


def test_places_of_failed_seats_are_checked():
    record = failing_play(s1=20, s3=7)
    assert record.places[3] == 4
    swapped = [record.places[seat] for seat in (0, 3, 2, 1)]
    assert differs(replace(record, places=swapped))[0] == "places"


def test_failures_in_one_sealed_decision_share_a_place_when_verified(monkeypatch):
    monkeypatch.setattr(games, "get", lambda name, edition=None: GAME)

    def bid(message):
        return "low" if "low" in message.get("legal_actions", ()) else "bid 3"

    def nonsense(message):
        return bid(message) if message["type"] == "start" else b"nonsense"

    record = play(
        GAME,
        players=3,
        options={},
        seed=SEED,
        seats=seats(3),
        time=TIME,
        sandbox=ScriptedSandbox(nonsense, bid, nonsense),
    ).record
    assert record.failures[0].decision < record.failures[1].decision
    assert record.places == [2, 1, 2]
    verify(record)
