"""Positions for tests of the rules: what a test names lies there, all other cards in the decks."""

from collections import Counter
from typing import Any

from engine import games
from engine.contract import State
from tests.engine.states import told as told

GAME = games.get("slawia")
SEED = "5e" * 32

# Written down once more, by hand from the rules, so that the tests do not lean on the tables.
SLAYERS = ("rogue", "mage", "ranger", "exterminator", "warrior-5", "warrior-6")
COPIES = """
chochlik 6, skarbnik 2, topielec 8, striga 8, poludnica 7, basilisk 5, leshy 3, zmey 3,
mimic 2, likho 2, bies 2, vodnik 2, vila 2, stolem 2
"""
MONSTERS = {name: int(count) for name, count in (copies.split() for copies in COPIES.split(","))}
LOCATIONS = (
    *("crossroads-shrine", "birch-ferry", "charcoal-pits", "amber-shore", "salt-road"),
    *("old-mill", "broken-watchtower", "wolf-pass", "raven-hill", "honey-grove"),
    *("drowned-village", "iron-gorge", "hollow-barrow", "black-marsh"),
    *("moonlit-weir", "owl-ravine", "misty-lake", "lantern-inn", "noon-fields"),
    *("sunken-chapel", "standing-stones", "twilight-meadow"),
    *("fog-moor", "trackless-wood", "nameless-caves", "far-bank"),
    *("cursed-well", "burning-hamlet", "plague-gate", "besieged-fort"),
)
TABLE_SIZE = {2: 3, 3: 4, 4: 4, 5: 5}
# Locations without an ability and with a high threshold, for slots that do not matter.
QUIET = ("hollow-barrow", "black-marsh", "iron-gorge", "drowned-village", "honey-grove")


def at(location: str, monsters: str = "", slayers: str = "", *, used: bool = False) -> Any:
    """A slot of a position; cards are named in strings, separated by spaces.

    A slayer is written `0:rogue`, with the seat of its owner; `mimic` has none. A card may carry
    tokens, `topielec+0.1` (token 1 of player 0), and a slayer may be cursed, `0:mage!`.
    """
    return {
        "location": location,
        "used": used,
        "monsters": [
            {"card": card, "tokens": tokens} for card, tokens in map(_card, monsters.split())
        ],
        "slayers": [_slayer(text) for text in slayers.split()],
    }


def position(
    *slots: Any,
    players: int = 2,
    hands: dict[int, str] | None = None,
    lair: str = "topielec skarbnik chochlik",
    draws: str = "",
    reveals: str = "",
    monster_deck: str | None = None,
    location_deck: str | None = None,
    trophies: dict[int, str] | None = None,
    locations_won: dict[int, str] | None = None,
    held: str | None = None,
    **fields: Any,
) -> State:
    """A state with player 0 to act in step 1; slots not given are quiet with one topielec each.

    `hands`: if they are not all slayers that are not on the table. `draws`, `reveals`: what the
    decks give next, the first card first. `monster_deck`, `location_deck`: all that the deck has,
    in the same order; the rest is left out then. `trophies`: monsters that players took, each of a
    hunt for itself. `held`: the card and where it comes from, "zmey deck". Other fields as in a
    position.
    """
    filling = [name for name in QUIET if all(slot["location"] != name for slot in slots)]
    table = [*slots, *(at(name, "topielec") for name in filling)][: TABLE_SIZE[players]]
    held_card, held_from = held.split() if held else ("", "")
    if hands is None:
        hands = {}
    won = [(locations_won or {}).get(player, "").split() for player in range(players)]
    taken = [(trophies or {}).get(player, "").split() for player in range(players)]
    hunts = [[name] for names in taken for name in names]
    numbers = iter(range(len(hunts)))

    discard = fields.get("monster_discard", [])
    location_discard = fields.get("location_discard", [])
    monsters_left = Counter(MONSTERS)
    monsters_left.subtract(
        [
            *(card["card"] for slot in table for card in slot["monsters"]),
            *("mimic" for slot in table for card in slot["slayers"] if card["owner"] is None),
            *(name for names in taken for name in names),
            *(name for name, _ in discard),
            *([held_card] if held_card in MONSTERS else []),
            *lair.split(),
            *(draws if monster_deck is None else monster_deck).split(),
        ]
    )
    assert min(monsters_left.values()) >= 0, "more monsters than there are"
    gone = {slot["location"] for slot in table} | {name for names in won for name in names}
    gone.update(location_discard, (reveals if location_deck is None else location_deck).split())
    return GAME.state_from_dict(
        {
            "game": "slawia",
            "edition": "1",
            "options": {},
            "players": players,
            "seed": SEED,
            "streams": {},
            "first": 0,
            "turn": 1,
            "active": 0,
            "step": 1,
            "phase": "card",
            "held": {"card": held_card, "from": held_from} if held else None,
            "focus": None,
            "trigger": None,
            "picked": [],
            "time": 0,
            "last_turn": False,
            "lair": lair.split(),
            "slayers_played": 0,
            "monsters_played": 0,
            "monster_deck": monster_deck.split()[::-1]
            if monster_deck is not None
            else [*monsters_left.elements(), *draws.split()[::-1]],
            "location_deck": location_deck.split()[::-1]
            if location_deck is not None
            else [*(name for name in LOCATIONS if name not in gone), *reveals.split()[::-1]],
            "monster_discard": discard,
            "location_discard": location_discard,
            "table": table,
            "hands": [
                hands[player].split() if player in hands else _at_home(table, player, held_card)
                for player in range(players)
            ],
            "glory": [0] * players,
            "location_trophies": won,
            "monster_trophies": [[[name, next(numbers)] for name in names] for names in taken],
            "hunts": hunts,
            **fields,
        }
    )


def act(state: State, *actions: str) -> State:
    """Take actions of whoever is to act."""
    for action in actions:
        state.apply_action(state.current_players()[0], action)
    return state


def legal(state: State) -> list[str]:
    """What the active player may do."""
    return state.legal_actions(state.current_players()[0])


def seen(state: State, player: int | None = None) -> dict[str, Any]:
    """The observation, a spectator's by default."""
    return state.observation(player)


def lies(state: State, location: str) -> dict[str, Any]:
    """What is to be seen at a location on the table."""
    (entry,) = [entry for entry in seen(state)["table"] if entry and entry["location"] == location]
    return entry


def slayers(state: State, location: str) -> str:
    """The slayer row of a location, written as `at` takes it."""
    return " ".join(
        ("" if card["owner"] is None else f"{card['owner']}:") + _written(card)
        for card in lies(state, location)["slayers"]
    )


def monsters(state: State, location: str) -> str:
    """The monster row of a location, written as `at` takes it."""
    return " ".join(_written(card) for card in lies(state, location)["monsters"])


def totals(state: State, location: str) -> tuple[int, int]:
    """Total strength of the monsters and of the slayers there."""
    entry = lies(state, location)
    return entry["monster_total"], entry["slayer_total"]


def hand(state: State, player: int) -> str:
    """The hand, in slayer order."""
    return " ".join(seen(state)["seats"][player]["hand"])


def kinds(state: State, since: int = 0) -> list[str]:
    """The kinds of the events from the given number on."""
    return [event["kind"] for event in state.events[since:]]


def _card(text: str) -> tuple[str, list[list[int]]]:
    card, *tokens = text.split("+")
    return card, [[int(part) for part in token.split(".")] for token in tokens]


def _slayer(text: str) -> dict[str, Any]:
    owner, _, rest = text.rpartition(":")
    card, tokens = _card(rest.rstrip("!"))
    return {
        "owner": int(owner) if owner else None,
        "card": card,
        "tokens": tokens,
        "cursed": text.endswith("!"),
    }


def _written(card: dict[str, Any]) -> str:
    tokens = "".join(f"+{player}.{number}" for player, number in card["tokens"])
    return card["card"] + tokens + ("!" if card.get("cursed") else "")


def _at_home(table: list[Any], player: int, held: str) -> list[str]:
    """The player's slayers that are not on the table, nor held by player 0."""
    away = {card["card"] for slot in table for card in slot["slayers"] if card["owner"] == player}
    if player == 0:
        away.add(held)
    return [name for name in SLAYERS if name not in away]
