"""Dealing anew what a player cannot know (rules, section 11, resample)."""

from __future__ import annotations

from engine.chance import Chance
from engine.contract import may_see
from engine.games.deca_slayer import battle
from engine.games.deca_slayer.board import Board, Seat
from engine.games.deca_slayer.tables import hero_order, monster_order, treasure_order


def resample(board: Board, viewer: int | None, seed: str) -> None:
    """Deal anew, on this board, all that the viewer (None: a spectator) cannot know."""
    board.seed = seed
    board.chance = Chance(seed)
    others = [seat for player, seat in enumerate(board.seats) if player != viewer]
    for seat in others:
        seat.sealed = None
    _deal_heroes(board, others)
    # Who added a princess in continuous play holds a hero that can take her: everybody knows it.
    while board.attached and board.turn is not None and not battle.legal(board, board.turn):
        _deal_heroes(board, others)
    if board.monster_deck:
        _deal_monsters(board)
    _deal_treasures(board, viewer)
    board.events = [event for event in board.events if may_see(event, viewer)]


def _deal_heroes(board: Board, others: list[Seat]) -> None:
    """Hidden cards stay among those drawn after as many reshuffles; the deck among the last."""
    for k in range(board.shuffles + 1):
        last = k == board.shuffles
        pool = [card for seat in others for card in seat.hidden[k]]
        if last:
            pool += board.hero_deck
        pool.sort(key=hero_order)
        board.chance.shuffle("resample-heroes", pool)
        for seat in others:
            seat.hidden[k] = sorted((pool.pop() for _ in seat.hidden[k]), key=hero_order)
        if last:
            board.hero_deck = pool


def _deal_monsters(board: Board) -> None:
    """The bottom of the deck, the Dragon, is known; the rest mixes with the removed ones."""
    bottom, *rest = board.monster_deck
    pool = sorted(rest + board.monsters_removed, key=monster_order)
    board.chance.shuffle("resample-monsters", pool)
    removed = len(board.monsters_removed)
    board.monsters_removed = sorted(pool[:removed], key=monster_order)
    board.monster_deck = [bottom, *pool[removed:]]


def _deal_treasures(board: Board, viewer: int | None) -> None:
    unseen = [
        entry for entry in board.row if entry.closed is not None and viewer not in entry.seen_by
    ]
    pool = board.treasure_deck + [entry.closed for entry in unseen if entry.closed is not None]
    pool.sort(key=treasure_order)
    board.chance.shuffle("resample-treasures", pool)
    for entry in unseen:
        entry.closed = pool.pop()
    board.treasure_deck = pool
