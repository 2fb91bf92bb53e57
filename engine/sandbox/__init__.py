"""Run programs that nobody has read, in isolation, and measure what they use."""

import sys

from .api import (
    Answer,
    Bot,
    BotFailure,
    CannotIsolate,
    Limits,
    MachineFailure,
    Program,
    Remains,
    Sandbox,
)
from .plain import Plain  # here, since its first import makes the package's `plain` the module
from .workspace import workspace


def isolated() -> Sandbox:
    """The sandbox for uploaded programs, tried out on this machine.

    CannotIsolate says what is missing and how to get it.
    """
    if sys.platform != "linux":
        raise CannotIsolate(f"bots can be isolated on Linux only, not on {sys.platform}")
    from .bubblewrap import Bubblewrap  # uses modules that other systems do not have

    return Bubblewrap()


def plain() -> Sandbox:
    """Ordinary processes without isolation, on any system: for programs that one trusts."""
    return Plain()


__all__ = [
    "Answer",
    "Bot",
    "BotFailure",
    "CannotIsolate",
    "Limits",
    "MachineFailure",
    "Program",
    "Remains",
    "Sandbox",
    "isolated",
    "plain",
    "workspace",
]
