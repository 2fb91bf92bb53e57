"""The action strings, 149 in a fixed order (rules, section 10)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.games.deca_slayer.tables import (
    DOLL,
    HEROES,
    OWNABLE,
    PERFORMERS,
    PRINCESS,
    TREASURES,
    hero_order,
    treasure_order,
)

PASS = "pass"
ADD_PRINCESS = f"add {PRINCESS}"
OUTRANK = "outrank"
USE_DOLL = f"use {DOLL}"
PLAY = {hero: f"play {hero}" for hero in HEROES}
TAKE_BACK = {hero: f"take back {hero}" for hero in PERFORMERS}
TAKE = {treasure: f"take {treasure}" for treasure in TREASURES}
RECRUIT = {hero: f"recruit {hero}" for hero in HEROES}
HIRE = {treasure: f"hire {treasure}" for treasure in TREASURES}
DISCARD = {hero: f"discard {hero}" for hero in HEROES}
TRANSMUTE = {treasure: f"transmute {treasure}" for treasure in OWNABLE}

ACTIONS: tuple[str, ...] = (
    PASS,
    *PLAY.values(),
    ADD_PRINCESS,
    *TAKE_BACK.values(),
    OUTRANK,
    *TAKE.values(),
    *RECRUIT.values(),
    USE_DOLL,
    *HIRE.values(),
    *DISCARD.values(),
    *TRANSMUTE.values(),
)


def card_of(action: str) -> str:
    """The card that an action names."""
    return action.rpartition(" ")[2]


def with_heroes(verb: dict[str, str], cards: Iterable[str]) -> list[str]:
    """One action for each different hero, in table order."""
    return [verb[card] for card in sorted(set(cards), key=hero_order)]


def with_treasures(verb: dict[str, str], cards: Iterable[str]) -> list[str]:
    """One action for each different treasure, in table order."""
    return [verb[card] for card in sorted(set(cards), key=treasure_order)]
