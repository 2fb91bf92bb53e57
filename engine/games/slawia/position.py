"""A position as a JSON object, there and back (rules, section 16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import Chance
from engine.contract import Json
from engine.fields import read_bool, read_int, read_list, read_name, read_names, read_object
from engine.games.slawia.board import Board, Held, MonsterCard, SlayerCard, Slot, Token
from engine.games.slawia.tables import (
    EDITION,
    GAME,
    LAST_SPACE,
    LOCATIONS,
    MIMIC,
    MONSTERS,
    SLAYERS,
    TOKENS,
    slayer_order,
)
from engine.games.slawia.turn import FINISHING, PHASES
from engine.position import Head, read_events, read_streams

FIELDS = (
    *("game", "edition", "options", "players", "seed", "streams"),
    *("first", "turn", "active", "step", "phase", "held", "focus", "trigger", "picked"),
    *("time", "last_turn", "lair", "slayers_played", "monsters_played"),
    *("monster_deck", "location_deck", "monster_discard", "location_discard", "table"),
    *("hands", "glory", "location_trophies", "monster_trophies", "hunts"),
)
SLOT_FIELDS = ("location", "used", "monsters", "slayers")
MONSTER_FIELDS = ("card", "tokens")
SLAYER_FIELDS = ("owner", "card", "tokens", "cursed")
HELD_FIELDS = ("card", "from")
SOURCES = ("hand", "lair", "deck")
TRIGGERS = ("rogue", "exterminator")
IN_SLAYER_ROW = (*SLAYERS, MIMIC)


def to_dict(board: Board) -> Json:
    """The whole position; its lists and its events are copies."""
    return {
        "game": GAME,
        "edition": EDITION,
        "options": {},
        "players": board.players,
        "seed": board.seed,
        "streams": board.chance.used.copy(),
        "first": board.first,
        "turn": board.turn,
        "active": board.active,
        "step": board.step,
        "phase": board.phase,
        "held": board.held and {"card": board.held.card, "from": board.held.source},
        "focus": board.focus,
        "trigger": board.trigger,
        "picked": board.picked.copy(),
        "time": board.time,
        "last_turn": board.last_turn,
        "lair": board.lair.copy(),
        "slayers_played": board.slayers_played,
        "monsters_played": board.monsters_played,
        "monster_deck": board.monster_deck.copy(),
        "location_deck": board.location_deck.copy(),
        "monster_discard": [list(entry) for entry in board.monster_discard],
        "location_discard": board.location_discard.copy(),
        "table": [_slot_to_dict(slot) for slot in board.table],
        "hands": [hand.copy() for hand in board.hands],
        "glory": board.glory.copy(),
        "location_trophies": [names.copy() for names in board.location_trophies],
        "monster_trophies": [[list(entry) for entry in cards] for cards in board.monster_trophies],
        "hunts": [list(names) for names in board.hunts],
        "events": [event.copy() for event in board.events],
    }


def _slot_to_dict(slot: Slot) -> Json:
    return {
        "location": slot.location and slot.location.name,
        "used": slot.used,
        "monsters": [
            {"card": monster.card, "tokens": [list(token) for token in monster.tokens]}
            for monster in slot.monsters
        ],
        "slayers": [
            {
                "owner": slayer.owner,
                "card": slayer.card,
                "tokens": [list(token) for token in slayer.tokens],
                "cursed": slayer.cursed,
            }
            for slayer in slot.slayers
        ],
    }


def read_position(position: Mapping[str, Any], head: Head) -> Board:
    """The board of a position whose deal is read already.

    Every field is of its form then, and hands are sorted; whether there is a decision to take is
    for `consistency.check_position`.
    """
    d = read_object(position, "position", FIELDS, optional=("events",))
    players = head.players
    board = Board(players, head.seed)
    board.chance = Chance(head.seed, read_streams(d["streams"], "streams"))
    board.first = read_int(d["first"], "first", 0, players - 1)
    board.turn = read_int(d["turn"], "turn", 1)
    board.active = read_int(d["active"], "active", 0, players - 1)
    board.step = read_int(d["step"], "step", 1, FINISHING)
    board.phase = read_name(d["phase"], "phase", PHASES, "phase")
    board.held = None if d["held"] is None else _read_held(d["held"])
    board.trigger = (
        None
        if d["trigger"] is None
        else read_name(d["trigger"], "trigger", TRIGGERS, "slayer with tokens")
    )
    board.picked = [
        read_int(position, f"picked[{i}]", 1)
        for i, position in enumerate(read_list(d["picked"], "picked"))
    ]
    board.time = read_int(d["time"], "time", 0, LAST_SPACE)
    board.last_turn = read_bool(d["last_turn"], "last_turn")
    board.lair = _read_monsters(d["lair"], "lair")
    board.slayers_played = read_int(d["slayers_played"], "slayers_played")
    board.monsters_played = read_int(d["monsters_played"], "monsters_played")
    board.monster_deck = _read_monsters(d["monster_deck"], "monster_deck")
    board.location_deck = _read_locations(d["location_deck"], "location_deck")
    board.monster_discard = [
        _read_discarded(entry, f"monster_discard[{i}]")
        for i, entry in enumerate(read_list(d["monster_discard"], "monster_discard"))
    ]
    board.location_discard = _read_locations(d["location_discard"], "location_discard")
    board.table = [
        _read_slot(slot, f"table[{i}]", players)
        for i, slot in enumerate(read_list(d["table"], "table"))
    ]
    if d["focus"] is not None:
        board.focus = read_int(d["focus"], "focus", 0, len(board.table) - 1)
    board.hands = [
        sorted(read_names(hand, where, SLAYERS, "slayer"), key=slayer_order)
        for hand, where in _by_seat(d, "hands", players)
    ]
    board.glory = [read_int(glory, where) for glory, where in _by_seat(d, "glory", players)]
    board.location_trophies = [
        _read_locations(names, where) for names, where in _by_seat(d, "location_trophies", players)
    ]
    board.monster_trophies = [
        [_read_trophy(entry, f"{where}[{i}]") for i, entry in enumerate(read_list(cards, where))]
        for cards, where in _by_seat(d, "monster_trophies", players)
    ]
    board.hunts = [
        tuple(_read_monsters(names, f"hunts[{i}]"))
        for i, names in enumerate(read_list(d["hunts"], "hunts"))
    ]
    board.events = read_events(d.get("events", []), players)
    return board


def _by_seat(d: Mapping[str, Any], field: str, players: int) -> list[tuple[Any, str]]:
    """The field's entry for each seat, and its place."""
    entries = read_list(d[field], field)
    if len(entries) != players:
        raise ValueError(
            f"{field} must have an entry for each of {players} players, not {len(entries)}"
        )
    return [(entry, f"{field}[{player}]") for player, entry in enumerate(entries)]


def _read_monsters(value: object, where: str) -> list[str]:
    return read_names(value, where, MONSTERS, "monster")


def _read_locations(value: object, where: str) -> list[str]:
    return read_names(value, where, LOCATIONS, "location")


def _read_held(value: object) -> Held:
    d = read_object(value, "held", HELD_FIELDS)
    source = read_name(d["from"], "held.from", SOURCES, "source")
    if source == "hand":
        return Held(read_name(d["card"], "held.card", SLAYERS, "slayer"), source)
    return Held(read_name(d["card"], "held.card", MONSTERS, "monster"), source)


def _read_pair(value: object, where: str, what: str) -> list[Any]:
    pair = read_list(value, where)
    if len(pair) != 2:
        raise ValueError(f"{where} must be {what}, not a list of {len(pair)}")
    return pair


def _read_discarded(value: object, where: str) -> tuple[str, int | None]:
    card, hunt = _read_pair(value, where, "a card and its hunt or null")
    return (
        read_name(card, f"{where}[0]", MONSTERS, "monster"),
        None if hunt is None else read_int(hunt, f"{where}[1]"),
    )


def _read_trophy(value: object, where: str) -> tuple[str, int]:
    card, hunt = _read_pair(value, where, "a card and its hunt")
    return read_name(card, f"{where}[0]", MONSTERS, "monster"), read_int(hunt, f"{where}[1]")


def _read_slot(value: object, where: str, players: int) -> Slot:
    d = read_object(value, where, SLOT_FIELDS)
    slot = Slot()
    if d["location"] is not None:
        slot.location = LOCATIONS[
            read_name(d["location"], f"{where}.location", LOCATIONS, "location")
        ]
    slot.used = read_bool(d["used"], f"{where}.used")
    slot.monsters = [
        _read_monster(monster, f"{where}.monsters[{i}]", players)
        for i, monster in enumerate(read_list(d["monsters"], f"{where}.monsters"))
    ]
    slot.slayers = [
        _read_slayer(slayer, f"{where}.slayers[{i}]", players)
        for i, slayer in enumerate(read_list(d["slayers"], f"{where}.slayers"))
    ]
    if slot.location is None and (slot.used or slot.monsters or slot.slayers):
        raise ValueError(f"{where} must be unused and without cards, for it has no location")
    return slot


def _read_monster(value: object, where: str, players: int) -> MonsterCard:
    d = read_object(value, where, MONSTER_FIELDS)
    return MonsterCard(
        read_name(d["card"], f"{where}.card", MONSTERS, "monster"),
        _read_tokens(d["tokens"], f"{where}.tokens", players),
    )


def _read_slayer(value: object, where: str, players: int) -> SlayerCard:
    d = read_object(value, where, SLAYER_FIELDS)
    owner = None if d["owner"] is None else read_int(d["owner"], f"{where}.owner", 0, players - 1)
    card = read_name(d["card"], f"{where}.card", IN_SLAYER_ROW, "slayer or mimic")
    if (owner is None) != (card == MIMIC):
        raise ValueError(f"{where}.owner must be null for a mimic, and a seat for a slayer")
    return SlayerCard(
        owner,
        card,
        _read_tokens(d["tokens"], f"{where}.tokens", players),
        read_bool(d["cursed"], f"{where}.cursed"),
    )


def _read_tokens(value: object, where: str, players: int) -> tuple[Token, ...]:
    tokens = []
    for i, token in enumerate(read_list(value, where)):
        player, number = _read_pair(token, f"{where}[{i}]", "a player and a token's number")
        tokens.append(
            (
                read_int(player, f"{where}[{i}][0]", 0, players - 1),
                read_int(number, f"{where}[{i}][1]", TOKENS[0], TOKENS[-1]),
            )
        )
    return tuple(tokens)
