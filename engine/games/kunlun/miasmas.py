"""What a Miasma in hand does (rules, section 9)."""

from __future__ import annotations

from engine.games.kunlun.board import Board, Step, put
from engine.games.kunlun.tables import CARDS


def queue(board: Board, cards: list[str]) -> None:
    """The Miasmas among these cards are to be carried out; the cards are sorted."""
    board.pending += [Step("miasma", card=name) for name in cards if CARDS[name].kind == "miasma"]


def needs_choice(board: Board, card: str) -> bool:
    """Whether its owner must say which Artifact it displaces."""
    seat = board.seat
    return (
        CARDS[card].effect == "settle"
        and not seat.has_free_slot()
        and bool(seat.artifacts_placed())
    )


def carry_out(board: Board, name: str) -> None:
    """The Miasma works; one that settles has its slot, or none can be had (R20)."""
    card = CARDS[name]
    now = board.now
    seat = board.seat
    result = "works"
    if card.effect == "turn":
        now.attack_bonus += card.attack
        now.purity_bonus += card.purity
    elif card.effect == "leaden":
        now.leaden = True
    elif card.effect == "settle":
        result = "settles" if seat.has_free_slot() else "idle"
        if seat.has_free_slot():
            board.leave_hand(name)
            put(seat.regalia, name)
    board.turn_event("miasma", card=name, result=result)
    board.lose_tokens(board.turn, card.toll)
