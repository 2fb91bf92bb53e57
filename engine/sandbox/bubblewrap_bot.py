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

from .api import Limits
from .process import Ending, ProcessBot, cpus_here
from .streams import PollStreams

_END_S = 10.0
_EXEC_FAILED = b"prlimit: failed to execute"


class BubblewrapBot(ProcessBot):
    """`facts` is what bwrap reported of it: the bot's pid and the inodes of its namespaces.

    `gate` is written to let the program begin, `status` is where bwrap reports its end.
    """

    cpu_measured = True
    _streams: PollStreams

    def __init__(
        self,
        monitor: subprocess.Popen[bytes],
        facts: dict[str, Any],
        streams: PollStreams,
        *,
        pidfd: int,
        gate: int,
        status: int,
        stdout_inode: int,
        limits: Limits,
    ) -> None:
        pid: int = facts["child-pid"]
        super().__init__(pid=pid, stdout_inode=stdout_inode, cpus=cpus_here(), limits=limits)
        self.facts = facts
        self.pid = pid
        self._streams = streams
        self._monitor = monitor
        self._pidfd = pidfd
        self._gate = gate
        self._gate_open = False
        self._status = status
        self._thread = threading.current_thread()
        self._clock = (~pid << 3) | 2  # the process's CPU clock (clock_getcpuclockid(3))
        self._begin_ns = 0
        self._used_ns = 0

    def _resume(self) -> None:
        if self._gate_open:
            self._signal(signal.SIGCONT)
            return
        # What bwrap itself has used to build the sandbox is not the bot's.
        with suppress(OSError):
            self._begin_ns = time.clock_gettime_ns(self._clock)
        self._open_gate()

    def _open_gate(self) -> None:
        self._gate_open = True
        with suppress(BrokenPipeError):
            os.write(self._gate, b"\n")
        os.close(self._gate)

    def _suspend(self) -> None:
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    def _cpu_ns(self) -> int:
        if self._gate_open and self._ending is None:
            with suppress(OSError):  # it is dead: the last value stands
                self._used_ns = time.clock_gettime_ns(self._clock) - self._begin_ns
        return self._used_ns

    def _has_ended(self) -> bool:
        return self._streams.ended

    def _end_by_force(self) -> None:
        # It is PID 1 of its namespace: the kernel kills all others there with it.
        self._signal(signal.SIGKILL)

    def _reap(self) -> Ending:
        report, in_time = read_status(self._status, until_s=_END_S)
        if not in_time:
            self._monitor.kill()
        _, status, usage = os.wait4(self._monitor.pid, 0)
        self._monitor.returncode = os.waitstatus_to_exitcode(status)
        while self._streams.wait(0):
            pass  # bwrap's own last words, and the bot's
        if not self._gate_open:
            self._gate_open = True
            os.close(self._gate)
        os.close(self._status)
        os.close(self._pidfd)
        # The monitor began as a copy of us, so only a larger peak can be the bot's.
        if usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            self._peak = max(self._peak or 0, usage.ru_maxrss * 1024)
        if not in_time:
            return Ending(machine=f"a bot did not end within {_END_S:.0f} s of being killed")
        return self._understand(report)

    def _understand(self, report: dict[str, Any]) -> Ending:
        """What bwrap's report means. It names an exit code if and only if the program was run, and
        the bot cannot write to it, so a bot cannot pass its own fault off as the machine's."""
        if "exit-code" not in report:
            if self._killed:
                return Ending()
            said = escape(bytes(self._streams.stderr)).strip()
            code = self._monitor.returncode
            return Ending(machine=f"bubblewrap failed (status {code}): {said}")
        code = report["exit-code"]
        if code in (126, 127) and self._streams.stderr.startswith(_EXEC_FAILED):
            said = escape(bytes(self._streams.stderr.split(b"\n", 1)[0]))
            return Ending(unstartable=said.replace("prlimit: ", "", 1))
        if code <= 128:
            return Ending(exit_code=code)
        number = code - 128  # bwrap reports signals as a shell does
        if number == signal.SIGKILL and not self._killed and not self._thread.is_alive():
            return Ending(machine="the thread that started the bot has ended, and the bot with it")
        return Ending(signal=number)


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
