"""Who was how good, and the treasures (rules, section 8): phases `outrank`, `treasure`, `curse`.

Functions that go on return whether this part of the round is over; if not, a decision is due.
"""

from __future__ import annotations

from engine.games.deca_slayer.actions import (
    DISCARD,
    OUTRANK,
    PASS,
    TAKE,
    card_of,
    with_heroes,
    with_treasures,
)
from engine.games.deca_slayer.board import Board
from engine.games.deca_slayer.tables import TREASURES


def begin(board: Board) -> bool:
    """Rank the players by their values."""
    assert board.values is not None
    if board.monster.placement == "last-man-standing":
        board.order = board.passed[::-1]
        return _settle(board)
    # Sorting is stable: ties stay in turn order.
    board.order = sorted(board.turn_order(), key=board.values.__getitem__, reverse=True)
    return _ask_outrank(board)


def legal(board: Board, player: int) -> list[str]:
    """Legal actions of the player to act in the phases of placement."""
    if board.phase == "outrank":
        return [PASS, OUTRANK]
    if board.phase == "treasure":
        return with_treasures(TAKE, board.row[0].open)
    return with_heroes(DISCARD, board.seats[player].hand)


def apply(board: Board, player: int, action: str) -> bool:
    """Take a legal action in a phase of placement."""
    if board.phase == "outrank":
        if action == PASS:
            board.event("decline", player=player, phase="outrank")
            return _settle(board)
        place = board.ranked.index(player)
        over = board.ranked[place - 1]
        board.ranked[place - 1 : place + 1] = [player, over]
        board.event("outrank", player=player, over=over)
        return _ask_outrank(board)
    if board.phase == "treasure":
        return _gain(board, player, card_of(action))
    card = card_of(action)
    board.seats[player].remove(card)
    board.discard([card])
    board.event("discard", player=player, card=card, reason="cursed-idol")
    board.owed -= 1
    return board.owed == 0 and _gain_rest(board)


def seat_above(board: Board, player: int) -> int | None:
    """The seat directly above the player, if it has the same value; else None."""
    assert board.values is not None
    place = board.ranked.index(player)
    if place == 0:
        return None
    above = board.ranked[place - 1]
    return above if board.values[above] == board.values[player] else None


def _ask_outrank(board: Board) -> bool:
    """Ask the seat that may win ties as long as it has one above itself (R16)."""
    player = board.guild_seat("outrank")
    if player is None or seat_above(board, player) is None:
        return _settle(board)
    board.phase = "outrank"
    board.turn = player
    return False


def _settle(board: Board) -> bool:
    """The order stands; a trophy goes to rank 1, who then chooses a treasure."""
    assert board.values is not None
    board.event("ranking", order=board.ranked.copy(), values=board.values.copy())
    first = board.ranked[0]
    if board.monster.trophy_vp is not None:
        board.seats[first].treasures.append(board.monster.name)
        board.event("treasure", player=first, treasure=board.monster.name)
    if not board.row[0].open:
        return True
    board.phase = "treasure"
    board.turn = first
    return False


def _gain(board: Board, player: int, name: str) -> bool:
    """The player gets a treasure, with its effect; after rank 1 it is rank 2 who gets the other."""
    treasure = TREASURES[name]
    seat = board.seats[player]
    board.row[0].open.remove(name)
    seat.treasures.append(name)
    board.event("treasure", player=player, treasure=name)
    if treasure.gain_draw:
        board.draw(player, treasure.gain_draw, name)
    if treasure.look:
        board.look()
    board.owed = min(treasure.gain_discard, seat.hand_count)
    if board.owed:
        board.phase = "curse"
        board.turn = player
        return False
    return _gain_rest(board)


def _gain_rest(board: Board) -> bool:
    """Rank 2 gains the treasure that rank 1 left."""
    rest = board.row[0].open
    return not rest or _gain(board, board.ranked[1], rest[0])
