"""The deal, up to the start player's first turn (rules, section 5)."""

from __future__ import annotations

from engine.games.slawia import decks, monsters, turn
from engine.games.slawia.board import Board
from engine.games.slawia.tables import LAIR, LOCATIONS, MONSTERS, SLAYERS


def deal(players: int, seed: str) -> Board:
    """The board at the beginning of turn 1."""
    board = Board(players, seed)
    board.first = board.chance.below("start", players)
    board.event("start", first=board.first)

    board.monster_deck = [name for name, monster in MONSTERS.items() for _ in range(monster.copies)]
    board.chance.shuffle(decks.MONSTER_STREAM, board.monster_deck)
    decks.fill_lair(board, LAIR)

    board.location_deck = list(LOCATIONS)
    board.chance.shuffle(decks.LOCATION_STREAM, board.location_deck)
    for where in range(len(board.table)):
        decks.reveal_location(board, where)
    _first_monsters(board)

    board.hands = [list(SLAYERS) for _ in range(players)]
    turn.begin(board, board.first)
    return board


def _first_monsters(board: Board) -> None:
    """A normal monster for every location; special ones are put aside and shuffled back (R7)."""
    aside = []
    for where in range(len(board.table)):
        while MONSTERS[card := board.monster_deck.pop()].special:
            aside.append(card)
            board.event("aside", card=card)
        monsters.put_down(board, where, card, "setup", None)
    if aside:
        board.monster_deck += aside
        decks.shuffle(board, decks.MONSTER_STREAM, board.monster_deck)
