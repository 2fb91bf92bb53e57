"""A bot that the launcher started."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress

from engine.faults import escape

from .api import MIB, Limits
from .cpus import Pin
from .launcher_process import LauncherProcess, ended
from .proc import is_exiting, own_memory
from .process import Ending, ProcessBot
from .streams import PollStreams

_BUILD_S = 30.0
_END_S = 10.0
_MEMORY_SLACK = 32 * MIB  # stack, /tmp, and what else the kernel's limit rightly leaves out


class LauncherBot(ProcessBot):
    """`status` is where the launcher's copy says that it is confined, and that a program could not
    be executed; no bot ever holds its other end."""

    cpu_measured = True
    _streams: PollStreams

    def __init__(
        self,
        launcher: LauncherProcess,
        streams: PollStreams,
        *,
        pid: int,
        pidfd: int,
        status: int,
        limits: Limits,
        running: set[ProcessBot],
        pin: Pin | None,
    ) -> None:
        super().__init__(pid=pid, stdout_inode=None, limits=limits, running=running, pin=pin)
        self._streams = streams
        self._launcher = launcher
        self._pidfd = pidfd
        self._status = status
        self._said = b""
        self._clock = (~pid << 3) | 2  # the process's CPU clock (clock_getcpuclockid(3))
        self._begin_ns = 0
        self._used_ns = 0

    def _begin(self) -> None:
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        if poll.poll(_BUILD_S * 1000):
            self._said = os.read(self._status, 4096)
        if not self._said.startswith(b"R"):
            self._kill()
            raise self._ended()
        self._begin_ns = int(self._said[1:])  # what was used to build the sandbox is not the bot's

    def _resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _suspend(self) -> None:
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        try:
            signal.pidfd_send_signal(self._pidfd, number)
        except ProcessLookupError:
            return  # it is dead

    def used_ns(self) -> int:
        if self._begin_ns and self._ending is None:
            try:
                self._used_ns = time.clock_gettime_ns(self._clock) - self._begin_ns
            except OSError:
                return self._used_ns  # it is dead
        return self._used_ns

    def _has_ended(self) -> bool:
        return self._streams.ended

    def _is_exiting(self) -> bool:
        return is_exiting(self.pid)

    def _end_by_force(self) -> None:
        self._signal(signal.SIGKILL)

    def _broken_limit(self) -> str | None:
        # RLIMIT_DATA forgets memory that is made read-only after it has been written.
        if (own_memory(self.pid) or 0) > self._limits.memory_bytes + _MEMORY_SLACK:
            return f"used more than {self._limits.memory_bytes >> 20} MiB of memory"
        return None

    def _reap(self) -> Ending:
        in_time = ended(self._pidfd, _END_S)
        remains = self._launcher.reap(self.pid)
        os.set_blocking(self._status, False)
        with suppress(BlockingIOError):
            self._said += os.read(self._status, 4096)
        os.close(self._status)
        os.close(self._pidfd)
        if not in_time:
            message = f"a bot did not end within {_END_S:.0f} s of being killed"
            return Ending(machine=message, stuck=True)
        if remains:
            self._peak = max(self._peak or 0, remains["peak"])
        return self._understand(remains)

    def _understand(self, remains: dict[str, int] | None) -> Ending:
        """What is known of the end: from the launcher's copy while it still was one, from the
        kernel afterwards. Nothing of it can come from the bot."""
        report, _, failure = self._said.partition(b"\n")
        if not report.startswith(b"R"):
            said = escape(report[1:]) or "it said nothing"
            return Ending(machine=f"a bot could not be confined: {said}")
        if self._killed:
            return Ending(signal=signal.SIGKILL)
        if failure:
            return Ending(unstartable=escape(failure[1:]))
        if not remains:
            return Ending(machine="the launcher of bots is gone, and the bots with it")
        code = os.waitstatus_to_exitcode(remains["status"])
        return Ending(signal=-code) if code < 0 else Ending(exit_code=code)
