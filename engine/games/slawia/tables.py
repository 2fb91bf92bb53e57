"""The card tables of `cards.toml` as frozen values; table order is the order of the rows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

DUSK_DAWN = "dusk-dawn"
UNKNOWN_REGION = "unknown-region"
IMPENDING_DANGER = "impending-danger"


@dataclass(frozen=True)
class Slayer:
    """A slayer card; every player has one of each."""

    name: str
    title: str
    kind: str
    """The class printed on the card."""
    strength: int


@dataclass(frozen=True)
class Monster:
    """A kind of monster card."""

    name: str
    title: str
    strength: int
    treasures: int
    copies: int
    special: bool = False


@dataclass(frozen=True)
class Location:
    """A location card, one copy each."""

    name: str
    title: str
    slayers: int
    threshold: int
    sun: int
    points: tuple[int, int, int]
    ability: str = "none"

    def spaces(self, day: bool) -> int:
        """How many cards the slayer row may hold."""
        return self.slayers + (day and self.ability == DUSK_DAWN)

    def threshold_now(self, day: bool) -> int:
        """The number of monsters that starts a hunt."""
        return self.threshold + (not day and self.ability == DUSK_DAWN)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A table row as arguments: lists as tuples, without the mark of its source."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in row.items()
        if key != "source"
    }


_TABLES = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))

GAME: str = _TABLES["game"]
TITLE: str = _TABLES["title"]
EDITION: str = _TABLES["edition"]
MIN_PLAYERS: int = _TABLES["min_players"]
MAX_PLAYERS: int = _TABLES["max_players"]
HOUSES: tuple[str, ...] = tuple(_TABLES["houses"])
LAIR: int = _TABLES["lair"]
TOKENS: range = range(1, _TABLES["tokens"] + 1)
"""The numbers of a player's ability tokens."""
SLOTS: dict[int, int] = {int(players): count for players, count in _TABLES["locations"].items()}
"""Locations on the table, by players."""
LAST_SPACE: int = _TABLES["last_space"]
DAY: range = range(_TABLES["day"][0], _TABLES["day"][1] + 1)
"""The spaces of the day side."""

SLAYERS: dict[str, Slayer] = {row["name"]: Slayer(**_row(row)) for row in _TABLES["slayer"]}
MONSTERS: dict[str, Monster] = {row["name"]: Monster(**_row(row)) for row in _TABLES["monster"]}
LOCATIONS: dict[str, Location] = {row["name"]: Location(**_row(row)) for row in _TABLES["location"]}

ROGUE = "rogue"
MAGE = "mage"
RANGER = "ranger"
EXTERMINATOR = "exterminator"
WARRIORS = frozenset(slayer.name for slayer in SLAYERS.values() if slayer.kind == "warrior")

MIMIC = "mimic"
LIKHO = "likho"
BIES = "bies"
VODNIK = "vodnik"
VILA = "vila"
STOLEM = "stolem"

MOST_SPACES = max(location.spaces(day=True) for location in LOCATIONS.values())
MOST_MONSTERS = max(location.threshold_now(day=False) for location in LOCATIONS.values()) - 1
"""The longest monster row that is no hunt yet."""

SLAYER_ORDER = {name: index for index, name in enumerate(SLAYERS)}
MONSTER_ORDER = {name: index for index, name in enumerate(MONSTERS)}
LOCATION_ORDER = {name: index for index, name in enumerate(LOCATIONS)}

slayer_order = SLAYER_ORDER.__getitem__
monster_order = MONSTER_ORDER.__getitem__
location_order = LOCATION_ORDER.__getitem__
