"""Dealing anew what a player cannot know (rules, section 16, resampling)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from engine.chance import Chance
from engine.contract import may_see
from engine.games.slawia.board import Board
from engine.games.slawia.tables import location_order, monster_order

TROPHY_STREAM = "resample-trophies"
MONSTER_STREAM = "resample-monsters"
LOCATION_STREAM = "resample-locations"

ROUNDS = 10
"""How often the trophies of hunts that share the deck are dealt anew, one hunt after another."""


class Hidden(NamedTuple):
    """Cards of one hunt that the viewer has not seen again, by where they lie."""

    trophies: list[tuple[int, int]]
    """Trophies of other players: the player, and the place among his trophies."""
    discarded: list[int]
    """Places in the discard pile."""


def resample(board: Board, viewer: int | None, seed: str) -> None:
    """Deal anew, on this board, all that the viewer (None: a spectator) cannot know."""
    if board.phase == "over":
        return
    board.seed = seed
    # The streams of later chance stay fresh: the dealing draws from a copy of its own.
    chance = Chance(seed)
    board.chance = Chance(seed)
    board.events = [event for event in board.events if may_see(event, viewer)]
    _deal_trophies(board, viewer, chance)
    board.monster_deck.sort(key=monster_order)
    chance.shuffle(MONSTER_STREAM, board.monster_deck)
    board.location_deck.sort(key=location_order)
    chance.shuffle(LOCATION_STREAM, board.location_deck)


def _deal_trophies(board: Board, viewer: int | None, chance: Chance) -> None:
    """Deal the hidden cards of every hunt among themselves, or with the deck they lie in now."""
    in_deck: list[tuple[Counter[str], Hidden]] = []
    for hunt, names in enumerate(board.hunts):
        hidden = _hidden(board, viewer, hunt)
        unseen = Counter(names)
        if viewer is not None:
            unseen.subtract(card for card, of in board.monster_trophies[viewer] if of == hunt)
        cards = _cards(board, hidden)
        if hidden.discarded or len(cards) == unseen.total():
            cards.sort(key=monster_order)
            chance.shuffle(TROPHY_STREAM, cards)
            _put(board, hunt, hidden, cards)
        elif cards:
            in_deck.append((unseen, hidden))
    # Each hunt is dealt given the others, beginning with a deal that is possible: so each stays
    # possible, and after some rounds nothing is left of the first.
    for _ in range(ROUNDS if len(in_deck) > 1 else 1):
        for unseen, hidden in in_deck:
            _deal_with_deck(board, unseen, hidden, chance)


def _hidden(board: Board, viewer: int | None, hunt: int) -> Hidden:
    return Hidden(
        [
            (player, place)
            for player, trophies in enumerate(board.monster_trophies)
            if player != viewer
            for place, (_, of) in enumerate(trophies)
            if of == hunt
        ],
        [place for place, (_, of) in enumerate(board.monster_discard) if of == hunt],
    )


def _cards(board: Board, hidden: Hidden) -> list[str]:
    """The hidden cards, trophies first."""
    return [
        *(board.monster_trophies[player][place][0] for player, place in hidden.trophies),
        *(board.monster_discard[place][0] for place in hidden.discarded),
    ]


def _put(board: Board, hunt: int, hidden: Hidden, cards: Iterable[str]) -> None:
    """The hidden cards are these from now on, in the order of `_cards`."""
    card = iter(cards)
    for player, place in hidden.trophies:
        board.monster_trophies[player][place] = (next(card), hunt)
    for place in hidden.discarded:
        board.monster_discard[place] = (next(card), hunt)


def _deal_with_deck(board: Board, unseen: Counter[str], hidden: Hidden, chance: Chance) -> None:
    """The rest of the hunt is in the deck: the trophies are any of its cards that can be there."""
    player, place = hidden.trophies[0]
    hunt = board.monster_trophies[player][place][1]
    old = _cards(board, hidden)
    pool = Counter(board.monster_deck) + Counter(old)
    possible = sorted((unseen & pool).elements(), key=monster_order)
    if len(possible) < len(old):
        return  # a set position whose hunt does not tell of these trophies
    chance.shuffle(TROPHY_STREAM, possible)
    new = possible[: len(old)]
    _put(board, hunt, hidden, new)
    board.monster_deck = list((pool - Counter(new)).elements())
