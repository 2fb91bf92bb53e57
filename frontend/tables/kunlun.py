"""The table of Kunlun: the wave with its Lord, the clans with their decks, and the supply."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.games.kunlun.tables import (
    CARDS,
    ISLES_LIMIT,
    QUIET_ROUNDS,
    REGALIA_SLOTS,
    WAVES,
    Card,
)

PHASES = {
    "clans": "choosing a clan",
    "start": "at the start of a turn",
    "abstain": "a turn is given up",
    "action": "in a turn",
    "over": "the end",
}
STEPS = {
    "abstain": "one card is to be discarded",
    "miasma": "an Artifact must make room for a Miasma",
    "place": "an Artifact must make room for another",
    "forced": "a card must be discarded",
    "purge": "cards are discarded",
    "seal": "a Miasma is removed",
    "call": "an Immortal is called",
    "infect": "somebody is to take a Miasma",
    "creature": "one of two Creatures stays",
    "alchemy": "one of the Artifacts laid open is chosen",
    "price": "tokens are paid or risked",
}
TECHNIQUES = {
    "horde": "1 stronger for each other one",
    "banner": "makes all others 1 stronger",
    "drill": "makes every Servant 1 stronger",
    "blockade": "no Alchemy",
    "levy": "acquisitions cost 1 more",
    "dread": "2 Attack less for all",
}
CONDITIONS = {
    "two-meditations": "needs 2 Meditation cards",
    "two-immortals": "needs 2 Immortals",
    "master-or-sage": "needs a Master or Sage",
    "first-attack": "first attack only",
}
CURSES = {
    "dim": "costs 2 Purity",
    "ambush": "one card less",
    "envy": "others lose a token",
    "infect": "infects another",
    "pestilence": "infects all others",
}
TURNS = {
    "draw": "draws",
    "muster": "musters",
    "call": "calls an Immortal",
    "purge": "discards",
    "veil": "ignores Guardian and Shadow",
    "seal": "removes a Miasma",
}
DECKS = {"lords": "Lords", "servants": "Servants", "artifacts": "Artifacts", "miasmas": "Miasmas"}


def card(name: str) -> dict[str, str]:
    """A card as its title, kind (for its colour) and what it does in a few words."""
    shown = CARDS[name]
    return {"title": shown.title, "kind": shown.kind, "about": about(shown)}


def about(shown: Card) -> str:
    """What a card does, in a few words; the rules page says it whole."""
    words = []
    if shown.attack:
        words.append(f"Attack {shown.attack}")
    if shown.purity:
        words.append(f"Purity {shown.purity}")
    if shown.use_value and shown.use != "draw":
        words.append(f"{shown.use.title()} {shown.use_value} when used up")
    elif shown.use:
        words.append(f"draws {shown.use_value} when used up")
    named = {
        "Leadership": bool(shown.leadership),
        "Frenzy": bool(shown.frenzy),
        "Fortune": bool(shown.fortune or shown.harvest),
        "Guardian": shown.guardian,
        "Shadow": shown.shadow,
        "Serenity": shown.serenity or shown.shed,
        "Miasma": shown.miasma,
        "burns": shown.burn,
        "settles": shown.effect == "settle",
        "Frenzy is lost": shown.effect == "leaden",
        "costs a token": shown.effect == "toll",
        "takes no Miasma": shown.passive == "immune",
        "cheaper Alchemy": bool(shown.alchemy_discount),
        "better rolls": bool(shown.risk_bonus),
        "one card more": bool(shown.hand_bonus),
    }
    words += [name for name, has in named.items() if has]
    for codes, code in (
        (TURNS, shown.turn),
        (TECHNIQUES, shown.technique),
        (CONDITIONS, shown.condition),
        (CURSES, shown.curse),
    ):
        if code:
            words.append(codes[code])
    return ", ".join(words)


def enemy(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A Lord, Servant or Creature that lies there: its strength now, and its reward."""
    return {
        **card(entry["card"]),
        "strength": entry["strength"],
        "reward": CARDS[entry["card"]].reward,
    }


def counted(cards: Mapping[str, int]) -> list[dict[str, Any]]:
    """Cards with how often they are there; those that are not are left out."""
    return [{**card(name), "count": count} for name, count in cards.items() if count]


def several(cards: Iterable[str]) -> list[dict[str, Any]]:
    """A sorted list of cards, with equal ones together."""
    return counted(Counter(cards))


def hand(cards: Iterable[str], turned: Mapping[str, int]) -> list[dict[str, Any]]:
    """A hand, card by card; the copies that were turned come first."""
    left = dict(turned)
    shown = []
    for name in cards:
        is_turned = left.get(name, 0) > 0
        left[name] = left.get(name, 0) - 1
        shown.append({**card(name), "turned": is_turned})
    return shown


def owed(pending: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The step that the player in turn owes, with the cards that it is about."""
    if pending is None:
        return None
    names = [*pending.get("cards", ()), pending.get("card")]
    cards = [{**card(name), "worth": CARDS[name].development} for name in names if name]
    chosen = cards.pop() if pending["kind"] == "price" else None
    return {
        "about": STEPS[pending["kind"]],
        "left": pending.get("left"),
        "cards": cards,
        "chosen": chosen,
    }


def numbers(now: Mapping[str, Any]) -> list[str]:
    """What the player in turn still has, in words."""
    isles = f", {now['isles_left']} from the Isles" if now["isles_left"] < ISLES_LIMIT else ""
    parts = [
        f"Attack {now['attack_left']} of {now['attack_total']}",
        f"Purity {now['purity_left']} of {now['purity_total']}",
        f"attacks left {now['slays_left']}",
        f"acquisitions left {now['acquisitions_left']}{isles}",
        "Alchemy left" if now["alchemy_left"] else "no Alchemy left",
    ]
    said = {
        f"{now['burned']} burned": now["burned"],
        "Guardian and Shadow do not count": now["veil"],
        "no Frenzy": now["leaden"],
        "the wave is over": now["swept"],
        f"next hand {now['hand_delta']:+d}": now["hand_delta"],
    }
    return parts + [text for text, holds in said.items() if holds]


def seat_of(observation: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What lies before one player, as far as the viewer may know."""
    seat, now = observation["seats"][number], observation["now"]
    in_turn = now is not None and number == observation["turn"]
    known = seat["sure"] if seat["hand"] is None else seat["hand"]
    used = now["used"] if in_turn else []
    return {
        "clan": seat["clan"] and seat["clan"].title(),
        "tokens": seat["tokens"],
        "score": seat["score"],
        "starts": number == observation["first"],
        "numbers": numbers(now) if in_turn else [],
        "hand": hand(known, now["turned"] if in_turn else {}),
        "unknown": range(seat["hand_count"] - len(known)),
        "hand_count": seat["hand_count"],
        "regalia": [{**card(name), "used": name in used} for name in seat["regalia"]],
        "slots": range(REGALIA_SLOTS - len(seat["regalia"])),
        "creature": seat["creature"] and card(seat["creature"]),
        "ready_count": seat["ready_count"],
        "unseen": counted(seat["unseen"]),
        "unseen_is": "Ready deck" if seat["hand"] is not None else "Ready deck and hand together",
        "waiting": counted(seat["waiting"]),
        "waiting_count": sum(seat["waiting"].values()),
        "list": counted(seat["list"]),
        "trophies": counted(seat["trophies"]),
        "trophy_count": sum(seat["trophies"].values()),
    }


def board(observation: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows of an observation."""
    lord = observation["lord"]
    return {
        "round": observation["round"],
        "wave": observation["wave"],
        "waves": WAVES,
        "phase": PHASES[observation["phase"]],
        "quiet": observation["quiet"],
        "quiet_rounds": QUIET_ROUNDS,
        "owed": owed(observation["pending"]),
        "lord": lord and enemy(lord),
        "zone": [enemy(entry) for entry in observation["zone"]],
        "seats": [seat_of(observation, number) for number in range(observation["players"])],
        "isles": [
            {**card(name), "count": count, "cost": CARDS[name].cost}
            for name, count in observation["isles"].items()
        ],
        "decks": [
            {
                "title": title,
                "count": sum(observation["decks"][name].values()),
                "cards": counted(observation["decks"][name]),
            }
            for name, title in DECKS.items()
        ],
        "abyss": counted(observation["abyss"]),
        "gone": counted(observation["gone"]),
    }
