"""Plain processes: the same rules for lines, output and time, without isolation."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.sandbox import BotFailure, CannotIsolate, Limits, Program, Sandbox, plain

MakeProgram = Callable[..., Program]
Begin = Callable[..., object]
ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)\n"


@pytest.fixture
def open_sandbox() -> Iterator[Sandbox]:
    with plain() as made:
        yield made


@pytest.fixture
def begin(open_sandbox: Sandbox, program: MakeProgram) -> Begin:
    def start(source: str, limits: Limits | None = None, **how: str) -> object:
        return open_sandbox.start(program(source, **how), limits or Limits())

    return start


def test_it_says_what_it_is(open_sandbox: Sandbox) -> None:
    assert (open_sandbox.name, open_sandbox.isolated) == ("plain", False)
    assert {"python", "native"} <= set(open_sandbox.languages)
    assert open_sandbox.python_version == ".".join(map(str, sys.version_info[:3]))


def test_a_bot_answers_line_by_line_and_says_goodbye(begin: Begin) -> None:
    bot = begin(ECHO + "print('bye', file=sys.stderr)\nsys.exit(4)")

    assert bot.ask(b"one", cpu_ms=3000).line == b"got one"
    assert bot.ask(b"two", cpu_ms=3000).line == b"got two"
    bot.tell(b"end")
    remains = bot.stop()

    assert (remains.exit_code, remains.signal) == (4, None)
    assert remains.stderr == b"bye\n"
    assert bot.stop() is remains


@pytest.mark.parametrize(
    ("source", "reason", "says"),
    [
        ("while True: pass", "time", "the limit was 100 ms"),
        ("import time\ntime.sleep(1000)", "wall", "no whole line within 1.3 s"),
        ("while True: print('x' * 100)", "flood", ""),
        ("input()\nprint('x' * 70000)", "flood", "65536"),
        ("input()\nprint(1)\nprint(2)", "flood", "one line"),
        ("raise SystemExit(3)", "exit", "exit code 3"),
        ("import os\nos.abort()", "killed", "SIGABRT"),
        ("import os, time\nos.close(1)\ntime.sleep(1000)", "exit", "closed its standard output"),
    ],
)
def test_a_bot_that_fails(begin: Begin, source: str, reason: str, says: str) -> None:
    bot = begin(source)
    with pytest.raises(BotFailure) as failure:
        bot.ask(b"x" * 2**20, cpu_ms=100 if reason in ("time", "wall") else 3000)
    assert failure.value.reason == reason
    assert says in failure.value.message


def test_standard_error_is_drained_and_bounded(begin: Begin) -> None:
    bot = begin("import sys\ninput()\nsys.stderr.write('e' * 2**20)\nprint(1)")
    assert bot.ask(b"?", cpu_ms=3000).line == b"1"
    remains = bot.stop()
    assert remains.stderr == b"e" * 65536
    assert remains.stderr_cut


def test_a_large_request_and_much_output_at_the_same_time(begin: Begin) -> None:
    bot = begin(
        "import sys\n"
        "while True:\n"
        "    first = sys.stdin.buffer.read(1)\n"
        "    sys.stderr.write('e' * 200000); sys.stderr.flush()\n"
        "    print(1 + len(sys.stdin.buffer.readline()), flush=True)"
    )
    for _ in range(2):
        assert bot.ask(b"x" * 2**20, cpu_ms=5000).line == b"1048577"


def test_all_that_it_started_ends_with_it(begin: Begin, place: Path) -> None:
    bot = begin(
        "import subprocess\n"
        "input()\n"
        "child = subprocess.Popen(['sleep', '1000'])\n"
        "print(child.pid, flush=True)\ninput()"
    )
    child = int(bot.ask(b"?", cpu_ms=3000).line)
    assert Path(f"/proc/{child}").exists()
    bot.stop()
    deadline = time.monotonic() + 5
    while _alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_waiting_bot_does_not_run(begin: Begin) -> None:
    bot = begin(
        "import sys, threading\n"
        "def burn():\n    while True: pass\n"
        "threading.Thread(target=burn, daemon=True).start()\n"
        "for line in sys.stdin: print(1, flush=True)"
    )
    assert bot.cpu_measured
    bot.ask(b"?", cpu_ms=3000)
    time.sleep(0.3)
    assert bot.ask(b"?", cpu_ms=3000).cpu_ms < 30


def test_where_cpu_cannot_be_measured_wall_time_counts(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a system whose clocks tell nothing of other processes
    monkeypatch.setattr(sys, "platform", "darwin")
    bot = begin("import time\nfor _ in '12': input(); time.sleep(0.2); print(1, flush=True)")
    assert not bot.cpu_measured

    # when a bot sleeps, that is its time; when it waits for us, it is not
    answer = bot.ask(b"?", cpu_ms=3000)
    assert 200 <= answer.cpu_ms <= answer.wall_ms + 1
    time.sleep(0.3)
    with pytest.raises(BotFailure, match=r"of time; the limit was 100 ms") as failure:
        bot.ask(b"?", cpu_ms=100)
    assert failure.value.reason == "time"


def test_only_a_few_variables_are_passed_on(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "not for bots")
    bot = begin("import os\nprint('SECRET_KEY' in os.environ, os.environ['PYTHONHASHSEED'])")
    assert bot.ask(b"?", cpu_ms=3000).line == b"False 0"


@pytest.mark.parametrize(
    ("content", "mode"), [("\x7fELF nothing", 0o755), ("#!/bin/sh\n", 0o644), ("#!/gone\n", 0o755)]
)
def test_a_program_that_cannot_be_executed(
    open_sandbox: Sandbox, program: MakeProgram, content: str, mode: int
) -> None:
    made = program(content, language="native", entry="main", mode=mode)
    with pytest.raises(BotFailure, match="'main' cannot be executed") as failure:
        open_sandbox.start(made, Limits())
    assert failure.value.reason == "start"


def test_a_language_that_is_not_here(program: MakeProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    sandbox = plain()
    assert sandbox.languages == ("python", "native")
    with pytest.raises(CannotIsolate, match="there is no node in PATH; install Node"):
        sandbox.start(program("", language="javascript"), Limits())


def test_closing_the_sandbox_stops_its_bots(open_sandbox: Sandbox, begin: Begin) -> None:
    bot = begin("input()\nimport os\nprint(os.getpid(), flush=True)\ninput()")
    pid = int(bot.ask(b"?", cpu_ms=3000).line)
    open_sandbox.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
