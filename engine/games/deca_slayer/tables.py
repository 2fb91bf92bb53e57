"""The card tables of `cards.toml` as frozen values; table order is the order of the rows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from engine.contract import Option

TYPES = ("melee", "ranged", "magic")
"""The type order."""


@dataclass(frozen=True)
class Hero:
    """A kind of hero card; `powers` lacks the types that the hero does not have."""

    name: str
    title: str
    count: int
    powers: Mapping[str, int]
    performer: bool
    attached_bonus: int


@dataclass(frozen=True)
class Step:
    """One part of a battle, done by all players before the next part begins."""

    mode: str
    """simultaneous, sequential, continuous or all"""
    slots: tuple[str, ...]
    """The types asked for in one turn, in order."""
    optional: bool
    """Nothing is required: an empty slot is no card of power 0."""
    repeat: bool
    """Any number of cards of the one slot in one turn."""

    @property
    def need(self) -> int:
        """Cards that a player must hold to have a turn."""
        return 1 if self.optional else len(self.slots)


@dataclass(frozen=True)
class Monster:
    """A monster card, one copy each."""

    name: str
    title: str
    placement: str
    """total-power, highest-minimum or last-man-standing"""
    steps: tuple[Step, ...]
    trophy_vp: int | None
    """VP of the card for rank 1, who takes it as a treasure; None: nobody takes it."""


@dataclass(frozen=True)
class Treasure:
    """A kind of treasure card with its effects; 0, () and False where it has none."""

    name: str
    title: str
    count: int
    vp: int
    face: str
    power: tuple[str, ...] = ()
    look: bool = False
    gain_draw: int = 0
    gain_discard: int = 0
    hand_limit: int = 0
    pair_vp: int = 0
    exchange_draw: int = 0


@dataclass(frozen=True)
class Guild:
    """A guild card with its effects; 0, () and False where it has none."""

    name: str
    title: str
    power: tuple[str, ...] = ()
    vp: int = 0
    outrank: bool = False
    look: bool = False
    hire_draw: int = 0
    start_draw: int = 0
    treasure_vp: int = 0
    transmute: bool = False
    take_back: bool = False


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A table row as arguments: lists as tuples, without the mark of house cards."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in row.items()
        if key != "house"
    }


def _hero(row: Mapping[str, Any]) -> Hero:
    return Hero(
        row["name"],
        row["title"],
        row["count"],
        {kind: row[kind] for kind in TYPES if kind in row},
        row.get("performer", False),
        row.get("attached_bonus", 0),
    )


def _monster(row: Mapping[str, Any]) -> Monster:
    steps = tuple(
        Step(
            step["mode"],
            tuple(step.get("slots", ())),
            step.get("optional", False),
            step.get("repeat", False),
        )
        for step in row["steps"]
    )
    return Monster(row["name"], row["title"], row["placement"], steps, row.get("trophy_vp"))


_TABLES = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))

GAME: str = _TABLES["game"]
TITLE: str = _TABLES["title"]
EDITION: str = _TABLES["edition"]
MIN_PLAYERS: int = _TABLES["min_players"]
MAX_PLAYERS: int = _TABLES["max_players"]
ROUNDS: int = _TABLES["rounds"]
ROW: int = _TABLES["row"]
START_CARDS: int = _TABLES["start_cards"]
REFILL_TO: int = _TABLES["refill_to"]
HAND_LIMIT: int = _TABLES["hand_limit"]
REMOVED_MONSTERS: int = _TABLES["removed_monsters"]
HEROES_PER_ROUND: dict[int, int] = {
    int(players): count for players, count in _TABLES["heroes_per_round"].items()
}
OPTIONS: dict[str, Option] = {row["name"]: Option(**_row(row)) for row in _TABLES["option"]}

HEROES: dict[str, Hero] = {row["name"]: _hero(row) for row in _TABLES["hero"]}
MONSTERS: dict[str, Monster] = {row["name"]: _monster(row) for row in _TABLES["monster"]}
TREASURES: dict[str, Treasure] = {row["name"]: Treasure(**_row(row)) for row in _TABLES["treasure"]}
GUILDS: dict[str, Guild] = {row["name"]: Guild(**_row(row)) for row in _TABLES["guild"]}

GUILD_MASTER = "guild-master"
PRINCESS = "princess"
DRAGON = "dragon"
DOLL = "mysterious-doll"
PERFORMERS = tuple(hero.name for hero in HEROES.values() if hero.performer)

# The Dragon lies among the treasures of the player who took it, after all others in table order.
OWNABLE: dict[str, Treasure] = {
    **TREASURES,
    DRAGON: Treasure(DRAGON, MONSTERS[DRAGON].title, 1, MONSTERS[DRAGON].trophy_vp or 0, face="up"),
}

HERO_ORDER = {name: index for index, name in enumerate(HEROES)}
MONSTER_ORDER = {name: index for index, name in enumerate(MONSTERS)}
TREASURE_ORDER = {name: index for index, name in enumerate(OWNABLE)}

hero_order = HERO_ORDER.__getitem__
monster_order = MONSTER_ORDER.__getitem__
treasure_order = TREASURE_ORDER.__getitem__


def hero_copies(princesses: int) -> dict[str, int]:
    """Copies of every hero in a play with that many princesses."""
    copies = {name: hero.count for name, hero in HEROES.items()}
    copies[PRINCESS] = princesses
    return copies
