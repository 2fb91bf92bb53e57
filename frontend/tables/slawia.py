"""The table of Slawia: the day, the locations with their two rows, the lair and the houses."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.slawia.tables import (
    DAY,
    LAST_SPACE,
    LOCATIONS,
    MONSTERS,
    SLAYERS,
    TOKENS,
)

TITLES = {name: card.title for cards in (SLAYERS, MONSTERS) for name, card in cards.items()}
ABILITIES = {
    "none": "",
    "dusk-dawn": "Dusk/Dawn: a space more by day, a monster more by night",
    "unknown-region": "Unknown Region: no monsters of the lair",
    "impending-danger": "Impending Danger: the first slayer of a turn goes here",
}
QUESTIONS = {
    "card": "which card",
    "place": "where it goes",
    "swap": "with whom the Ranger changes places",
    "order": "the new order of the slayers",
    "recall": "whether a token is taken back",
    "mark": "which monster is marked",
    "curse": "who is cursed",
}


def monster(name: str) -> dict[str, Any]:
    """A monster as a card outside a location: with its printed numbers."""
    card = MONSTERS[name]
    return {
        "title": card.title,
        "kind": "special" if card.special else "monster",
        "strength": card.strength,
        "treasures": card.treasures,
    }


def slayer(name: str) -> dict[str, Any]:
    """A slayer as a card outside a location."""
    return {"title": SLAYERS[name].title, "strength": SLAYERS[name].strength}


def tokens(placed: Sequence[Sequence[int]]) -> list[str]:
    """The players' tokens on a card: of which seat, and which of the two."""
    return [f"token {number} of seat {player}" for player, number in placed]


def location(entry: Mapping[str, Any], focused: bool) -> dict[str, Any]:
    """A location with its rows; strengths are those that count now."""
    monsters = [
        {
            **monster(card["card"]),
            "strength": card["strength"],
            "tokens": tokens(card["tokens"]),
        }
        for card in entry["monsters"]
    ]
    slayers = [
        {
            "title": TITLES[card["card"]],
            "owner": card["owner"],
            "strength": card["strength"],
            "cursed": card["cursed"],
            "tokens": tokens(card["tokens"]),
        }
        for card in entry["slayers"]
    ]
    return {
        "title": LOCATIONS[entry["location"]].title,
        "ability": ABILITIES[entry["ability"]],
        "points": entry["points"],
        "sun": entry["sun"],
        "used": entry["used"],
        "focused": focused,
        "monsters": monsters,
        "missing": range(max(0, entry["threshold"] - len(monsters))),
        "threshold": entry["threshold"],
        "monster_total": entry["monster_total"],
        "slayers": slayers,
        "free": range(max(0, entry["spaces"] - len(slayers))),
        "spaces": entry["spaces"],
        "slayer_total": entry["slayer_total"],
        "holds": entry["slayer_total"] >= entry["monster_total"],
    }


def seat_of(observation: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A house; the faces of its monster trophies are there only when the viewer may know them."""
    seat = observation["seats"][number]
    faces = seat["trophy_cards"]
    return {
        "house": seat["house"].title(),
        "score": observation["scores"][number],
        "rank": observation["ranks"][number],
        "glory": seat["glory"],
        "starts": number == observation["first"],
        "hand": [slayer(name) for name in seat["hand"]],
        "tokens": len(seat["free_tokens"]),
        "all_tokens": len(TOKENS),
        "trophies": [monster(name) for name in faces or ()],
        "backs": range(seat["trophies"] if faces is None else 0),
        "treasures": sum(MONSTERS[name].treasures for name in faces or ()),
        "locations": [LOCATIONS[name].title for name in seat["locations"]],
    }


def board(observation: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows of an observation."""
    over = observation["phase"] == "over"
    held = observation["held"]
    return {
        "turn": observation["turn"],
        "active": observation["active"],
        "over": over,
        "step": observation["step"],
        "question": "" if over else QUESTIONS[observation["phase"]],
        "held": held and {**CARD_AS[held["from"]](held["card"]), "from": held["from"]},
        "time": observation["time"],
        "last_space": LAST_SPACE,
        "side": observation["side"],
        "last_turn": observation["last_turn"],
        "spaces": [
            {"number": space, "side": "day" if space in DAY else "night"}
            for space in range(LAST_SPACE + 1)
        ],
        "table": [
            entry and location(entry, slot == observation["focus"])
            for slot, entry in enumerate(observation["table"])
        ],
        "lair": [monster(name) for name in observation["lair"]],
        "decks": {
            "monsters": observation["monster_deck"],
            "monsters gone": observation["monster_discard"],
            "locations": observation["location_deck"],
        },
        "locations_gone": [LOCATIONS[name].title for name in observation["location_discard"]],
        "seats": [seat_of(observation, number) for number in range(observation["players"])],
    }


CARD_AS = {"hand": slayer, "lair": monster, "deck": monster}
