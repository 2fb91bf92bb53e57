"""One thing that was looked at."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is: FAIL stops the service or loses something, warn will or may."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True)
class Finding:
    """What is so, and where it is not well, what to do."""

    level: Level
    part: str
    what: str
    help: str = ""


def ok(part: str, what: str) -> Finding:
    """Nothing to do."""
    return Finding(Level.OK, part, what)


def warn(part: str, what: str, help: str) -> Finding:
    """It works, and something should be done."""
    return Finding(Level.WARN, part, what, help)


def fail(part: str, what: str, help: str) -> Finding:
    """It does not work, or loses something."""
    return Finding(Level.FAIL, part, what, help)
