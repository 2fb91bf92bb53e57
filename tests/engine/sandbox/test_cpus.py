"""All of a play shares one CPU, and that costs no bot its time however busy the machine is."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from engine import games
from engine.clock import TimeControl
from engine.referee import SeatProgram, play
from engine.sandbox import Limits, Program, Sandbox
from engine.sandbox.cpus import Pins

ALLOWED = os.sched_getaffinity(0)
NAME = f"slayer-test-{os.getpid()}"
SEVERAL = pytest.mark.skipif(len(ALLOWED) < 2, reason="this machine has one CPU")
LOOP = """
import os, sys
if sys.argv[1:]: os.sched_setaffinity(0, {int(sys.argv[1])})
print(flush=True)
while 1: pass
"""
SAY_WHERE = """
import json, os, sys, time
for line in sys.stdin:
    begin = time.process_time()
    while time.process_time() - begin < float(line): pass
    print(json.dumps(sorted(os.sched_getaffinity(0))), flush=True)
"""
THINKER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    begin = time.process_time()
    while time.process_time() - begin < 0.003: pass
    if message["type"] == "start": print('{"type":"ready"}', flush=True)
    elif message["type"] == "end": break
    else:
        action = message["legal_actions"][0]
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
"""


@contextmanager
def busy_loops(number: int, *cpu: int) -> Iterator[None]:
    """Programs that take what CPU time they can get; all of them do when this begins."""
    command = [sys.executable, "-S", "-c", LOOP, *map(str, cpu)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(number)]
    try:
        for each in running:
            assert each.stdout
            assert each.stdout.readline()
        yield
    finally:
        for each in running:
            each.kill()
        for each in running:
            each.communicate()


def test_bots_and_their_asker_share_one_cpu(
    sandbox: Sandbox, program: Callable[..., Program]
) -> None:
    where = program(SAY_WHERE)
    for _ in range(2):
        with sandbox.on_one_cpu():
            ours = os.sched_getaffinity(0)
            bots = [sandbox.start(where, Limits()) for _ in range(2)]
            theirs = [os.sched_getaffinity(bot.pid) for bot in bots]
            for bot in bots:
                bot.stop()
        assert len(ours) == 1
        assert theirs == [ours, ours]
        assert os.sched_getaffinity(0) == ALLOWED
    bot = sandbox.start(where, Limits())
    assert os.sched_getaffinity(bot.pid) == ALLOWED
    bot.stop()


@SEVERAL
def test_a_cpu_that_another_play_has_is_left_to_it() -> None:
    taken, *_ = ALLOWED
    with socket.socket(socket.AF_UNIX) as claim:
        claim.bind(f"\0{NAME}-{taken}")
        for _ in range(10):  # where to look first is drawn
            with Pins(NAME).take() as pin:
                assert pin
                assert pin.cpu != taken


def test_where_every_cpu_is_taken_a_play_goes_on_all_the_same() -> None:
    with ExitStack() as claims:
        for cpu in ALLOWED:
            claims.enter_context(socket.socket(socket.AF_UNIX)).bind(f"\0{NAME}-{cpu}")
        with Pins(NAME).take() as pin:
            assert pin
            assert os.sched_getaffinity(0) == {pin.cpu}
    assert os.sched_getaffinity(0) == ALLOWED


@SEVERAL
def test_a_bot_that_has_to_wait_for_its_cpu_gets_the_others(
    sandbox: Sandbox, program: Callable[..., Program]
) -> None:
    with sandbox.on_one_cpu():
        (cpu,) = os.sched_getaffinity(0)
        bot = sandbox.start(program(SAY_WHERE), Limits())
        assert bot.ask(b"0", cpu_ms=5000).line == f"[{cpu}]".encode()
        with busy_loops(6, cpu):
            bot.ask(b"0.5", cpu_ms=5000)
            assert os.sched_getaffinity(bot.pid) == ALLOWED
            assert os.sched_getaffinity(0) == ALLOWED
        bot.stop()
    with sandbox.on_one_cpu():
        assert len(os.sched_getaffinity(0)) == 1


def test_a_match_under_eight_busy_loops_forfeits_nobody(
    sandbox: Sandbox, program: Callable[..., Program]
) -> None:
    thinker = program(THINKER)
    with busy_loops(8):
        result = play(
            games.get("deca-slayer"),
            players=4,
            options={},
            seed="5e" * 32,
            seats=[SeatProgram(thinker, "0" * 64)] * 4,
            time=TimeControl(start_ms=5000, move_ms=12, bank_ms=100),
            sandbox=sandbox,
        )
    assert result.record.failures == []
    assert all(3 <= used <= 12 + 100 for used in result.record.cpu_ms if used is not None)
    assert None not in result.record.cpu_ms
