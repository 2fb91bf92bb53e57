"""What a player or a spectator may know (rules, section 11, observation)."""

from __future__ import annotations

from engine.contract import Json
from engine.games.deca_slayer import rounds
from engine.games.deca_slayer.board import Board, Entry, Seat
from engine.games.deca_slayer.tables import EDITION, GAME, hero_order


def observation(board: Board, viewer: int | None) -> Json:
    """All that the viewer (None: a spectator) may know."""
    own = None if viewer is None else board.seats[viewer]
    return {
        "game": GAME,
        "edition": EDITION,
        "players": board.players,
        "options": board.options.copy(),
        "you": viewer,
        "round": board.round,
        "phase": board.phase,
        "start": board.start,
        "deciding": _deciding(board),
        "step": board.step,
        "attached": board.attached,
        "passed": board.passed.copy(),
        "values": board.values and board.values.copy(),
        "order": board.order and board.order.copy(),
        "owed": board.owed,
        "picks": board.picks,
        "hired": board.hired,
        "row": [_entry(entry, viewer) for entry in board.row],
        "monster_deck": len(board.monster_deck),
        "treasure_deck": len(board.treasure_deck),
        "hero_deck": len(board.hero_deck),
        "monsters_defeated": board.monsters_defeated.copy(),
        "treasure_discard": board.treasure_discard.copy(),
        "hero_discard": board.hero_discard.copy(),
        "shuffles": board.shuffles,
        "display": board.display.copy(),
        "hand": None if own is None else sorted(own.unsealed(), key=hero_order),
        "sealed": own and own.sealed and own.sealed._asdict(),
        "seats": [_seat(board, player, seat) for player, seat in enumerate(board.seats)],
    }


def _deciding(board: Board) -> list[int]:
    """Like the players to act, but it does not show who has already answered face down."""
    if board.simultaneous():
        return [player for player, seat in enumerate(board.seats) if seat.hand_count]
    return list(rounds.deciders(board))


def _entry(entry: Entry, viewer: int | None) -> Json:
    closed = None
    if entry.closed is not None:
        closed = {
            "treasure": entry.closed if viewer in entry.seen_by else None,
            "seen_by": entry.seen_by.copy(),
        }
    return {"monster": entry.monster, "open": entry.open.copy(), "closed": closed}


def _seat(board: Board, player: int, seat: Seat) -> Json:
    return {
        "guild": seat.guild,
        "hand_count": seat.hand_count,
        "known": seat.known.copy(),
        "hand_limit": board.hand_limit(player),
        "treasures": seat.treasures.copy(),
        "vp": board.vp(player),
        "played": [
            {**played._asdict(), "power": power}
            for played, power in zip(seat.played, board.powers(player), strict=True)
        ],
    }
