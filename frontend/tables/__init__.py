"""How the table of each game is drawn: one module and one template a game.

A game `name-x` has a module `name_x` here whose `board(observation)` turns an observation into
what its template `frontend/tables/name-x.html` shows. A game without them is shown as its plain
observation.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def board(game: str, observation: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The template that draws this moment, and what it shows."""
    name = f"{__name__}.{game.replace('-', '_')}"
    if find_spec(name) is None:
        return "frontend/tables/plain.html", {"fields": list(observation.items())}
    shown: dict[str, Any] = import_module(name).board(observation)
    return f"frontend/tables/{game}.html", shown
