"""A bot of the launcher that has a control group, and so up to as many processes as allowed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from .cgroups import Group
from .launcher_bot import LauncherBot
from .process import Ending


class GroupedBot(LauncherBot):
    """Counts and stops all of its processes by its group.

    SIGSTOP stops the first process, with all its threads; the group is frozen too when there are
    more, since that costs more than everything else in a short turn.
    """

    def __init__(self, *args: Any, group: Group, **named: Any) -> None:
        super().__init__(*args, **named)
        self._group = group

    def _begin(self) -> None:
        super()._begin()
        self._begin_ns = self._group.cpu_ns()

    def _resume(self) -> None:
        self._group.thaw()
        super()._resume()

    def _suspend(self) -> None:
        super()._suspend()
        if self._group.tasks() > 1:
            self._group.freeze()

    def rests(self) -> bool:
        return self._group.is_frozen() or (self._group.tasks() == 1 and super().rests())

    def used_ns(self) -> int:
        if self._begin_ns and self._ending is None:
            self._used_ns = self._group.cpu_ns() - self._begin_ns
        return self._used_ns

    def _end_by_force(self) -> None:
        super()._end_by_force()
        with suppress(OSError):
            self._group.thaw()  # a frozen process of version 1 does not even die

    def _pids(self) -> Iterable[int]:
        return self._group.pids()

    def _broken_limit(self) -> str | None:
        if self._group.ran_out_of_memory():
            return f"used more than {self._limits.memory_bytes >> 20} MiB of memory"
        return None

    def _note_memory(self) -> None:
        self._peak = self._group.peak_memory() or self._peak

    def _reap(self) -> Ending:
        self._note_memory()
        broken = self._broken_limit()
        ending = super()._reap()
        if ending.stuck:
            self._group.forget()  # it goes when the sandbox is closed
            return ending
        try:
            self._group.remove()
        except OSError as error:
            return Ending(machine=f"a control group could not be removed: {error}", stuck=True)
        if broken and ending.signal is not None and not self._killed:
            return Ending(signal=ending.signal, limit=broken)
        return ending
