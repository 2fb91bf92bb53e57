"""Rules of the games, and all that is needed to play them: standard library only."""

from engine import games
from engine.errors import IllegalAction, UnknownGame

__all__ = ["IllegalAction", "UnknownGame", "games"]
