"""Signals that ask a command to stop: the first one ends its work, later ones its patience."""

import signal
from types import FrameType, TracebackType
from typing import Self

ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Raised in the main thread by the first signal; no error."""


class StopSignals:
    """While it is entered, the first signal raises Stopped and later ones set `again`.

    Nothing is raised twice, so what stops the processes is never broken off half-way.
    """

    def __init__(self) -> None:
        self.received = 0
        self._before: dict[signal.Signals, object] = {}

    @property
    def again(self) -> bool:
        return self.received > 1

    def __enter__(self) -> Self:
        for signum in ASKING:
            self._before[signum] = signal.signal(signum, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)  # type: ignore[arg-type]

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        self.received += 1
        if self.received == 1:
            raise Stopped
