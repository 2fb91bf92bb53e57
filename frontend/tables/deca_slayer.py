"""The table of Deca Slayer: the row of monsters, heroes on display, and the guilds."""

from collections.abc import Mapping
from typing import Any

from engine.games.deca_slayer.tables import GUILDS, HEROES, MONSTERS, TREASURES, Monster, Step

PHASES = {
    "play": "battle",
    "take-back": "a performer may come back",
    "outrank": "a tie may be won",
    "treasure": "choosing a treasure",
    "curse": "the cursed idol takes heroes",
    "recruit": "recruiting",
    "exchange": "treasures may be given up",
    "limit": "down to the hand limit",
    "alchemy": "a treasure may be swapped",
    "end": "the end",
}
PLACEMENTS = {
    "total-power": "most power in all",
    "highest-minimum": "strongest weakest hero",
    "last-man-standing": "last one standing",
}


def hero(name: str) -> dict[str, Any]:
    """A hero as a card: its title, powers as text, and the colour of its type."""
    card = HEROES[name]
    kind = next(iter(card.powers)) if len(card.powers) == 1 else "many"
    powers = " ".join(f"{kind[:2]} {power}" for kind, power in card.powers.items())
    return {"title": card.title, "kind": kind, "powers": powers}


def treasure(name: str) -> dict[str, Any]:
    """A treasure as a card; the Dragon is one when it has been won."""
    if name in TREASURES:
        return {"title": TREASURES[name].title, "vp": TREASURES[name].vp}
    return {"title": MONSTERS[name].title, "vp": MONSTERS[name].trophy_vp}


def fight(monster: Monster) -> str:
    """How a monster is fought, in words."""
    return ", then ".join(map(_step, monster.steps))


def _step(step: Step) -> str:
    if step.mode == "all":
        return "everybody's whole hand"
    slots = " and ".join(step.slots)
    if step.repeat:
        return f"any number of {slots}"
    if step.optional:
        return f"up to one {slots}"
    if step.mode == "simultaneous":
        return f"one {slots} face down"
    if step.mode == "continuous":
        return f"{slots}, round and round"
    return f"one {slots}" if len(step.slots) == 1 else f"{slots} in one turn"


def board(observation: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows of an observation."""
    row = []
    for entry in observation["row"]:
        monster = MONSTERS[entry["monster"]]
        closed = entry["closed"]
        row.append(
            {
                "title": monster.title,
                "fight": fight(monster),
                "placement": PLACEMENTS[monster.placement],
                "open": [treasure(name) for name in entry["open"]],
                "hidden": closed is not None,
                "closed": closed and closed["treasure"] and treasure(closed["treasure"]),
            }
        )
    order = observation["order"]
    seats = []
    for number, seat in enumerate(observation["seats"]):
        own = number == observation["you"]
        hand = observation["hand"] if own else seat["known"]
        sealed = observation["sealed"] if own else None
        seats.append(
            {
                "guild": seat["guild"] and GUILDS[seat["guild"]].title,
                "vp": seat["vp"],
                "hand": [hero(name) for name in hand],
                "unknown": range(0 if own else seat["hand_count"] - len(seat["known"])),
                "hand_count": seat["hand_count"],
                "treasures": [treasure(name) for name in seat["treasures"]],
                "played": [
                    {**hero(card["card"]), "power": card["power"], "with": card["princesses"]}
                    for card in seat["played"]
                ],
                "value": observation["values"] and observation["values"][number],
                "rank": order.index(number) + 1 if order else None,
                "passed": number in observation["passed"],
                "sealed": sealed and sealed["card"] and hero(sealed["card"]),
                "starts": number == observation["start"],
            }
        )
    return {
        "round": observation["round"],
        "phase": PHASES[observation["phase"]],
        "row": row,
        "display": [hero(name) for name in observation["display"]],
        "decks": {
            "heroes": observation["hero_deck"],
            "monsters": observation["monster_deck"],
            "treasures": observation["treasure_deck"],
            "discarded heroes": len(observation["hero_discard"]),
        },
        "seats": seats,
    }
