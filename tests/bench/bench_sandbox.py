"""CPU cost of the sandbox beside bare processes, each variant in turn in every round.

    python3 -m tests.bench.bench_sandbox [--rounds N] [--cpus N] [BACK_END …]
    python3 -m tests.bench.bench_sandbox --plays 2000 [BACK_END …]

CPU of everything is counted, ours and that of all that we started (user and system), in a process
of its own for each variant, so that nothing that one leaves running is charged to another. Compare
rows of one run only. In the sandbox a play runs as a worker plays it, on one CPU; bare processes
run wherever the system puts them, among as many CPUs as `--cpus` says (all by default). Waking
another CPU of a virtual machine costs more than anything measured here, and at random: with
`--cpus 1` nothing does.

With `--plays` so many whole plays run one after the other in each back end, and what is there
before and after is shown; the memory of a waiting bot too (PSS: a page that several processes share
counts in parts).
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.sandbox import Limits, Program, Sandbox, isolated, plain, workspace
from engine.sandbox.tiers import BACK_ENDS

ECHO = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps({"id": message["id"], "action": message["legal_actions"][0]}), flush=True)
"""
REQUEST = b'{"id":"c81e728d9d4c2f63","legal_actions":["play knight","pass"]}'
BOTS, DECISIONS = 4, 240
FLOOR, BARE, PLAIN = "raw pipes (cat)", "bare python3", "plain"
Play = Callable[[int, int], None]
"""Start so many bots, ask for so many decisions in turn, stop them."""


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


def bare(command: Sequence[str]) -> Play:
    def play(bots: int, decisions: int) -> None:
        running = [
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env={}
            )
            for _ in range(bots)
        ]
        for decision in range(decisions):
            bot = running[decision % bots]
            assert bot.stdin
            assert bot.stdout
            bot.stdin.write(REQUEST + b"\n")
            assert bot.stdout.read(65536).endswith(b"\n")
        for bot in running:
            with bot:
                bot.kill()

    return play


def sandboxed(sandbox: Sandbox, program: Program) -> Play:
    def play(bots: int, decisions: int) -> None:
        with sandbox.on_one_cpu():
            running = [sandbox.start(program, Limits()) for _ in range(bots)]
            for decision in range(decisions):
                running[decision % bots].ask(REQUEST, cpu_ms=5000)
            for bot in running:
                bot.stop()

    return play


def cpu_ms() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)


def python_of_bots() -> Sequence[str]:
    """The interpreter of Python bots, as anyone would start it."""
    with isolated() as sandbox:
        runtime = getattr(sandbox, "_runtimes")["python"]  # noqa: B009
        return (runtime.command[0],)


def variant(name: str, program: Program) -> tuple[Play, Sandbox | None]:
    if name == FLOOR:
        return bare(["/bin/cat"]), None
    if name == BARE:
        return bare([*python_of_bots(), str(program.folder / program.entry)]), None
    sandbox = plain() if name == PLAIN else isolated(minimum="landlock", name=name)
    return sandboxed(sandbox, program), sandbox


def waiting_memory(sandbox: Sandbox, program: Program, bots: int) -> tuple[float, float]:
    """Proportional and private memory of a bot that waits for its next decision, in MiB."""
    running = [sandbox.start(program, Limits()) for _ in range(bots)]
    try:
        for bot in running:
            bot.ask(REQUEST, cpu_ms=5000)
        texts = [Path(f"/proc/{getattr(bot, 'pid')}/smaps_rollup").read_text() for bot in running]  # noqa: B009
    finally:
        for bot in running:
            bot.stop()
    fields = [dict(line.split(":") for line in text.splitlines()[1:]) for text in texts]

    def mean(*names: str) -> float:
        found = [sum(int(each[name].split()[0]) for name in names) for each in fields]
        return statistics.mean(found) / 1024

    return mean("Pss"), mean("Private_Clean", "Private_Dirty")


def left(launcher: int | None) -> dict[str, int]:
    """What could leak."""
    children = [
        child
        for pid in ("self", *([launcher] if launcher else []))
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return {
        "processes": len(children),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "launcher's": len(os.listdir(f"/proc/{launcher}/fd")) if launcher else 0,
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "groups": sum(1 for _ in Path("/sys/fs/cgroup").glob(f"**/slayer-{os.getpid()}-*/*/")),
        "our KiB": resident_kib("self"),
        "launcher's KiB": resident_kib(launcher) if launcher else 0,
    }


def resident_kib(pid: object) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("RssAnon:")[1].split()[0])


def many_plays(name: str, plays: int) -> None:
    with echo_bot() as program, isolated(minimum="landlock", name=name) as sandbox:
        launcher = getattr(getattr(sandbox, "_process", None), "pid", None)
        play = sandboxed(sandbox, program)
        for _ in range(20):
            play(BOTS, 8)
        before = left(launcher)
        for _ in range(plays):
            play(BOTS, 8)
        after = left(launcher)
        print(f"{name}: {plays} plays of {BOTS} bots and 8 decisions")
        for what in before:
            print(f"  {what:16} {before[what]:8} before {after[what]:8} after")
        for bots in (1, 4, 16):
            proportional, private = waiting_memory(sandbox, program, bots)
            print(
                f"  {bots:2} waiting bots: {proportional:.2f} MiB each (PSS), {private:.2f} private"
            )


def serve(name: str) -> None:
    """Play what is asked for on standard input, one line each: times, bots and decisions.

    Answers with the CPU and the wall time of one play, in ms.
    """
    with echo_bot() as program:
        play, sandbox = variant(name, program)
        launcher = getattr(getattr(sandbox, "_process", None), "pid", None)
        play(1, 1)
        print(json.dumps(name), flush=True)
        for line in sys.stdin:
            times, bots, decisions = json.loads(line)
            begin, begin_s = cpu_ms() + launcher_ms(launcher), time.perf_counter()
            for _ in range(times):
                play(bots, decisions)
            used = cpu_ms() + launcher_ms(launcher) - begin
            wall = 1e3 * (time.perf_counter() - begin_s)
            print(json.dumps([used / times, wall / times]), flush=True)
        if sandbox is not None:
            sandbox.close()


def launcher_ms(pid: int | None) -> float:
    """User and system time of a process and of the children that it has reaped (proc_pid_stat(5)),
    to a hundredth of a second: one play alone would be lost in it."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 1e3 / os.sysconf("SC_CLK_TCK")


class Variant:
    """A process that plays in one way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.bench_sandbox", "--serve", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout
        self.works = bool(self._process.stdout.readline())

    def measure(self, times: int, bots: int, decisions: int) -> float:
        process = self._process
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps([times, bots, decisions]) + "\n")
        process.stdin.flush()
        cpu: float = json.loads(process.stdout.readline())[0]
        return cpu

    def close(self) -> None:
        with self._process:
            pass


def table(title: str, variants: Sequence[Variant], rounds: int, *play: int) -> None:
    found: dict[str, list[float]] = {each.name: [] for each in variants}
    for _ in range(rounds):
        for each in variants:
            found[each.name].append(each.measure(*play))
    middle = {name: statistics.median(values) for name, values in found.items()}
    print(f"{title}\n{'':18} CPU ms median      min   x bare  x floor")
    for name, values in found.items():
        print(
            f"{name:18} {middle[name]:13.2f} {min(values):8.2f} "
            f"{middle[name] / middle[BARE]:8.2f} {middle[name] / middle[FLOOR]:8.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpus", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--plays", type=int)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("back_ends", nargs="*", default=list(BACK_ENDS))
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    if options.plays:
        for name in options.back_ends:
            many_plays(name, options.plays)
        return
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-options.cpus :])
    variants = [Variant(name) for name in (FLOOR, BARE, *options.back_ends, PLAIN)]
    try:
        able = [each for each in variants if each.works]
        for each in set(variants) - set(able):
            print(f"{each.name}: not on this machine")
        table("One bot: start, first decision, stop", able, options.rounds, 10, 1, 1)
        table(
            f"A play: {BOTS} bots, {DECISIONS} decisions", able, options.rounds, 4, BOTS, DECISIONS
        )
    finally:
        for each in variants:
            each.close()


if __name__ == "__main__":
    main()
