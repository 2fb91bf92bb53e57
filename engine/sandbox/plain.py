"""Ordinary processes, without isolation: for an author's own bots on any system."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from types import MappingProxyType

from . import programs
from .api import BotFailure, CannotIsolate, Limits, MachineFailure, Program, Sandbox
from .process import Ending, ProcessBot
from .streams import ThreadStreams, pipe

_KEPT_VARIABLES = ("PATH", "HOME", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL")
_CANNOT_BE_EXECUTED = (errno.EACCES, errno.ENOENT, errno.ENOEXEC)


class Plain(Sandbox):
    """Programs of people whom one trusts. Lines, output and time are bounded as in the league;
    memory, files and network are not."""

    name = "plain"
    isolated = False

    def __init__(self) -> None:
        self._bots: set[ProcessBot] = set()
        self._commands: dict[str, tuple[str, ...]] = {
            "python": (sys.executable, *programs.PYTHON_FLAGS),
            "native": (),
        }
        self._refusals: dict[str, str] = {}
        others: dict[str, tuple[str, ...]] = {"javascript": ("node",), "java": ("java", "-jar")}
        for language, (name, *options) in others.items():
            if path := shutil.which(name):
                self._commands[language] = (path, *options)
            else:
                self._refusals[language] = (
                    f"{language} bots cannot run here: there is no {name} in PATH; install "
                    f"{programs.PACKAGES[language]}"
                )

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(name for name in programs.LANGUAGES if name in self._commands)

    @property
    def refusals(self) -> Mapping[str, str]:
        return MappingProxyType(self._refusals)

    @property
    def python_version(self) -> str | None:
        return platform.python_version()

    def start(self, program: Program, limits: Limits, *, random_seed: int = 0) -> PlainBot:
        if program.language not in self._commands:
            raise CannotIsolate(self._refusals[program.language])
        programs.check_entry(program, machine=None)
        folder = program.folder.absolute()
        command = [*self._commands[program.language], str(folder / program.entry)]
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        with ExitStack() as ours, ExitStack() as theirs:
            stdin_end, stdin = pipe(theirs, ours)
            stdout, stdout_end = pipe(ours, theirs)
            stderr, stderr_end = pipe(ours, theirs)
            try:
                process = subprocess.Popen(
                    command,
                    stdin=stdin_end,
                    stdout=stdout_end,
                    stderr=stderr_end,
                    cwd=folder,
                    env={**kept, "PYTHONHASHSEED": "0"},
                    start_new_session=True,  # so that all that it starts can be stopped together
                )
            except OSError as error:
                if program.language == "native" and error.errno in _CANNOT_BE_EXECUTED:
                    message = f"the entry {program.entry!r} cannot be executed: {error.strerror}"
                    raise BotFailure("start", message) from error
                raise MachineFailure(f"could not start {command[0]}: {error}") from error
            ours.pop_all()  # the bot owns them from here on
        streams = ThreadStreams(stdin, stdout, stderr, stderr_bytes=limits.stderr_bytes)
        return PlainBot(process, streams, limits, self._bots)

    def close(self) -> None:
        for bot in tuple(self._bots):
            bot.stop()


class PlainBot(ProcessBot):
    """An ordinary process. Where the system tells no other process's CPU time, the wall time of
    the requests counts; where it has no SIGSTOP, a bot that is not asked can go on running."""

    _longest_wait_s = 0.05  # nothing wakes us when it ends but has left its pipes to another

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        streams: ThreadStreams,
        limits: Limits,
        running: set[ProcessBot],
    ) -> None:
        super().__init__(pid=process.pid, stdout_inode=None, limits=limits, running=running)
        self._process = process
        self._streams = streams
        self._clock = (~process.pid << 3) | 2  # its CPU clock, as clock_getcpuclockid(3) has it
        self._used_ns = 0
        self._resumed_ns: int | None = None
        self.cpu_measured = sys.platform == "linux"
        self._suspend()

    def _resume(self) -> None:
        self._resumed_ns = time.perf_counter_ns()
        if hasattr(signal, "SIGCONT"):
            self._signal(signal.SIGCONT)

    def _suspend(self) -> None:
        if hasattr(signal, "SIGSTOP"):
            self._signal(signal.SIGSTOP)
        if not self.cpu_measured and self._resumed_ns is not None:
            self._used_ns += time.perf_counter_ns() - self._resumed_ns
        self._resumed_ns = None

    def used_ns(self) -> int:
        if self.cpu_measured:
            if self._ending is None:
                with suppress(OSError):  # it is dead: the last value stands
                    self._used_ns = time.clock_gettime_ns(self._clock)
            return self._used_ns
        running_ns = time.perf_counter_ns() - self._resumed_ns if self._resumed_ns else 0
        return self._used_ns + running_ns

    def _has_ended(self) -> bool:
        return self._process.poll() is not None

    def _end_by_force(self) -> None:
        if hasattr(signal, "SIGKILL"):
            self._signal(signal.SIGKILL)
        else:
            self._process.kill()

    def _reap(self) -> Ending:
        self._end_by_force()  # what it started may live on
        code = self._process.wait()
        if self._killed and not hasattr(signal, "SIGKILL"):
            return Ending()
        return Ending(signal=-code) if code < 0 else Ending(exit_code=code)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
