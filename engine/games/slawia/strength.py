"""How strong the cards at a location are (rules, section 9.1), and the shares of the houses."""

from __future__ import annotations

from engine.games.slawia.board import Slot
from engine.games.slawia.tables import LIKHO, MAGE, MONSTERS, SLAYERS, STOLEM, WARRIORS

MAGE_BONUS = 2
"""What every Warrior there adds to a Mage."""
LIKHO_LIMIT = 2
"""The most that a Warrior has beside a Likho."""


def slayer_strengths(slot: Slot) -> list[int]:
    """The strength of every card of the slayer row; tokens of players do not matter here."""
    limit = LIKHO_LIMIT if slot.has_monster(LIKHO) else None
    strengths = []
    for slayer in slot.slayers:
        if slayer.owner is None or slayer.cursed:
            strengths.append(0)
            continue
        strength = SLAYERS[slayer.card].strength
        if slayer.card in WARRIORS:
            strength = strength if limit is None else min(strength, limit)
        elif slayer.card == MAGE and not slot.has_vila:
            strength += MAGE_BONUS * sum(other.card in WARRIORS for other in slot.slayers)
        strengths.append(strength)
    return strengths


def monster_strengths(slot: Slot) -> list[int]:
    """The strength of every card of the monster row."""
    factor = 2 ** sum(monster.card == STOLEM for monster in slot.monsters)
    strengths = []
    for monster in slot.monsters:
        kind = MONSTERS[monster.card]
        strength = 0 if monster.tokens else kind.strength
        strengths.append(strength if kind.special else strength * factor)
    return strengths


def ranking(slot: Slot) -> list[tuple[int, int]]:
    """The players with a slayer there and their house strengths, first place first.

    Among equals the slayer nearest to the location decides.
    """
    vila = slot.has_vila
    shares: dict[int, int] = {}
    for slayer, strength in zip(slot.slayers, slayer_strengths(slot), strict=True):
        if slayer.owner is not None:
            share = strength if vila or not slayer.tokens else 0
            shares[slayer.owner] = shares.get(slayer.owner, 0) + share
    # Players stand in the order of their first cards, and sorting is stable.
    return sorted(shares.items(), key=lambda share: share[1], reverse=True)
