"""The state machine: phases, and which part of the rules a decision belongs to (section 6)."""

from __future__ import annotations

from collections.abc import Callable

from engine.games.kunlun import choices, effects, miasmas, setup, steps, turns
from engine.games.kunlun.actions import ABSTAIN, CLAN, END_TURN, PROCEED, action_order
from engine.games.kunlun.board import Board, Step

PHASES = ("clans", "start", "abstain", "action", "over")


def deciders(board: Board) -> tuple[int, ...]:
    """Only the player in turn ever decides."""
    return () if board.phase == "over" else (board.turn,)


def legal(board: Board) -> list[str]:
    """Legal actions of the player in turn, in the order of the action list."""
    if board.phase == "clans":
        return [CLAN[clan] for clan in setup.clans_left(board)]
    if board.phase == "start":
        return [PROCEED, ABSTAIN] if board.seat.discardable() else [PROCEED]
    if board.pending:
        return sorted(steps.legal(board), key=action_order)
    if board.phase == "action":
        return sorted(choices.legal(board), key=action_order)
    return []


def apply(board: Board, action: str) -> None:
    """Take a legal action and go on to the next decision or the end."""
    board.turn_event("action", action=action)
    verb, _, argument = action.partition(" ")
    if board.phase == "clans":
        setup.choose_clan(board, argument)
        return
    if action == PROCEED:
        board.phase = "action"
        miasmas.queue(board, board.seat.hand)
    elif action == ABSTAIN:
        board.phase = "abstain"
        board.pending.append(Step("abstain"))
    elif board.pending:
        steps.answer(board, verb, argument)
    elif action != END_TURN:
        _act(board, verb, argument)
    steps.settle(board)
    if action == END_TURN or (board.phase == "abstain" and not board.pending):
        turns.end_turn(board)


EFFECT: dict[str, Callable[[Board, str], None]] = {
    "place": effects.place,
    "turn": effects.turn,
    "use": effects.use,
    "burn": effects.burn,
    "shed": effects.shed,
    "slay": effects.slay,
    "acquire": effects.acquire,
}


def _act(board: Board, verb: str, argument: str) -> None:
    if verb == "alchemy":
        effects.alchemy(board)
    else:
        EFFECT[verb](board, argument)
