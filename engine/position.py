"""The parts of a position that are the same in every game, read from JSON of unknown origin.

Every refusal is a ValueError that says where and what, as in `engine.fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.chance import check_seed
from engine.contract import Game, Json
from engine.fields import read_int, read_list, read_plain, read_seats, shown

MOST_WORDS = 2**32
"""Words of a chance stream that a position may have used; far more than any play takes."""


class Head(NamedTuple):
    """What every position says of its deal."""

    players: int
    options: Json
    """Every option of the game with its value."""
    seed: str


def read_head(game: Game, position: object) -> tuple[Mapping[str, Any], Head]:
    """The position as an object, and its deal; game and edition are those of `game`."""
    if not isinstance(position, Mapping):
        raise ValueError(f"a position is an object, not {shown(position)}")
    for field, own in (("game", game.name), ("edition", game.edition)):
        if position.get(field) != own:
            raise ValueError(f"{field} must be {own!r}, not {shown(position.get(field))}")
    players = game.check_players(position.get("players"))
    options = game.check_options(position.get("options"), players)
    return position, Head(players, options, check_seed(position.get("seed")))


def read_streams(value: object, where: str) -> dict[str, int]:
    """The words used of each chance stream, by label."""
    if not isinstance(value, Mapping) or not all(isinstance(label, str) for label in value):
        raise ValueError(f"{where} must be an object of labels and the words used of each")
    return {
        label: read_int(words, f"{where}.{label}", 1, MOST_WORDS) for label, words in value.items()
    }


def read_events(value: object, players: int) -> list[Json]:
    """The events so far, copied; each has a kind and says who may see it."""
    events = []
    for i, event in enumerate(read_list(value, "events")):
        where = f"events[{i}]"
        if not isinstance(event, Mapping) or not isinstance(event.get("kind"), str):
            raise ValueError(f"{where} must be an object with a kind")
        if "visible_to" not in event:
            raise ValueError(f"{where} lacks visible_to")
        if event["visible_to"] is not None:
            read_seats(event["visible_to"], f"{where}.visible_to", players)
        events.append(read_plain(event, where))
    return events
