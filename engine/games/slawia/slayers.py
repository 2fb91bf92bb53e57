"""Putting down a slayer (rules, section 7): phases `swap`, `order`, `recall`, `mark`.

Functions that go on return whether the step's card is done; if it is not, a decision is due.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.games.slawia.actions import (
    KEEP_ORDER,
    KEEP_TOKENS,
    MARK,
    NO_SWAP,
    PICK,
    RECALL,
    SWAP,
    number_of,
    object_of,
)
from engine.games.slawia.board import Board, SlayerCard, Slot, Token
from engine.games.slawia.tables import EXTERMINATOR, MAGE, RANGER, ROGUE


def put_down(board: Board, where: int) -> bool:
    """Put the held slayer down; for a Ranger there may be a question first (7.3)."""
    assert board.held is not None
    slot = board.table[where]
    if board.held.card == RANGER and not slot.has_vila and slot.swappable(board.active):
        return _ask(board, where, "swap")
    card = board.held.card
    _lay(board, where, len(slot.slayers))
    return slot.has_vila or INSTANT.get(card, _nothing)(board, where)


def legal(board: Board) -> list[str]:
    """Legal actions in the phases of this module."""
    return LEGAL[board.phase](board)


def apply(board: Board, action: str) -> bool:
    """Take a legal action in a phase of this module."""
    return APPLY[board.phase](board, action)


def _ask(board: Board, where: int, phase: str) -> bool:
    board.phase = phase
    board.focus = where
    return False


def _lay(board: Board, where: int, index: int) -> None:
    """The held slayer comes into the row at the index: it is played."""
    assert board.held is not None
    slot = board.table[where]
    slot.slayers.insert(index, SlayerCard(board.active, board.held.card))
    board.event(
        "slayer",
        player=board.active,
        card=board.held.card,
        location=slot.place.name,
        position=index + 1,
    )
    board.held = None
    board.slayers_played += 1
    slot.used = True


def _nothing(_board: Board, _where: int) -> bool:
    """A slayer without an instant ability."""
    return True


# Ranger


def _legal_swap(board: Board) -> list[str]:
    slot = board.focused
    own = {slayer.card for slayer in slot.slayers if slayer.owner == board.active}
    actions = [action for card, action in SWAP.items() if card in own]
    if board.has_space(slot):
        actions.append(NO_SWAP)
    return actions


def _swap(board: Board, action: str) -> bool:
    assert board.focus is not None
    slot = board.focused
    if action == NO_SWAP:
        _lay(board, board.focus, len(slot.slayers))
        return True
    names = [(slayer.owner, slayer.card) for slayer in slot.slayers]
    index = names.index((board.active, object_of(action)))
    board.send_home(slot.slayers.pop(index), slot.place.name, "swap")
    _lay(board, board.focus, index)
    return True


# Mage


def _mage(board: Board, where: int) -> bool:
    return len(board.table[where].slayers) < 2 or _ask(board, where, "order")


def _not_picked(board: Board) -> list[int]:
    positions = range(1, len(board.focused.slayers) + 1)
    return [position for position in positions if position not in board.picked]


def _legal_order(board: Board) -> list[str]:
    return [*(PICK[position] for position in _not_picked(board)), KEEP_ORDER]


def _pick(board: Board, action: str) -> bool:
    if action != KEEP_ORDER:
        board.picked.append(number_of(action))
    rest = _not_picked(board)
    if action != KEEP_ORDER and len(rest) > 1:
        return False
    slot = board.focused
    order = board.picked + rest
    slot.slayers = [slot.slayers[position - 1] for position in order]
    board.event("order", player=board.active, location=slot.place.name, order=order)
    return True


# Rogue and Exterminator: the tokens


def _rogue(board: Board, where: int) -> bool:
    return len(board.table[where].slayers) < 2 or _want_token(board, where, ROGUE)


def _exterminator(board: Board, where: int) -> bool:
    return not board.table[where].monsters or _want_token(board, where, EXTERMINATOR)


def _want_token(board: Board, where: int, trigger: str) -> bool:
    """A free token must be used; with both out the player is asked (7.5)."""
    board.focus = where
    board.trigger = trigger
    if board.free_tokens()[board.active]:
        return _use_token(board)
    return _ask(board, where, "recall")


def _use_token(board: Board) -> bool:
    """Place the lowest free token, an Exterminator's after the choice of the monster."""
    if board.trigger == EXTERMINATOR:
        board.phase = "mark"
        return False
    slayers = board.focused.slayers
    # The Rogue lies last, the card on the left of it just before.
    index = len(slayers) - 2
    token = _place_token(board, "slayer", index)
    slayers[index] = slayers[index]._replace(tokens=(*slayers[index].tokens, token))
    return True


def _legal_recall(board: Board) -> list[str]:
    free = board.free_tokens()[board.active]
    return [*(action for token, action in RECALL.items() if token not in free), KEEP_TOKENS]


def _recall(board: Board, action: str) -> bool:
    if action == KEEP_TOKENS:
        return True
    token = (board.active, number_of(action))
    for slot in board.table:
        _take_off(slot, token)
    board.event("recall", player=board.active, token=token[1])
    return _use_token(board)


def _take_off(slot: Slot, token: Token) -> None:
    slot.slayers = [
        slayer._replace(tokens=tuple(other for other in slayer.tokens if other != token))
        for slayer in slot.slayers
    ]
    slot.monsters = [
        monster._replace(tokens=tuple(other for other in monster.tokens if other != token))
        for monster in slot.monsters
    ]


def _legal_mark(board: Board) -> list[str]:
    return list(MARK.values())[: len(board.focused.monsters)]


def _mark(board: Board, action: str) -> bool:
    monsters = board.focused.monsters
    index = number_of(action) - 1
    token = _place_token(board, "monster", index)
    monsters[index] = monsters[index]._replace(tokens=(*monsters[index].tokens, token))
    return True


def _place_token(board: Board, side: str, index: int) -> Token:
    """The token that goes on the card at the index of the row on that side."""
    number = board.free_tokens()[board.active][0]
    board.event(
        "token",
        player=board.active,
        token=number,
        effect=board.trigger,
        location=board.focused.place.name,
        side=side,
        position=index + 1,
    )
    return board.active, number


INSTANT: dict[str, Callable[[Board, int], bool]] = {
    MAGE: _mage,
    ROGUE: _rogue,
    EXTERMINATOR: _exterminator,
}
LEGAL: dict[str, Callable[[Board], list[str]]] = {
    "swap": _legal_swap,
    "order": _legal_order,
    "recall": _legal_recall,
    "mark": _legal_mark,
}
APPLY: dict[str, Callable[[Board, str], bool]] = {
    "swap": _swap,
    "order": _pick,
    "recall": _recall,
    "mark": _mark,
}
