"""What is legal in the Action Phase while nothing is owed (rules, section 7).

The parts give actions in any order; `machine.legal` sorts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.games.kunlun.actions import (
    ACQUIRE,
    ALCHEMY,
    BURN,
    CALL,
    CHISEL,
    END_TURN,
    PLACE,
    SHED,
    SLAY,
    TURN,
    USE,
)
from engine.games.kunlun.board import Board
from engine.games.kunlun.numbers import Numbers, acquisition_cost, numbers, strength
from engine.games.kunlun.tables import CARDS, TWIN_LIMIT, Card

SHED_NEEDS = 3
"""Cards in hand that a shedding takes: the card itself and two more."""


def legal(board: Board) -> list[str]:
    """All actions of the player in turn, in no order."""
    counted = numbers(board)
    return [
        END_TURN,
        *_with_hand(board),
        *_with_regalia(board),
        *_slays(board, counted),
        *_acquisitions(board, counted),
        *_alchemy(board),
    ]


# Cards of one's own


def _with_hand(board: Board) -> Iterator[str]:
    """Placing, turning, burning and shedding."""
    seat = board.seat
    for name in dict.fromkeys(seat.hand):
        card = CARDS[name]
        if card.kind == "artifact":
            if _can_be_placed(board, card):
                yield PLACE[name]
            continue
        unturned = seat.hand.count(name) > board.now.turned.get(name, 0)
        if card.turn and unturned and CAN_TURN[card.turn](board, card):
            yield TURN[name]
        if card.burn:
            yield BURN[name]
        if card.shed and unturned and len(seat.discardable()) >= SHED_NEEDS:
            yield SHED[name]


def _can_be_placed(board: Board, card: Card) -> bool:
    seat = board.seat
    return (
        card.name not in seat.regalia
        and (seat.has_free_slot() or bool(seat.artifacts_placed()))
        and (card.place_condition != "master-or-sage" or _holds_master_or_sage(board))
    )


def _with_regalia(board: Board) -> Iterator[str]:
    """Turning and using up Artifacts, each once a turn by name (R13)."""
    for name in board.seat.artifacts_placed():
        if name in board.now.used:
            continue
        card = CARDS[name]
        if card.turn and CAN_TURN[card.turn](board, card):
            yield TURN[name]
        if card.use and (card.use != "draw" or board.seat.has_cards_to_draw()):
            yield USE[name]


def _can_draw(board: Board, card: Card) -> bool:
    return board.seat.has_cards_to_draw()


def _can_call(board: Board, card: Card) -> bool:
    return bool(callable_immortals(board))


def _can_purge(board: Board, card: Card) -> bool:
    return bool(purgeable(board, card.name))


def _can_part_the_veil(board: Board, card: Card) -> bool:
    return not board.now.veil


def _can_seal(board: Board, card: Card) -> bool:
    return bool(miasmas_in_hand(board) or chiselable(board))


CAN_TURN: dict[str, Callable[[Board, Card], bool]] = {
    "draw": _can_draw,
    "muster": _can_draw,
    "call": _can_call,
    "purge": _can_purge,
    "veil": _can_part_the_veil,
    "seal": _can_seal,
}
"""Whether turning a card would have an effect, by the code of the effect."""


def callable_immortals(board: Board) -> list[str]:
    """The Immortals of the Ready deck that can be called."""
    return [name for name in CALL if name in board.seat.ready]


def purgeable(board: Board, keep: str | None) -> list[str]:
    """The cards that a Pure Heart can discard: one copy of `keep` is left out of account."""
    cards = board.seat.discardable()
    if keep in cards:
        cards.remove(keep)
    return cards


def miasmas_in_hand(board: Board) -> list[str]:
    return [name for name in board.seat.hand if CARDS[name].kind == "miasma"]


def chiselable(board: Board) -> list[str]:
    """The settled Miasmas that can be removed."""
    return [name for name in board.seat.regalia if name in CHISEL]


# Attacks


def _slays(board: Board, counted: Numbers) -> Iterator[str]:
    if board.now.slain >= counted.slays:
        return
    enemies = dict.fromkeys(board.zone)
    if board.lord is not None:
        enemies[board.lord] = None
    for name in enemies:
        if may_be_attacked(board, CARDS[name]) and strength(board, name) <= counted.attack_left:
            yield SLAY[name]


def may_be_attacked(board: Board, enemy: Card) -> bool:
    """Whether Guardians, Shadow and the enemy's own condition let an attack through."""
    if not board.now.veil and (_is_guarded(board, enemy) or _is_in_shadow(board, enemy)):
        return False
    return _condition_is_met(board, enemy.condition)


def _is_guarded(board: Board, enemy: Card) -> bool:
    """Before the first attack of a turn a Guardian protects all that are none (R10)."""
    return (
        board.now.slain == 0
        and not enemy.guardian
        and any(CARDS[name].guardian for name in board.zone)
    )


def _is_in_shadow(board: Board, enemy: Card) -> bool:
    """A Lord hides behind all Servants, a Servant behind those without Shadow (R11)."""
    if not enemy.shadow:
        return False
    servants = [card for name in board.zone if (card := CARDS[name]).kind == "servant"]
    return any(enemy.kind == "lord" or not servant.shadow for servant in servants)


def _condition_is_met(board: Board, condition: str) -> bool:
    if not condition:
        return True
    if condition == "first-attack":
        return board.now.slain == 0
    if condition == "master-or-sage":
        return _holds_master_or_sage(board)
    kind = {"two-meditations": "meditation", "two-immortals": "immortal"}[condition]
    return sum(CARDS[name].kind == kind for name in board.seat.hand) >= 2


def _holds_master_or_sage(board: Board) -> bool:
    return any(CARDS[name].rank in ("master", "sage") for name in board.seat.hand)


# New cards


def _acquisitions(board: Board, counted: Numbers) -> Iterator[str]:
    seat = board.seat
    for supply in (board.isles, seat.immortals):
        for name, count in supply.items():
            if (
                count
                and acquisition_cost(board, name) <= counted.purity_left
                and CARDS[name].development <= seat.tokens
                and _acquisition_is_left(board, CARDS[name], counted)
            ):
                yield ACQUIRE[name]


def _acquisition_is_left(board: Board, card: Card, counted: Numbers) -> bool:
    """Whether the turn has an acquisition for the card; a second twin needs none (R5, R31)."""
    now = board.now
    if card.twin and now.twins:
        return now.twins < TWIN_LIMIT
    return now.acquired < counted.acquisitions and (card.kind == "immortal" or bool(now.isles_left))


def _alchemy(board: Board) -> Iterator[str]:
    if (
        not board.now.alchemy
        and board.seat.tokens
        and board.artifacts
        and not board.has_technique("blockade")
    ):
        yield ALCHEMY
