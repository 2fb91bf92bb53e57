"""The end of a turn and of the game, and the next turn (rules, section 10)."""

from __future__ import annotations

from engine.games.kunlun import score
from engine.games.kunlun.board import Board, Now
from engine.games.kunlun.tables import (
    CARDS,
    HAND_SIZE,
    QUIET_ROUNDS,
    ROUND_LIMIT,
    in_order,
)


def end_turn(board: Board) -> None:
    """The End Phase; then the next turn begins, or the game is over."""
    seat = board.seat
    seat.waiting = in_order(seat.waiting + seat.hand)
    seat.hand = []
    seat.sure = []
    if board.is_last_in_order():
        board.quiet = 0 if board.stirred else board.quiet + 1
        board.stirred = False
    if (reason := _end_of_game(board)) is not None:
        _end_game(board, reason)
        return
    bonus = 0 if seat.creature is None else CARDS[seat.creature].hand_bonus
    board.draw_hand(board.turn, HAND_SIZE + bonus + board.now.hand_delta)
    if board.now.swept:
        board.lay_out_wave()
    following = (board.turn + 1) % board.players
    if following == board.first:
        board.round += 1
    begin_turn(board, following)


def begin_turn(board: Board, player: int) -> None:
    """The player is in turn, and the hand lies open."""
    board.turn = player
    board.now = Now()
    board.phase = "start"
    board.seat.sure = []
    board.turn_event("turn", round=board.round, hand=board.seat.hand.copy())


def _end_of_game(board: Board) -> str | None:
    """Why the game is over with this turn; None if it goes on.

    A set position may be beyond a limit already, so none of them is compared for equality.
    """
    if board.now.swept and board.is_last_wave():
        return "waves"
    if board.is_last_in_order():
        if board.round >= ROUND_LIMIT:
            return "rounds"
        if board.quiet >= QUIET_ROUNDS:
            return "stalled"
    return None


def _end_game(board: Board, reason: str) -> None:
    board.phase = "over"
    board.now = Now()
    board.event("end", reason=reason, scores=score.scores(board), ranks=score.ranks(board))
