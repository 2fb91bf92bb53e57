"""Plays of real processes in the real sandbox, with bots that break every rule there is."""

import os
from textwrap import dedent

import pytest

from engine import sandbox
from engine.clock import TimeControl
from engine.record import Record
from engine.referee import SeatProgram, play
from engine.sandbox.tiers import BACK_ENDS
from tests.engine.scripted import GAME, SEED

# In a start or a decision that is to fail, half a second must do.
TIME = TimeControl(start_ms=3000, move_ms=50, bank_ms=100)

# Bids by the rules; what a wicked bot does instead stands in `meddle(message)`, for its messages
# counted from 0 (the start). Returning True means that it has answered, or will not.
BOT = """
import json, os, sys, time
def send(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
count = -1
for line in sys.stdin:
    message = json.loads(line)
    count += 1
    if message["type"] == "end":
        print("told", message["ranks"], file=sys.stderr)
        break
    if meddle(message, count):
        continue
    if message["type"] == "start":
        send('{"type":"ready"}')
    else:
        legal = message["legal_actions"]
        action = "low" if "low" in legal else "bid 2"
        send(json.dumps({"id": message["id"], "action": action}))
"""
HONEST = "def meddle(message, count): pass"


@pytest.fixture(scope="module")
def box():
    with sandbox.isolated() as isolated:
        yield isolated


def unless_void(play, *args, **named):
    """Play again, as a worker would, while this machine has too much to do for the short times."""
    for tries_left in reversed(range(12)):
        try:
            return play(*args, **named)
        except sandbox.MachineFailure as failure:
            if not tries_left or "too much to do" not in str(failure):
                raise
    raise AssertionError


@pytest.fixture
def table(box):
    """Plays one deal between bots that are given by their meddling, in seat order."""
    with sandbox.workspace() as folder:

        def run(*meddling, time=TIME, box=box, progress=None):
            seats = []
            for seat, text in enumerate(meddling):
                place = folder / str(seat)
                place.mkdir(exist_ok=True)
                place.chmod(0o755)
                (place / "main.py").write_text(dedent(text) + BOT)
                (place / "main.py").chmod(0o644)
                program = sandbox.Program(place, "python", "main.py")
                seats.append(SeatProgram(program, f"{seat:064x}"))
            return unless_void(
                play,
                GAME,
                players=len(seats),
                options={},
                seed=SEED,
                seats=seats,
                time=time,
                sandbox=box,
                progress=progress,
            )

        yield run


def test_honest_bots_play_to_the_end(table):
    result = table(HONEST, HONEST, HONEST)
    record = result.record
    assert record.failures == []
    assert (record.scores, record.places) == ([4, 4, 4], [1, 1, 1])
    assert (record.isolation in BACK_ENDS, record.cpu_measured) == (True, True)
    for log in result.logs:
        assert log.stderr == b"told [1, 1, 1]\n"
        assert log.exit_code == 0
        # What was asked is all that it used, but for its start and its end.
        assert 0 < sum(cpu_ms for _, cpu_ms, _ in log.asked) <= log.cpu_ms
    assert Record.from_dict(record.to_dict()) == record


def check(result, *, decision, reason, message, received, places):
    """The one failure is seat 1's, with this reason; its place is last, and the play went on."""
    record = result.record
    (failure,) = record.failures
    assert (failure.seat, failure.decision, failure.reason) == (1, decision, reason)
    assert message in failure.message
    log = result.logs[1]
    assert log.received.startswith(received) if received else log.received == b""
    assert len(log.received) <= 200
    assert record.places == places
    assert len([seat for seat, _ in record.actions if seat != 1]) == 6
    for seat in (0, 2):
        assert result.logs[seat].stderr == f"told {places}\n".encode()
    return log


SLEEP = "time.sleep(600)"
# What the bot does instead of getting ready: reason, part of the message, what it sent.
AT_THE_START = {
    "crashes at import": ("raise SystemExit(3)", "exit", "exit code 3", b""),
    "imports what is not there": ("import no_such_module", "exit", "exit code 1", b""),
    "does not parse": ("def def", "exit", "exit code 1", b""),
    "is silent": ("import time; " + SLEEP, "wall", "no whole line within 1.3 s", b""),
    "thinks for ever": ("while True: pass", "time", "the limit was 100 ms", b""),
    "says hello": ("print('hello', flush=True)", "form", "not JSON", b"hello"),
    "crashes in the machine": ("import ctypes; ctypes.string_at(0)", "killed", "SIGSEGV", b""),
}


@pytest.mark.parametrize("case", AT_THE_START)
def test_a_bot_that_never_gets_ready(table, case):
    wicked, reason, message, received = AT_THE_START[case]
    start_ms = 100 if reason in ("time", "wall") else 3000
    result = table(HONEST, wicked, HONEST, time=TimeControl(start_ms, 50, 100))
    log = check(
        result, decision=0, reason=reason, message=message, received=received, places=[1, 3, 1]
    )
    if case == "imports what is not there":
        assert b"no_such_module" in log.stderr
        assert log.exit_code == 1
    if case == "crashes in the machine":
        assert log.signal == 11


ID = "message['id']"
# The same in its second decision.
IN_A_DECISION = {
    "is silent": (SLEEP, "wall", "no whole line within 1.4 s", b""),
    "thinks for ever": ("while True: pass", "time", "the limit was 150 ms", b""),
    "plays what is not legal": (
        f"send(json.dumps(dict(id={ID}, action='low')))",
        "illegal",
        "the action 'low' is not legal here; legal are: 'think', 'bid 1', 'bid 2', 'bid 3'",
        b'{"id": "',
    ),
    "sends half a line": (
        "sys.stdout.write('{'); sys.stdout.flush(); " + SLEEP,
        "wall",
        "no whole line within 1.4 s",
        b"{",
    ),
    "ends in the middle of a line": (
        "sys.stdout.write('{\"id\"'); sys.exit()",
        "exit",
        "exit code 0",
        b'{"id"',
    ),
    "crashes": ("raise RuntimeError('lost')", "exit", "exit code 1", b""),
    "sends the wrong id": (
        "send(json.dumps(dict(id='0' * 16, action='bid 1')))",
        "form",
        "an answer must echo it",
        b'{"id": "0000',
    ),
    "answers twice": (
        f"line = json.dumps(dict(id={ID}, action='bid 1')); send(line + chr(10) + line)",
        "flood",
        "more than one line",
        b'{"id": "',
    ),
    "floods without a newline": (
        "\n    while True: sys.stdout.write('x' * 4096)",
        "flood",
        "a line of more than 65536 bytes",
        b"x" * 200,
    ),
    "floods with lines": (
        "\n    while True: send('yes' + chr(10) + 'yes')",
        "flood",
        "more than one line",
        b"yes\nyes\n",
    ),
    "closes its output": ("os.close(1); " + SLEEP, "exit", "closed its standard output", b""),
    "sends a list": ("send('[]')", "form", "a list instead of an object", b"[]"),
    "sends a number without end": (
        "send('{\"id\":' + '9' * 60000 + '}')",
        "form",
        "60000 digits",
        b'{"id":999',
    ),
    "nests without end": ("send('[' * 60000)", "form", "nested too deep", b"[[["),
}


@pytest.mark.parametrize("case", IN_A_DECISION)
def test_a_bot_that_fails_in_a_decision(table, case):
    does, reason, message, received = IN_A_DECISION[case]
    wicked = f"""
def meddle(message, count):
    if count != 2:
        return False
    {does}
    return True
"""
    result = table(HONEST, wicked, HONEST)
    # Three bids, a word, and seat 0's second bid came before.
    log = check(
        result, decision=5, reason=reason, message=message, received=received, places=[1, 3, 1]
    )
    assert log.sent.startswith(b'{"type":"decide"')
    if case == "crashes":
        assert b"RuntimeError: lost" in log.stderr


def test_an_answer_before_the_question_is_refused(table):
    # It knows the form of an answer, but not the id of the next request.
    wicked = """
def meddle(message, count):
    if count == 1:
        send(json.dumps(dict(id=message["id"], action="bid 2")))
        time.sleep(0.2)
        send(json.dumps(dict(id=message["id"], action="bid 2")))
        time.sleep(600)
"""
    result = table(HONEST, wicked, HONEST)
    check(
        result,
        decision=5,
        reason="form",
        message="an answer must echo it",
        received=b'{"id": "',
        places=[1, 3, 1],
    )


def test_a_bank_that_is_used_up_bit_by_bit(table):
    # 100 ms beyond the move time in each of three decisions, but a bank of 250 ms.
    wicked = """
def meddle(message, count):
    if count > 0:
        print(message["bank_ms"], file=sys.stderr)
        end = time.process_time() + 0.15
        while time.process_time() < end: pass
"""
    result = table(wicked, HONEST, time=TimeControl(3000, 50, 250))
    (failure,) = result.record.failures
    # Of seat 0's decisions (bid, word, bid, word) the third is the fourth action of the play.
    assert (failure.seat, failure.decision, failure.reason) == (0, 3, "time")
    told = [int(line) for line in result.logs[0].stderr.split()]
    assert told[0] == 250
    assert 120 <= told[1] <= 150
    assert 10 <= told[2] <= 50
    assert result.record.cpu_ms[0] >= 150


def test_a_bot_that_is_not_asked_uses_no_cpu(table):
    # Seat 0 burns in a second thread whenever it may run, while seat 1 takes its time.
    burner = """
import threading, time
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
def meddle(message, count): pass
"""
    thinker = """
def meddle(message, count):
    end = time.monotonic() + 0.5
    while time.monotonic() < end: pass
"""
    result = table(burner, thinker, time=TimeControl(5000, 5000, 5000))
    assert result.record.failures == []
    asked = result.logs[0].asked
    while_asked = sum(cpu_ms for _, cpu_ms, _ in asked)
    # The thinker ran for 1.5 s: a burner left running would have had most of it.
    assert result.logs[0].cpu_ms < while_asked + 250
    assert all(cpu_ms < 200 for decision, cpu_ms, _ in asked if decision)


def test_all_bots_fail_and_the_play_still_ends(table):
    wicked = "raise SystemExit(4)"
    record = table(wicked, wicked).record
    assert [failure.decision for failure in record.failures] == [0, 0]
    assert record.places == [1, 1]
    assert all(cpu_ms is None for cpu_ms in record.cpu_ms)


def test_an_aborted_play_leaves_no_process(table):
    class LeaseLost(Exception):
        pass

    def lose_it(applied):
        if applied == 4:
            raise LeaseLost

    before = set(children())
    with pytest.raises(LeaseLost):
        table(HONEST, HONEST, HONEST, progress=lose_it)
    assert set(children()) <= before


def children():
    own = os.getpid()
    for thread in os.listdir(f"/proc/{own}/task"):
        with open(f"/proc/{own}/task/{thread}/children") as file:
            yield from file.read().split()


def test_trusted_bots_run_as_ordinary_processes_and_the_record_says_so(table):
    with sandbox.plain() as plain:
        result = table(HONEST, "raise SystemExit(5)", HONEST, box=plain)
    assert result.record.isolation == "plain"
    check(result, decision=0, reason="exit", message="exit code 5", received=b"", places=[1, 3, 1])


def test_the_module_random_begins_with_the_seed_of_the_start_message(table):
    same = """
import random
first = random.random()
def meddle(message, count):
    if message["type"] == "start":
        print(first == random.Random(message["random_seed"]).random(), file=sys.stderr)
"""
    result = table(same, same)
    assert [log.stderr.split()[0] for log in result.logs] == [b"True", b"True"]
