"""What a player or a spectator may know (rules, section 12)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.contract import Json
from engine.games.kunlun import machine, score
from engine.games.kunlun.board import Board, Seat
from engine.games.kunlun.numbers import numbers, strength
from engine.games.kunlun.tables import EDITION, GAME, table_order


def observation(board: Board, viewer: int | None) -> Json:
    """All that the viewer (None: a spectator) may know."""
    points = score.scores(board)
    return {
        "game": GAME,
        "edition": EDITION,
        "players": board.players,
        "options": board.options.copy(),
        "you": viewer,
        "current": list(machine.deciders(board)),
        "phase": board.phase,
        "pending": board.pending[0].to_dict() if board.pending else None,
        "first": board.first,
        "turn": board.turn,
        "round": board.round,
        "wave": board.wave,
        "quiet": board.quiet,
        "stirred": board.stirred,
        "lord": None if board.lord is None else _enemy(board, board.lord),
        "zone": [_enemy(board, name) for name in board.zone],
        "isles": board.isles.copy(),
        "decks": {
            "servants": counts(board.servants),
            "lords": counts(board.lords),
            "artifacts": counts(board.artifacts),
            "miasmas": counts(board.miasmas),
        },
        "abyss": counts(board.abyss),
        "gone": counts(board.gone),
        "seats": [
            _seat(seat, points[player], player == viewer or board.shows_hand(player))
            for player, seat in enumerate(board.seats)
        ],
        "now": None if board.phase in ("clans", "over") else _now(board),
    }


def counts(cards: Iterable[str]) -> dict[str, int]:
    """How often each card is there, in table order, so that the order of a deck does not show."""
    found: dict[str, int] = {}
    for name in cards:
        found[name] = found.get(name, 0) + 1
    return {name: found[name] for name in sorted(found, key=table_order)}


def _enemy(board: Board, name: str) -> Json:
    return {"card": name, "strength": strength(board, name)}


def _seat(seat: Seat, points: int, shown: bool) -> Json:
    return {
        "clan": seat.clan,
        "tokens": seat.tokens,
        "score": points,
        "list": seat.immortals.copy(),
        "regalia": seat.regalia.copy(),
        "creature": seat.creature,
        "trophies": counts(seat.trophies),
        "waiting": counts(seat.waiting),
        "ready_count": len(seat.ready),
        "hand_count": len(seat.hand),
        "hand": seat.hand.copy() if shown else None,
        "sure": seat.sure.copy(),
        "unseen": counts(seat.ready if shown else seat.ready + seat.hand),
    }


def _now(board: Board) -> Json:
    """The numbers of the player in turn."""
    now = board.now
    counted = numbers(board)
    return {
        "attack_total": counted.attack,
        "attack_left": counted.attack_left,
        "purity_total": counted.purity,
        "purity_left": counted.purity_left,
        "slain": now.slain,
        "slays_left": max(0, counted.slays - now.slain),
        "acquired": now.acquired,
        "acquisitions_left": max(0, counted.acquisitions - now.acquired),
        "isles_left": now.isles_left,
        "twins": now.twins,
        "alchemy_left": 0 if now.alchemy else 1,
        "burned": now.burned,
        "veil": now.veil,
        "leaden": now.leaden,
        "swept": now.swept,
        "hand_delta": now.hand_delta,
        "turned": now.turned.copy(),
        "used": now.used.copy(),
    }
