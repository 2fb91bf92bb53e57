"""Whether a position stands at a decision or at the end (rules, section 16).

Which cards lie where is free: a set position may leave cards out. What is checked is what the
rules need to play on. Every refusal is a ValueError.
"""

from __future__ import annotations

from engine.games.slawia import slayers, turn
from engine.games.slawia.board import HAND, Board
from engine.games.slawia.tables import MOST_SPACES, RANGER

FOCUSED = (*slayers.LEGAL, "curse")
TRIGGERED = ("recall", "mark")
HOLDING = ("place", "swap")


def check_position(board: Board) -> None:
    """ValueError that says what does not add up."""
    for i, slot in enumerate(board.table):
        _require(
            len(slot.slayers) <= MOST_SPACES,
            f"table[{i}].slayers has at most {MOST_SPACES} cards",
        )
    _check_neutral(board)
    if board.phase == "over":
        return
    _require(
        board.step < turn.FINISHING or board.phase == "curse",
        f"step is 1 to 3 in phase {board.phase}",
    )
    if board.phase == "swap":
        held = board.held
        _require(
            held is not None and held.card == RANGER and held.source == HAND,
            "held is the ranger, from the hand, in phase swap",
        )
    elif board.phase == "order":
        _check_picked(board)
    elif board.phase in TRIGGERED:
        _check_tokens(board)
    _require(turn.legal(board), f"the active player has at least one action in phase {board.phase}")


def _require(holds: object, what: str) -> None:
    """`what` says how it would be right."""
    if not holds:
        raise ValueError(f"the position does not add up: {what}")


def _check_neutral(board: Board) -> None:
    """What has a value only in some phases is there in these and in no others."""
    phase = board.phase
    _require(
        (board.held is not None) == (phase in HOLDING),
        "held is a card in phases place and swap, and null in all others",
    )
    _require(
        (board.focus is not None) == (phase in FOCUSED),
        f"focus is a slot in phases {', '.join(FOCUSED)}, and null in all others",
    )
    _require(
        (board.trigger is not None) == (phase in TRIGGERED),
        "trigger is rogue or exterminator in phases recall and mark, and null in all others",
    )
    _require(not board.picked or phase == "order", "picked is empty outside phase order")
    if phase in FOCUSED:
        _require(board.focused.location is not None, "focus is a slot with a location")


def _check_picked(board: Board) -> None:
    cards = len(board.focused.slayers)
    _require(
        len(set(board.picked)) == len(board.picked) and max(board.picked, default=0) <= cards,
        f"picked holds different positions from 1 to {cards}",
    )


def _check_tokens(board: Board) -> None:
    free = board.free_tokens()[board.active]
    slot = board.focused
    if board.phase == "recall":
        _require(not free, "both tokens of the active player are out in phase recall")
        _require(
            slot.monsters if board.trigger == "exterminator" else len(slot.slayers) > 1,
            "there is a card for the token in phase recall",
        )
    else:
        _require(board.trigger == "exterminator", "trigger is exterminator in phase mark")
        _require(free, "a token of the active player is free in phase mark")
