"""What Linux tells about a running process: memory, waiting for a CPU, open pipes.

Every function answers "unknown" where /proc is missing or closed to us; none of these facts decides
about isolation.
"""

from __future__ import annotations

import os
import time
from pathlib import Path


def peak_memory(pid: int) -> int | None:
    """The largest resident memory that the process has had, in bytes (VmHWM)."""
    return _memory(pid, ("VmHWM",))


def own_memory(pid: int) -> int | None:
    """The memory that the process holds now and that no file backs, in bytes."""
    return _memory(pid, ("RssAnon", "RssShmem", "VmSwap"))


def _memory(pid: int, names: tuple[str, ...]) -> int | None:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in status.splitlines())
    if names[0] not in fields:
        return None  # a zombie has no memory left
    return sum(int(fields[name].split()[0]) * 1024 for name in names)


def is_exiting(pid: int) -> bool:
    """Whether the process has begun to end: it closes its files first (PF_EXITING in the flags,
    the ninth field of proc_pid_stat(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True
    return bool(int(fields[6]) & 0x4)


def is_stopped(pid: int) -> bool:
    """Whether the process is stopped by a signal."""
    try:
        return "\nState:\tT" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def holds_pipe(pid: int, inode: int) -> bool:
    """Whether the process still has an end of this pipe open; True when that cannot be read.

    Each thread is asked, since the first one may have ended before the others.
    """
    target = f"pipe:[{inode}]"
    known = False
    for task in _listed(f"/proc/{pid}/task") or ():
        folder = f"/proc/{pid}/task/{task}/fd"
        names = _listed(folder)
        if names is None:
            continue
        known = True
        try:
            if any(_link(f"{folder}/{name}") == target for name in names):
                return True
        except OSError:
            return True
    return not known


def _listed(folder: str) -> list[str] | None:
    try:
        return os.listdir(folder)
    except OSError:
        return None


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""  # closed while we looked


class RunQueue:
    """How long the threads of a process have been ready to run without getting a CPU."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._begin = time.perf_counter_ns()
        self._waited = _waited_ns(pid)

    def elapsed_ns(self) -> int:
        """The time since the start of this watch."""
        return time.perf_counter_ns() - self._begin

    def waited_ns(self) -> int:
        """How long the thread that waited longest for a CPU has waited since then."""
        waits = (
            waited - self._waited.get(thread, 0) for thread, waited in _waited_ns(self._pid).items()
        )
        return max(waits, default=0)

    def crowded(self) -> bool:
        """Whether one of its threads has waited for a CPU for a good part of the time. Half of it
        is the most that one competitor takes, and the kernel may count a whole session as one."""
        return 5 * self.waited_ns() > self.elapsed_ns()

    def starved(self) -> bool:
        """Whether one of its threads has waited for a CPU for most of the time since the start of
        this watch. The process cannot bring this about without using CPU itself."""
        return 2 * self.waited_ns() > self.elapsed_ns()


def own_wait_ns() -> int:
    """How long the calling thread has ever waited for a CPU; 0 where that is not known."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    except OSError:
        return 0


def _waited_ns(pid: int) -> dict[str, int]:
    """By thread, the run-queue wait: the second field of schedstat (kernel: sched-stats.rst)."""
    folder = f"/proc/{pid}/task"
    waits = {}
    try:
        for thread in os.listdir(folder):
            try:
                waits[thread] = int(Path(f"{folder}/{thread}/schedstat").read_text().split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue  # the thread ended while we looked
    except OSError:
        pass
    return waits
