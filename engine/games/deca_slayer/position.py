"""A position as a JSON object, there and back (rules, section 11, position)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import Chance
from engine.contract import Json
from engine.fields import (
    read_bool,
    read_int,
    read_list,
    read_name,
    read_names,
    read_object,
    read_seats,
)
from engine.games.deca_slayer.board import Board, Entry, Played, Sealed, Seat
from engine.games.deca_slayer.rounds import PHASES
from engine.games.deca_slayer.tables import (
    EDITION,
    GAME,
    GUILDS,
    HEROES,
    MONSTERS,
    OWNABLE,
    ROUNDS,
    TREASURES,
    TYPES,
    hero_order,
    monster_order,
)
from engine.position import read_events, read_streams

FIELDS = (
    *("game", "edition", "players", "options", "seed", "chance"),
    *("round", "phase", "start", "turn", "step", "attached", "passed", "values", "order"),
    *("owed", "picks", "hired", "shuffles", "display", "row"),
    *("monster_deck", "treasure_deck", "hero_deck", "monsters_removed", "hero_discard"),
    *("monsters_defeated", "treasure_discard", "seats"),
)
ENTRY_FIELDS = ("monster", "open", "closed", "seen_by")
SEAT_FIELDS = ("guild", "known", "hidden", "treasures", "played", "sealed")


def to_dict(board: Board) -> Json:
    """The whole position; its lists are copies, its events are shared."""
    return {
        "game": GAME,
        "edition": EDITION,
        "players": board.players,
        "options": board.options.copy(),
        "seed": board.seed,
        "chance": board.chance.used.copy(),
        "round": board.round,
        "phase": board.phase,
        "start": board.start,
        "turn": board.turn,
        "step": board.step,
        "attached": board.attached,
        "passed": board.passed.copy(),
        "values": board.values and board.values.copy(),
        "order": board.order and board.order.copy(),
        "owed": board.owed,
        "picks": board.picks,
        "hired": board.hired,
        "shuffles": board.shuffles,
        "display": board.display.copy(),
        "row": [
            {
                "monster": entry.monster,
                "open": entry.open.copy(),
                "closed": entry.closed,
                "seen_by": entry.seen_by.copy(),
            }
            for entry in board.row
        ],
        "monster_deck": board.monster_deck.copy(),
        "treasure_deck": board.treasure_deck.copy(),
        "hero_deck": board.hero_deck.copy(),
        "monsters_removed": board.monsters_removed.copy(),
        "hero_discard": board.hero_discard.copy(),
        "monsters_defeated": board.monsters_defeated.copy(),
        "treasure_discard": board.treasure_discard.copy(),
        "seats": [
            {
                "guild": seat.guild,
                "known": seat.known.copy(),
                "hidden": [cards.copy() for cards in seat.hidden],
                "treasures": seat.treasures.copy(),
                "played": [played._asdict() for played in seat.played],
                "sealed": seat.sealed and seat.sealed._asdict(),
            }
            for seat in board.seats
        ],
        "events": [event.copy() for event in board.events],
    }


def read_position(position: Mapping[str, Any], players: int, options: Json, seed: str) -> Board:
    """The board of a position whose players, options and seed are checked already.

    Every field is of its form then, and lists that are kept sorted are sorted; whether it all
    adds up is for `consistency.check`.
    """
    d = read_object(position, "position", FIELDS, optional=("events",))
    board = Board(players, options, seed)
    board.chance = Chance(seed, read_streams(d["chance"], "chance"))
    board.round = read_int(d["round"], "round", 1, ROUNDS)
    board.phase = read_name(d["phase"], "phase", PHASES, "phase")
    board.start = read_int(d["start"], "start", 0, players - 1)
    board.turn = None if d["turn"] is None else read_int(d["turn"], "turn", 0, players - 1)
    board.step = read_int(d["step"], "step")
    board.attached = read_int(d["attached"], "attached")
    board.passed = read_seats(d["passed"], "passed", players)
    board.values = _read_values(d["values"], players)
    board.order = _read_order(d["order"], players)
    board.owed = read_int(d["owed"], "owed")
    board.picks = read_int(d["picks"], "picks")
    board.hired = read_bool(d["hired"], "hired")
    board.shuffles = read_int(d["shuffles"], "shuffles")
    board.display = read_names(d["display"], "display", HEROES, "hero")
    board.row = [
        _read_entry(entry, f"row[{i}]", players)
        for i, entry in enumerate(read_list(d["row"], "row"))
    ]
    board.monster_deck = read_names(d["monster_deck"], "monster_deck", MONSTERS, "monster")
    board.treasure_deck = read_names(d["treasure_deck"], "treasure_deck", TREASURES, "treasure")
    board.hero_deck = read_names(d["hero_deck"], "hero_deck", HEROES, "hero")
    board.monsters_removed = sorted(
        read_names(d["monsters_removed"], "monsters_removed", MONSTERS, "monster"),
        key=monster_order,
    )
    board.hero_discard = _read_heroes(d["hero_discard"], "hero_discard")
    board.monsters_defeated = read_names(
        d["monsters_defeated"], "monsters_defeated", MONSTERS, "monster"
    )
    board.treasure_discard = read_names(
        d["treasure_discard"], "treasure_discard", OWNABLE, "treasure"
    )
    seats = read_list(d["seats"], "seats")
    if len(seats) != players:
        raise ValueError(
            f"seats must have an entry for each of {players} players, not {len(seats)}"
        )
    board.seats = [
        _read_seat(seat, f"seats[{player}]", board.shuffles) for player, seat in enumerate(seats)
    ]
    board.events = read_events(d.get("events", []), players)
    return board


def _read_values(value: object, players: int) -> list[int] | None:
    if value is None:
        return None
    values = [read_int(part, f"values[{i}]") for i, part in enumerate(read_list(value, "values"))]
    if len(values) != players:
        raise ValueError(f"values must be null or {players} numbers, not {len(values)}")
    return values


def _read_order(value: object, players: int) -> list[int] | None:
    if value is None:
        return None
    order = read_seats(value, "order", players)
    if len(order) != players:
        raise ValueError(f"order must be null or all {players} seats, not {order}")
    return order


def _read_heroes(value: object, where: str) -> list[str]:
    """Heroes, sorted."""
    return sorted(read_names(value, where, HEROES, "hero"), key=hero_order)


def _read_entry(value: object, where: str, players: int) -> Entry:
    d = read_object(value, where, ENTRY_FIELDS)
    closed = d["closed"]
    if closed is not None:
        closed = read_name(closed, f"{where}.closed", TREASURES, "treasure")
    return Entry(
        read_name(d["monster"], f"{where}.monster", MONSTERS, "monster"),
        read_names(d["open"], f"{where}.open", TREASURES, "treasure"),
        closed,
        sorted(read_seats(d["seen_by"], f"{where}.seen_by", players)),
    )


def _read_seat(value: object, where: str, shuffles: int) -> Seat:
    d = read_object(value, where, SEAT_FIELDS)
    seat = Seat()
    if d["guild"] is not None:
        seat.guild = read_name(d["guild"], f"{where}.guild", GUILDS, "guild")
    seat.known = _read_heroes(d["known"], f"{where}.known")
    seat.hidden = [
        _read_heroes(cards, f"{where}.hidden[{k}]")
        for k, cards in enumerate(read_list(d["hidden"], f"{where}.hidden"))
    ]
    if len(seat.hidden) != shuffles + 1:
        raise ValueError(
            f"{where}.hidden must have shuffles + 1 = {shuffles + 1} lists, not {len(seat.hidden)}"
        )
    seat.treasures = read_names(d["treasures"], f"{where}.treasures", OWNABLE, "treasure")
    seat.played = [
        _read_played(played, f"{where}.played[{i}]")
        for i, played in enumerate(read_list(d["played"], f"{where}.played"))
    ]
    if d["sealed"] is not None:
        seat.sealed = _read_sealed(d["sealed"], f"{where}.sealed")
    return seat


def _read_played(value: object, where: str) -> Played:
    d = read_object(value, where, Played._fields)
    return Played(
        read_int(d["step"], f"{where}.step"),
        read_int(d["slot"], f"{where}.slot"),
        read_name(d["type"], f"{where}.type", TYPES, "type"),
        read_name(d["card"], f"{where}.card", HEROES, "hero"),
        read_int(d["princesses"], f"{where}.princesses"),
    )


def _read_sealed(value: object, where: str) -> Sealed:
    d = read_object(value, where, Sealed._fields)
    card = d["card"]
    if card is not None:
        card = read_name(card, f"{where}.card", HEROES, "hero")
    return Sealed(card, read_int(d["princesses"], f"{where}.princesses"))
