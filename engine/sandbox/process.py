"""One bot as one operating system process: asking, telling and stopping, for every back end."""

from __future__ import annotations

import os
import signal
import time
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from .api import Answer, Bot, BotFailure, Limits, MachineFailure, Remains
from .cpus import Pin
from .proc import RunQueue, holds_pipe, is_stopped, own_wait_ns, peak_memory
from .streams import Streams

_SIGKILL = 9  # Windows has no signal.SIGKILL
_SHORTEST_WAIT_S = 0.002
_LONG_TURN_NS = 5_000_000
_FIRST_LOOK_S = 0.02
_LAST_WORDS_S = 0.2
_SLOW_END_S = 3.0
_GOODBYE_CPU_NS = 200_000_000
_GOODBYE_WALL_S = 0.6


@dataclass(frozen=True)
class Ending:
    """How a process ended: by itself with a code, or by a signal. `machine` says what went wrong
    when the program never ran, `unstartable` what the program's own fault was then, `limit` which
    limit the signal enforced; `stuck` that it would not end."""

    exit_code: int | None = None
    signal: int | None = None
    machine: str | None = None
    unstartable: str | None = None
    limit: str | None = None
    stuck: bool = False


class _Watch:
    """What a bot does from now on until it answers: does it compute, wait, or is it not let run?"""

    def __init__(self, pid: int, used_ns: int) -> None:
        self.queue = RunQueue(pid)
        self._ours_ns = own_wait_ns()
        self._used_ns = used_ns

    def waited_s(self, used_ns: int) -> float:
        """The time in which it neither used a CPU nor was ready to. While we are the ones that are
        not let run, it may have answered long ago."""
        busy_ns = used_ns - self._used_ns + self.queue.waited_ns() + own_wait_ns() - self._ours_ns
        return max(0.0, (self.queue.elapsed_ns() - busy_ns) / 1e9)


class ProcessBot(Bot):
    """The rules of api.Bot on top of a process that can be resumed, suspended and killed."""

    _streams: Streams
    _longest_wait_s = 0.25
    """How long to sleep at most before looking again whether the process still lives and whether
    it has closed its standard output."""

    def __init__(
        self,
        *,
        pid: int,
        stdout_inode: int | None,
        limits: Limits,
        running: set[ProcessBot],
        pin: Pin | None = None,
    ) -> None:
        self.pid = pid
        self._stdout_inode = stdout_inode
        self._pin = pin
        self._all_cpus = _cpus_here()
        self._limits = limits
        self._begun = False
        self._over = False
        self._killed = False
        self._charged_ns = 0
        self._waited_s = 0.0
        self._peak: int | None = None
        self._ending: Ending | None = None
        self._remains: Remains | None = None
        self._running = running  # the sandbox's; holds every bot until it is stopped
        running.add(self)

    # What a back end provides

    def _begin(self) -> None:
        """Before the first message: see the program off. MachineFailure if it was never there."""

    @abstractmethod
    def _resume(self) -> None:
        """Let the process run."""

    @abstractmethod
    def _suspend(self) -> None:
        """Let the process rest, using no CPU."""

    def rests(self) -> bool:
        """Whether none of it can run, as far as the kernel tells."""
        return is_stopped(self.pid)

    @abstractmethod
    def used_ns(self) -> int:
        """What the program has used since its beginning; the last known once it is gone."""

    @abstractmethod
    def _has_ended(self) -> bool:
        """Whether the process has ended, as far as known now."""

    @abstractmethod
    def _end_by_force(self) -> None:
        """Kill everything of the bot, without waiting."""

    def _pids(self) -> Iterable[int]:
        """Its processes, as far as known."""
        return (self.pid,)

    def _broken_limit(self) -> str | None:
        """Which limit that the kernel does not keep the bot is past, in words."""
        return None

    @abstractmethod
    def _reap(self) -> Ending:
        """Wait for the end, which is near, and leave nothing of the process behind."""

    # The rules

    def ask(self, line: bytes, *, cpu_ms: float) -> Answer:
        if self._over:
            raise RuntimeError("this bot has failed, been told the end, or been stopped")
        streams = self._streams
        if not self._begun:
            self._begun = True
            self._begin()
        streams.wait(0)
        if streams.out:
            raise self._fail("flood", "wrote to standard output without having been asked")
        received_before = streams.received
        begin = time.perf_counter()
        limit_ns, wall_s = int(cpu_ms * 1e6), (3 * cpu_ms + 1000) / 1000
        watch: _Watch | None = None
        next_look_s = _FIRST_LOOK_S
        streams.send(line + b"\n")
        self._resume()
        # Most answers come now, so that nothing needs to be looked at before.
        streams.wait(min(wall_s, max(cpu_ms / 1e3 / self._cpus(), _SHORTEST_WAIT_S), _FIRST_LOOK_S))
        while True:
            end = streams.out.find(b"\n")
            elapsed = time.perf_counter() - begin
            used_ns = self.used_ns() - self._charged_ns
            if end >= 0:
                self._suspend()
                self._check_amount(streams.received - received_before)
                if watch:
                    self._waited_s += watch.waited_s(self.used_ns())
                return self._accept(end, used_ns, limit_ns, elapsed)
            if len(streams.out) > self._limits.line_bytes:
                raise self._line_too_long()
            self._check_amount(streams.received - received_before)
            if streams.out_ended:
                raise self._ended()
            if self._has_ended():
                if streams.wait(_LAST_WORDS_S):
                    continue  # what it wrote before its end still counts
                raise self._ended()
            if used_ns > limit_ns:
                raise self._out_of_time(used_ns, limit_ns)
            if elapsed > wall_s:
                if streams.wait(0):
                    continue  # it came while we were the ones that did not run
                raise self._out_of_wall_time(wall_s, cpu_ms, watch)
            rest_ns = (limit_ns - used_ns) / self._cpus()  # all CPUs at once is the fastest way out
            # However much it writes meanwhile, it is looked at again and again.
            if elapsed > next_look_s:
                next_look_s = elapsed + self._longest_wait_s
                watch = watch or _Watch(self.pid, self.used_ns())
                if self._pin and self._pin.cpu is not None and watch.queue.crowded():
                    self._pin.leave(self._pids())
                if self._waited_s + watch.waited_s(self.used_ns()) > self._limits.wait_s:
                    raise self._waited_too_long()
                self._note_memory()
                self._check_limits()
                if self._closed_stdout():
                    raise self._closed_output()
            timeout = min(wall_s - elapsed, max(rest_ns / 1e9, _SHORTEST_WAIT_S))
            streams.wait(min(timeout, next_look_s - elapsed + _SHORTEST_WAIT_S))

    def tell(self, line: bytes) -> None:
        done = self._over or not self._begun
        self._over = True
        if done:
            return
        self._note_memory()
        streams = self._streams
        begin = time.perf_counter()
        streams.send(line + b"\n")
        streams.end_input()
        self._resume()
        begin_ns = self.used_ns()
        while not self._has_ended():
            used_ns = self.used_ns() - begin_ns
            left_s = _GOODBYE_WALL_S - (time.perf_counter() - begin)
            if used_ns > _GOODBYE_CPU_NS or left_s <= 0:
                self._kill()
                return
            rest_s = max((_GOODBYE_CPU_NS - used_ns) / self._cpus() / 1e9, _SHORTEST_WAIT_S)
            streams.wait(min(rest_s, left_s, self._longest_wait_s))
            streams.out.clear()

    def stop(self) -> Remains:
        if self._remains is None:
            self._over = True
            self._streams.wait(0)
            if not self._has_ended():
                self._kill()
            try:
                ending = self._reaped()
            finally:
                self._streams.finish()
                self._running.discard(self)
            ours = self._killed and ending.signal == _SIGKILL
            self._remains = Remains(
                exit_code=ending.exit_code,
                signal=None if ours else ending.signal,
                cpu_ms=self.used_ns() / 1e6,
                peak_memory_bytes=self._peak,
                stderr=bytes(self._streams.stderr),
                stderr_cut=self._streams.stderr_cut,
            )
            if ending.stuck:
                raise MachineFailure(ending.machine)
        return self._remains

    def _accept(self, end: int, used_ns: int, limit_ns: int, elapsed: float) -> Answer:
        out = self._streams.out
        if len(out) > end + 1:
            raise self._fail("flood", "wrote more than one line for one request")
        if end > self._limits.line_bytes:
            raise self._line_too_long()
        if used_ns > limit_ns:
            raise self._out_of_time(used_ns, limit_ns)
        if used_ns > _LONG_TURN_NS:
            self._check_limits()
        line = bytes(out[:end])
        out.clear()
        self._charged_ns += used_ns
        return Answer(line=line, cpu_ms=used_ns / 1e6, wall_ms=elapsed * 1e3)

    def _check_amount(self, this_turn: int) -> None:
        limits = self._limits
        if this_turn > limits.turn_bytes:
            raise self._fail("flood", f"wrote more than {limits.turn_bytes} bytes for one request")
        if self._streams.received > limits.play_bytes:
            raise self._fail("flood", f"wrote more than {limits.play_bytes} bytes in one play")

    def _check_limits(self) -> None:
        if broken := self._broken_limit():
            raise self._fail("killed", broken)

    def _line_too_long(self) -> BotFailure:
        limit = self._limits.line_bytes
        return self._fail("flood", f"wrote a line of more than {limit} bytes")

    def _out_of_time(self, used_ns: int, limit_ns: int) -> BotFailure:
        kind = "CPU time" if self.cpu_measured else "time"
        return self._fail(
            "time", f"used {used_ns / 1e6:.0f} ms of {kind}; the limit was {limit_ns / 1e6:.0f} ms"
        )

    def _out_of_wall_time(
        self, wall_s: float, cpu_ms: float, watch: _Watch | None
    ) -> BotFailure | MachineFailure:
        if watch and watch.queue.starved():
            self._over = True
            self._kill()
            return MachineFailure(
                f"a bot was ready to run for most of {wall_s:.1f} s and got no CPU: "
                "the machine has too much to do"
            )
        return self._fail(
            "wall",
            f"gave no whole line within {wall_s:.1f} s, although it was free to run "
            f"(its limit was {cpu_ms:.0f} ms of CPU time)",
        )

    def _waited_too_long(self) -> BotFailure:
        return self._fail(
            "wall",
            f"waited for more than {self._limits.wait_s:.0f} s in this play without using CPU time",
        )

    def _closed_output(self) -> BotFailure:
        return self._fail("exit", "closed its standard output; one line of answer was expected")

    def _ended(self) -> BotFailure | MachineFailure:
        """What to say of a bot that ended, or closed its standard output, in place of answering."""
        deadline = time.perf_counter() + _LAST_WORDS_S
        while not self._has_ended():  # its output ends a moment before the process does
            late_s = time.perf_counter() - deadline
            if late_s > 0 and (late_s > _SLOW_END_S or not self._is_exiting()):
                return self._closed_output()
            self._streams.wait(0.01)
        ending = self._reaped()
        if ending.machine:
            self._over = True
            return MachineFailure(ending.machine)
        if ending.unstartable:
            return self._fail("start", ending.unstartable)
        if ending.limit:
            return self._fail("killed", ending.limit)
        if ending.signal is not None:
            return self._fail("killed", f"was killed by {_signal_text(ending.signal)}")
        return self._fail(
            "exit",
            f"ended by itself with exit code {ending.exit_code}; one line of answer was expected",
        )

    def _fail(self, reason: str, message: str) -> BotFailure:
        self._over = True
        self._kill()
        received = bytes(self._streams.out[:200])
        used_ns = self.used_ns() - self._charged_ns
        return BotFailure(reason, message, received=received, cpu_ms=used_ns / 1e6)

    def _kill(self) -> None:
        """Kill it if it still runs, after a last look at what it used."""
        if self._ending is None and not self._has_ended():
            self.used_ns()
            self._note_memory()
            self._killed = True
            self._end_by_force()

    def _cpus(self) -> int:
        """How many CPUs it can use at once."""
        return self._pin.width if self._pin else self._all_cpus

    def _note_memory(self) -> None:
        self._peak = peak_memory(self.pid) or self._peak

    def _is_exiting(self) -> bool:
        """Whether its end has begun, which can take long where the machine has much to do."""
        return False

    def _closed_stdout(self) -> bool:
        """For back ends where another process holds the pipe too, so that no end comes."""
        return self._stdout_inode is not None and not holds_pipe(self.pid, self._stdout_inode)

    def _reaped(self) -> Ending:
        if self._ending is None:
            self.used_ns()
            self._ending = self._reap()
        return self._ending


def _signal_text(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    why = {
        "SIGSYS": ": it made a system call that no bot may make",
        "SIGKILL": ": it used up the hard limit of CPU time, or the machine ran out of memory",
    }.get(name, "")
    return f"signal {number} ({name}){why}"


def _cpus_here() -> int:
    """How many CPUs a process that we start can use at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
