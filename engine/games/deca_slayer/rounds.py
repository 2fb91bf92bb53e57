"""The course of a round (rules, section 6), and which part of the rules a decision belongs to."""

from __future__ import annotations

from typing import Protocol

from engine.games.deca_slayer import battle, ending, placement, recruit
from engine.games.deca_slayer.board import Board
from engine.games.deca_slayer.tables import DRAGON, HEROES_PER_ROUND, ROUNDS


class Part(Protocol):
    """A module with one part of the rules; begin and apply return whether the part is over."""

    def begin(self, board: Board) -> bool: ...

    def legal(self, board: Board, player: int) -> list[str]: ...

    def apply(self, board: Board, player: int, action: str) -> bool: ...


PART_OF: dict[str, Part] = {
    "play": battle,
    "take-back": battle,
    "outrank": placement,
    "treasure": placement,
    "curse": placement,
    "recruit": recruit,
    "exchange": recruit,
    "limit": recruit,
    "alchemy": ending,
}
PHASES = (*PART_OF, "end")


def deciders(board: Board) -> tuple[int, ...]:
    """The players who owe an action, ascending."""
    if board.phase == "end":
        return ()
    if board.turn is None:
        return battle.deciders(board)
    return (board.turn,)


def legal(board: Board, player: int) -> list[str]:
    """Legal actions of any player, in the order of the action list."""
    if player not in deciders(board):
        return []
    return PART_OF[board.phase].legal(board, player)


def apply(board: Board, player: int, action: str) -> None:
    """Take a legal action and go on to the next decision or the end."""
    part = PART_OF[board.phase]
    _go_on(board, part, over=part.apply(board, player, action))


def begin(board: Board) -> None:
    """Begin the round and go on to its first decision."""
    entry = board.row[0]
    if entry.closed is not None:
        entry.open.append(entry.closed)
    entry.closed = None
    entry.seen_by = []
    board.event(
        "round",
        round=board.round,
        monster=entry.monster,
        open=entry.open.copy(),
        start=board.start,
    )
    if board.round < ROUNDS:
        for _ in range(HEROES_PER_ROUND[board.players]):
            if (hero := board.top_hero()) is not None:
                board.display.append(hero)
        board.event("heroes", cards=board.display.copy())
    board.passed = []
    board.values = None
    board.order = None
    _go_on(board, battle, over=battle.begin(board))


def _go_on(board: Board, part: Part, *, over: bool) -> None:
    """Begin part after part until one needs a decision."""
    while over:
        if part is battle:
            part = placement
        elif part is placement:
            part = ending if _is_last(board) else recruit
        elif part is recruit and _end_round(board):
            return begin(board)
        elif part is recruit:
            part = ending
        else:
            return None
        over = part.begin(board)
    return None


def _is_last(board: Board) -> bool:
    """Whether nothing follows this round. A set position may have the Dragon fought earlier."""
    return board.round == ROUNDS or board.row[0].monster == DRAGON


def _end_round(board: Board) -> bool:
    """End the round; whether another one follows."""
    if _is_last(board):  # a set position that recruits in it
        return False
    board.hired = False
    entry = board.row.pop(0)
    board.monsters_defeated.append(entry.monster)
    # Both are taken, unless a set position began after the treasures' part.
    board.treasure_discard += entry.open
    if board.monster_deck:
        board.place_monster()
        board.look()
    board.start = board.ranked[0]
    board.round += 1
    # Before round 10 a set position may run out of monsters; a dealt one never does.
    return bool(board.row)
