"""What is special about bubblewrap: its monitor, the starting thread, its own failures."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.sandbox import Limits, MachineFailure, Program
from engine.sandbox.bubblewrap import Bubblewrap
from tests.engine.sandbox.conftest import wait_for_the_end_of

ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)\n"
MakeProgram = Callable[..., Program]


@pytest.fixture(scope="session")
def bubblewrap() -> Iterator[Bubblewrap]:
    with Bubblewrap() as made:
        yield made


def test_a_bot_dies_with_the_thread_that_started_it(
    bubblewrap: Bubblewrap, program: MakeProgram
) -> None:
    made, bots = program(ECHO), []

    def begin() -> None:
        bots.append(bubblewrap.start(made, Limits()))
        bots[0].ask(b"?", cpu_ms=3000)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    wait_for_the_end_of(bots[0].pid)

    with pytest.raises(MachineFailure, match="the thread that started a bot ended"):
        bots[0].ask(b"?", cpu_ms=3000)
    bots[0].stop()


def test_a_killed_monitor_is_the_machines_fault(
    bubblewrap: Bubblewrap, program: MakeProgram
) -> None:
    bot = bubblewrap.start(program(ECHO), Limits())
    bot.ask(b"?", cpu_ms=3000)
    status = Path(f"/proc/{bot.pid}/status").read_text()
    parent = next(line for line in status.splitlines() if line.startswith("PPid:"))
    os.kill(int(parent.split()[1]), signal.SIGKILL)
    wait_for_the_end_of(bot.pid)

    with pytest.raises(MachineFailure, match="bubblewrap failed"):
        bot.ask(b"?", cpu_ms=3000)


def test_bwrap_that_fails_at_its_start(
    bubblewrap: Bubblewrap, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sandbox.confinement.isolation", lambda: ["--no-such-flag"])
    with pytest.raises(MachineFailure, match="bwrap: Unknown option --no-such-flag"):
        bubblewrap.start(program(ECHO), Limits())


def test_bwrap_that_fails_while_it_builds_the_sandbox(
    bubblewrap: Bubblewrap, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "engine.sandbox.confinement.file_system", lambda *_: ["--ro-bind", "/gone", "/bot"]
    )
    with pytest.raises(MachineFailure, match="Can't find source path /gone"):
        bubblewrap.start(program(ECHO), Limits()).ask(b"?", cpu_ms=1000)
    bubblewrap.close()


def test_no_process_to_be_had_is_the_machines_fault(
    bubblewrap: Bubblewrap, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", fails)
    with pytest.raises(MachineFailure, match="Resource temporarily unavailable"):
        bubblewrap.start(program(ECHO), Limits())
