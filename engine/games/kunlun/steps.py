"""The queue of steps that the player in turn owes (rules, section 6)."""

from __future__ import annotations

from collections.abc import Callable

from engine.games.kunlun import effects, miasmas
from engine.games.kunlun.actions import (
    CALL,
    CHISEL,
    DISCARD,
    DISPLACE,
    INFECT,
    KEEP_CREATURE,
    PAY,
    PICK,
    REPLACE_CREATURE,
    RISK,
)
from engine.games.kunlun.board import Board, Step, put
from engine.games.kunlun.choices import (
    callable_immortals,
    chiselable,
    miasmas_in_hand,
    purgeable,
)
from engine.games.kunlun.numbers import alchemy_price, numbers
from engine.games.kunlun.tables import CARDS, in_order

ALCHEMY_DIE = "die"


def settle(board: Board) -> None:
    """Go on until a choice is owed or nothing is left: Miasmas work, what cannot be done lapses."""
    while board.pending and not legal(board):
        step = board.pending.pop(0)
        if step.kind == "miasma" and step.card in board.seat.hand:
            miasmas.carry_out(board, step.card)


def legal(board: Board) -> list[str]:
    """The answers to the first step, in no order; none if it needs no choice or has none."""
    step = board.pending[0]
    return LEGAL[step.kind](board, step)


def answer(board: Board, verb: str, argument: str) -> None:
    """Take a legal answer to the first step."""
    step = board.pending.pop(0)
    ANSWER[step.kind](board, step, verb, argument)


# Discards


def _legal_abstain(board: Board, step: Step) -> list[str]:
    return [DISCARD[name] for name in set(board.seat.discardable())]


def _abstain(board: Board, step: Step, verb: str, card: str) -> None:
    """Only the discarded card, if it is a Miasma, is spared (R47)."""
    board.discard(card)
    miasmas.queue(board, board.seat.hand)


def _legal_forced(board: Board, step: Step) -> list[str]:
    return [DISCARD[name] for name in set(board.seat.discardable()) if not CARDS[name].burn]


def _forced(board: Board, step: Step, verb: str, card: str) -> None:
    board.discard(card)


def _legal_purge(board: Board, step: Step) -> list[str]:
    return [DISCARD[name] for name in set(purgeable(board, step.keep))]


def _purge(board: Board, step: Step, verb: str, card: str) -> None:
    board.discard(card)
    if step.left > 1:
        board.pending.insert(0, Step("purge", left=step.left - 1, keep=step.keep))


def _legal_seal(board: Board, step: Step) -> list[str]:
    return [DISCARD[name] for name in set(miasmas_in_hand(board))] + [
        CHISEL[name] for name in set(chiselable(board))
    ]


def _seal(board: Board, step: Step, verb: str, card: str) -> None:
    if verb == "discard":
        board.discard(card)
    else:
        board.seat.regalia.remove(card)
        put(board.abyss, card)
        board.turn_event("discard", card=card, to="abyss")


# The Regalia zone


def _displaceable(board: Board) -> list[str]:
    return [DISPLACE[name] for name in board.seat.artifacts_placed()]


def _legal_miasma(board: Board, step: Step) -> list[str]:
    if step.card in board.seat.hand and miasmas.needs_choice(board, step.card):
        return _displaceable(board)
    return []


def _miasma(board: Board, step: Step, verb: str, artifact: str) -> None:
    board.displace(artifact)
    miasmas.carry_out(board, step.card)


def _legal_place(board: Board, step: Step) -> list[str]:
    seat = board.seat
    if step.card in seat.hand and step.card not in seat.regalia:
        return _displaceable(board)
    return []


def _place(board: Board, step: Step, verb: str, artifact: str) -> None:
    board.displace(artifact)
    effects.enter_regalia(board, step.card)


def _legal_creature(board: Board, step: Step) -> list[str]:
    return [REPLACE_CREATURE, KEEP_CREATURE]


def _creature(board: Board, step: Step, verb: str, argument: str) -> None:
    seat = board.seat
    leaves: str | None = step.card
    if verb == "replace":
        seat.creature, leaves = step.card, seat.creature
    if leaves is not None:
        put(board.gone, leaves)
    board.turn_event("creature", joins=seat.creature, leaves=leaves)


# Others


def _legal_call(board: Board, step: Step) -> list[str]:
    return [CALL[name] for name in callable_immortals(board)]


def _call(board: Board, step: Step, verb: str, card: str) -> None:
    seat = board.seat
    seat.ready.remove(card)
    put(seat.hand, card)
    seat.ready = in_order(seat.ready)
    board.shuffle_ready(board.turn)
    board.turn_event("call", card=card)


def _legal_infect(board: Board, step: Step) -> list[str]:
    return [
        INFECT[str(player)]
        for player, seat in enumerate(board.seats)
        if player != board.turn and not seat.is_immune()
    ]


def _infect(board: Board, step: Step, verb: str, player: str) -> None:
    board.take_miasma(int(player))


# Alchemy


def _legal_alchemy(board: Board, step: Step) -> list[str]:
    return [PICK[name] for name in set(step.cards)]


def _alchemy(board: Board, step: Step, verb: str, card: str) -> None:
    board.pending.insert(0, Step("price", cards=step.cards, card=card))


def _legal_price(board: Board, step: Step) -> list[str]:
    tokens = board.seat.tokens
    highest = min(tokens, CARDS[step.card].development - 1)
    ordinary = [PAY] if tokens >= alchemy_price(step.card, numbers(board)) else []
    return ordinary + RISK[:highest]


def _price(board: Board, step: Step, verb: str, argument: str) -> None:
    """Ordinary or Risky Alchemy; what is not gained goes back into the deck (R18)."""
    seat = board.seat
    card = step.card
    counted = numbers(board)
    if verb == "pay":
        price = alchemy_price(card, counted)
        seat.tokens -= price
        gained = True
        board.turn_event("pay", card=card, price=price)
    else:
        stake = int(argument)
        seat.tokens -= stake
        die = board.chance.roll(ALCHEMY_DIE)
        reached = stake + die + counted.risk_bonus
        gained = die != 1 and reached >= CARDS[card].development
        board.turn_event(
            "roll",
            card=card,
            stake=stake,
            die=die,
            bonus=counted.risk_bonus,
            gained=gained,
        )
    back = list(step.cards)
    if gained:
        back.remove(card)
        put(seat.waiting, card)
        board.stirred = True
    board.artifacts = in_order(board.artifacts + back)
    board.chance.shuffle("artifacts", board.artifacts)


LEGAL: dict[str, Callable[[Board, Step], list[str]]] = {
    "abstain": _legal_abstain,
    "miasma": _legal_miasma,
    "place": _legal_place,
    "forced": _legal_forced,
    "purge": _legal_purge,
    "seal": _legal_seal,
    "call": _legal_call,
    "infect": _legal_infect,
    "creature": _legal_creature,
    "alchemy": _legal_alchemy,
    "price": _legal_price,
}
ANSWER: dict[str, Callable[[Board, Step, str, str], None]] = {
    "abstain": _abstain,
    "miasma": _miasma,
    "place": _place,
    "forced": _forced,
    "purge": _purge,
    "seal": _seal,
    "call": _call,
    "infect": _infect,
    "creature": _creature,
    "alchemy": _alchemy,
    "price": _price,
}
