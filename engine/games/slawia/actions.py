"""The action strings, 77 in a fixed order (rules, section 13)."""

from __future__ import annotations

from engine.games.slawia.tables import (
    LOCATIONS,
    MONSTERS,
    MOST_MONSTERS,
    MOST_SPACES,
    RANGER,
    SLAYERS,
    TOKENS,
)

DECK = "deck"
NO_SWAP = "no swap"
KEEP_ORDER = "keep order"
KEEP_TOKENS = "keep tokens"
PLAY = {slayer: f"play {slayer}" for slayer in SLAYERS}
LAIR = {monster: f"lair {monster}" for monster in MONSTERS}
AT = {location: f"at {location}" for location in LOCATIONS}
SWAP = {slayer: f"swap {slayer}" for slayer in SLAYERS if slayer != RANGER}
PICK = {position: f"pick {position}" for position in range(1, MOST_SPACES + 1)}
RECALL = {token: f"recall {token}" for token in TOKENS}
MARK = {position: f"mark {position}" for position in range(1, MOST_MONSTERS + 1)}
CURSE = {position: f"curse {position}" for position in range(1, MOST_SPACES + 1)}

ACTIONS: tuple[str, ...] = (
    *PLAY.values(),
    *LAIR.values(),
    DECK,
    *AT.values(),
    *SWAP.values(),
    NO_SWAP,
    *PICK.values(),
    KEEP_ORDER,
    *RECALL.values(),
    KEEP_TOKENS,
    *MARK.values(),
    *CURSE.values(),
)


def object_of(action: str) -> str:
    """What an action names: a card or a location."""
    return action.rpartition(" ")[2]


def number_of(action: str) -> int:
    """The token or position that an action names."""
    return int(object_of(action))
