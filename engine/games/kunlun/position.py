"""A position as a JSON object, there and back (rules, section 14, position)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from engine.chance import Chance
from engine.contract import Json
from engine.fields import (
    is_int,
    read_bool,
    read_int,
    read_list,
    read_name,
    read_names,
    read_object,
    shown,
)
from engine.games.kunlun.board import FIELDS_OF_STEP, Board, Now, Seat, Step
from engine.games.kunlun.machine import PHASES
from engine.games.kunlun.tables import (
    CARDS,
    CLAN_CARDS,
    CLANS,
    EDITION,
    GAME,
    in_order,
    of_kind,
)
from engine.position import read_events, read_streams

FIELDS = (
    *("game", "edition", "players", "options", "seed", "drawn"),
    *("phase", "first", "turn", "round", "wave", "quiet", "stirred", "lord", "zone"),
    *("servants", "lords", "artifacts", "miasmas", "abyss", "gone", "isles"),
    *("seats", "now", "pending"),
)
SEAT_FIELDS = (
    *("clan", "list", "ready", "hand", "waiting", "regalia", "creature", "trophies"),
    *("tokens", "sure"),
)
SIGNED = ("attack_bonus", "purity_bonus", "frenzy_bonus", "hand_delta")
"""The numbers of a turn that may be below 0."""

STEP_FIELDS = ("card", "cards", "left", "keep")
SERVANT_DECK = ("servant", "creature")
OWN_DECK = ("immortal", "meditation", "spell", "artifact", "miasma")
"""The kinds that a player's Ready deck, hand and Waiting deck may hold."""
KIND_OF_STEP_CARD = {
    "miasma": "miasma",
    "place": "artifact",
    "creature": "creature",
    "price": "artifact",
}


def to_dict(board: Board) -> Json:
    """The whole position; its lists are copies, its events are shared."""
    return {
        "game": GAME,
        "edition": EDITION,
        "players": board.players,
        "options": board.options.copy(),
        "seed": board.seed,
        "drawn": board.chance.used.copy(),
        "phase": board.phase,
        "first": board.first,
        "turn": board.turn,
        "round": board.round,
        "wave": board.wave,
        "quiet": board.quiet,
        "stirred": board.stirred,
        "lord": board.lord,
        "zone": board.zone.copy(),
        "servants": board.servants.copy(),
        "lords": board.lords.copy(),
        "artifacts": board.artifacts.copy(),
        "miasmas": board.miasmas.copy(),
        "abyss": board.abyss.copy(),
        "gone": board.gone.copy(),
        "isles": board.isles.copy(),
        "seats": [
            {
                "clan": seat.clan,
                "list": seat.immortals.copy(),
                "ready": seat.ready.copy(),
                "hand": seat.hand.copy(),
                "waiting": seat.waiting.copy(),
                "regalia": seat.regalia.copy(),
                "creature": seat.creature,
                "trophies": seat.trophies.copy(),
                "tokens": seat.tokens,
                "sure": seat.sure.copy(),
            }
            for seat in board.seats
        ],
        "now": _now_to_dict(board.now),
        "pending": [step.to_dict() for step in board.pending],
        "events": [event.copy() for event in board.events],
    }


def _now_to_dict(now: Now) -> Json:
    fields = {name: getattr(now, name) for name in Now.__slots__}
    return {**fields, "turned": now.turned.copy(), "used": now.used.copy()}


def read_position(position: Mapping[str, Any], players: int, options: Json, seed: str) -> Board:
    """The board of a position whose players, options and seed are checked already.

    Every field is of its form then, cards lie only where such cards can lie, and lists that are
    kept sorted are sorted; whether it all adds up is for `consistency.check_position`.
    """
    d = read_object(position, "position", FIELDS, optional=("events",))
    read_object(d["options"], "options", options)
    board = Board(players, options, seed)
    board.chance = Chance(seed, read_streams(d["drawn"], "drawn"))
    board.phase = read_name(d["phase"], "phase", PHASES, "phase")
    board.first = read_int(d["first"], "first", 0, players - 1)
    board.turn = read_int(d["turn"], "turn", 0, players - 1)
    board.round = read_int(d["round"], "round", 1)
    board.wave = read_int(d["wave"], "wave")
    board.quiet = read_int(d["quiet"], "quiet")
    board.stirred = read_bool(d["stirred"], "stirred")
    board.lord = _read_card_or_none(d["lord"], "lord", "lord")
    board.zone = in_order(_read_cards(d["zone"], "zone", *SERVANT_DECK))
    board.servants = _read_cards(d["servants"], "servants", *SERVANT_DECK)
    board.lords = _read_cards(d["lords"], "lords", "lord")
    board.artifacts = _read_cards(d["artifacts"], "artifacts", "artifact")
    board.miasmas = _read_cards(d["miasmas"], "miasmas", "miasma")
    board.abyss = in_order(_read_cards(d["abyss"], "abyss", "miasma"))
    board.gone = in_order(_read_cards(d["gone"], "gone", "creature"))
    board.isles = _read_counts(d["isles"], "isles", of_kind("meditation", "spell"))
    seats = read_list(d["seats"], "seats")
    if len(seats) != players:
        raise ValueError(
            f"seats must have an entry for each of {players} players, not {len(seats)}"
        )
    board.seats = [_read_seat(seat, f"seats[{player}]") for player, seat in enumerate(seats)]
    board.now = _read_now(d["now"])
    board.pending = [
        _read_step(step, f"pending[{i}]")
        for i, step in enumerate(read_list(d["pending"], "pending"))
    ]
    board.events = read_events(d.get("events", []), players)
    return board


def _read_card(value: object, where: str, *kinds: str) -> str:
    return read_name(value, where, of_kind(*kinds), f"card of kind {' or '.join(kinds)}")


def _read_card_or_none(value: object, where: str, *kinds: str) -> str | None:
    return None if value is None else _read_card(value, where, *kinds)


def _read_cards(value: object, where: str, *kinds: str) -> list[str]:
    """A list of cards of these kinds."""
    return read_names(value, where, of_kind(*kinds), f"card of kind {' or '.join(kinds)}")


def _read_counts(value: object, where: str, cards: Collection[str]) -> dict[str, int]:
    """How often each of these cards is there; one that is not named is not there."""
    d = read_object(value, where, (), optional=cards)
    return {name: read_int(d.get(name, 0), f"{where}.{name}") for name in cards}


def _read_seat(value: object, where: str) -> Seat:
    d = read_object(value, where, SEAT_FIELDS)
    seat = Seat()
    if d["clan"] is not None:
        seat.clan = read_name(d["clan"], f"{where}.clan", CLANS, "clan")
    own = () if seat.clan is None else CLAN_CARDS[seat.clan]
    seat.immortals = _read_counts(d["list"], f"{where}.list", own)
    seat.ready = _read_cards(d["ready"], f"{where}.ready", *OWN_DECK)
    seat.hand = in_order(_read_cards(d["hand"], f"{where}.hand", *OWN_DECK))
    seat.waiting = in_order(_read_cards(d["waiting"], f"{where}.waiting", *OWN_DECK))
    seat.regalia = in_order(_read_cards(d["regalia"], f"{where}.regalia", "artifact", "miasma"))
    seat.creature = _read_card_or_none(d["creature"], f"{where}.creature", "creature")
    seat.trophies = in_order(_read_cards(d["trophies"], f"{where}.trophies", "servant", "lord"))
    seat.tokens = read_int(d["tokens"], f"{where}.tokens")
    seat.sure = in_order(_read_cards(d["sure"], f"{where}.sure", *OWN_DECK))
    return seat


def _read_now(value: object) -> Now:
    d = read_object(value, "now", Now.__slots__)
    now = Now()
    for name in Now.__slots__:
        where = f"now.{name}"
        if name == "turned":
            now.turned = _read_turned(d[name], where)
        elif name == "used":
            now.used = in_order(_read_cards(d[name], where, "artifact"))
        elif isinstance(getattr(now, name), bool):
            setattr(now, name, read_bool(d[name], where))
        elif name in SIGNED:
            setattr(now, name, _read_signed(d[name], where))
        else:
            setattr(now, name, read_int(d[name], where))
    return now


def _read_signed(value: object, where: str) -> int:
    if not is_int(value):
        raise ValueError(f"{where} must be a whole number, not {shown(value)}")
    return value


def _read_turned(value: object, where: str) -> dict[str, int]:
    """Copies by card; only a card that can be turned can be there."""
    cards = [name for name in of_kind("immortal", "spell") if CARDS[name].turn]
    d = read_object(value, where, (), optional=cards)
    return {name: read_int(copies, f"{where}.{name}") for name, copies in d.items()}


def _read_step(value: object, where: str) -> Step:
    kind = read_object(value, where, ("kind",), optional=STEP_FIELDS)["kind"]
    kind = read_name(kind, f"{where}.kind", FIELDS_OF_STEP, "step")
    d = read_object(value, where, ("kind", *FIELDS_OF_STEP[kind]))
    return Step(
        kind,
        _read_card(d["card"], f"{where}.card", KIND_OF_STEP_CARD[kind]) if "card" in d else "",
        tuple(in_order(_read_cards(d.get("cards", []), f"{where}.cards", "artifact"))),
        read_int(d["left"], f"{where}.left", 1) if "left" in d else 0,
        _read_card_or_none(d.get("keep"), f"{where}.keep", *OWN_DECK),
    )
