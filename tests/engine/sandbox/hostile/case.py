"""What a hostile bot is: its source, what must come of it, and how that is found out."""

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.sandbox import (
    BotFailure,
    Limits,
    MachineFailure,
    Program,
    Remains,
    Sandbox,
    workspace,
)
from engine.sandbox.identity import bot_identity
from engine.sandbox.seccomp import machine_here
from engine.sandbox.syscalls import NUMBERS

# `facts()` waits for the next request; `call` is a raw system call.
PRELUDE = """
import errno, json, os, sys, time

def facts():
    return json.loads(sys.stdin.readline())

def say(value):
    print(json.dumps(value), flush=True)

def attempt(act, *args, **named):
    try:
        act(*args, **named)
    except OSError as error:
        return errno.errorcode[error.errno]
    except BaseException as error:
        return type(error).__name__
    return "done"

def call(name, *args):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    number = NUMBERS[name] if isinstance(name, str) else name
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args)) == -1:
        raise OSError(ctypes.get_errno(), "")

facts()
say("ready")
"""
PRELUDE = PRELUDE.replace("NUMBERS", repr(NUMBERS[machine_here()]))

START_MS = 4000.0
LOOP_MS = 200.0
ANY = -1
"""For a signal: whether the kernel or we were first to kill it does not matter."""


@dataclass(frozen=True)
class Outcome:
    answers: list[Any]
    failure: BotFailure | None
    remains: Remains
    cpu_ms: list[float]


@dataclass(frozen=True)
class Case:
    """A bot and what must come of it: its answers after the first, the reason of its failure (None:
    it plays on), the signal or exit code that ended it, and a further check of the outcome.

    `on` names what differs on some back end."""

    source: str
    answers: list[Any] | None = None
    reason: str | None = None
    signal: int | None = None
    exit_code: int | None = None
    says: str = ""
    asks: int = 1
    cpu_ms: float = 2000.0
    pause_s: float = 0.0
    limits: Limits = field(default_factory=Limits)
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    holds: Callable[[Outcome], bool] = lambda outcome: True
    prelude: bool = True
    on: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def case_on(case: Case, back_end: str) -> Case:
    """The case as it is on this back end."""
    return replace(case, **case.on.get(back_end, {}))


def bot_folder(place: Path, case: Case) -> Path:
    folder = place / "bot"
    folder.mkdir()
    folder.chmod(0o755)
    # A bot that is still alive after its last answer waits to be asked again.
    source = f"{PRELUDE}{case.source}\nfacts()\n" if case.prelude else case.source
    for name, content in {"main.py": source.encode(), **case.files}.items():
        path = folder / name
        path.write_bytes(content)
        path.chmod(0o755)
    for name, target in case.links.items():
        (folder / name).symlink_to(target)
    return folder


def play(sandbox: Sandbox, case: Case, *, facts: dict[str, Any] | None = None) -> Outcome:
    """Start the bot, ask it as often as the case says, stop it."""
    line = json.dumps(facts or {}).encode()
    answers: list[Any] = []
    used: list[float] = []
    failure = None
    with workspace() as place:
        program = Program(bot_folder(place, case), "python", "main.py")
        bot = sandbox.start(program, case.limits)
        try:
            for number in range(case.asks + 1):
                answer = bot.ask(line, cpu_ms=case.cpu_ms if number else START_MS)
                used.append(answer.cpu_ms)
                if number:
                    answers.append(json.loads(answer.line))
                time.sleep(case.pause_s)
        except BotFailure as error:
            failure = error
        finally:
            remains = bot.stop()
    return Outcome(answers, failure, remains, used)


def problem(case: Case, outcome: Outcome) -> str | None:
    """What differs from what must come of the case."""
    seen = (
        f"answers {repr(outcome.answers)[:2000]}, failure {outcome.failure!r} "
        f"({outcome.failure and outcome.failure.reason}), remains {outcome.remains!r}, "
        f"CPU {outcome.cpu_ms}"
    )
    reason = outcome.failure.reason if outcome.failure else None
    if reason != case.reason:
        return f"expected failure {case.reason!r}; {seen}"
    if case.answers is not None and outcome.answers != case.answers:
        return f"expected answers {case.answers!r}; {seen}"
    if case.says and (outcome.failure is None or case.says not in outcome.failure.message):
        return f"expected a message with {case.says!r}; {seen}"
    signal = outcome.remains.signal if case.signal == ANY else case.signal
    if (outcome.remains.signal, outcome.remains.exit_code) != (signal, case.exit_code):
        return f"expected signal {case.signal}, exit code {case.exit_code}; {seen}"
    if not case.holds(outcome):
        return f"the further check failed; {seen}"
    return None


@contextlib.contextmanager
def surroundings(place: Path) -> Iterator[dict[str, Any]]:
    """Real targets on the host: a readable file, a listening server, a process of the bots' own
    user. The bot is told where they are."""
    secret = place / "secret"
    secret.write_text("host secret\n")
    secret.chmod(0o644)
    victim = subprocess.Popen(["sleep", "60"], **bot_identity().popen_arguments())
    try:
        with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            unix.bind(f"\0slayer-test-{os.getpid()}")
            unix.listen()
            yield {
                "file": str(secret),
                "port": tcp.getsockname()[1],
                "abstract": unix.getsockname()[1:].decode(),
                "victim": victim.pid,
                "worker": os.getpid(),
            }
        if victim.poll() is not None:
            raise AssertionError("a bot reached a process of the host")
    finally:
        victim.kill()
        victim.wait()


def run(sandbox: Sandbox, case: Case) -> str | None:
    """Play a case among real surroundings; what went wrong, or None.

    An attempt that is void, because the machine has too much to do, is made again.
    """
    case = case_on(case, sandbox.name)
    for tries_left in reversed(range(12)):
        with workspace() as place, surroundings(place) as facts:
            try:
                return problem(case, play(sandbox, case, facts=facts))
            except MachineFailure as failure:
                if not tries_left or "too much to do" not in str(failure):
                    raise
    raise AssertionError
