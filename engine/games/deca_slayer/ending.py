"""After the tenth battle (rules, section 9, end of the game): phase `alchemy`.

Functions that go on return whether the game is over; if not, a decision is due.
"""

from __future__ import annotations

from engine.contract import ranks_by
from engine.games.deca_slayer.actions import PASS, TRANSMUTE, card_of, with_treasures
from engine.games.deca_slayer.board import Board


def begin(board: Board) -> bool:
    """Ask the seat that may swap a treasure, or end the game."""
    player = board.guild_seat("transmute")
    if player is not None and board.seats[player].treasures and board.treasure_deck:
        board.phase = "alchemy"
        board.turn = player
        return False
    return _end(board)


def legal(board: Board, player: int) -> list[str]:
    """Legal actions in the phase `alchemy`."""
    return [PASS, *with_treasures(TRANSMUTE, board.seats[player].treasures)]


def apply(board: Board, player: int, action: str) -> bool:
    """Take a legal action in the phase `alchemy`; a new treasure has no effect on gain (R22)."""
    if action == PASS:
        board.event("decline", player=player, phase="alchemy")
        return _end(board)
    discarded = card_of(action)
    treasures = board.seats[player].treasures
    treasures.remove(discarded)
    board.treasure_discard.append(discarded)
    treasures.append(board.treasure_deck.pop())
    board.event("transmute", player=player, discarded=discarded, drawn=treasures[-1])
    return _end(board)


def scores(board: Board) -> list[int]:
    """VP by seat."""
    return [board.vp(player) for player in range(board.players)]


def ranks(board: Board) -> list[int]:
    """Most VP, then most treasure cards, then shared (R30)."""
    return ranks_by(
        [(board.vp(player), len(seat.treasures)) for player, seat in enumerate(board.seats)]
    )


def _end(board: Board) -> bool:
    board.row = []
    board.phase = "end"
    board.turn = None
    board.event("end", scores=scores(board), ranks=ranks(board))
    return True
