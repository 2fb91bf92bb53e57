"""Whether a position adds up: all cards are there, and it stands at a decision or at the end.

How the cards are spread is free, and of each group of cards only the total is fixed, so that a
position need not come from a play (rules, section 14). Every refusal is a ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.fields import shown
from engine.games.kunlun import machine
from engine.games.kunlun.board import Board, Seat, Step
from engine.games.kunlun.tables import (
    CARDS,
    CLAN_CARDS,
    REGALIA_SLOTS,
    START_DILIGENCE,
    of_kind,
)

HEART_EATERS = of_kind("servant", "creature", "lord")
ISLES = of_kind("spell", "artifact", "miasma")
MEDITATION = of_kind("meditation")


def check_position(board: Board) -> None:
    """ValueError that says what does not add up."""
    _check_clans(board)
    _check_groups(board)
    for player, seat in enumerate(board.seats):
        _check_seat(seat, f"seats[{player}]")
    _check_decision(board)


def _require(holds: object, what: str) -> None:
    """`what` says how it would be right."""
    if not holds:
        raise ValueError(f"the position does not add up: {what}")


# Cards


def _check_clans(board: Board) -> None:
    clans = [seat.clan for seat in board.seats if seat.clan is not None]
    _require(len(set(clans)) == len(clans), "each seat has a clan of its own")
    if board.phase == "clans":
        _require(board.seat.clan is None, "turn is a seat without a clan in phase clans")
    else:
        _require(len(clans) == board.players, f"each seat has a clan in phase {board.phase}")
    for player, seat in enumerate(board.seats):
        for name in _deck(seat):
            clan = CARDS[name].clan
            _require(
                not clan or clan == seat.clan,
                f"seats[{player}] has no Immortals but its own clan's, and so no {name}",
            )
        if seat.clan is None:
            _require(
                not seat.ready and not seat.hand,
                f"seats[{player}] has no Ready deck and no hand before it has a clan",
            )


def _check_groups(board: Board) -> None:
    found = Counter(_everywhere(board))
    found.update(board.isles)
    for seat in board.seats:
        found.update(seat.immortals)
    undecided = sum(seat.clan is None for seat in board.seats)
    groups = [
        ("Heart Eaters", HEART_EATERS, 0),
        ("Spells, Artifacts and Miasmas", ISLES, 0),
        ("Meditation cards", MEDITATION, START_DILIGENCE * undecided),
    ]
    for seat in board.seats:
        if seat.clan is not None:
            groups.append((f"Immortals of {seat.clan}", CLAN_CARDS[seat.clan], 0))
    for title, cards, fewer in groups:
        expected = sum(CARDS[name].count for name in cards) - fewer
        total = sum(found[name] for name in cards)
        _require(total == expected, f"{title}: {expected} over all zones, not {shown(total)}")


def _deck(seat: Seat) -> list[str]:
    """Cards of the player's own deck, wherever they lie."""
    return [*seat.ready, *seat.hand, *seat.waiting, *seat.regalia]


def _everywhere(board: Board) -> Iterator[str]:
    """Every card that lies anywhere, but for those that are kept as counts."""
    if board.lord is not None:
        yield board.lord
    for zone in (board.zone, board.servants, board.lords, board.gone):
        yield from zone
    for zone in (board.artifacts, board.miasmas, board.abyss):
        yield from zone
    for seat in board.seats:
        yield from _deck(seat)
        yield from seat.trophies
        if seat.creature is not None:
            yield seat.creature
    for step in board.pending:
        yield from step.cards
        if step.kind == "creature":
            yield step.card


def _check_seat(seat: Seat, where: str) -> None:
    _require(
        len(seat.regalia) <= REGALIA_SLOTS, f"{where}.regalia has at most {REGALIA_SLOTS} cards"
    )
    placed = seat.artifacts_placed()
    _require(len(set(placed)) == len(placed), f"{where}.regalia has no Artifact twice")
    _require(Counter(seat.sure) <= Counter(seat.hand), f"the cards of {where}.sure are in the hand")


# The decision


def _check_decision(board: Board) -> None:
    """What is owed can be answered, so that the play goes on."""
    if board.phase not in ("abstain", "action"):
        _require(not board.pending, f"pending is empty in phase {board.phase}")
    for number, step in enumerate(board.pending):
        if step.kind in ("alchemy", "price"):
            _check_alchemy(board, step, number)
    if board.phase != "over":
        _require(
            machine.legal(board),
            "the first step of pending needs an answer of the player in turn"
            if board.pending
            else f"pending holds a step in phase {board.phase}",
        )


def _check_alchemy(board: Board, step: Step, number: int) -> None:
    where = f"pending[{number}]"
    _require(number == 0, f"a step {step.kind} is the first of pending")
    _require(step.cards, f"{where}.cards holds the Artifacts laid open")
    _require(board.seat.tokens, f"the player in turn has a token for the step {step.kind}")
    if step.kind == "price":
        _require(step.card in step.cards, f"{where}.card is one of {where}.cards")
