"""Tables, actions, options and the deal: sections 2, 3, 4 and 13, and the deal of section 16."""

import tomllib
from importlib.resources import files

import pytest

from engine.chance import Chance
from engine.games.kunlun import tables
from tests.engine.kunlun.positions import (
    ARTIFACTS,
    CARDS,
    CLANS,
    CREATURES,
    GAME,
    LORDS,
    MEDITATIONS,
    MIASMAS,
    NAMES,
    SERVANTS,
    SPELLS,
    act,
    cards,
    legal,
    seat,
    seen,
    told,
)

SEED = "0" * 64


def test_tables_hold_all_cards_in_order():
    assert {name: card.count for name, card in tables.CARDS.items()} == CARDS
    assert list(tables.CARDS) == NAMES

    def total(names):
        return sum(tables.CARDS[name].count for name in names)

    assert [total(names) for names in CLANS.values()] == [11] * 4
    assert [total(names) for names in (SERVANTS, CREATURES, LORDS)] == [51, 5, 7]
    assert [total(names) for names in (SPELLS, ARTIFACTS, MIASMAS)] == [21, 14, 10]
    assert total(MEDITATIONS) == 52


def test_every_column_of_the_file_is_read():
    rows = tomllib.loads(
        files("engine.games.kunlun").joinpath("cards.toml").read_text(encoding="utf-8")
    )
    for kind in tables.KINDS:
        for row in rows[kind]:
            card = tables.CARDS[row["name"]]
            assert {name: getattr(card, name) for name in row} == row
            assert card.kind == kind


@pytest.mark.parametrize(
    ("card", "columns"),
    [
        ("disciple-of-the-scabbard", {"cost": 2, "attack": 1, "leadership": "pair", "twin": True}),
        ("sage-of-esoteric-swordplay", {"cost": 6, "development": 2, "risk_bonus": 1}),
        ("cloud-stride-incantation", {"cost": 5, "turn": "draw", "turn_value": 2}),
        ("wind-and-fire-wheels", {"development": 9, "frenzy": 1}),
        ("seven-star-sword", {"development": 7, "place_condition": "master-or-sage"}),
        ("vanishing-truth-miasma", {"effect": "settle", "purity": -1, "permanent": True}),
        ("vermillion-bird", {"strength": 6, "reward": 3, "condition": "first-attack"}),
        ("demon-smith", {"strength": 11, "reward": 6, "condition": "two-immortals"}),
        ("moon-hare", {"strength": 7, "hand_bonus": 1, "reward": 0}),
        ("supreme-villain", {"strength": 12, "reward": 10, "technique": "dread"}),
    ],
)
def test_some_columns(card, columns):
    assert {name: getattr(tables.CARDS[card], name) for name in columns} == columns


def test_actions():
    actions = GAME.actions
    assert len(actions) == len(set(actions)) == 153
    assert {
        0: "clan kunlun",
        3: "clan kontong",
        4: "proceed",
        5: "place profane-seal",
        16: "place tiger-tally",
        17: "turn disciple-of-the-drum",
        22: "turn profane-seal",
        23: "slay hungry-ghost-sage",
        29: "slay supreme-villain",
        30: "slay demon-smith",
        47: "slay spider-vanguard",
        48: "slay azure-dragon",
        52: "slay moon-hare",
        53: "acquire sage-of-the-jade-citadel",
        57: "acquire master-of-the-drawn-blade",
        61: "acquire enlightenment",
        63: "acquire disciple-of-the-scabbard",
        67: "acquire pure-heart",
        73: "acquire diligence",
        74: "pick profane-seal",
        86: "pay",
        87: "risk 1",
        94: "risk 8",
        95: "discard corpse-breath-miasma",
        102: "discard diligence",
        105: "discard pure-heart",
        111: "discard disciple-of-the-scabbard",
        122: "discard sage-of-esoteric-swordplay",
        123: "chisel silver-tooth-miasma",
        124: "displace profane-seal",
        136: "infect 0",
        140: "call master-of-the-beacon",
        141: "call disciple-of-the-drum",
        142: "replace creature",
        143: "keep creature",
        144: "end turn",
        145: "abstain",
        146: "use heart-sutra-flag",
        149: "burn disciple-of-the-flame",
        150: "turn pure-heart",
        151: "shed pure-heart",
        152: "alchemy",
    }.items() <= dict(enumerate(actions)).items()
    assert GAME.stand_in == "first"


def test_the_deal_of_the_rules_page():
    state = GAME.new_initial_state(3, SEED)
    position = state.to_dict()
    assert position["first"] == position["turn"] == 1
    assert [seat["clan"] for seat in position["seats"]] == ["wu", "kontong", "kunlun"]
    assert [seat["hand"] for seat in position["seats"]] == [
        cards("flame, 4 diligence"),
        cards("2 alembic, 3 diligence"),
        cards("scabbard, 4 diligence"),
    ]
    assert [seat["ready"] for seat in position["seats"]] == [
        ["diligence", "disciple-of-the-flame"],
        ["diligence", "diligence"],
        ["disciple-of-the-scabbard", "diligence"],
    ]
    assert position["lords"] == [
        *("supreme-villain", "plague-abbot", "jade-regent", "gate-tyrant", "drum-marshal"),
        "veiled-empress",
    ]
    view = seen(state)
    assert view["lord"] == {"card": "hungry-ghost-sage", "strength": 64}
    assert [(enemy["card"], enemy["strength"]) for enemy in view["zone"]] == [
        *(("mud-ghoul", 5), ("plague-crow", 6), ("vermillion-bird", 8), ("iron-sentinel", 7)),
        *(("banner-fiend", 5), ("banner-fiend", 5), ("thousand-eyes", 9), ("demon-smith", 13)),
    ]
    assert position["servants"][:-5:-1] == [
        *("bone-piper", "vermillion-bird", "grave-imp", "corpse-puppeteer"),
    ]
    assert position["artifacts"][:-4:-1] == [
        *("profane-seal", "profane-seal", "mirror-of-still-water"),
    ]
    assert position["miasmas"][-2:] == ["corpse-breath-miasma"] * 2
    assert position["drawn"] == {
        "first": 1,
        "servants": 55,
        "lords": 5,
        "artifacts": 13,
        "miasmas": 9,
        "clans": 3,
        "ready-0": 6,
        "ready-1": 6,
        "ready-2": 6,
    }
    chance = Chance(SEED)
    assert [chance.roll("die") for _ in range(8)] == [2, 4, 5, 2, 6, 6, 1, 6]


def test_events_of_the_deal():
    state = GAME.new_initial_state(3, SEED)
    assert [event["kind"] for event in state.events] == [
        *("setup", "draw", "cards", "draw", "cards", "draw", "cards", "wave", "turn"),
    ]
    assert told(state, "setup") == [{"first": 1, "clans": ["wu", "kontong", "kunlun"]}]
    assert told(state, "draw") == [{"player": player, "count": 5} for player in range(3)]
    assert [event["visible_to"] for event in state.events if event["kind"] == "cards"] == [
        *([0], [1], [2]),
    ]
    assert told(state, "wave") == [
        {
            "wave": 1,
            "lord": "hungry-ghost-sage",
            "zone": cards(
                "mud-ghoul, plague-crow, vermillion-bird, iron-sentinel, 2 banner-fiend,"
                " thousand-eyes, demon-smith"
            ),
        }
    ]
    assert told(state, "turn") == [
        {"player": 1, "round": 1, "hand": cards("2 alembic, 3 diligence")}
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_sizes(players):
    state = GAME.new_initial_state(players, SEED)
    view = seen(state)
    assert view["isles"] == {name: CARDS[name] for name in (*MEDITATIONS, *SPELLS)} | {
        "diligence": 28 - 5 * players
    }
    assert [sum(deck.values()) for deck in view["decks"].values()] == [48, 6, 14, 10]
    assert view["decks"]["lords"]["supreme-villain"] == 1
    assert state.to_dict()["lords"][0] == "supreme-villain"
    for seat_ in view["seats"]:
        disciple, master, sage = CLANS[seat_["clan"]]
        assert seat_["list"] == {disciple: 4, master: 4, sage: 1}
        assert (seat_["ready_count"], seat_["hand_count"], seat_["sure"]) == (2, 5, [])
        assert (seat_["tokens"], seat_["score"]) == (0, 0)


def test_fixed_clans_and_first_player():
    options = {"clans": "wu,kunlun", "first": 1}
    state = GAME.new_initial_state(2, SEED, options)
    assert state.options == options
    assert [seat_["clan"] for seat_ in seen(state)["seats"]] == ["wu", "kunlun"]
    assert state.current_players() == (1,)
    drawn = state.to_dict()["drawn"]
    assert "first" not in drawn
    assert "clans" not in drawn


def test_choosing_clans():
    state = GAME.new_initial_state(4, SEED, {"clans": "choose", "first": 2})
    assert told(state, "setup") == [{"first": 2, "clans": [None] * 4}]
    assert len(state.events) == 1
    view = seen(state, 2)
    assert (view["phase"], view["turn"], view["current"]) == ("clans", 2, [2])
    assert (view["wave"], view["lord"], view["now"]) == (0, None, None)
    assert [seat_["list"] for seat_ in view["seats"]] == [{}] * 4
    assert view["isles"]["diligence"] == 8
    assert legal(state) == ["clan kunlun", "clan kichen", "clan wu", "clan kontong"]
    act(state, "clan wu")
    assert state.events[1:] == [
        {"kind": "action", "player": 2, "action": "clan wu", "visible_to": None},
        {"kind": "clan", "player": 2, "clan": "wu", "visible_to": None},
    ]
    assert seat(state, 2)["ready"] == ["disciple-of-the-flame"] * 2 + ["diligence"] * 5
    assert (seen(state)["turn"], state.current_players()) == (3, (3,))
    act(state, "clan kichen")
    assert legal(state) == ["clan kunlun", "clan kontong"]
    act(state, "clan kontong")
    # The last of four has one left, and is asked all the same.
    assert (state.current_players(), legal(state)) == ((1,), ["clan kunlun"])
    told_before = len(state.events)
    act(state, "clan kunlun")
    assert (seen(state)["phase"], seen(state)["turn"]) == ("start", 2)
    assert [event["kind"] for event in state.events[told_before:]] == [
        *("action", "clan", *("draw", "cards") * 4, "wave", "turn"),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"clans": "choose"},
        {"clans": "random", "first": "random"},
        {"clans": "kontong,kichen,wu"},
        {"first": 0},
        {"first": 2},
    ],
)
def test_good_options(options):
    state = GAME.new_initial_state(3, SEED, options)
    assert state.options == {"clans": "random", "first": "random"} | options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clan": "wu"}, "unknown option 'clan'; .* has: clans, first"),
        ({"clans": "wu,kunlun"}, "3 different clans of kunlun, kichen, wu, kontong"),
        ({"clans": "wu,kunlun,wu"}, "option 'clans' is 'random', 'choose' or 3 different"),
        ({"clans": "wu,kunlun,kontong,kichen"}, "not 'wu,kunlun,kontong,kichen'"),
        ({"clans": "wu, kunlun, kontong"}, "option 'clans'"),
        ({"clans": "wu,kunlun,"}, "option 'clans'"),
        ({"clans": ""}, "option 'clans'"),
        ({"clans": ["wu", "kunlun", "kontong"]}, "not a list"),
        ({"clans": None}, "option 'clans'"),
        ({"clans": True}, "option 'clans'"),
        ({"first": 3}, "option 'first' is 'random' or a seat from 0 to 2, not 3"),
        ({"first": -1}, "option 'first'"),
        ({"first": True}, "option 'first' is .*, not True"),
        ({"first": False}, "option 'first'"),
        ({"first": 1.0}, "option 'first'"),
        ({"first": "1"}, "option 'first'"),
        ({"first": "choose"}, "option 'first'"),
        ({"first": []}, "option 'first'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_initial_state(3, SEED, options)


@pytest.mark.parametrize("players", [1, 5, True, "3", None])
def test_bad_players(players):
    with pytest.raises(ValueError, match="for 2 to 4 players"):
        GAME.new_initial_state(players, SEED)
