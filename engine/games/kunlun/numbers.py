"""The numbers that count at every moment, from what lies there now (rules, section 5)."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.kunlun.board import Board
from engine.games.kunlun.tables import CARDS, Card

DREAD = 2
"""Attack that every player has less under a Lord with `dread`."""

BANNERS = [name for name, card in CARDS.items() if card.technique == "banner"]
COUNTS_IN_HAND = frozenset(("immortal", "meditation", "spell"))


class Numbers(NamedTuple):
    """What the player in turn can do; nothing is below 0."""

    attack: int
    attack_left: int
    purity: int
    purity_left: int
    slays: int
    """Attacks allowed in this turn, those already made included."""
    acquisitions: int
    """Acquisitions allowed in this turn, those already made included."""
    risk_bonus: int
    discount: int
    """What Ordinary Alchemy costs less."""


def cards_in_force(board: Board) -> list[Card]:
    """The cards that count for the player in turn, turned or not."""
    seat = board.seat
    cards = [card for name in seat.hand if (card := CARDS[name]).kind in COUNTS_IN_HAND]
    cards += [CARDS[name] for name in seat.regalia]
    if seat.creature is not None:
        cards.append(CARDS[seat.creature])
    return cards


def numbers(board: Board) -> Numbers:
    """The numbers of the player in turn."""
    now = board.now
    attack = now.attack_bonus + _leadership(board)
    purity = now.purity_bonus
    slays = 1 + now.frenzy_bonus
    acquisitions = 1
    harvest = False
    risk_bonus = discount = 0
    for card in cards_in_force(board):
        attack += card.attack
        purity += card.purity
        slays += card.frenzy
        acquisitions += card.fortune
        harvest = harvest or card.harvest
        risk_bonus += card.risk_bonus
        discount += card.alchemy_discount
    if board.has_technique("dread"):
        attack -= DREAD
    attack = max(0, attack)
    purity = max(0, purity)
    return Numbers(
        attack=attack,
        attack_left=max(0, attack - now.attack_spent),
        purity=purity,
        purity_left=max(0, purity - now.purity_spent),
        slays=1 if now.leaden else slays,
        acquisitions=acquisitions + harvest,
        risk_bonus=risk_bonus,
        discount=discount,
    )


def _leadership(board: Board) -> int:
    """Attack that the Immortals in hand add together."""
    seat = board.seat
    immortals = [card for name in seat.hand if (card := CARDS[name]).kind == "immortal"]
    total = 0
    for card in immortals:
        if not card.leadership:
            continue
        if card.leadership == "pair":
            steps = int(immortals.count(card) > 1)
        elif card.leadership == "clan":
            steps = len(immortals) - 1
        elif card.leadership == "burned":
            steps = board.now.burned
        else:
            steps = len(seat.artifacts_placed())
        total += card.leadership_value * steps
    return total


def alchemy_price(artifact: str, counted: Numbers) -> int:
    """Tokens that Ordinary Alchemy takes for the Artifact."""
    return max(1, CARDS[artifact].development - counted.discount)


def acquisition_cost(board: Board, card: str) -> int:
    """Purity that an acquisition takes."""
    return CARDS[card].cost + board.has_technique("levy")


# Strengths


def strength(board: Board, enemy: str) -> int:
    """Strength of a Servant, a Creature or the Lord now."""
    card = CARDS[enemy]
    if card.kind == "creature":
        return card.strength
    if card.kind == "lord":
        return card.strength + sum(
            strength(board, name) for name in board.zone if CARDS[name].kind == "servant"
        )
    total = card.strength + board.has_technique("drill")
    total += sum(map(board.zone.count, BANNERS))
    if card.technique == "banner":
        total -= 1
    elif card.technique == "horde":
        total += board.zone.count(enemy) - 1
    return total
