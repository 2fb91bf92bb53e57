"""Run programs that nobody has read, in isolation, and measure what they use."""

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
from .workspace import workspace

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
    "workspace",
]
