"""Recruitment (rules, section 9): phases `recruit`, `exchange`, `limit`.

Functions that go on return whether all players are done; if not, a decision is due.
"""

from __future__ import annotations

from engine.games.deca_slayer.actions import (
    DISCARD,
    HIRE,
    PASS,
    RECRUIT,
    USE_DOLL,
    card_of,
    with_heroes,
    with_treasures,
)
from engine.games.deca_slayer.board import Board
from engine.games.deca_slayer.tables import DOLL, GUILDS, REFILL_TO, TREASURES


def begin(board: Board) -> bool:
    """The worst rank begins."""
    return _begin_player(board, board.ranked[-1])


def legal(board: Board, player: int) -> list[str]:
    """Legal actions of the player to act in the phases of recruitment."""
    if board.phase == "recruit":
        return with_heroes(RECRUIT, board.display)
    if board.phase == "exchange":
        return [PASS, *exchanges(board, player)]
    return with_heroes(DISCARD, board.seats[player].hand)


def apply(board: Board, player: int, action: str) -> bool:
    """Take a legal action in a phase of recruitment."""
    card = card_of(action)
    if board.phase == "recruit":
        _recruit(board, player, card)
        return _pick(board, player)
    if board.phase == "exchange":
        if action == PASS:
            board.event("decline", player=player, phase="exchange")
            return _fill_up(board, player)
        if action == USE_DOLL:
            _exchange(board, player, DOLL, DOLL, TREASURES[DOLL].exchange_draw)
        else:
            guild = board.seats[player].guild
            assert guild is not None
            board.hired = True
            _exchange(board, player, card, guild, GUILDS[guild].hire_draw)
        return _ask_exchange(board, player)
    board.seats[player].remove(card)
    board.discard([card])
    board.event("discard", player=player, card=card, reason="hand-limit")
    return _check_limit(board, player)


def exchanges(board: Board, player: int) -> list[str]:
    """What the player could give up a treasure for now (R19)."""
    seat = board.seats[player]
    actions = [USE_DOLL] if DOLL in seat.treasures else []
    if seat.guild is not None and GUILDS[seat.guild].hire_draw and not board.hired:
        actions += with_treasures(HIRE, seat.treasures)
    return actions


def _begin_player(board: Board, player: int) -> bool:
    board.turn = player
    board.hired = False
    board.picks = 2 if board.ranked.index(player) >= 2 else 1
    return _pick(board, player)


def _pick(board: Board, player: int) -> bool:
    """Ask for the next pick; the last hero on display is taken without asking."""
    if board.picks and len(board.display) == 1:
        _recruit(board, player, board.display[0])
    if board.picks and board.display:
        board.phase = "recruit"
        return False
    board.picks = 0
    return _ask_exchange(board, player)


def _recruit(board: Board, player: int, card: str) -> None:
    board.display.remove(card)
    board.seats[player].add_known(card)
    board.event("recruit", player=player, card=card)
    board.picks -= 1


def _ask_exchange(board: Board, player: int) -> bool:
    if exchanges(board, player):
        board.phase = "exchange"
        return False
    return _fill_up(board, player)


def _exchange(board: Board, player: int, treasure: str, by: str, count: int) -> None:
    board.seats[player].treasures.remove(treasure)
    board.treasure_discard.append(treasure)
    board.event("exchange", player=player, treasure=treasure, by=by)
    board.draw(player, count, by)


def _fill_up(board: Board, player: int) -> bool:
    missing = REFILL_TO - board.seats[player].hand_count
    if missing > 0:
        board.draw(player, missing, "refill")
    return _check_limit(board, player)


def _check_limit(board: Board, player: int) -> bool:
    """Ask for a discard while the hand is too large; then the next player recruits (R21)."""
    if board.seats[player].hand_count > board.hand_limit(player):
        board.phase = "limit"
        return False
    place = board.ranked.index(player)
    return place == 0 or _begin_player(board, board.ranked[place - 1])
