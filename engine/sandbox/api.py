"""What every back end of the sandbox offers: programs, limits, bots, and what goes wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

MIB = 1024 * 1024


@dataclass(frozen=True)
class Program:
    """An unpacked, checked package.

    `folder` is what the bot sees, read-only, as /bot; `entry` is a path below it; `language` is
    one of python, javascript, java, native. Where the sandbox's user differs from ours (when we
    are root) the folder must be open to others (folders 0755, files 0644 or 0755), and every
    folder above it must let others pass; `engine.sandbox.workspace()` makes such a place.
    """

    folder: Path
    language: str
    entry: str


@dataclass(frozen=True)
class Limits:
    """What one bot may use during one play; sizes in bytes, `cpu_s` in seconds of CPU."""

    memory_bytes: int = 256 * MIB
    file_bytes: int = 16 * MIB
    tmp_bytes: int = 16 * MIB
    tmp_files: int = 1024
    """Files and folders in /tmp; bubblewrap only looks at it now and then."""
    open_files: int = 64
    processes: int = 32
    """Threads, and processes where the back end allows more than one."""
    line_bytes: int = 64 * 1024
    turn_bytes: int = 256 * 1024
    play_bytes: int = 16 * MIB
    """All of standard output over the whole play."""
    stderr_bytes: int = 64 * 1024
    """How much of standard error is kept; the rest is read and dropped."""
    cpu_s: int = 300
    """The kernel's hard stop behind the clocks."""
    wait_s: float = 30.0
    """How long a bot may wait in all during one play, neither using CPU nor ready to: a bot that
    sleeps must not take the wall backstop at every decision. Waits of a few milliseconds do not
    count, and time in which the machine did not let it run never does."""


@dataclass(frozen=True)
class Answer:
    """One line from the bot, without its newline, and what it cost.

    `cpu_ms` counts everything since the previous answer; it is wall time where the bot's
    `cpu_measured` is False.
    """

    line: bytes
    cpu_ms: float
    wall_ms: float


@dataclass(frozen=True)
class Remains:
    """What is left of a bot after its end.

    `exit_code` is set when it ended by itself, `signal` when a signal ended it, neither when it
    still ran and was stopped. `peak_memory_bytes` is None where it could not be read; under
    bubblewrap it is the largest that was seen, which misses what a bot grew just before it ended.
    """

    exit_code: int | None
    signal: int | None
    cpu_ms: float
    peak_memory_bytes: int | None
    stderr: bytes
    stderr_cut: bool


class BotFailure(Exception):
    """The bot is at fault. `reason` is one of `engine.faults.REASONS`, `message` says what happened
    and what was expected, `received` holds the first 200 bytes that the bot sent in place of an
    answer, `cpu_ms` what it used since its last answer."""

    def __init__(
        self, reason: str, message: str, *, received: bytes = b"", cpu_ms: float = 0.0
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.received = received[:200]
        self.cpu_ms = cpu_ms


class MachineFailure(Exception):
    """The machine or the sandbox is at fault: the attempt is void and no bot is to blame."""


class CannotIsolate(Exception):
    """This machine cannot run the program in isolation; the message says what is missing and how
    to get it."""


class DoesNotHold(CannotIsolate):
    """A bot of ours got out, or reached what it must not: the message names every hole."""


class Bot(ABC):
    """One running program. It uses no CPU except inside `ask` and `tell`."""

    cpu_measured: bool
    """False where CPU time could not be measured and wall time counts instead."""

    @abstractmethod
    def ask(self, line: bytes, *, cpu_ms: float) -> Answer:
        """Send one line (without newline) and wait for exactly one whole line.

        The bot may use `cpu_ms` of CPU time; the wall backstop is 3 × that + 1000 ms. Raises
        BotFailure or MachineFailure; after either, only `stop` is left to call.
        """

    @abstractmethod
    def tell(self, line: bytes) -> None:
        """Send the last line (without newline), to which no answer is expected.

        Closes the bot's standard input after it and gives the bot at most 0.2 s of CPU to end by
        itself. Never raises BotFailure; after it, only `stop` is left to call.
        """

    @abstractmethod
    def stop(self) -> Remains:
        """Kill everything of the bot and reap it; the same Remains again if called again.

        MachineFailure if it would not end.
        """


class Sandbox(ABC):
    """A way to run programs. Its bots must be started by a thread that outlives them."""

    name: str
    """As replays record it: "plain", or one of `engine.sandbox.tiers.BACK_ENDS`."""
    isolated: bool

    @property
    @abstractmethod
    def refusals(self) -> Mapping[str, str]:
        """The languages that cannot run here, each with what is missing and how to get it."""

    @property
    @abstractmethod
    def languages(self) -> tuple[str, ...]:
        """The languages that can run here."""

    @property
    @abstractmethod
    def python_version(self) -> str | None:
        """The version of Python that Python bots run on, like "3.11.7"; None if they cannot."""

    @abstractmethod
    def start(self, program: Program, limits: Limits, *, random_seed: int = 0) -> Bot:
        """Start a program; it waits, using no CPU, for the first message.

        Where Python bots begin as copies of an interpreter that runs already, their module
        `random` is seeded with `random_seed`; elsewhere it is as Python starts it.

        Raises CannotIsolate for a language of `refusals`, BotFailure("start") for a program that
        cannot be executed, MachineFailure when the machine could not start it.
        """

    def on_one_cpu(self) -> AbstractContextManager[object]:
        """Meanwhile the calling thread and the bots that it starts share one CPU, where the back
        end can arrange that: they take turns, and waking another CPU costs more than a turn."""
        return nullcontext()

    @abstractmethod
    def close(self) -> None:
        """Stop every bot that still runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
