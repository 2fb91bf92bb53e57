"""Run programs that nobody has read, in isolation, and measure what they use."""

from .api import (
    Answer,
    Bot,
    BotFailure,
    CannotIsolate,
    DoesNotHold,
    Limits,
    MachineFailure,
    Program,
    Remains,
    Sandbox,
)
from .plain import Plain  # here, since its first import makes the package's `plain` the module
from .tiers import isolated
from .workspace import sweep, workspace


def plain() -> Sandbox:
    """Ordinary processes without isolation, on any system: for programs that one trusts."""
    return Plain()


__all__ = [
    "Answer",
    "Bot",
    "BotFailure",
    "CannotIsolate",
    "DoesNotHold",
    "Limits",
    "MachineFailure",
    "Program",
    "Remains",
    "Sandbox",
    "isolated",
    "plain",
    "sweep",
    "workspace",
]
