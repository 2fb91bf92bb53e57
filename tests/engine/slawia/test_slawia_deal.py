"""Tables, actions and the deal: sections 3 to 5 and 13 of the rules and example E6."""

import pytest

from engine.chance import Chance
from engine.games.slawia import tables
from tests.engine.slawia.positions import (
    GAME,
    LOCATIONS,
    MONSTERS,
    SLAYERS,
    TABLE_SIZE,
    kinds,
    seen,
    told,
)

ZEROS = "00" * 32
SPECIAL = ("mimic", "likho", "bies", "vodnik", "vila", "stolem")

# spaces, threshold, sun, points
NUMBERS = """
crossroads-shrine 4 3 3 3/2/1  none
birch-ferry       2 2 1 2/1/0  none
charcoal-pits     3 2 1 3/1/0  none
amber-shore       3 3 2 3/2/0  none
salt-road         3 3 2 4/1/0  none
old-mill          4 3 2 3/2/1  none
broken-watchtower 4 3 3 4/2/1  none
wolf-pass         4 3 3 5/2/0  none
raven-hill        4 4 3 5/3/1  none
honey-grove       5 4 3 4/3/2  none
drowned-village   5 4 3 5/3/2  none
iron-gorge        4 4 4 6/3/1  none
hollow-barrow     5 5 4 7/4/2  none
black-marsh       5 5 4 6/4/2  none
moonlit-weir      3 2 1 3/1/0  dusk-dawn
owl-ravine        3 3 2 3/2/1  dusk-dawn
misty-lake        3 3 2 4/2/0  dusk-dawn
lantern-inn       4 3 2 3/2/1  dusk-dawn
noon-fields       4 3 2 4/2/1  dusk-dawn
sunken-chapel     4 4 3 5/3/2  dusk-dawn
standing-stones   4 4 3 6/3/1  dusk-dawn
twilight-meadow   5 4 3 5/4/2  dusk-dawn
fog-moor          3 3 2 4/2/0  unknown-region
trackless-wood    4 3 2 4/2/1  unknown-region
nameless-caves    4 4 3 6/3/2  unknown-region
far-bank          5 4 3 5/3/1  unknown-region
cursed-well       3 3 2 3/2/0  impending-danger
burning-hamlet    3 2 1 2/1/1  impending-danger
plague-gate       4 3 2 4/2/1  impending-danger
besieged-fort     5 4 3 6/3/2  impending-danger
"""


def test_tables_hold_all_cards_in_order():
    assert tuple(tables.SLAYERS) == SLAYERS
    assert {name: monster.copies for name, monster in tables.MONSTERS.items()} == MONSTERS
    assert list(tables.MONSTERS) == list(MONSTERS)
    assert sum(MONSTERS.values()) == 54
    assert tuple(tables.LOCATIONS) == LOCATIONS
    assert len(LOCATIONS) == 30
    assert tables.HOUSES == ("owl", "boar", "bear", "wolf", "lynx")
    assert [name for name, monster in tables.MONSTERS.items() if monster.special] == list(SPECIAL)
    assert sum(monster.treasures * monster.copies for monster in tables.MONSTERS.values()) == 31


def test_slayers():
    assert [(slayer.kind, slayer.strength) for slayer in tables.SLAYERS.values()] == [
        ("rogue", 1),
        ("mage", 2),
        ("ranger", 3),
        ("exterminator", 4),
        ("warrior", 5),
        ("warrior", 6),
    ]


@pytest.mark.parametrize(
    ("name", "strength", "treasures"),
    [
        ("chochlik", 1, 0),
        ("skarbnik", 1, 1),
        ("topielec", 2, 0),
        ("striga", 3, 0),
        ("poludnica", 4, 1),
        ("basilisk", 5, 1),
        ("leshy", 6, 2),
        ("zmey", 7, 3),
        ("mimic", 1, 1),
        ("likho", 2, 0),
        ("bies", 2, 0),
        ("vodnik", 1, 0),
        ("vila", 0, 0),
        ("stolem", 2, 0),
    ],
)
def test_monsters(name, strength, treasures):
    monster = tables.MONSTERS[name]
    assert (monster.strength, monster.treasures) == (strength, treasures)


@pytest.mark.parametrize("row", NUMBERS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_locations(row):
    name, *numbers, points, ability = row.split()
    location = tables.LOCATIONS[name]
    assert [location.slayers, location.threshold, location.sun] == [int(text) for text in numbers]
    assert list(location.points) == [int(text) for text in points.split("/")]
    assert location.ability == ability


def test_actions():
    actions = GAME.actions
    assert len(actions) == len(set(actions)) == 77
    assert list(actions) == [
        *(f"play {name}" for name in SLAYERS),
        *(f"lair {name}" for name in MONSTERS),
        "deck",
        *(f"at {name}" for name in LOCATIONS),
        *("swap rogue", "swap mage", "swap exterminator", "swap warrior-5", "swap warrior-6"),
        "no swap",
        *("pick 1", "pick 2", "pick 3", "pick 4", "pick 5", "pick 6", "keep order"),
        *("recall 1", "recall 2", "keep tokens"),
        *("mark 1", "mark 2", "mark 3", "mark 4"),
        *("curse 1", "curse 2", "curse 3", "curse 4", "curse 5", "curse 6"),
    ]


def test_description():
    assert (GAME.name, GAME.title, GAME.edition) == ("slawia", "Monster Slayers of Slawia", "1")
    assert (GAME.min_players, GAME.max_players, GAME.options) == (2, 5, {})


@pytest.mark.parametrize("options", [{"guilds": True}, {"x": 1}])
def test_there_are_no_options(options):
    with pytest.raises(ValueError, match=r"unknown option .*; .* has: none"):
        GAME.new_initial_state(2, ZEROS, options)


def test_e6_first_deal():
    state = GAME.new_initial_state(2, ZEROS)
    position = state.to_dict()
    assert (position["first"], position["active"], position["turn"]) == (1, 1, 1)
    assert position["lair"] == ["topielec", "poludnica", "stolem"]
    assert [
        (slot["location"], [card["card"] for card in slot["monsters"]])
        for slot in position["table"]
    ] == [
        ("nameless-caves", ["striga"]),
        ("honey-grove", ["striga"]),
        ("cursed-well", ["chochlik"]),
    ]
    assert position["streams"] == {"start": 1, "monsters": 53, "locations": 29}
    assert position["monster_deck"][:-4:-1] == ["leshy", "poludnica", "skarbnik"]
    assert position["location_deck"][:-3:-1] == ["twilight-meadow", "besieged-fort"]
    assert kinds(state) == [
        *("start", "lair", "lair", "lair", "location", "location", "location"),
        *("monster", "monster", "monster", "turn"),
    ]
    assert told(state, "start") == [{"first": 1}]
    assert told(state, "lair")[0] == {"card": "topielec"}
    assert told(state, "location")[1] == {"slot": 1, "location": "honey-grove"}
    assert told(state, "monster")[2] == {
        "player": None,
        "card": "chochlik",
        "source": "setup",
        "location": "cursed-well",
        "side": "monster",
        "position": 1,
    }
    assert told(state, "turn") == [{"turn": 1, "player": 1}]


@pytest.mark.parametrize("number", range(40))
@pytest.mark.parametrize("players", TABLE_SIZE)
def test_set_up_step_by_step(players, number):
    """Section 5, done once more from the chance streams."""
    seed = f"{number:064x}"
    chance = Chance(seed)
    first = chance.below("start", players)
    deck = [name for name, copies in MONSTERS.items() for _ in range(copies)]
    chance.shuffle("monsters", deck)
    lair = [deck.pop() for _ in range(3)]
    locations = list(LOCATIONS)
    chance.shuffle("locations", locations)
    table = [locations.pop() for _ in range(TABLE_SIZE[players])]
    aside, laid, events = [], [], []
    for location in table:
        while (card := deck.pop()) in SPECIAL:
            aside.append(card)
            events.append(("aside", card))
        laid.append(card)
        events.append((location, card))
    if aside:
        deck += aside
        chance.shuffle("monsters", deck)
        events.append(("shuffle", len(deck)))

    state = GAME.new_initial_state(players, seed)
    position = state.to_dict()
    assert (position["first"], position["active"]) == (first, first)
    assert (position["lair"], position["monster_deck"]) == (lair, deck)
    assert position["location_deck"] == locations
    assert position["streams"] == chance.used
    assert [slot["location"] for slot in position["table"]] == table
    assert [[card["card"] for card in slot["monsters"]] for slot in position["table"]] == [
        [card] for card in laid
    ]
    assert [
        (event.get("location", event["kind"]), event.get("card", event.get("cards")))
        for event in state.events[4 + len(table) : -1]
    ] == events
    assert position["hands"] == [list(SLAYERS)] * players
    assert (position["time"], position["glory"]) == (0, [0] * players)
    view = seen(state)
    assert (view["step"], view["phase"], view["side"]) == (1, "card", "night")
    assert [seat["free_tokens"] for seat in view["seats"]] == [[1, 2]] * players
