"""The back end on bubblewrap: every bot a process alone in namespaces of its own.

bwrap stays outside as monitor. Inside, one process is first bwrap, which builds the file system and
loads the system call filter, then a shell that waits for our word, then prlimit, which sets the
limits, and then the bot. So the bot is PID 1 of its namespace: its clock is all that it uses,
stopping it stops the bot, and when it dies the kernel kills what is left.

`--die-with-parent` ties a bot to the THREAD that started it: it dies when that thread ends. Start
bots from a thread that outlives them, as a rule the main thread.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from engine.faults import escape

from . import confinement, probe, seccomp, selftest
from .api import CannotIsolate, Limits, MachineFailure
from .bubblewrap_bot import BubblewrapBot, read_status
from .find_bwrap import find_bwrap
from .isolating import Isolating
from .programs import Runtime
from .streams import PollStreams, pipe

PRLIMIT = "/usr/bin/prlimit"
_START_S = 30.0

# A gate, so that the program runs from its first message on. bwrap's own --block-fd will not do:
# it lets the program go when we die, and before it has been tied to our life.
_GATE = ("/bin/sh", "-c", 'echo && read -r _ && exec "$@"', "sh")


class Bubblewrap(Isolating):
    """Programs in isolation. Making one proves first, on programs of its own, that it isolates;
    CannotIsolate says what is missing, or names every hole."""

    name = "bubblewrap"

    def __init__(self) -> None:
        super().__init__()
        if not os.access(PRLIMIT, os.X_OK):
            raise CannotIsolate(f"{PRLIMIT} is missing; install the system's package util-linux")
        self._bwrap = find_bwrap(self.identity)
        probe.check_isolation(self)
        self._choose("python")
        if "python" in self._runtimes:  # what attacks it is a Python bot; the probe needs none
            selftest.check(self)

    def _working_runtime(self, language: str) -> tuple[Runtime, str]:
        return probe.working_runtime(self, language)

    def launch(
        self, folder: Path, runtime: Runtime, command: Sequence[str], limits: Limits
    ) -> BubblewrapBot:
        """Start any command in the sandbox, with `folder` as /bot; MachineFailure if it fails."""
        with ExitStack() as ours, ExitStack() as theirs:
            stdin_end, stdin = pipe(theirs, ours)
            stdout, stdout_end = pipe(ours, theirs)
            stderr, stderr_end = pipe(ours, theirs)
            status, status_end = pipe(ours, theirs)
            with ExitStack() as written:
                filter_end, filter_in = pipe(theirs, written)
                os.write(filter_in, seccomp.program(self.machine))  # a pipe takes it whole
            flags = [*confinement.isolation(), *confinement.file_system(folder, runtime, limits)]
            flags += ["--json-status-fd", str(status_end), "--seccomp", str(filter_end)]
            inside = [*_GATE, PRLIMIT, *confinement.limits_of(limits, runtime), "--", *command]
            try:
                monitor = subprocess.Popen(
                    [self._bwrap, *flags, "--", *inside],
                    stdin=stdin_end,
                    stdout=stdout_end,
                    stderr=stderr_end,
                    pass_fds=(status_end, filter_end),
                    cwd="/",
                    env={},
                    process_group=0,  # Ctrl-C at a terminal is for us, not for the bots
                    **self.identity.popen_arguments(),
                )
            except (OSError, subprocess.SubprocessError) as error:
                raise MachineFailure(f"could not start {self._bwrap}: {error}") from error
            theirs.close()
            ours.callback(_end_monitor, monitor)
            facts, in_time = read_status(status, until_s=_START_S, key="child-pid")
            if not in_time:
                raise MachineFailure(f"bubblewrap did not start within {_START_S:.0f} s")
            try:
                pidfd = os.pidfd_open(facts["child-pid"])
            except (KeyError, OSError) as error:
                _end_monitor(monitor)
                raise MachineFailure(f"bubblewrap failed at its start: {_rest(stderr)}") from error
            ours.pop_all()  # the bot owns them from here on
        inode = os.fstat(stdout).st_ino
        streams = PollStreams(stdin, stdout, stderr, end_fd=pidfd, stderr_bytes=limits.stderr_bytes)
        return BubblewrapBot(
            monitor,
            facts,
            streams,
            pidfd=pidfd,
            status=status,
            stdout_inode=inode,
            limits=limits,
            running=self._bots,
            pin=self._pin,
        )


def _end_monitor(monitor: subprocess.Popen[bytes]) -> None:
    monitor.kill()
    monitor.wait()


def _rest(stderr: int) -> str:
    os.set_blocking(stderr, False)
    try:
        return escape(os.read(stderr, 4096).strip())
    except BlockingIOError:
        return "it said nothing"
