"""What the referee says and does, message by message, with bots that answer from a script."""

import re

import pytest

from engine.chance import Chance
from engine.record import Failure, play_hash
from engine.referee import play
from engine.sandbox.api import Answer, BotFailure, MachineFailure
from tests.engine.scripted import GAME, SEED, TIME, ScriptedSandbox, answer, seats


def bid(value, *, word="low"):
    """A script: this bid each round, and for seat 0 the word."""

    def script(message):
        legal = message.get("legal_actions", ())
        return word if word in legal else f"bid {value}"

    return script


def at(decision, reply, script):
    """A script that gives this reply at its `decision`-th request (0 is the start)."""
    asked = -1

    def replying(message):
        nonlocal asked
        asked += 1
        if asked != decision:
            return script(message)
        return reply(message) if callable(reply) else reply

    return replying


def run(*scripts, **more):
    sandbox = ScriptedSandbox(*scripts)
    result = play(
        GAME,
        players=len(scripts),
        options={},
        seed=SEED,
        seats=seats(len(scripts)),
        time=TIME,
        sandbox=sandbox,
        **more,
    )
    return result, sandbox


def test_one_play_from_start_to_end():
    (record, logs), sandbox = unpacked(run(bid(1), bid(3)))
    # Two rounds of: both bid, seat 0 says a word.
    assert record.actions == [(0, 1), (1, 3), (0, 4)] * 2
    assert record.scores == [2, 6]
    assert record.places == [2, 1]
    assert record.failures == []
    assert record.packages == [f"{0:064x}", f"{1:064x}"]
    assert (record.isolation, record.cpu_measured) == ("scripted", True)
    assert record.time == TIME
    assert record.cpu_ms == [10] * 6
    # Started seat by seat, asked one at a time, told the end, stopped.
    journal = sandbox.journal
    assert journal[:2] == [("start", 0), ("start", 1)]
    assert journal[2:8] == [("decide", seat) for seat in (0, 1, 0, 0, 1, 0)]
    assert journal[8:10] == [("end", 0), ("end", 1)]
    assert sorted(journal[10:]) == [("stop", 0), ("stop", 1)]
    assert sandbox.bots[1].heard[-1] == {"type": "end", "scores": [2, 6], "ranks": [2, 1]}
    assert [log.stderr for log in logs] == [b"log of 0", b"log of 1"]
    assert logs[0].peak_memory_bytes == 1234
    assert logs[0].exit_code == 0


def unpacked(ran):
    result, sandbox = ran
    return (result.record, result.logs), sandbox


def test_ids_are_random_and_every_decide_is_complete():
    _, sandbox = run(bid(1), bid(3))
    _, again = run(bid(1), bid(3))
    asked = [m for bot in (*sandbox.bots, *again.bots) for m in bot.heard if "id" in m]
    ids = [message["id"] for message in asked]
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in ids)
    assert len(set(ids)) == 12
    for message in asked:
        assert message["observation"]
        assert message["legal_actions"]


def test_events_are_those_since_the_last_message_that_the_seat_may_see():
    _, sandbox = run(bid(1), bid(3))
    told = [
        [(event["kind"], event["visible_to"]) for event in message["events"]]
        for message in sandbox.bots[1].heard
        if message["type"] == "decide"
    ]
    assert told == [
        [("start", None), ("hint", [1])],
        [("bid", None), ("bid", None), ("said", None)],
    ]


def test_nothing_of_a_sealed_answer_reaches_the_others():
    heard = []
    for value in (1, 2, 3):
        _, sandbox = run(bid(value), bid(2), bid(2))
        message = dict(sandbox.bots[1].heard[1], id="")
        heard.append(message)
    assert heard[0] == heard[1] == heard[2]


def test_the_bank_pays_what_goes_beyond_the_move_time():
    def slow(cpu_ms):
        return lambda message: Answer(answer(message, "bid 1"), cpu_ms=cpu_ms, wall_ms=1.0)

    _, sandbox = run(at(1, slow(350.4), bid(1)), bid(1))
    bot = sandbox.bots[0]
    # start_ms for the start; then move_ms + bank_ms; then 250.4 ms less.
    assert bot.limits == [
        1000,
        600,
        pytest.approx(349.6),
        pytest.approx(349.6),
        pytest.approx(349.6),
    ]
    decides = [message for message in bot.heard if message["type"] == "decide"]
    assert [message["bank_ms"] for message in decides] == [500, 249, 249, 249]
    assert [message["previous_ms"] for message in decides] == [10, 350, 10, 10]


def test_the_limit_itself_is_in_time_and_one_more_millisecond_is_not():
    def slow(cpu_ms):
        return lambda message: Answer(answer(message, "bid 1"), cpu_ms=cpu_ms, wall_ms=1.0)

    result, _ = run(at(1, slow(600), bid(1)), bid(1))
    assert result.record.failures == []
    result, _ = run(at(1, slow(601), bid(1)), bid(1))
    assert [(f.seat, f.decision, f.reason) for f in result.record.failures] == [(0, 0, "time")]
    assert "601 ms" in result.record.failures[0].message
    assert "600 ms" in result.record.failures[0].message


LEGAL = "legal are: 'think', 'bid 1', 'bid 2', 'bid 3'"


@pytest.mark.parametrize(
    ("reply", "reason", "message", "received"),
    [
        (
            lambda m: answer(m, "bid 4"),
            "illegal",
            f"the action is not the game's; {LEGAL}",
            b'"bid 4"',
        ),
        (lambda m: answer({**m, "id": "00"}, "bid 1"), "form", '"id" of the answer', b'"00"'),
        (b"bid 1", "form", "not JSON", b"bid 1"),
        (lambda m: answer(m, "bid 1", note="n" * 201), "form", "201 characters", b'"id"'),
        (BotFailure("exit", "exit code 3", received=b"half", cpu_ms=4), "exit", "code 3", b"half"),
        (BotFailure("flood", "two lines", received=b"x" * 500), "flood", "two lines", b"x" * 200),
    ],
)
def test_a_failing_bot_is_stopped_and_its_reason_kept(reply, reason, message, received):
    result, sandbox = run(bid(1), at(2, reply, bid(3)), bid(2))
    (failure,) = result.record.failures
    # The second bid of seat 1: three bids, a word and seat 0's second bid came before.
    assert (failure.seat, failure.decision, failure.reason) == (1, 5, reason)
    assert message in failure.message
    assert received in result.logs[1].received
    assert len(result.logs[1].received) <= 200
    # It is stopped at once, asked no more and told nothing; its seat is last, the play goes on.
    journal = sandbox.journal
    assert journal.index(("stop", 1)) < journal.index(("end", 0))
    assert ("end", 1) not in journal
    assert journal.count(("stop", 1)) == 1
    assert len(result.record.actions) == 8
    assert result.record.places[1] == 3
    assert result.logs[1].stderr == b"log of 1"


def test_a_stand_in_plays_on_by_its_own_stream():
    result, _ = run(bid(1), at(1, b"?", bid(1)), bid(1))
    chance = Chance(SEED)
    drawn = []
    while len([index for index in drawn if index]) < 2:  # until two bids; 0 is `think`
        drawn.append(chance.below("stand-in-1", 4))
    record = result.record
    assert [index for seat, index in record.actions if seat == 1] == drawn
    assert [ms is None for ms in record.cpu_ms] == [seat == 1 for seat, _ in record.actions]


def test_a_game_can_ask_for_the_first_legal_action_instead(monkeypatch):
    monkeypatch.setattr(GAME, "stand_in", "first")
    monkeypatch.setattr(type(GAME), "actions", ("bid 2", "bid 1", "bid 3", "think", "low", "high"))
    monkeypatch.setattr(GAME, "action_index", {action: i for i, action in enumerate(GAME.actions)})
    result, _ = run(bid(1), at(1, b"?", bid(1)))
    assert [index for seat, index in result.record.actions if seat == 1] == [0, 0]


def test_seats_that_fail_in_the_same_sealed_decision_share_a_place():
    result, _ = run(at(1, b"?", bid(3)), at(1, b"?", bid(3)), bid(1))
    first, second = result.record.failures
    # Seat 0's stand-in may think first, so seat 1's failure comes one or more actions later.
    assert first.decision == 0
    assert second.decision >= 1
    assert result.record.places == [2, 2, 1]


def test_the_later_failure_stands_higher():
    result, sandbox = run(at(4, b"?", bid(1)), at(2, b"?", bid(1)), bid(1), at(0, b"?", bid(1)))
    assert [failure.seat for failure in result.record.failures] == [0, 1, 3]
    assert result.record.failures[2].decision == 0
    assert result.record.places == [2, 3, 1, 4]
    assert sandbox.bots[2].heard[-1]["ranks"] == [2, 3, 1, 4]


def test_when_all_have_failed_stand_ins_play_to_the_end():
    result, sandbox = run(at(0, b"{}", bid(1)), at(0, b"{}", bid(1)))
    record = result.record
    assert [(f.seat, f.decision, f.reason) for f in record.failures] == [
        (0, 0, "form"),
        (1, 0, "form"),
    ]
    assert record.places == [1, 1]
    assert all(ms is None for ms in record.cpu_ms)
    bids = [(seat, index) for seat, index in record.actions if 1 <= index <= 3]
    assert len(bids) == 4
    assert not [entry for entry in sandbox.journal if entry[0] == "end"]


def test_notes_are_kept_for_the_owner_and_are_not_in_the_record():
    result, _ = run(bid(1), at(2, lambda m: answer(m, "bid 2", note="I smell gold"), bid(1)))
    assert result.logs[1].notes == [(4, "I smell gold")]
    assert "gold" not in str(result.record.to_dict())


def test_what_was_asked_is_measured_also_for_a_failure():
    late = BotFailure("time", "out of time", cpu_ms=612.3456)
    result, _ = run(bid(1), at(2, late, bid(1)))
    asked = result.logs[1].asked
    assert [(decision, cpu_ms) for decision, cpu_ms, _ in asked] == [
        (None, 10.0),
        (1, 10.0),
        (4, 612.346),
    ]
    assert all(wall_ms >= 0 for _, _, wall_ms in asked)


@pytest.mark.parametrize("moment", [0, 1, 2])
def test_a_failure_of_the_machine_is_nobodys_and_leaves_no_bot(moment):
    sandbox = ScriptedSandbox(bid(1), at(moment, MachineFailure("no memory"), bid(1)), bid(1))
    with pytest.raises(MachineFailure, match="no memory"):
        play(GAME, players=3, options={}, seed=SEED, seats=seats(3), time=TIME, sandbox=sandbox)
    assert all(bot.stopped for bot in sandbox.bots)


def test_every_bot_is_stopped_even_when_stopping_one_fails():
    sandbox = ScriptedSandbox(bid(1), bid(1), bid(1))

    def fail(self):
        self.stopped += 1
        raise MachineFailure("cannot stop")

    start = sandbox.start

    def start_stubborn(program, limits, **named):
        bot = start(program, limits, **named)
        if bot.seat != 0:
            bot.stop = fail.__get__(bot)
        return bot

    sandbox.start = start_stubborn
    with pytest.raises(MachineFailure, match="cannot stop"):
        play(GAME, players=3, options={}, seed=SEED, seats=seats(3), time=TIME, sandbox=sandbox)
    assert [bot.stopped for bot in sandbox.bots] == [1, 1, 1]


def test_progress_counts_actions_and_can_end_the_play():
    counted = []
    run(bid(1), bid(1), progress=counted.append)
    assert counted == [0, 0, 1, 2, 3, 4, 5, 6]

    class LeaseLost(Exception):
        pass

    def lose_it(applied):
        if applied == 3:
            raise LeaseLost

    sandbox = ScriptedSandbox(bid(1), bid(1))
    with pytest.raises(LeaseLost):
        play(
            GAME,
            players=2,
            options={},
            seed=SEED,
            seats=seats(2),
            time=TIME,
            sandbox=sandbox,
            progress=lose_it,
        )
    assert all(bot.stopped for bot in sandbox.bots)


def test_rotation_changes_the_bots_own_seeds_only():
    first, sandbox = run(bid(1), bid(2), rotation=0)
    other, again = run(bid(1), bid(2), rotation=1)
    own = [[bot.heard[0].pop("random_seed") for bot in box.bots] for box in (sandbox, again)]
    assert len({*own[0], *own[1]}) == 4
    assert sandbox.bots[0].heard[0] == again.bots[0].heard[0]
    assert play_hash(first.record) == play_hash(other.record)


def test_a_deal_that_cannot_be_is_refused_before_any_bot_is_started():
    sandbox = ScriptedSandbox(bid(1), bid(1))
    deal = {"players": 2, "options": {}, "seed": SEED, "seats": seats(2), "rotation": 0}
    for wrong, complaint in (
        ({"players": 5}, "2 to 4 players"),
        ({"options": {"gold": 1}}, "unknown option 'gold'"),
        ({"seed": "5e"}, "64 lower-case hex digits"),
        ({"seats": seats(3)}, "2 players need as many programs, not 3"),
        ({"rotation": 256}, "rotation 256"),
    ):
        with pytest.raises(ValueError, match=complaint):
            play(GAME, time=TIME, sandbox=sandbox, **{**deal, **wrong})
    assert sandbox.bots == []


def test_a_long_illegal_action_and_a_long_list_are_cut():
    garbage = "\x1b[31m" + "x" * 10_000
    result, _ = run(at(1, lambda m: answer(m, garbage), bid(1)), bid(1))
    (failure,) = result.record.failures
    assert isinstance(failure, Failure)
    # The message is public, and what a bot sends is its owner's.
    assert failure.message.startswith("the action is not the game's; legal are: ")
    assert "x" * 5 not in failure.message
    assert len(failure.message) < 300
