"""The registry: a game is a folder here whose `GAMES` holds its editions."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from engine.contract import Game
from engine.errors import UnknownGame
from engine.fields import shown


def all() -> tuple[Game, ...]:
    """The newest edition of every game, by name."""
    return tuple(max(games.values(), key=_edition) for _, games in sorted(_registry().items()))


def get(name: str, edition: str | None = None) -> Game:
    """The game's newest edition, or the given one; UnknownGame names those that there are."""
    editions = _registry().get(name) if isinstance(name, str) else None
    if editions is None:
        known = ", ".join(sorted(_registry()))
        raise UnknownGame(f"unknown game {shown(name)}; known are: {known}")
    if edition is None:
        return max(editions.values(), key=_edition)
    if not isinstance(edition, str) or edition not in editions:
        known = ", ".join(repr(game.edition) for game in sorted(editions.values(), key=_edition))
        raise UnknownGame(f"{name} has no edition {shown(edition)}; known are: {known}")
    return editions[edition]


@cache
def _registry() -> dict[str, dict[str, Game]]:
    """Every game by name and edition."""
    found: dict[str, dict[str, Game]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            for game in importlib.import_module(f"{__name__}.{module.name}").GAMES:
                found.setdefault(game.name, {})[game.edition] = game
    return found


def _edition(game: Game) -> int:
    return int(game.edition)
