"""For each game: the same position to one player's eyes, with all that he cannot know changed.

Written from the rules pages alone and over positions, so that it shares nothing with `resample`.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

Position = dict[str, Any]


def deca_slayer(position: Position, viewer: int | None, rng: random.Random) -> None:
    """Change hands, decks, removed monsters, unseen treasures and sealed answers of the others."""
    others = [seat for player, seat in enumerate(position["seats"]) if player != viewer]
    hidden = [cards for seat in others for cards in seat["hidden"]]
    _deal_anew([*hidden, position["hero_deck"]], rng)
    if position["phase"] == "play" and position["turn"] is None:
        _answer_anew([seat for seat in others if seat["known"] or any(seat["hidden"])], rng)
    if position["monster_deck"]:
        monsters = position["monster_deck"][1:]
        _deal_anew([monsters, position["monsters_removed"]], rng)
        position["monster_deck"][1:] = monsters
    unseen = [
        entry
        for entry in position["row"]
        if entry["closed"] is not None and viewer not in entry["seen_by"]
    ]
    closed = [[entry["closed"]] for entry in unseen]
    _deal_anew([*closed, position["treasure_deck"]], rng)
    for entry, (treasure,) in zip(unseen, closed, strict=True):
        entry["closed"] = treasure


def slawia(position: Position, viewer: int | None, rng: random.Random) -> None:
    """Change both decks, and the trophies and discarded cards of hunts that only others know."""
    deck = position["monster_deck"]
    if position["phase"] != "over":
        for number, names in enumerate(position["hunts"]):
            own, hidden = _of_hunt(position, viewer, number)
            if len(own) + len(hidden) == len(names):
                faces = [[entry[0]] for entry in hidden]
                _deal_anew(faces, rng)
                for entry, (card,) in zip(hidden, faces, strict=True):
                    entry[0] = card
                continue
            # The rest of the hunt is in the deck: a trophy may be one of its cards there.
            for entry in hidden:
                known = own + [other[0] for other in hidden if other is not entry]
                left = Counter(names) - Counter(known)
                places = [place for place, card in enumerate(deck) if card in left]
                if places and rng.random() < 0.5:
                    place = rng.choice(places)
                    entry[0], deck[place] = deck[place], entry[0]
    _deal_anew([deck], rng)
    _deal_anew([position["location_deck"]], rng)


def _of_hunt(
    position: Position, viewer: int | None, number: int
) -> tuple[list[str], list[list[Any]]]:
    """The viewer's own cards of a hunt, and the entries of all others."""
    own, hidden = [], []
    zones = enumerate([*position["monster_trophies"], position["monster_discard"]])
    for player, entries in zones:
        for entry in entries:
            if entry[1] == number and player == viewer:
                own.append(entry[0])
            elif entry[1] == number:
                hidden.append(entry)
    return own, hidden


def kunlun(position: Position, viewer: int | None, rng: random.Random) -> None:
    """Change hands and Ready decks, each within what is known of it, and the table's decks."""
    if position["phase"] != "clans":
        for player, seat in enumerate(position["seats"]):
            in_turn = player == position["turn"] and position["phase"] != "over"
            hidden = seat["hand"].copy()
            for card in seat["hand"] if in_turn or player == viewer else seat["sure"]:
                hidden.remove(card)
            known = seat["hand"].copy()
            for card in hidden:
                known.remove(card)
            _deal_anew([hidden, seat["ready"]], rng)
            seat["hand"] = known + hidden
    lords = [card for card in position["lords"] if card != "supreme-villain"]
    supreme = [card for card in position["lords"] if card == "supreme-villain"]
    rng.shuffle(lords)
    position["lords"] = supreme + lords
    for deck in ("servants", "artifacts", "miasmas"):
        rng.shuffle(position[deck])


SCRAMBLE: dict[str, Callable[[Position, int | None, random.Random], None]] = {
    "deca-slayer": deca_slayer,
    "kunlun": kunlun,
    "slawia": slawia,
}


def _answer_anew(seats: list[dict[str, Any]], rng: random.Random) -> None:
    """Seal another answer, or none, at all seats but the first, so that somebody still decides."""
    for number, seat in enumerate(seats):
        hand = [*seat["known"], *(card for cards in seat["hidden"] for card in cards)]
        answer = {"card": rng.choice(hand), "princesses": 0}
        seat["sealed"] = rng.choice([None, answer]) if number else None


def _deal_anew(zones: list[list[str]], rng: random.Random) -> None:
    """Shuffle all cards of the zones over them; each keeps its size."""
    cards = [card for zone in zones for card in zone]
    rng.shuffle(cards)
    for zone in zones:
        for i in range(len(zone)):
            zone[i] = cards.pop()
