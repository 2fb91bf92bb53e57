"""A bot that runs under bubblewrap."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

from engine.faults import escape

from .api import MIB, Limits
from .cpus import Pin
from .proc import is_exiting, own_memory
from .process import Ending, ProcessBot
from .streams import PollStreams

_BUILD_S = 30.0
_END_S = 10.0
_MEMORY_SLACK = 32 * MIB  # stack, /tmp, and what else the kernel's limit rightly leaves out
_EXEC_FAILED = b"prlimit: failed to execute"


class BubblewrapBot(ProcessBot):
    """`facts` is what bwrap reported of it: its pid and the inodes of its namespaces; `status` is
    where bwrap will report its end."""

    cpu_measured = True
    _streams: PollStreams

    def __init__(
        self,
        monitor: subprocess.Popen[bytes],
        facts: dict[str, Any],
        streams: PollStreams,
        *,
        pidfd: int,
        status: int,
        stdout_inode: int,
        limits: Limits,
        running: set[ProcessBot],
        pin: Pin | None,
    ) -> None:
        pid: int = facts["child-pid"]
        super().__init__(
            pid=pid, stdout_inode=stdout_inode, limits=limits, running=running, pin=pin
        )
        self.facts = facts
        self._streams = streams
        self._monitor = monitor
        self._pidfd = pidfd
        self._status = status
        self._thread = threading.current_thread()
        self._clock = (~pid << 3) | 2  # the process's CPU clock (clock_getcpuclockid(3))
        self._begin_ns = 0
        self._used_ns = 0

    def _begin(self) -> None:
        # The gate says with an empty line that the sandbox is built, and waits for one.
        while not self._streams.out and not self._streams.ended:
            if not self._streams.wait(_BUILD_S):
                self._kill()
                raise self._ended()
        if self._streams.ended:
            raise self._ended()
        self._streams.out.clear()
        self._streams.received = 0
        # What was used to build the sandbox is not the bot's.
        with suppress(OSError):
            self._begin_ns = time.clock_gettime_ns(self._clock)
        self._streams.send(b"\n")

    def _resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _suspend(self) -> None:
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    def used_ns(self) -> int:
        if self._begin_ns and self._ending is None:
            with suppress(OSError):  # it is dead: the last value stands
                self._used_ns = time.clock_gettime_ns(self._clock) - self._begin_ns
        return self._used_ns

    def _has_ended(self) -> bool:
        return self._streams.ended

    def _is_exiting(self) -> bool:
        return is_exiting(self.pid)

    def _end_by_force(self) -> None:
        # It is PID 1 of its namespace: the kernel kills all others there with it.
        self._signal(signal.SIGKILL)

    def _broken_limit(self) -> str | None:
        # The kernel's own limits have gaps. RLIMIT_DATA forgets memory that is made read-only after
        # it has been written, and bwrap can bound the bytes of a tmpfs but not its files, each of
        # which takes kernel memory.
        limits = self._limits
        if (own_memory(self.pid) or 0) > limits.memory_bytes + _MEMORY_SLACK:
            return f"used more than {limits.memory_bytes >> 20} MiB of memory"
        try:
            tmp = os.statvfs(f"/proc/{self.pid}/root/tmp")
        except OSError:
            return None  # it is dead, or we may not look
        if tmp.f_files - tmp.f_ffree > limits.tmp_files:
            return f"made more than {limits.tmp_files} files in /tmp"
        return None

    def _reap(self) -> Ending:
        self._end_by_force()  # in case the monitor died before it
        report, in_time = read_status(self._status, until_s=_END_S)
        if not in_time:
            self._monitor.kill()
        _, status, usage = os.wait4(self._monitor.pid, 0)
        self._monitor.returncode = os.waitstatus_to_exitcode(status)
        while self._streams.wait(0):
            pass  # bwrap's own last words, and the bot's
        os.close(self._status)
        os.close(self._pidfd)
        # The monitor began as a copy of us, so only a larger peak can be the bot's.
        if usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            self._peak = max(self._peak or 0, usage.ru_maxrss * 1024)
        if not in_time:
            message = f"a bot did not end within {_END_S:.0f} s of being killed"
            return Ending(machine=message, stuck=True)
        return self._understand(report)

    def _understand(self, report: dict[str, Any]) -> Ending:
        """What bwrap's report means. It names an exit code if and only if the program was run, and
        the bot cannot write to it, so a bot cannot pass its own fault off as the machine's."""
        if "exit-code" not in report:
            if self._killed:
                return Ending()
            if not self._thread.is_alive():
                return Ending(machine="the thread that started a bot ended, and the bot with it")
            said = escape(bytes(self._streams.stderr).strip())
            code = self._monitor.returncode
            return Ending(machine=f"bubblewrap failed (status {code}): {said}")
        code = report["exit-code"]
        if code in (126, 127) and self._streams.stderr.startswith(_EXEC_FAILED):
            said = escape(bytes(self._streams.stderr.split(b"\n", 1)[0]))
            return Ending(unstartable=said.replace("prlimit: ", "", 1))
        if code <= 128:
            return Ending(exit_code=code)
        return Ending(signal=code - 128)  # bwrap reports signals as a shell does


def read_status(fd: int, *, until_s: float, key: str | None = None) -> tuple[dict[str, Any], bool]:
    """Read bwrap's status, lines of JSON objects, together as one object.

    Stops after the line with `key`, or at the end of the stream; False when neither came in time.
    """
    deadline = time.monotonic() + until_s
    facts: dict[str, Any] = {}
    line = b""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while key is None or key not in facts:
        left_s = deadline - time.monotonic()
        if left_s <= 0 or not poll.poll(left_s * 1000):
            return facts, False
        data = os.read(fd, 4096)
        if not data:
            break
        *whole, line = (line + data).split(b"\n")
        for text in whole:
            facts |= json.loads(text)
    return facts, True
