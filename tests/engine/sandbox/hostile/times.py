"""Bots that take more time than they have, or other bots' time."""

from engine.sandbox import Limits
from tests.engine.sandbox.hostile.case import LOOP_MS, Case

CASES: dict[str, Case] = {
    "infinite_loop": Case("facts()\nwhile True: pass", reason="time", cpu_ms=LOOP_MS),
    "loop_in_a_system_call": Case(
        "facts()\nwhile True: os.stat('/')", reason="time", cpu_ms=LOOP_MS
    ),
    "loop_in_many_threads": Case(
        """
import threading
facts()
def burn():
    while True: pass
for _ in range(8): threading.Thread(target=burn, daemon=True).start()
burn()
""",
        reason="time",
        cpu_ms=LOOP_MS,
    ),
    "sleep_forever": Case("facts()\ntime.sleep(1000)", reason="wall", cpu_ms=50),
    "sleep_at_each_decision": Case(
        "while facts() is not None: time.sleep(0.3); say(1)",
        asks=9,
        cpu_ms=3000,
        limits=Limits(wait_s=1.0),
        reason="wall",
        says="waited for more than 1 s in this play",
        holds=lambda outcome: len(outcome.answers) in (3, 4),
    ),
    "sleep_while_it_talks": Case(
        "while facts() is not None:\n"
        "    for _ in range(60): os.write(2, b'.'); time.sleep(0.005)\n"
        "    say(1)",
        asks=9,
        cpu_ms=3000,
        limits=Limits(wait_s=1.0),
        reason="wall",
        says="waited for more than 1 s in this play",
    ),
    "drip": Case(
        # Never silent for long, and never a line.
        "facts()\nwhile True: os.write(1, b'x'); time.sleep(0.02)",
        reason="wall",
        cpu_ms=50,
        holds=lambda outcome: set(outcome.failure.received) == {ord("x")},
    ),
    "partial_line": Case(
        "facts()\nsys.stdout.write('{\"id\"'); sys.stdout.flush()\ntime.sleep(1000)",
        reason="wall",
        cpu_ms=50,
        holds=lambda outcome: outcome.failure.received == b'{"id"',
    ),
    "slow_import": Case(
        """
import time
begin = time.process_time()
while time.process_time() - begin < 0.7: pass
import json, sys
for line in sys.stdin: print('"played"', flush=True)
""",
        prelude=False,
        answers=["played"],
        holds=lambda outcome: 700 < outcome.cpu_ms[0] < 3000,
    ),
    "cpu_burn_each_move": Case(
        """
while facts() is not None:
    begin = time.process_time()
    while time.process_time() - begin < 0.05: pass
    say("burnt")
""",
        asks=4,
        answers=["burnt"] * 4,
        holds=lambda outcome: all(50 <= used < 100 for used in outcome.cpu_ms[1:]),
    ),
    "cpu_past_the_hard_limit": Case(
        "facts()\nwhile True: pass",
        cpu_ms=60_000,
        limits=Limits(cpu_s=1),
        reason="killed",
        signal=9,
        holds=lambda outcome: 400 < outcome.remains.cpu_ms < 1200,  # as last seen
    ),
    "hard_limit_raised": Case(
        """
import resource
facts()
say([attempt(resource.setrlimit, number, (1 << 40, 1 << 40))
     for number in (resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_DATA,
                    resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)])
""",
        answers=[["ValueError"] * 6],  # "not allowed to raise maximum limit"
    ),
    "think_on_opponents_time": Case(
        """
import threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
while True:
    facts()
    say("thought")
""",
        asks=2,
        pause_s=0.3,
        answers=["thought"] * 2,
        holds=lambda outcome: max(outcome.cpu_ms[1:]) < 100,  # of 300 ms
    ),
    "set_clock": Case(
        "facts()\nsay(attempt(time.clock_settime, time.CLOCK_REALTIME, 0.0))", answers=["EPERM"]
    ),
    "sigstop_self": Case(
        # A PID 1 cannot be stopped from inside its namespace.
        "import signal\nfacts()\nos.kill(os.getpid(), signal.SIGSTOP)\nsay('plays on')",
        answers=["plays on"],
        on={"landlock": {"answers": [], "reason": "wall", "cpu_ms": 50}},
    ),
    "ignore_signals": Case(
        """
import signal
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    attempt(signal.signal, number, signal.SIG_IGN)
facts()
while True: pass
""",
        reason="time",
        cpu_ms=LOOP_MS,
    ),
}
