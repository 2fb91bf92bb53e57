"""Score and rank (rules, section 11)."""

from __future__ import annotations

from engine.contract import ranks_by
from engine.games.kunlun.board import Board
from engine.games.kunlun.tables import CARDS


def scores(board: Board) -> list[int]:
    """Tokens, and what the Artifacts are worth that each player owns, wherever they lie."""
    return [
        seat.tokens
        + sum(
            CARDS[name].development
            for zone in (seat.regalia, seat.hand, seat.ready, seat.waiting)
            for name in zone
            if CARDS[name].kind == "artifact"
        )
        for seat in board.seats
    ]


def ranks(board: Board) -> list[int]:
    """By score; only a tie for the first place is broken, by the latest turn (R23)."""
    points = scores(board)
    best = max(points)
    latest_first = board.turn_order(board.turn + 1)[::-1]
    winner = next(player for player in latest_first if points[player] == best)
    return ranks_by([(total, player == winner) for player, total in enumerate(points)])
