"""What the actions of the Action Phase do while nothing is owed (rules, section 8)."""

from __future__ import annotations

from collections.abc import Callable

from engine.games.kunlun import miasmas
from engine.games.kunlun.board import Board, Step, put
from engine.games.kunlun.numbers import acquisition_cost, strength
from engine.games.kunlun.tables import ALCHEMY_CARDS, BURN_BONUS, CARDS, Card, in_order


def place(board: Board, name: str) -> None:
    """Into a free slot, or a step asks which Artifact makes room (R12)."""
    if board.seat.has_free_slot():
        enter_regalia(board, name)
    else:
        board.pending.append(Step("place", card=name))


def enter_regalia(board: Board, name: str) -> None:
    """An Artifact goes from hand to the Regalia zone, where there is a free slot."""
    board.leave_hand(name)
    put(board.seat.regalia, name)
    board.turn_event("place", card=name)


def turn(board: Board, name: str) -> None:
    card = CARDS[name]
    now = board.now
    if card.kind == "artifact":
        put(now.used, name)
    else:
        now.turned[name] = now.turned.get(name, 0) + 1
    if card.turn == "draw":
        draw_now(board, card.turn_value)
    elif card.turn == "muster":
        _muster(board)
    elif card.turn == "purge":
        board.pending.append(Step("purge", left=1, keep=name))
    elif card.turn == "veil":
        now.veil = True
    else:
        # Calling and sealing are asked for by steps of these names.
        board.pending.append(Step(card.turn))


def _muster(board: Board) -> None:
    """The top card of the Ready deck is shown; only an Immortal comes into hand."""
    name = board.top_card(board.turn)
    assert name is not None
    kept = CARDS[name].kind == "immortal"
    put(board.seat.hand if kept else board.seat.waiting, name)
    board.turn_event("muster", card=name, kept=kept)


def draw_now(board: Board, count: int) -> None:
    """Draw in one's turn: open to all, and a Miasma among the cards works (R36)."""
    drawn = board.draw(board.turn, count)
    board.turn_event("cards", cards=drawn)
    miasmas.queue(board, drawn)


def use(board: Board, name: str) -> None:
    card = CARDS[name]
    seat = board.seat
    put(board.now.used, name)
    if card.use == "attack":
        board.now.attack_bonus += card.use_value
    elif card.use == "purity":
        board.now.purity_bonus += card.use_value
    else:
        draw_now(board, card.use_value)
    seat.regalia.remove(name)
    put(seat.waiting, name)
    board.turn_event("use", card=name)


def burn(board: Board, name: str) -> None:
    """The card's own Attack stays for the turn, and more is added (R14)."""
    seat = board.seat
    board.now.attack_bonus += CARDS[name].attack + BURN_BONUS
    board.now.burned += 1
    phoenix = any(CARDS[other].phoenix for other in seat.hand)
    board.leave_hand(name)
    if phoenix:
        put(seat.waiting, name)
    else:
        seat.immortals[name] += 1
    board.turn_event("burn", card=name, to="waiting" if phoenix else "list")


def shed(board: Board, name: str) -> None:
    board.discard(name)
    board.pending.append(Step("purge", left=2, keep=None))


# Slaying


def slay(board: Board, name: str) -> None:
    enemy = CARDS[name]
    spent = strength(board, name)
    board.now.slain += 1
    board.now.attack_spent += spent
    board.seat.tokens += enemy.reward
    board.stirred = True
    board.turn_event("slay", card=name, strength=spent, reward=enemy.reward)
    FALL_OF[enemy.kind](board, name)
    _curse(board, enemy)
    if enemy.miasma:
        board.take_miasma(board.turn)
    if enemy.serenity:
        board.pending.append(Step("forced"))


def _lord_falls(board: Board, name: str) -> None:
    """The whole wave is swept away; of the others only their rewards count (R16)."""
    seat = board.seat
    put(seat.trophies, name)
    board.lord = None
    swept = [other for other in board.zone if CARDS[other].kind == "servant"]
    leaving = [other for other in board.zone if CARDS[other].kind == "creature"]
    reward = sum(CARDS[other].reward for other in swept)
    seat.trophies = in_order(seat.trophies + swept)
    seat.tokens += reward
    board.gone = in_order(board.gone + leaving)
    board.zone = []
    board.now.swept = True
    board.turn_event("sweep", cards=swept, reward=reward, leaves=leaving)


def _servant_falls(board: Board, name: str) -> None:
    board.zone.remove(name)
    put(board.seat.trophies, name)
    board.now.frenzy_bonus += CARDS[name].frenzy


def _creature_joins(board: Board, name: str) -> None:
    """It is the player's companion at once, or a step asks which of two stays."""
    board.zone.remove(name)
    if board.seat.creature is None:
        board.seat.creature = name
        board.turn_event("creature", joins=name, leaves=None)
    else:
        board.pending.append(Step("creature", card=name))


FALL_OF: dict[str, Callable[[Board, str], None]] = {
    "lord": _lord_falls,
    "servant": _servant_falls,
    "creature": _creature_joins,
}


def _curse(board: Board, enemy: Card) -> None:
    """What the slain enemy still does."""
    others = board.turn_order(board.turn)[1:]
    if enemy.curse == "dim":
        board.now.purity_bonus -= enemy.curse_value
    elif enemy.curse == "ambush":
        board.now.hand_delta -= enemy.curse_value
    elif enemy.curse == "envy":
        for player in others:
            board.lose_tokens(player, enemy.curse_value)
    elif enemy.curse == "infect":
        if board.miasmas:
            board.pending.append(Step("infect"))
    elif enemy.curse == "pestilence":
        for player in others:
            board.take_miasma(player)


# New cards


def acquire(board: Board, name: str) -> None:
    card = CARDS[name]
    now = board.now
    seat = board.seat
    cost = acquisition_cost(board, name)
    now.purity_spent += cost
    seat.tokens -= card.development
    second_twin = card.twin and now.twins > 0
    now.twins += card.twin
    now.acquired += not second_twin
    if card.kind == "immortal":
        seat.immortals[name] -= 1
    else:
        now.from_isles += 1
        board.isles[name] -= 1
    put(seat.waiting, name)
    board.stirred = True
    board.turn_event("acquire", card=name, cost=cost, development=card.development)


def alchemy(board: Board) -> None:
    """The top Artifacts are laid open for a choice."""
    board.now.alchemy = True
    cards = in_order(board.artifacts[-ALCHEMY_CARDS:])
    del board.artifacts[-ALCHEMY_CARDS:]
    board.turn_event("alchemy", cards=cards)
    board.pending.append(Step("alchemy", cards=tuple(cards)))
