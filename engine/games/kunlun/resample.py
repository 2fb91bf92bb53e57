"""Dealing anew what a player cannot know (rules, section 14, resample)."""

from __future__ import annotations

from engine.chance import Chance
from engine.contract import may_see
from engine.games.kunlun.board import Board
from engine.games.kunlun.tables import CARDS, in_order


def resample(board: Board, viewer: int | None, seed: str) -> None:
    """Deal anew, on this board, all that the viewer (None: a spectator) cannot know."""
    board.seed = seed
    board.chance = Chance(seed)
    if board.phase != "clans":
        for player in range(board.players):
            _deal_hand(board, player, known=player == viewer or board.shows_hand(player))
    board.servants = _deal(board, "servants", board.servants)
    board.artifacts = _deal(board, "artifacts", board.artifacts)
    board.miasmas = _deal(board, "miasmas", board.miasmas)
    supreme = [name for name in board.lords if CARDS[name].supreme]
    others = [name for name in board.lords if not CARDS[name].supreme]
    board.lords = supreme + _deal(board, "lords", others)
    board.events = [event for event in board.events if may_see(event, viewer)]


def _deal(board: Board, label: str, deck: list[str]) -> list[str]:
    deck = in_order(deck)
    board.chance.shuffle(label, deck)
    return deck


def _deal_hand(board: Board, player: int, *, known: bool) -> None:
    """A hand that is not known mixes with the Ready deck, but for what is sure to be in it."""
    seat = board.seats[player]
    pool = seat.ready
    if not known:
        hidden = seat.hand.copy()
        for name in seat.sure:
            hidden.remove(name)
        pool = hidden + pool
    pool = _deal(board, f"ready-{player}", pool)
    if not known:
        drawn = [pool.pop() for _ in hidden]
        seat.hand = in_order(seat.sure + drawn)
    seat.ready = pool
