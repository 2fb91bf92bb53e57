"""Positions for tests of the rules: what a test names lies there, all other cards in the decks."""

from collections import Counter
from typing import Any

from engine import games
from engine.contract import State
from tests.engine.states import told as told

GAME = games.get("deca-slayer")
SEED = "5e" * 32

# Written down once more, by hand from the rules, so that the tests do not lean on the tables.
COPIES = """
guild-master 6, sword-master 2, paladin 2, knight 2, berserker 3, warrior 3, fighter 3,
sniper 2, ninja 2, assassin 2, ranger 3, archer 3, scout 3,
archmage 2, wizard 3, sorcerer 3, warlock 3, priest 4, cleric 4,
bard 3, troubadour 3, minstrel 3, jester 6, princess 0
"""
HEROES = {name: int(count) for name, count in (copies.split() for copies in COPIES.split(","))}
MONSTERS = (
    *("dragon", "lich", "chimera", "cerberus", "demon", "cyclops", "vampire", "hydra"),
    *("basilisk", "griffin", "gazer", "troll", "wyvern", "golem", "harpy", "wraith"),
)
TREASURES = (
    *(f"riches-{vp}" for vp in range(1, 13)),
    *("heros-war-banner", "far-seeking-crystal", "alluring-scroll", "anima-staff"),
    *("legendary-sword", "marksmans-bow", "twin-star-gemstone", "twin-star-gemstone"),
    *("gloves-of-charisma", "mysterious-doll", "crown-of-avarice", "cursed-idol"),
)
# For seats whose guild does not matter: these do nothing in the middle of a game.
QUIET_GUILDS = ("adventurers-guild", "alchemy-guild", "royal-intelligence")


def position(
    monster: str = "hydra",
    *,
    hands: list[str],
    known: dict[int, str] | None = None,
    treasures: dict[int, str] | None = None,
    guilds: dict[int, str] | None = None,
    open: str = "riches-10 riches-11",
    closed: str | None = None,
    display: str = "",
    heroes: str = "",
    hero_deck: str | None = None,
    next_treasures: str = "",
    treasure_deck: str | None = None,
    princesses: int = 0,
    round: int = 1,
    start: int = 0,
    phase: str = "play",
    **fields: Any,
) -> State:
    """A state of `len(hands)` players; cards are named in strings, separated by spaces.

    `closed`: the treasures face down in the rest of the row; any, if not given. `heroes`,
    `next_treasures`: what is drawn next, the first card first. `hero_deck`, `treasure_deck`: all
    that the deck has, in the same order; then the rest lies on the discard pile. `known`: cards of
    the hand that everybody knows, besides those of `hands`. Other fields as in a position.
    """
    players = len(hands)
    left = Counter(HEROES)
    left["princess"] = princesses
    known = known or {}
    treasures = treasures or {}

    others = [name for name in MONSTERS if name not in (monster, "dragon")]
    to_come = others[: max(0, 9 - round)]
    coming = [monster] if monster == "dragon" else [monster, *to_come, "dragon"]
    row, deck = coming[:3], coming[:2:-1]
    defeated = others[::-1][: round - 1]
    removed = [name for name in MONSTERS if name not in (*coming, *defeated)]

    treasures_left = Counter(TREASURES)
    owned = [treasures.get(player, "").split() for player in range(players)]
    treasure_tops = (treasure_deck if treasure_deck is not None else next_treasures).split()
    for names in (*owned, open.split(), (closed or "").split(), treasure_tops):
        treasures_left.subtract(names)
    treasures_left.pop("dragon", None)
    closed_names = closed.split() if closed is not None else [None] * (len(row) - 1)
    entries = [{"monster": monster, "open": open.split(), "closed": None, "seen_by": []}]
    for name, hidden in zip(row[1:], closed_names, strict=True):
        shown = next(name for name, count in treasures_left.items() if count)
        treasures_left[shown] -= 1
        if hidden is None:
            hidden = next(name for name, count in reversed(treasures_left.items()) if count)
            treasures_left[hidden] -= 1
        entries.append({"monster": name, "open": [shown], "closed": hidden, "seen_by": []})

    seats: list[dict[str, Any]] = []
    for player in range(players):
        hidden_cards = in_order(hands[player].split())
        known_cards = in_order(known.get(player, "").split())
        left.subtract(hidden_cards + known_cards)
        seats.append(
            {
                "guild": None,
                "known": known_cards,
                "hidden": [hidden_cards],
                "treasures": owned[player],
                "played": [],
                "sealed": None,
            }
        )
    if guilds is not None:
        quiet = [name for name in QUIET_GUILDS if name not in guilds.values()]
        for player, seat in enumerate(seats):
            seat["guild"] = guilds.get(player) or quiet.pop(0)
    hero_tops = (hero_deck if hero_deck is not None else heroes).split()
    left.subtract(display.split() + hero_tops)
    rest = in_order(left.elements())
    treasure_rest = [name for name in dict.fromkeys(TREASURES) for _ in range(treasures_left[name])]
    first_turn = None if monster in ("demon", "cyclops", "vampire") else start
    return GAME.state_from_dict(
        {
            "game": "deca-slayer",
            "edition": "1",
            "players": players,
            "options": {"guilds": guilds is not None, "princesses": princesses},
            "seed": SEED,
            "chance": {},
            "round": round,
            "phase": phase,
            "start": start,
            "turn": first_turn,
            "step": 0,
            "attached": 0,
            "passed": [],
            "values": None,
            "order": None,
            "owed": 0,
            "picks": 0,
            "hired": False,
            "shuffles": 0,
            "display": display.split(),
            "row": entries,
            "monster_deck": deck,
            "treasure_deck": (treasure_rest if treasure_deck is None else []) + treasure_tops[::-1],
            "hero_deck": (rest if hero_deck is None else []) + hero_tops[::-1],
            "monsters_removed": removed,
            "hero_discard": rest if hero_deck is not None else [],
            "monsters_defeated": defeated,
            "treasure_discard": treasure_rest if treasure_deck is not None else [],
            "seats": seats,
            **fields,
        }
    )


def in_order(cards: Any) -> list[str]:
    """Heroes in table order."""
    return sorted(cards, key=list(HEROES).index)


def act(state: State, *moves: str) -> State:
    """Take actions written as "seat action", such as "0 play wizard"."""
    for move in moves:
        player, _, action = move.partition(" ")
        state.apply_action(int(player), action)
    return state


def all_pass(state: State) -> State:
    """Everybody who is asked in the battle passes."""
    while seen(state)["phase"] == "play":
        state.apply_action(state.current_players()[0], "pass")
    return state


def seen(state: State, player: int | None = None) -> dict[str, Any]:
    """The observation, a spectator's by default."""
    return state.observation(player)


def hand(state: State, player: int) -> list[str]:
    """The hand in table order."""
    return seen(state, player)["hand"]
