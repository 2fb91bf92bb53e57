"""Hunts and the time marker (rules, sections 9 and 10); nobody decides anything here."""

from __future__ import annotations

from engine.games.slawia.board import Board
from engine.games.slawia.decks import reveal_location
from engine.games.slawia.strength import monster_strengths, ranking, slayer_strengths
from engine.games.slawia.tables import LAST_SPACE

TROPHY_STREAM = "trophies"


def resolve(board: Board) -> None:
    """Hold all hunts that are due, topmost first; one may make another one due (R36)."""
    while (where := _due(board)) is not None:
        _hunt(board, where)


def _due(board: Board) -> int | None:
    day = board.day
    for where, slot in enumerate(board.table):
        if slot.location is not None and len(slot.monsters) >= slot.location.threshold_now(day):
            return where
    return None


def _hunt(board: Board, where: int) -> None:
    slot = board.table[where]
    location = slot.place
    monsters, slayers = sum(monster_strengths(slot)), sum(slayer_strengths(slot))
    success = slayers >= monsters
    board.event("hunt", location=location.name, monsters=monsters, slayers=slayers, success=success)
    ranked = ranking(slot) if success else []
    for place, (player, strength) in enumerate(ranked):
        points = location.points[place] if place < len(location.points) else 0
        board.glory[player] += points
        board.event("glory", player=player, place=place + 1, strength=strength, points=points)
    names = [monster.card for monster in slot.monsters]
    slot.monsters = []
    if ranked:
        _give_trophies(board, names, [player for player, _ in ranked])
    else:
        board.monster_discard += [(name, None) for name in names]
    _move_marker(board, location.sun, where)
    if ranked:
        winner = ranked[0][0]
        board.location_trophies[winner].append(location.name)
        board.event("location-won", player=winner, location=location.name)
    else:
        board.location_discard.append(location.name)
        board.event("location-lost", location=location.name)
    for slayer in slot.slayers:
        board.send_home(slayer, location.name, "hunt")
    reveal_location(board, where)


def _give_trophies(board: Board, names: list[str], players: list[int]) -> None:
    """A monster for each, face down, while there are any; the rest is discarded face down."""
    hunt = len(board.hunts)
    board.hunts.append(tuple(names))
    board.chance.shuffle(TROPHY_STREAM, names)
    for player in players[: len(names)]:
        card = names.pop()
        board.monster_trophies[player].append((card, hunt))
        board.event("trophy", player=player)
        board.private_event("trophy-card", player, card=card)
    board.monster_discard += [(name, hunt) for name in names]


def _move_marker(board: Board, sun: int, hunted: int) -> None:
    """The marker moves; the location that is being hunted stays as it is (R34)."""
    was_day = board.day
    before = board.time
    board.time = min(LAST_SPACE, before + sun)
    board.event("time", **{"from": before, "to": board.time})
    if was_day and not board.day:
        board.event("dusk")
        _drop_out(board, hunted)
    elif board.day and not was_day:
        board.event("dawn")
    if board.time == LAST_SPACE and not board.last_turn:
        board.last_turn = True
        board.event("last-turn")


def _drop_out(board: Board, hunted: int) -> None:
    """By night some locations have a space less: the last card beyond the spaces leaves."""
    for where, slot in enumerate(board.table):
        if where == hunted or slot.location is None:
            continue
        while len(slot.slayers) > slot.location.spaces(day=False):
            board.send_home(slot.slayers.pop(), slot.location.name, "dusk")
