"""CPU cost of the sandbox: one bot from start to stop, one round trip, and a play of four bots.

    python3 -m tests.bench.bench_sandbox [--plain] [--rounds N]

CPU of everything is counted: ours, the bots', and bwrap's (user + system, our own and our reaped
children's).
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.sandbox import Limits, Program, Sandbox, isolated, plain, workspace

ECHO = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps({"id": message["id"], "action": message["legal_actions"][0]}), flush=True)
"""
REQUEST = b'{"id":"c81e728d9d4c2f63","legal_actions":["play knight","pass"]}'


def cpu_ms() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)


def measure(name: str, work: Callable[[], float], rounds: int, *, per: int = 1) -> None:
    """`work` returns the CPU of bots that still run after it, which nobody else counts yet."""
    cpu, wall = [], []
    work()
    for _ in range(rounds):
        begin, begin_s = cpu_ms(), time.perf_counter()
        uncounted = work()
        cpu.append((cpu_ms() - begin + uncounted) / per)
        wall.append((time.perf_counter() - begin_s) * 1e3 / per)
    print(
        f"{name:38} CPU ms median {statistics.median(cpu):8.3f} min {min(cpu):8.3f}   "
        f"wall ms median {statistics.median(wall):8.3f} min {min(wall):8.3f}"
    )


@contextmanager
def echo_bot() -> Iterator[Program]:
    with workspace() as place:
        folder = place / "bot"
        folder.mkdir()
        folder.chmod(0o755)
        entry = folder / "main.py"
        entry.write_text(ECHO)
        entry.chmod(0o644)
        yield Program(Path(folder), "python", "main.py")


def play(sandbox: Sandbox, program: Program, *, bots: int, moves: int) -> float:
    running = [sandbox.start(program, Limits()) for _ in range(bots)]
    for _ in range(moves):
        for bot in running:
            bot.ask(REQUEST, cpu_ms=5000)
    for bot in running:
        bot.stop()
    return 0.0


def round_trips(sandbox: Sandbox, program: Program, rounds: int) -> None:
    bot = sandbox.start(program, Limits())
    bot.ask(REQUEST, cpu_ms=5000)

    def hundred() -> float:
        return sum(bot.ask(REQUEST, cpu_ms=5000).cpu_ms for _ in range(100))

    try:
        measure("one request and answer (of 100)", hundred, rounds, per=100)
    finally:
        bot.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain", action="store_true", help="ordinary processes instead")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with plain() if options.plain else isolated() as sandbox, echo_bot() as program:
        print(f"{sandbox.name}, Python {sandbox.python_version}")
        rounds = options.rounds
        measure(
            "start, first answer, stop", lambda: play(sandbox, program, bots=1, moves=1), rounds
        )
        round_trips(sandbox, program, rounds)
        measure(
            "play: 4 bots, 60 moves each", lambda: play(sandbox, program, bots=4, moves=60), rounds
        )


if __name__ == "__main__":
    main()
