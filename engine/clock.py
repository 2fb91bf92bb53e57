"""The time control of a play and the clock that keeps it. Times are CPU milliseconds of a bot."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fields import read_int, read_object

# Nobody waits for a bot longer than this, whatever an organiser types.
LONGEST_MS = 3_600_000

# The wall-time backstop of a request that may use `limit` ms of CPU is 3 x limit + 1 s.
BACKSTOP_FACTOR = 3
BACKSTOP_EXTRA_MS = 1000


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much CPU time a bot has: to get ready, for each decision, and in its bank for the play.

    A decision may use `move_ms` plus what is left of the bank; what goes beyond `move_ms` is taken
    from the bank. A value out of range is a ValueError that names field and range.
    """

    start_ms: int = 5000
    move_ms: int = 100
    bank_ms: int = 5000

    def __post_init__(self) -> None:
        for name, least in (("start_ms", 1), ("move_ms", 0), ("bank_ms", 0)):
            read_int(getattr(self, name), f"time.{name}", least, LONGEST_MS)
        if self.move_ms + self.bank_ms == 0:
            raise ValueError("time.move_ms and time.bank_ms are both 0: no bot could answer")

    def to_dict(self) -> dict[str, int]:
        """The three fields by name, as on the wire and in a record."""
        return {"start_ms": self.start_ms, "move_ms": self.move_ms, "bank_ms": self.bank_ms}

    @classmethod
    def from_dict(cls, data: object) -> TimeControl:
        """Read `to_dict()` again; ValueError for a field that is missing, unknown or wrong."""
        return cls(**read_object(data, "time", ("start_ms", "move_ms", "bank_ms")))

    def worst_case_s(self, decisions: int, players: int) -> float:
        """Wall seconds that a play of so many decisions takes if the bots use up all their time.

        The machine may give a bot as little as a third of a core, and each request may take a
        second more: that is how far the wall-time backstop reaches.
        """
        cpu_ms = players * (self.start_ms + self.bank_ms) + decisions * self.move_ms
        requests = players + decisions
        return (BACKSTOP_FACTOR * cpu_ms + BACKSTOP_EXTRA_MS * requests) / 1000


class Clock:
    """What each seat has left in its bank during one play."""

    def __init__(self, time: TimeControl, players: int) -> None:
        self._time = time
        self._bank_ms = [float(time.bank_ms)] * players

    def bank_ms(self, seat: int) -> float:
        """What the seat has left in its bank."""
        return self._bank_ms[seat]

    def limit_ms(self, seat: int) -> float:
        """The CPU time that the seat's next decision may use at most."""
        return self._time.move_ms + self._bank_ms[seat]

    def charge(self, seat: int, cpu_ms: float) -> None:
        """Take from the bank what a decision used beyond `move_ms`."""
        beyond = max(0.0, cpu_ms - self._time.move_ms)
        self._bank_ms[seat] = max(0.0, self._bank_ms[seat] - beyond)
