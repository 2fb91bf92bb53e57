"""Drawing from both decks (rules, section 11)."""

from __future__ import annotations

from engine.games.slawia.board import Board, Slot
from engine.games.slawia.tables import LOCATIONS

MONSTER_STREAM = "monsters"
LOCATION_STREAM = "locations"


def draw_monster(board: Board) -> str | None:
    """Take the top of the monster deck; None: there is no card left to draw.

    A deck that is empty then is renewed at once (R38).
    """
    if not board.monster_deck:
        _renew_monsters(board)
        if not board.monster_deck:
            return None
    card = board.monster_deck.pop()
    if not board.monster_deck:
        _renew_monsters(board)
    return card


def fill_lair(board: Board, size: int) -> None:
    """Draw to the end of the lair until it has that many cards or there is none to draw."""
    while len(board.lair) < size and (card := draw_monster(board)) is not None:
        board.lair.append(card)
        board.event("lair", card=card)


def reveal_location(board: Board, where: int) -> None:
    """A new location comes into the slot, which stays empty if there is none (R39)."""
    if not board.location_deck and board.location_discard:
        board.location_deck, board.location_discard = board.location_discard, []
        shuffle(board, LOCATION_STREAM, board.location_deck)
    if not board.location_deck:
        board.table[where] = Slot()
        return
    location = LOCATIONS[board.location_deck.pop()]
    board.table[where] = Slot(location)
    board.event("location", slot=where, location=location.name)


def shuffle(board: Board, stream: str, deck: list[str]) -> None:
    """Make the list a new deck before everybody's eyes."""
    board.chance.shuffle(stream, deck)
    board.event("shuffle", deck=stream, cards=len(deck))


def _renew_monsters(board: Board) -> None:
    """The discard pile becomes the deck, if there is one."""
    if board.monster_discard:
        board.monster_deck = [card for card, _ in board.monster_discard]
        board.monster_discard = []
        shuffle(board, MONSTER_STREAM, board.monster_deck)
