"""Plays without end in one sandbox: whatever a play takes it must give back.

    python3 -m tests.soak.plays --plays 2000

Counted after the first hundredth and after the last play: open files, threads, child processes,
memory of the playing process, folders of plays and control groups. Exit status 1 if any of them has
grown.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from engine import games
from engine.clock import TimeControl
from engine.house import house_package
from engine.package import read
from engine.referee import SeatProgram, play
from engine.sandbox import isolated, workspace
from tests.faults import process_tree

GAME = "deca-slayer"
MOST_GROWTH_KB = 8 * 1024  # caches that fill up


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.soak.plays")
    parser.add_argument("--plays", type=int, default=2000, help="in a row (2000)")
    arguments = parser.parse_args()
    data = house_package(GAME, "random")
    package = read(data, filename="random.zip", game=GAME)
    game = games.get(GAME)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="slayer-soak-") as own, isolated() as sandbox:
        os.chmod(own, 0o711)  # bots pass through it
        tempfile.tempdir = own
        print(f"{arguments.plays} plays of {GAME}, three bots each, in {sandbox.name}")
        first: dict[str, int] = {}
        for number in range(1, arguments.plays + 1):
            with workspace() as folder:
                program = SeatProgram(package.unpack(folder / "bot"), package.sha256)
                played = play(
                    game,
                    players=3,
                    options=game.check_options(None, 3),
                    seed=hashlib.sha256(str(number).encode()).hexdigest(),
                    rotation=0,
                    seats=[program] * 3,
                    time=TimeControl(),
                    sandbox=sandbox,
                )
            assert not played.record.failures, played.record.failures
            if number == min(100, arguments.plays):
                first = taken()
                print(f"after {number:5} plays: {first}", flush=True)
        last = taken()
        print(f"after {arguments.plays:5} plays: {last}")
    print(f"{time.monotonic() - begun:.0f} s")
    grown = {
        name: (first[name], number)
        for name, number in last.items()
        if number - first[name] > (MOST_GROWTH_KB if name == "memory_kB" else 0)
    }
    if grown:
        print(f"Grown: {grown}")
    return 1 if grown else 0


def taken() -> dict[str, int]:
    """What this process and the sandbox's processes hold."""
    below = process_tree.descendants_of(os.getpid())
    return {
        "files": _files(os.getpid()),
        "files_of_launcher": sum(_files(pid) for pid in below),
        "threads": threading.active_count(),
        "processes": len(below),
        "memory_kB": _memory_kb(os.getpid()) + sum(_memory_kb(pid) for pid in below),
        "folders": len(os.listdir(tempfile.gettempdir())),
        "control_groups": _groups(),
    }


def _files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _memory_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


def _groups() -> int:
    """Control groups that this process has made."""
    root = Path("/sys/fs/cgroup")
    return sum(f"slayer-{os.getpid()}" in path.name for path in root.rglob("slayer-*"))


if __name__ == "__main__":
    sys.exit(main())
