"""What a player or a spectator may know (rules, section 15)."""

from __future__ import annotations

from engine.contract import Json
from engine.games.slawia import ending
from engine.games.slawia.board import Board, Slot
from engine.games.slawia.strength import monster_strengths, slayer_strengths
from engine.games.slawia.tables import EDITION, GAME, HOUSES


def observation(board: Board, viewer: int | None) -> Json:
    """All that the viewer (None: a spectator) may know."""
    over = board.phase == "over"
    return {
        "game": GAME,
        "edition": EDITION,
        "players": board.players,
        "me": viewer,
        "first": board.first,
        "turn": board.turn,
        "active": board.active,
        "to_act": [] if over else [board.active],
        "step": board.step,
        "phase": board.phase,
        "held": board.held and {"card": board.held.card, "from": board.held.source},
        "focus": board.focus,
        "trigger": board.trigger,
        "picked": board.picked.copy(),
        "time": board.time,
        "side": "day" if board.day else "night",
        "last_turn": board.last_turn,
        "lair": board.lair.copy(),
        "monster_deck": len(board.monster_deck),
        "monster_discard": len(board.monster_discard),
        "location_deck": len(board.location_deck),
        "location_discard": board.location_discard.copy(),
        "table": [slot.location and _slot(board, slot) for slot in board.table],
        "seats": [
            _seat(board, player, free, over or player == viewer)
            for player, free in enumerate(board.free_tokens())
        ],
        "scores": ending.scores(board),
        "ranks": ending.ranks(board),
    }


def _slot(board: Board, slot: Slot) -> Json:
    location = slot.place
    day = board.day
    monsters, slayers = monster_strengths(slot), slayer_strengths(slot)
    return {
        "location": location.name,
        "ability": location.ability,
        "sun": location.sun,
        "points": list(location.points),
        "spaces": location.spaces(day),
        "threshold": location.threshold_now(day),
        "used": slot.used,
        "monsters": [
            {
                "card": monster.card,
                "strength": strength,
                "tokens": [list(token) for token in monster.tokens],
            }
            for monster, strength in zip(slot.monsters, monsters, strict=True)
        ],
        "slayers": [
            {
                "owner": slayer.owner,
                "card": slayer.card,
                "strength": strength,
                "cursed": slayer.cursed,
                "tokens": [list(token) for token in slayer.tokens],
            }
            for slayer, strength in zip(slot.slayers, slayers, strict=True)
        ],
        "monster_total": sum(monsters),
        "slayer_total": sum(slayers),
    }


def _seat(board: Board, player: int, free: list[int], shown: bool) -> Json:
    """What a seat has; `free`: its free tokens; `shown`: with the faces of its trophies."""
    trophies = board.monster_trophies[player]
    return {
        "house": HOUSES[player],
        "hand": board.hands[player].copy(),
        "glory": board.glory[player],
        "free_tokens": free,
        "locations": board.location_trophies[player].copy(),
        "trophies": len(trophies),
        "trophy_cards": [card for card, _ in trophies] if shown else None,
    }
