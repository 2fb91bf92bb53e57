"""Tables, actions and the deal: sections 2, 3, 5 and 10 of the rules and example E8."""

import pytest

from engine.games.deca_slayer import tables
from tests.engine.deca_slayer.positions import (
    GAME,
    HEROES,
    MONSTERS,
    TREASURES,
    hand,
    seen,
    told,
)

SEED = "00" * 31 + "2a"


def example():
    return GAME.new_initial_state(4, SEED, {"guilds": True, "princesses": 1})


def test_tables_hold_all_cards_in_order():
    assert {name: hero.count for name, hero in tables.HEROES.items()} == {**HEROES, "princess": 2}
    assert list(tables.HEROES) == list(HEROES)
    assert sum(HEROES.values()) == 70
    assert tuple(tables.MONSTERS) == MONSTERS
    copies = [name for name, card in tables.TREASURES.items() for _ in range(card.count)]
    assert copies == list(TREASURES)
    assert list(tables.GUILDS) == [
        *("fighters-guild", "thieves-guild", "mages-guild", "royal-regulars"),
        *("royal-intelligence", "mercenaries-guild", "adventurers-guild"),
        *("merchants-guild", "alchemy-guild", "performers-guild"),
    ]


@pytest.mark.parametrize(
    ("heroes", "powers"),
    [
        ("guild-master", (8, 8, 8)),
        ("sword-master", (10, None, None)),
        ("paladin", (9, None, None)),
        ("knight", (8, None, None)),
        ("berserker", (7, None, None)),
        ("warrior", (6, None, None)),
        ("fighter", (5, None, None)),
        ("sniper", (None, 10, None)),
        ("ninja", (None, 9, None)),
        ("assassin", (None, 8, None)),
        ("ranger", (None, 7, None)),
        ("archer", (None, 6, None)),
        ("scout", (None, 5, None)),
        ("archmage", (None, None, 10)),
        ("wizard", (None, None, 9)),
        ("sorcerer", (None, None, 8)),
        ("warlock", (None, None, 7)),
        ("priest", (None, None, 6)),
        ("cleric", (None, None, 5)),
        ("bard", (4, 4, None)),
        ("troubadour", (4, None, 4)),
        ("minstrel", (None, 4, 4)),
        ("jester", (3, 3, 3)),
        ("princess", (5, 5, 5)),
    ],
)
def test_powers(heroes, powers):
    hero = tables.HEROES[heroes]
    assert tuple(hero.powers.get(kind) for kind in ("melee", "ranged", "magic")) == powers


def test_actions():
    actions = GAME.actions
    assert len(actions) == len(set(actions)) == 149
    assert {
        0: "pass",
        1: "play guild-master",
        24: "play princess",
        25: "add princess",
        26: "take back bard",
        27: "take back troubadour",
        28: "take back minstrel",
        29: "outrank",
        30: "take riches-1",
        52: "take cursed-idol",
        53: "recruit guild-master",
        76: "recruit princess",
        77: "use mysterious-doll",
        78: "hire riches-1",
        100: "hire cursed-idol",
        101: "discard guild-master",
        124: "discard princess",
        125: "transmute riches-1",
        147: "transmute cursed-idol",
        148: "transmute dragon",
    }.items() <= dict(enumerate(actions)).items()
    assert GAME.action_index["transmute dragon"] == 148


def test_e8_start_and_row():
    state = example()
    assert told(state, "start") == [
        {
            "start": 1,
            "guilds": [
                "fighters-guild",
                "royal-intelligence",
                "merchants-guild",
                "royal-regulars",
            ],
        }
    ]
    assert told(state, "monster") == [
        {"monster": "hydra", "open": "riches-10"},
        {"monster": "troll", "open": "riches-8"},
        {"monster": "griffin", "open": "riches-3"},
    ]
    position = state.to_dict()
    assert position["row"] == [
        {
            "monster": "hydra",
            "open": ["riches-10", "far-seeking-crystal"],
            "closed": None,
            "seen_by": [],
        },
        {"monster": "troll", "open": ["riches-8"], "closed": "heros-war-banner", "seen_by": [1]},
        {"monster": "griffin", "open": ["riches-3"], "closed": "riches-9", "seen_by": [1]},
    ]
    assert position["monster_deck"][::-1] == [
        *("wyvern", "lich", "demon", "harpy", "chimera", "gazer", "dragon"),
    ]
    assert position["chance"] == {
        "heroes": 66,
        "monsters": 14,
        "treasures": 23,
        "guilds": 9,
        "first-player": 1,
    }


def test_e8_hands_and_events():
    state = example()
    drawn = [
        ["priest", "archer", "guild-master", "minstrel"],
        ["fighter", "assassin", "jester", "wizard"],
        ["ninja", "berserker", "princess", "troubadour"],
        ["knight", "sniper", "wizard", "archmage"],
    ]
    assert told(state, "drawn") == [
        {"player": player, "cards": cards} for player, cards in enumerate(drawn)
    ]
    assert hand(state, 0) == ["guild-master", "guild-master", "archer", "priest", "minstrel"]
    assert [seat["known"] for seat in seen(state)["seats"]] == [["guild-master"]] * 4
    assert told(state, "peek") == [
        {"player": 1, "monster": "hydra", "treasure": "far-seeking-crystal"},
        {"player": 1, "monster": "troll", "treasure": "heros-war-banner"},
        {"player": 1, "monster": "griffin", "treasure": "riches-9"},
    ]
    assert [event["kind"] for event in state.events] == [
        "start",
        *["monster"] * 3,
        *["draw", "drawn"] * 4,
        *["peek"] * 3,
        "round",
        "heroes",
    ]
    assert told(state, "heroes") == [
        {"cards": ["berserker", "warrior", "jester", "bard", "paladin", "sorcerer"]}
    ]
    assert state.to_dict()["hero_deck"][:-4:-1] == ["cleric", "warrior", "troubadour"]
    assert state.current_players() == (1,)
    assert state.legal_actions(1) == [
        *("pass", "play guild-master", "play fighter", "play assassin"),
        *("play wizard", "play jester"),
    ]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("princesses", [0, 1, 2])
def test_sizes(players, princesses):
    state = GAME.new_initial_state(players, SEED, {"princesses": princesses})
    view = seen(state)
    on_display = 2 * (players - 1)
    assert len(view["display"]) == on_display
    assert view["hero_deck"] == 70 + princesses - 5 * players - on_display
    assert (view["monster_deck"], view["treasure_deck"]) == (7, 18)
    assert [seat["hand_count"] for seat in view["seats"]] == [5] * players
    assert [seat["guild"] for seat in view["seats"]] == [None] * players
    assert told(state, "start")[0]["guilds"] is None
    position = state.to_dict()
    assert len(position["monsters_removed"]) == 6
    assert position["monster_deck"][0] == "dragon"
    if players == 6:
        assert "guild-master" not in position["hero_deck"] + view["display"]


def test_case_46_the_adventurers_start_with_8():
    """The first seed of a few whose deal has the adventurers-guild."""
    states = (GAME.new_initial_state(6, f"{number:064x}", {"guilds": True}) for number in range(20))
    state = next(s for s in states if "adventurers-guild" in told(s, "start")[0]["guilds"])
    seats = seen(state)["seats"]
    player = [seat["guild"] for seat in seats].index("adventurers-guild")
    assert (seats[player]["hand_count"], seats[player]["known"]) == (8, ["guild-master"])
    assert told(state, "draw")[6] == {"player": player, "count": 3, "reason": "adventurers-guild"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guild": True}, "unknown option 'guild'; Deca Slayer has: guilds, princesses"),
        ({"guilds": 1}, "'guilds' is one of False, True, not 1"),
        ({"guilds": None}, "'guilds' is one of"),
        ({"princesses": True}, "'princesses' is one of 0, 1, 2, not True"),
        ({"princesses": 3}, "'princesses' is one of"),
        ({"princesses": 1.0}, "'princesses' is one of"),
        (["guilds"], "options are an object"),
        ({1: 2}, "unknown option 1"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_initial_state(3, SEED, options)


def test_options_are_complete():
    assert GAME.new_initial_state(3, SEED).options == {"guilds": False, "princesses": 0}
    state = GAME.new_initial_state(3, SEED, {"princesses": 2})
    assert state.options == seen(state)["options"] == {"guilds": False, "princesses": 2}


@pytest.mark.parametrize("players", [2, 7, True, 3.0, "3", None])
def test_players_are_checked(players):
    with pytest.raises(ValueError, match="Deca Slayer is for 3 to 6 players"):
        GAME.new_initial_state(players, SEED)
