"""The three pipes of a bot: written without blocking, always drained, and bounded."""

from __future__ import annotations

import os
import select
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, suppress

_CHUNK = 64 * 1024
_ONE_READ = 8 * 1024
"""More than most lines have, and little enough to be had without asking the system for memory."""


def pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe's read and write end, each closed by its owner's stack."""
    out, into = os.pipe()
    reader.callback(os.close, out)
    writer.callback(os.close, into)
    return out, into


class Streams(ABC):
    """Our ends of a bot's standard input, output and error.

    `out` is what came on standard output and has not been taken; `received` counts all of it.
    """

    def __init__(self, *, stderr_bytes: int) -> None:
        self.out = bytearray()
        self.received = 0
        self.out_ended = False
        self.stderr = bytearray()
        self.stderr_cut = False
        self._stderr_bytes = stderr_bytes

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Queue bytes for standard input; what the pipe does not take now goes during `wait`.

        A bot that closed its standard input loses them.
        """

    @abstractmethod
    def end_input(self) -> None:
        """Close standard input once all that is queued has gone."""

    @abstractmethod
    def wait(self, timeout_s: float) -> bool:
        """Move bytes until something has come, for at most so long; False when nothing came."""

    @abstractmethod
    def finish(self) -> None:
        """Read what a dead bot left behind, and close everything."""

    def _came_out(self, data: bytes) -> None:
        self.out += data
        self.received += len(data)

    def _came_on_stderr(self, data: bytes) -> None:
        room = self._stderr_bytes - len(self.stderr)
        self.stderr += data[:room]
        self.stderr_cut = self.stderr_cut or len(data) > room


class PollStreams(Streams):
    """All in one thread, with poll(2). `end_fd` becomes readable when the bot's process has ended
    (a pidfd); `ended` says that it has. Owns the three pipe ends, not `end_fd`."""

    def __init__(
        self, stdin: int, stdout: int, stderr: int, *, end_fd: int, stderr_bytes: int
    ) -> None:
        super().__init__(stderr_bytes=stderr_bytes)
        self.ended = False
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._end_fd = end_fd
        self._open = {stdin, stdout, stderr}
        self._pending = bytearray()
        self._last = False
        self._poll = select.poll()
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        for fd in (stdout, stderr, end_fd):
            self._poll.register(fd, select.POLLIN)

    def send(self, data: bytes) -> None:
        if self._stdin not in self._open:
            return
        waiting = bool(self._pending)
        self._pending += data
        if not waiting:
            self._write()
            if self._pending:
                self._poll.register(self._stdin, select.POLLOUT)

    def end_input(self) -> None:
        self._last = True
        if not self._pending:
            self._close(self._stdin)

    def wait(self, timeout_s: float) -> bool:
        came = False
        for fd, _ in self._poll.poll(timeout_s * 1000):
            if fd == self._stdin:
                self._write()
                if not self._pending:
                    self._unwatch(fd)
                continue
            came = True
            if fd == self._end_fd:
                self.ended = True
                self._poll.unregister(fd)
            else:
                self._read(fd)
        return came

    def finish(self) -> None:
        for fd in (self._stdout, self._stderr):
            while fd in self._open and self._read(fd):
                pass
        for fd in tuple(self._open):
            self._close(fd)

    def _read(self, fd: int) -> bool:
        """One read; False at the end of the stream or when there is nothing."""
        try:
            data = os.read(fd, _ONE_READ)
        except BlockingIOError:
            return False
        if not data:
            self.out_ended = self.out_ended or fd == self._stdout
            self._close(fd)
        elif fd == self._stdout:
            self._came_out(data)
        else:
            self._came_on_stderr(data)
        return bool(data)

    def _write(self) -> None:
        try:
            while self._pending:
                del self._pending[: os.write(self._stdin, self._pending)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._pending.clear()
            self._last = True
        if self._last:
            self._close(self._stdin)

    def _unwatch(self, fd: int) -> None:
        with suppress(KeyError):  # standard input is watched only while something waits
            self._poll.unregister(fd)

    def _close(self, fd: int) -> None:
        if fd in self._open:
            self._unwatch(fd)
            self._open.discard(fd)
            os.close(fd)


class ThreadStreams(Streams):
    """The same with a thread for each pipe: works where pipes cannot be polled (Windows)."""

    def __init__(self, stdin: int, stdout: int, stderr: int, *, stderr_bytes: int) -> None:
        super().__init__(stderr_bytes=stderr_bytes)
        self._changed = threading.Condition()
        self._news = False
        self._pending = bytearray()
        self._last = False
        self._most_out = 4 * _CHUNK  # a flood waits in the pipe, not in our memory
        self._threads = [
            threading.Thread(target=target, args=args, daemon=True)
            for target, args in (
                (self._writer, (stdin,)),
                (self._reader, (stdout, self._take_out, self._end_out)),
                (self._reader, (stderr, self._came_on_stderr, lambda: None)),
            )
        ]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes) -> None:
        with self._changed:
            self._pending += data
            self._changed.notify_all()

    def end_input(self) -> None:
        with self._changed:
            self._last = True
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        with self._changed:
            self._changed.notify_all()  # the reader may go on if `out` has been taken
            came = self._changed.wait_for(lambda: self._news, timeout_s)
            self._news = False
            return came

    def finish(self) -> None:
        with self._changed:
            self._last = True
            self._pending.clear()
            self._most_out = 1 << 62
            self._changed.notify_all()
        for thread in self._threads:
            # A process that the bot left behind can hold a pipe open: its thread is a daemon.
            thread.join(1.0)

    def _reader(self, fd: int, take: Callable[[bytes], None], end: Callable[[], None]) -> None:
        with suppress(OSError):  # how some systems report that the other end is gone
            while data := os.read(fd, _CHUNK):
                with self._changed:
                    take(data)
                    self._news = True
                    self._changed.notify_all()
        os.close(fd)
        with self._changed:
            end()
            self._news = True
            self._changed.notify_all()

    def _take_out(self, data: bytes) -> None:
        self._changed.wait_for(lambda: len(self.out) < self._most_out)
        self._came_out(data)

    def _end_out(self) -> None:
        self.out_ended = True

    def _writer(self, fd: int) -> None:
        with suppress(OSError):  # the bot closed its standard input, or is dead
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._pending or self._last)
                    data = bytes(self._pending)
                    self._pending.clear()
                if not data:
                    break
                while data:
                    data = data[os.write(fd, data) :]
        os.close(fd)
