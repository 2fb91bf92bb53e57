"""The card tables of `cards.toml` as frozen values; table order is the order of the rows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine.contract import Option

KINDS = ("immortal", "meditation", "spell", "artifact", "miasma", "servant", "creature", "lord")
"""The kinds of cards in table order."""


@dataclass(frozen=True, slots=True)
class Card:
    """A kind of card with its columns; `cards.toml` says what each means.

    A column that the card does not have is 0, "" or False.
    """

    kind: str
    name: str
    title: str
    count: int
    clan: str = ""
    rank: str = ""
    cost: int = 0
    development: int = 0
    attack: int = 0
    purity: int = 0
    leadership: str = ""
    leadership_value: int = 0
    twin: bool = False
    turn: str = ""
    turn_value: int = 0
    frenzy: int = 0
    fortune: int = 0
    harvest: bool = False
    burn: bool = False
    phoenix: bool = False
    shed: bool = False
    use: str = ""
    use_value: int = 0
    place_condition: str = ""
    passive: str = ""
    alchemy_discount: int = 0
    risk_bonus: int = 0
    effect: str = ""
    toll: int = 0
    permanent: bool = False
    strength: int = 0
    reward: int = 0
    technique: str = ""
    condition: str = ""
    curse: str = ""
    curse_value: int = 0
    guardian: bool = False
    shadow: bool = False
    serenity: bool = False
    miasma: bool = False
    hand_bonus: int = 0
    supreme: bool = False
    house: bool = False


_TABLES: dict[str, Any] = tomllib.loads(
    files(__package__).joinpath("cards.toml").read_text(encoding="utf-8")
)

GAME: str = _TABLES["name"]
TITLE: str = _TABLES["title"]
EDITION: str = _TABLES["edition"]
MIN_PLAYERS: int = _TABLES["min_players"]
MAX_PLAYERS: int = _TABLES["max_players"]
CLANS: tuple[str, ...] = tuple(_TABLES["clans"])
WAVES: int = _TABLES["waves"]
SERVANTS_PER_WAVE: int = _TABLES["servants_per_wave"]
HAND_SIZE: int = _TABLES["hand_size"]
START_DISCIPLES: int = _TABLES["start_disciples"]
START_DILIGENCE: int = _TABLES["start_diligence"]
REGALIA_SLOTS: int = _TABLES["regalia_slots"]
ISLES_LIMIT: int = _TABLES["isles_limit"]
TWIN_LIMIT: int = _TABLES["twin_limit"]
ALCHEMY_CARDS: int = _TABLES["alchemy_cards"]
ROUND_LIMIT: int = _TABLES["round_limit"]
QUIET_ROUNDS: int = _TABLES["quiet_rounds"]
BURN_BONUS: int = _TABLES["burn_bonus"]

RANDOM = "random"
CHOOSE = "choose"
OPTIONS: dict[str, Option] = {
    "clans": Option("clans", "Clans", RANDOM, None),
    "first": Option("first", "First player", RANDOM, None),
}

CARDS: dict[str, Card] = {
    row["name"]: Card(kind=kind, **row) for kind in KINDS for row in _TABLES[kind]
}
ORDER: dict[str, int] = {name: index for index, name in enumerate(CARDS)}
table_order = ORDER.__getitem__


@cache
def of_kind(*kinds: str) -> tuple[str, ...]:
    """The names of all cards of these kinds, in table order."""
    return tuple(name for name, card in CARDS.items() if card.kind in kinds)


IMMORTALS = of_kind("immortal")
MEDITATIONS = of_kind("meditation")
SPELLS = of_kind("spell")
ARTIFACTS = of_kind("artifact")
MIASMAS = of_kind("miasma")
SERVANTS = of_kind("servant")
CREATURES = of_kind("creature")
LORDS = of_kind("lord")

DILIGENCE = "diligence"
CLAN_CARDS: dict[str, tuple[str, ...]] = {
    clan: tuple(name for name in IMMORTALS if CARDS[name].clan == clan) for clan in CLANS
}
"""The Disciple, Master and Sage of every clan."""


def copies(names: Iterable[str]) -> list[str]:
    """Each card as often as its count, in the order given."""
    return [name for name in names for _ in range(CARDS[name].count)]


def in_order(names: Iterable[str]) -> list[str]:
    """The cards in table order."""
    return sorted(names, key=table_order)
