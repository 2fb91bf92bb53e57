"""Which CPU a play runs on.

A bot and the thread that asks it take turns, so a second CPU gains nothing; and to wake one that
idles costs a virtual machine more than a whole short turn. So all of a play shares one CPU: CPU
clocks judge the bots, and those do not run while somebody else has it.

Plays keep out of each other's way as far as they can. Each takes a name for its CPU among the
abstract sockets of this machine (or container), where two cannot have the same one and none
outlives its process. And where a bot or its asker had to wait for the CPU, which its own doing
cannot bring about, they may use every CPU at once, and the next play looks for another.
"""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from .proc import own_wait_ns

_BUSY = 0.1
"""The part of a play for which its asker may wait for the CPU, before the next play moves."""
_draw = random.Random(os.urandom(16))  # not the shared one: a play must not change its sequence


class Pin:
    """The CPU on which a thread and the bots that it starts take turns; `cpu` is None once they may
    use all that they are allowed to."""

    def __init__(self, cpu: int, allowed: set[int]) -> None:
        self.cpu: int | None = cpu
        self._allowed = allowed

    @property
    def width(self) -> int:
        """How many CPUs can be used at once."""
        return len(self._allowed) if self.cpu is None else 1

    def leave(self, pids: Iterable[int]) -> None:
        """Let the calling thread and these processes use every CPU again."""
        self.cpu = None
        for task in (0, *(task for pid in pids for task in _tasks(pid))):
            with suppress(OSError):  # it ended meanwhile, or is not ours to move
                os.sched_setaffinity(task, self._allowed)


class Pins:
    """Chooses the CPU of each play in turn: the one before, unless somebody else needed it.

    `name` and a CPU's number are what no two plays on this machine have at once.
    """

    def __init__(self, name: str = "slayer-cpu") -> None:
        self._name = name
        self._last: int | None = None

    @contextmanager
    def take(self) -> Iterator[Pin | None]:
        """Keep the calling thread on one CPU meanwhile; None where the system does not let us."""
        allowed = os.sched_getaffinity(0)
        with self._named(self._order(allowed)) as cpu:
            try:
                os.sched_setaffinity(0, {cpu})
            except OSError:
                yield None
                return
            pin = Pin(cpu, allowed)
            begin_s, begin_wait_ns = time.perf_counter(), own_wait_ns()
            try:
                yield pin
            finally:
                with suppress(OSError):  # the set of allowed ones can change while we run
                    os.sched_setaffinity(0, allowed)
                waited_s = (own_wait_ns() - begin_wait_ns) / 1e9
                busy = waited_s > _BUSY * (time.perf_counter() - begin_s)
                self._last = None if busy or pin.cpu is None else cpu

    def _order(self, allowed: set[int]) -> list[int]:
        """Drawn, so that those who know nothing of each other spread all the same."""
        order = sorted(allowed)
        _draw.shuffle(order)
        return sorted(order, key=lambda cpu: cpu != self._last)

    @contextmanager
    def _named(self, order: list[int]) -> Iterator[int]:
        """The first of these CPUs that no other play has; the very first where all are taken."""
        with socket.socket(socket.AF_UNIX) as claim:
            for cpu in order:
                try:
                    claim.bind(f"\0{self._name}-{cpu}")
                except OSError:
                    continue
                yield cpu
                return
            yield order[0]


def _tasks(pid: int) -> list[int]:
    """The threads of a process; none where that cannot be seen."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []
