"""Bots in isolation: what a bot's caller sees, what is whose fault, and what is left."""

import base64
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.sandbox import (
    Bot,
    BotFailure,
    CannotIsolate,
    Limits,
    MachineFailure,
    Program,
    Sandbox,
    isolated,
)
from engine.sandbox.process import ProcessBot
from engine.sandbox.seccomp import machine_here
from tests.engine.sandbox.conftest import Start, wait_for_the_end_of

ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)\n"
LOOP = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
MakeProgram = Callable[..., Program]


def test_a_bot_answers_line_by_line_and_says_goodbye(start: Start) -> None:
    bot = start(ECHO + "print('bye', file=sys.stderr)\nsys.exit(4)")

    assert bot.ask(b"one", cpu_ms=3000).line == b"got one"
    assert bot.ask(b"two", cpu_ms=3000).line == b"got two"
    bot.tell(b"end")
    remains = bot.stop()

    assert (remains.exit_code, remains.signal) == (4, None)
    assert remains.stderr == b"bye\n"
    assert remains.peak_memory_bytes is not None
    assert 2 << 20 < remains.peak_memory_bytes < 64 << 20
    assert bot.stop() is remains
    with pytest.raises(RuntimeError):
        bot.ask(b"three", cpu_ms=3000)


def test_cpu_is_that_of_the_bot_and_sums_up(start: Start) -> None:
    # given a bot that measures itself
    bot = start("import sys, time\nfor line in sys.stdin: print(time.process_time(), flush=True)")

    # when it is asked three times
    answers = [bot.ask(b"?", cpu_ms=3000) for _ in range(3)]

    # then our sum from outside is its own count, up to what it uses around reading the clock
    total = 0.0
    for answer in answers:
        total += answer.cpu_ms
        # bwrap's and prlimit's share of the process is in its own count, but not in ours; until a
        # bot is stopped after its answer, it may run on where there is much to do
        assert -3 < float(answer.line) * 1e3 - total < 5
        assert answer.wall_ms > 0


def wait_until_it_rests(bot: Bot) -> None:
    """The signal that stops it is not dealt with before it gets a CPU once more."""
    assert isinstance(bot, ProcessBot)
    deadline = time.monotonic() + 30
    while not bot.rests():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_waiting_bot_does_not_run(start: Start) -> None:
    bot = start(
        "import sys, threading\n"
        "def burn():\n    while True: pass\n"
        "threading.Thread(target=burn, daemon=True).start()\n"
        "for line in sys.stdin: print(1, flush=True)"
    )
    clock = (~bot.pid << 3) | 2
    before_its_first_message = time.clock_gettime(clock)
    time.sleep(0.3)
    assert time.clock_gettime(clock) - before_its_first_message < 0.03

    bot.ask(b"?", cpu_ms=3000)
    wait_until_it_rests(bot)
    after_its_answer = time.clock_gettime(clock)
    time.sleep(0.3)
    # of 300 ms; it is said to be stopped a moment before it leaves the CPU
    assert time.clock_gettime(clock) - after_its_answer < 0.001


def test_a_bot_whose_threads_nap_stops_after_each_of_its_turns(start: Start) -> None:
    # as a virtual machine's do; told once, the kernel's freezer passes over some of them for ever
    bot = start(
        "import sys, threading, time\n"
        "def nap():\n    while True: time.sleep(0.0002)\n"
        "for _ in range(4): threading.Thread(target=nap, daemon=True).start()\n"
        "for line in sys.stdin: print(line, end='', flush=True)"
    )
    for turn in range(100):
        assert bot.ask(f"{turn}".encode(), cpu_ms=3000).line == f"{turn}".encode()


def test_output_without_a_request_is_a_flood(start: Start) -> None:
    # given a bot that goes on writing after its answer
    bot = start("import time\nprint(1, flush=True)\ntime.sleep(0.1)\nprint(2, flush=True)")
    bot.ask(b"?", cpu_ms=3000)
    os.kill(bot.pid, signal.SIGCONT)
    time.sleep(0.3)

    with pytest.raises(BotFailure) as failure:
        bot.ask(b"?", cpu_ms=3000)

    assert failure.value.reason == "flood"
    assert failure.value.received == b"2\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [("import time\ntime.sleep(1000)", "wall"), ("while True: pass", "time")],
)
def test_a_bot_that_never_reads_does_not_block_us(start: Start, source: str, reason: str) -> None:
    bot = start(source)

    begin = time.monotonic()
    with pytest.raises(BotFailure) as failure:
        bot.ask(b"x" * 2**20, cpu_ms=100)

    assert failure.value.reason == reason
    assert time.monotonic() - begin < 5


def test_a_large_request_and_an_answer_at_the_same_time(start: Start) -> None:
    # both pipes are full at once: neither side may wait for the other
    bot = start(
        "import sys\n"
        "while True:\n"
        "    first = sys.stdin.buffer.read(1)\n"
        "    sys.stderr.write('e' * 200000); sys.stderr.flush()\n"
        "    print(1 + len(sys.stdin.buffer.readline()), flush=True)"
    )
    for _ in range(2):
        assert bot.ask(b"x" * 2**20, cpu_ms=5000).line == b"1048577"


def test_time_beyond_the_limit_fails_even_with_an_answer(start: Start) -> None:
    bot = start(
        "import time\ninput()\nprint('ready', flush=True)\ninput()\n"
        "end = time.process_time() + 0.06\nwhile time.process_time() < end: pass\n"
        "print('late', flush=True)"
    )
    bot.ask(b"?", cpu_ms=3000)
    with pytest.raises(BotFailure) as failure:
        bot.ask(b"?", cpu_ms=20)
    assert failure.value.reason == "time"
    assert "the limit was 20 ms" in failure.value.message
    assert failure.value.cpu_ms > 20


def test_a_goodbye_is_bounded(start: Start) -> None:
    # a bot may use 0.2 s of CPU to end, and not wait for ever
    for source in ("while True: pass", "import time\ntime.sleep(1000)"):
        bot = start(f"input()\nprint(1, flush=True)\ninput()\n{source}")
        bot.ask(b"?", cpu_ms=3000)
        used_before = time.clock_gettime((~bot.pid << 3) | 2)
        begin = time.monotonic()
        bot.tell(b"end")
        assert time.monotonic() - begin < 3
        assert bot.stop().cpu_ms / 1e3 - used_before < 0.35


def test_many_bots_at_once(start: Start) -> None:
    bots = [start(ECHO) for _ in range(6)]
    for turn in range(5):
        for seat, bot in enumerate(bots):
            request = f"{turn} {seat}".encode()
            assert bot.ask(request, cpu_ms=3000).line == b"got " + request
    for bot in bots:
        assert bot.stop().exit_code is None


def test_a_bot_that_was_never_asked_is_stopped(start: Start) -> None:
    remains = start(ECHO).stop()
    assert (remains.exit_code, remains.signal, remains.cpu_ms) == (None, None, 0)


def test_closing_the_sandbox_stops_its_bots(sandbox: Sandbox, program: MakeProgram) -> None:
    made = isolated(minimum="landlock", name=sandbox.name)
    bot = made.start(program(ECHO), Limits())
    bot.ask(b"?", cpu_ms=3000)
    pid = bot.pid
    del bot  # even one that nobody else remembers
    made.close()
    assert not Path(f"/proc/{pid}").exists()


# Whose fault it is


def test_a_missing_entry_is_a_failed_start(sandbox: Sandbox, program: MakeProgram) -> None:
    made = program(ECHO)
    with pytest.raises(BotFailure, match=r"'gone\.py' is not a file") as failure:
        sandbox.start(Program(made.folder, "python", "gone.py"), Limits())
    assert failure.value.reason == "start"


ELF_HEAD = b"\x7fELF\x02\x01\x01" + bytes(9)
# Of the right kind, and naming one program header that would follow it.
WHOLE_HEADER = ELF_HEAD + struct.pack(
    *("<HHIQQQIHHHHHH", 2, {"x86_64": 62, "aarch64": 183}[machine_here()], 1, 0x400000),
    *(64, 0, 0, 64, 56, 1, 0, 0, 0),
)


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (b"\x00\x01 nothing known", 0o755, "is not a program"),
        (b"", 0o755, "is not a program"),
        (b"#!/bin/sh\necho 1\n", 0o644, "is not executable"),
        (ELF_HEAD + b"\x02\x00\x14\x00" + bytes(44), 0o755, "is for another machine"),  # PowerPC
        (WHOLE_HEADER, 0o755, "is cut off or has nothing to run"),
        (WHOLE_HEADER + b"echo run by a shell\n" * 9, 0o755, "is cut off or has nothing to run"),
        (
            b"\x7fELF\x01" + ELF_HEAD[5:] + b"\x02\x00\x03\x00" + bytes(44),
            0o755,
            "is for another machine",
        ),
        (b"#!/usr/bin/gone\n", 0o755, "failed to execute /bot/main"),
    ],
)
def test_a_program_that_cannot_be_executed(
    sandbox: Sandbox, program: MakeProgram, content: bytes, mode: int, message: str
) -> None:
    if "native" in sandbox.refusals:
        assert "without user namespaces" in sandbox.refusals["native"]
        return
    made = program(content, language="native", entry="main", mode=mode)

    def begin() -> None:
        bot = sandbox.start(made, Limits())
        try:
            bot.ask(b"?", cpu_ms=1000)
        finally:
            bot.stop()

    with pytest.raises(BotFailure, match=message) as failure:
        begin()
    assert failure.value.reason == "start"


def test_a_bot_cannot_pass_as_a_failure_of_the_machine(start: Start) -> None:
    bot = start(
        "import os, sys\n"
        "os.write(2, b'bwrap: Creating new namespace failed: No space left on device\\n')\n"
        "os._exit(1)"
    )
    with pytest.raises(BotFailure) as failure:
        bot.ask(b"?", cpu_ms=3000)
    assert failure.value.reason == "exit"


def test_a_bot_that_got_no_cpu_voids_the_attempt(start: Start) -> None:
    # given a bot that is one of nine that want the same CPU
    bot = start("input()\nprint(1, flush=True)\ninput()\nwhile True: pass")
    bot.ask(b"?", cpu_ms=3000)
    cpu = min(os.sched_getaffinity(0))
    os.sched_setaffinity(bot.pid, {cpu})
    others = [
        # Each in a session of its own: the scheduler may share out the CPU by sessions.
        subprocess.Popen([sys.executable, "-S", "-c", LOOP, str(cpu)], start_new_session=True)
        for _ in range(8)
    ]
    try:
        # when what it does takes CPU time, it is not to blame for the wall time
        with pytest.raises(MachineFailure, match="got no CPU"):
            bot.ask(b"?", cpu_ms=300)
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_a_bot_that_would_not_end(
    sandbox: Sandbox, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a process that SIGKILL does not end (asleep in the kernel): here it is not sent
    for module in ("launcher_bot", "bubblewrap_bot"):
        monkeypatch.setattr(f"engine.sandbox.{module}._END_S", 0.2)
    with isolated(minimum="landlock", name=sandbox.name) as made:
        bot = made.start(program("while True: pass"), Limits())
        pidfd = os.pidfd_open(bot.pid)
        monkeypatch.setattr(bot, "_end_by_force", lambda: None)
        with pytest.raises(BotFailure, match="the limit was 50 ms"):
            bot.ask(b"?", cpu_ms=50)
        with pytest.raises(MachineFailure, match="a bot did not end"):
            bot.stop()
        assert bot.stop().exit_code is None
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)  # under bwrap it died with its monitor
        os.close(pidfd)
        wait_for_the_end_of(bot.pid)


if os.geteuid() == 0:  # our own files are always readable for our own bots

    def test_a_package_that_others_cannot_read(sandbox: Sandbox, program: MakeProgram) -> None:
        made = program(ECHO, mode=0o600)
        with pytest.raises(MachineFailure, match=r"main\.py must be readable"):
            sandbox.start(made, Limits())


# Death of the worker


def test_nothing_outlives_a_killed_worker(
    sandbox: Sandbox, place: Path, program: MakeProgram
) -> None:
    made = program("while True: pass")
    script = place / "worker.py"
    script.write_text(
        "from pathlib import Path\n"
        "from engine.sandbox import *\n"
        f"program = Program(Path({str(made.folder)!r}), 'python', 'main.py')\n"
        f"sandbox = isolated(minimum='landlock', name={sandbox.name!r})\n"
        "asleep = sandbox.start(program, Limits())\n"
        "awake = sandbox.start(program, Limits())\n"
        "print(asleep.pid, awake.pid, flush=True)\n"
        "awake.ask(b'?', cpu_ms=60000)\n"
    )
    worker = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        stdout=subprocess.PIPE,
    )
    with worker:
        assert worker.stdout
        pids = [int(pid) for pid in worker.stdout.readline().split()]
        time.sleep(0.2)
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
        worker.kill()
    for pid in pids:
        wait_for_the_end_of(pid)


# Languages


def test_languages_here(sandbox: Sandbox) -> None:
    assert sandbox.isolated
    assert ("native" in sandbox.languages) == (sandbox.name != "landlock")
    assert "python" in sandbox.languages
    assert sandbox.python_version is not None
    assert set(sandbox.languages) | set(sandbox.refusals) == {
        "python",
        "javascript",
        "java",
        "native",
    }


def test_python_bots_run_on_no_virtual_environment(sandbox: Sandbox, start: Start) -> None:
    bot = start(
        "import sys\n"
        "print(sys.version.split()[0], sys.prefix == sys.base_prefix, sys.flags.hash_randomization,"
        " sys.flags.no_site, sys.flags.dont_write_bytecode, flush=True)"
    )
    version, *rest = bot.ask(b"?", cpu_ms=3000).line.decode().split()
    assert version == sandbox.python_version
    assert rest == ["True", "0", "1", "1"]


def test_a_language_that_is_not_here_is_refused_with_the_reason(
    sandbox: Sandbox, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_runtimes", {})
    monkeypatch.setattr(sandbox, "_refusals", {})
    monkeypatch.setattr("engine.sandbox.programs.runtimes", lambda language: iter(()))
    if sandbox.name == "landlock":
        assert "without user namespaces" in sandbox.refusals["javascript"]
        return
    with pytest.raises(CannotIsolate, match=r"python bots cannot run here.*install Python 3\.11"):
        sandbox.start(program(ECHO), Limits())
    assert "install Node.js" in sandbox.refusals["javascript"]
    assert sandbox.languages == ("native",)


def test_a_shell_script_plays(sandbox: Sandbox, program: MakeProgram) -> None:
    if "native" in sandbox.refusals:
        return
    source = '#!/bin/sh\nwhile read -r line; do echo "got $line"; done\n'
    bot = sandbox.start(program(source, language="native", entry="main"), Limits())
    try:
        assert bot.ask(b"one", cpu_ms=1000).line == b"got one"
        assert bot.ask(b"two", cpu_ms=1000).line == b"got two"
    finally:
        bot.stop()


NODE = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
    let refused = "";
    try { require("child_process").execSync("true") } catch (error) { refused = error.code }
    console.log(JSON.stringify([line, refused,
        Object.keys(process.env).filter((name) => name != "PWD").sort()]));
});
"""


def test_node_plays(sandbox: Sandbox, program: MakeProgram) -> None:
    if "javascript" in sandbox.refusals:
        assert re.search("install Node|without user namespaces", sandbox.refusals["javascript"])
        return
    made = program(NODE, language="javascript", entry="main.js")
    bot = sandbox.start(made, Limits())
    try:
        for _ in range(2):
            answer = bot.ask(b"hello", cpu_ms=5000)
            line, refused, variables = json.loads(answer.line)
            assert refused == ("" if sandbox.name == "ns+cgroup" else "EPERM")
            assert (line, variables) == ("hello", ["HOME", "PATH", "PYTHONHASHSEED"])
    finally:
        bot.stop()


# Reads from standard input and prints "got", compiled by javac --release 8 -g:none.
JAVA_BOT = base64.b64decode(
    """
yv66vgAAADQAKgoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWCQAIAAkHAAoMAA
sADAEAEGphdmEvbGFuZy9TeXN0ZW0BAAJpbgEAFUxqYXZhL2lvL0lucHV0U3RyZWFtOwoADgAPBwAQDAARABIBABNq
YXZhL2lvL0lucHV0U3RyZWFtAQAEcmVhZAEABShbQilJCQAIABQMABUAFgEAA291dAEAFUxqYXZhL2lvL1ByaW50U3
RyZWFtOwgAGAEAA2dvdAoAGgAbBwAcDAAdAB4BABNqYXZhL2lvL1ByaW50U3RyZWFtAQAHcHJpbnRsbgEAFShMamF2
YS9sYW5nL1N0cmluZzspVgcAIAEAA0JvdAEABENvZGUBAARtYWluAQAWKFtMamF2YS9sYW5nL1N0cmluZzspVgEADV
N0YWNrTWFwVGFibGUHACYBAAJbQgEACkV4Y2VwdGlvbnMHACkBABNqYXZhL2xhbmcvRXhjZXB0aW9uACEAHwACAAAA
AAACAAEABQAGAAEAIQAAABEAAQABAAAABSq3AAGxAAAAAAAJACIAIwACACEAAAA2AAIAAgAAABsQZLwITLIAByu2AA
2eAA6yABMSF7YAGaf/7rEAAAABACQAAAAJAAL8AAUHACUUACcAAAAEAAEAKAAA
"""
)


def test_java_plays(sandbox: Sandbox, program: MakeProgram) -> None:
    if "java" in sandbox.refusals:
        assert re.search("install a Java|without user namespaces", sandbox.refusals["java"])
        return
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Bot\n")
        archive.writestr("Bot.class", JAVA_BOT)
    made = program(jar.getvalue(), language="java", entry="bot.jar")
    bot = sandbox.start(made, Limits())
    try:
        for _ in range(2):
            assert bot.ask(b"hello", cpu_ms=5000).line == b"got"
    finally:
        bot.stop()


SLEEPER = "import time\nfor line in iter(input, ''): time.sleep(0.3); print(1, flush=True)"


def test_a_bot_that_sleeps_at_each_decision_runs_out(start: Start) -> None:
    # given 1 s in all, and a bot that sleeps for 0.3 s each time
    bot = start(SLEEPER, Limits(wait_s=1.0))
    answered = 0

    # when it is asked again and again, within the wall backstop each time
    def ask_on() -> None:
        nonlocal answered
        while answered < 10:
            bot.ask(b"?", cpu_ms=3000)
            answered += 1

    with pytest.raises(BotFailure, match="waited for more than 1 s in this play") as failure:
        ask_on()

    # then the fourth sleep is too much, or the fifth: the first 20 ms of each do not count
    assert failure.value.reason == "wall"
    assert answered in (3, 4)


def test_neither_computing_nor_being_kept_from_it_is_waiting(start: Start) -> None:
    # given a bot that must share one CPU with three others, and no time to wait
    source = (
        "import time\nfor line in iter(input, ''):\n"
        "    begin = time.process_time()\n"
        "    while time.process_time() - begin < 0.1: pass\n"
        "    print(1, flush=True)"
    )
    bot = start(source, Limits(wait_s=0.3))
    bot.ask(b"?", cpu_ms=3000)
    cpu = min(os.sched_getaffinity(0))
    os.sched_setaffinity(bot.pid, {cpu})
    others = [
        subprocess.Popen([sys.executable, "-S", "-c", LOOP, str(cpu)], start_new_session=True)
        for _ in range(3)
    ]
    try:
        # then it plays on, however long that takes
        waits = [bot.ask(b"?", cpu_ms=3000).wall_ms for _ in range(6)]
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert sum(waits) > 1000
