"""Positions: what is refused, with a message that says what is wrong (rules, section 16)."""

import json
from contextlib import suppress

import pytest

from tests.engine.slawia.positions import GAME, act, at, legal, position, seen, slayers
from tests.engine.states import DELETE, changed, paths


def whole():
    """Something stands in every field."""
    state = position(
        at("old-mill", "chochlik zmey+0.1", "1:warrior-6+0.2 mimic 0:mage!"),
        at("salt-road", "striga", "0:rogue 1:mage"),
        monster_discard=[["bies", None], ["likho", 0]],
        location_discard=["far-bank"],
        trophies={1: "leshy"},
        locations_won={0: "raven-hill"},
        glory=[5, 0],
        events=[{"kind": "trophy-card", "player": 1, "card": "leshy", "visible_to": [1]}],
        streams={"start": 1, "monsters": 53},
    )
    return json.loads(json.dumps(state.to_dict()))


def test_the_fields():
    assert list(whole()) == [
        *("game", "edition", "options", "players", "seed", "streams"),
        *("first", "turn", "active", "step", "phase", "held", "focus", "trigger", "picked"),
        *("time", "last_turn", "lair", "slayers_played", "monsters_played"),
        *("monster_deck", "location_deck", "monster_discard", "location_discard", "table"),
        *("hands", "glory", "location_trophies", "monster_trophies", "hunts", "events"),
    ]
    set_up = whole()
    assert set_up["table"][0] == {
        "location": "old-mill",
        "used": False,
        "monsters": [
            {"card": "chochlik", "tokens": []},
            {"card": "zmey", "tokens": [[0, 1]]},
        ],
        "slayers": [
            {"owner": 1, "card": "warrior-6", "tokens": [[0, 2]], "cursed": False},
            {"owner": None, "card": "mimic", "tokens": [], "cursed": False},
            {"owner": 0, "card": "mage", "tokens": [], "cursed": True},
        ],
    }
    assert set_up["hands"][0] == ["ranger", "exterminator", "warrior-5", "warrior-6"]
    assert set_up["monster_trophies"] == [[], [["leshy", 0]]]
    assert set_up["hunts"] == [["leshy"]]


def test_there_and_back():
    assert GAME.state_from_dict(whole()).to_dict() == whole()


def test_events_may_be_left_out():
    set_up = whole()
    del set_up["events"]
    assert GAME.state_from_dict(set_up).events == []


def test_a_position_is_independent_of_what_it_was_made_of():
    set_up = whole()
    state = GAME.state_from_dict(set_up)
    before = json.dumps(state.to_dict())
    for value in set_up.values():
        if isinstance(value, list):
            value.clear()
    written = state.to_dict()
    written["table"][0]["monsters"].clear()
    written["hands"][0].clear()
    written["streams"].clear()
    written["monster_discard"][0].clear()
    assert json.dumps(state.to_dict()) == before


def test_hands_are_sorted():
    set_up = changed(whole(), "hands.0", ["warrior-6", "ranger", "warrior-5", "exterminator"])
    assert GAME.state_from_dict(set_up).to_dict() == whole()


FORM = [
    ("game", "kunlun", "game must be 'slawia', not 'kunlun'"),
    ("edition", 1, "edition must be '1', not 1"),
    ("players", 6, "for 2 to 5 players, not 6"),
    ("players", 3, "hands must have an entry for each of 3 players, not 2"),
    ("players", True, "for 2 to 5 players, not True"),
    ("options", {"x": 1}, "unknown option 'x'"),
    ("options", DELETE, "position lacks options"),
    ("seed", "5E" * 32, "64 lower-case hex digits"),
    ("turn", DELETE, "position lacks turn"),
    ("extra", 1, "position has unknown fields: 'extra'"),
    ("streams", [], "streams must be an object"),
    ("streams.monsters", 0, "streams.monsters must be a whole number"),
    ("first", 2, "first must be a whole number from 0 to 1, not 2"),
    ("turn", 0, "turn must be a whole number of at least 1, not 0"),
    ("active", None, "active must be a whole number"),
    ("step", 5, "step must be a whole number from 1 to 4, not 5"),
    ("phase", "sleep", "phase must be the name of a phase, not 'sleep'"),
    ("held", "zmey", "held must be an object, not 'zmey'"),
    ("held", {"card": "zmey"}, "held lacks from"),
    ("held", {"card": "zmey", "from": "table"}, "held.from must be the name of a source"),
    ("held", {"card": "zmey", "from": "hand"}, "held.card must be the name of a slayer"),
    ("held", {"card": "rogue", "from": "deck"}, "held.card must be the name of a monster"),
    ("focus", 3, "focus must be a whole number from 0 to 2, not 3"),
    ("trigger", "mage", "trigger must be the name of a slayer with tokens, not 'mage'"),
    ("picked", [0], r"picked\[0\] must be a whole number of at least 1"),
    ("time", 25, "time must be a whole number from 0 to 24, not 25"),
    ("last_turn", 0, "last_turn must be true or false, not 0"),
    ("lair", ["rogue"], r"lair\[0\] must be the name of a monster, not 'rogue'"),
    ("slayers_played", -1, "slayers_played must be a whole number"),
    ("monsters_played", True, "monsters_played must be a whole number"),
    ("monster_deck", "zmey", "monster_deck must be a list"),
    ("location_deck", ["zmey"], r"location_deck\[0\] must be the name of a location"),
    ("monster_discard", ["zmey"], r"monster_discard\[0\] must be a list, not 'zmey'"),
    ("monster_discard", [["zmey"]], r"monster_discard\[0\] must be a card and its hunt or null"),
    ("monster_discard", [["rogue", None]], r"monster_discard\[0\]\[0\] must be the name"),
    ("monster_discard", [["zmey", -1]], r"monster_discard\[0\]\[1\] must be a whole number"),
    ("location_discard", [None], r"location_discard\[0\] must be the name of a location"),
    ("table", {}, "table must be a list, not an object"),
    ("table.0", None, r"table\[0\] must be an object, not None"),
    ("table.0.location", "inn", r"table\[0\].location must be the name of a location"),
    ("table.0.location", None, r"table\[0\] must be unused and without cards"),
    ("table.0.used", None, r"table\[0\].used must be true or false"),
    ("table.0.monsters.0", "zmey", r"table\[0\].monsters\[0\] must be an object"),
    ("table.0.monsters.0.card", "mage", r"monsters\[0\].card must be the name of a monster"),
    ("table.0.monsters.0.tokens", [1], r"tokens\[0\] must be a list, not 1"),
    ("table.0.monsters.0.tokens", [[0, 3]], r"tokens\[0\]\[1\] must be a whole number from 1"),
    ("table.0.monsters.0.tokens", [[2, 1]], r"tokens\[0\]\[0\] must be a whole number from 0"),
    ("table.0.monsters.0.tokens", [[0]], r"tokens\[0\] must be a player and a token's number"),
    ("table.0.slayers.0.owner", 2, r"slayers\[0\].owner must be a whole number from 0 to 1"),
    ("table.0.slayers.0.owner", None, r"slayers\[0\].owner must be null for a mimic, and a seat"),
    ("table.0.slayers.1.owner", 0, r"slayers\[1\].owner must be null for a mimic, and a seat"),
    ("table.0.slayers.0.card", "zmey", r"card must be the name of a slayer or mimic"),
    ("table.0.slayers.0.cursed", 1, r"cursed must be true or false"),
    ("table.0.slayers.0.cursed", DELETE, r"slayers\[0\] lacks cursed"),
    ("hands", [[]], "hands must have an entry for each of 2 players, not 1"),
    ("hands.0", ["zmey"], r"hands\[0\]\[0\] must be the name of a slayer, not 'zmey'"),
    ("glory.0", -1, r"glory\[0\] must be a whole number"),
    ("location_trophies.0", ["zmey"], r"location_trophies\[0\]\[0\] must be the name of a loc"),
    ("monster_trophies.1.0", ["zmey", None], r"monster_trophies\[1\]\[0\]\[1\] must be a whole"),
    ("hunts.0", "zmey", r"hunts\[0\] must be a list"),
    ("events", [{"kind": "x"}], r"events\[0\] lacks visible_to"),
]


@pytest.mark.parametrize(("path", "value", "message"), FORM)
def test_wrong_form(path, value, message):
    with pytest.raises(ValueError, match=message):
        GAME.state_from_dict(changed(whole(), path, value))


def test_every_field_of_every_wrong_type_is_a_value_error():
    """Whatever stands in a field, the refusal is a ValueError with a message."""
    set_up = whole()
    refused = 0
    for path in paths(set_up):
        for value in (None, True, -1, 10**30, 0.5, "x", [], {}, [[]], [None], {"x": 1}, DELETE):
            with suppress(ValueError):
                state = GAME.state_from_dict(changed(set_up, path, value))
                assert legal(state)
                continue
            refused += 1
    assert refused > 500


STANDS = [
    ({"held": {"card": "zmey", "from": "deck"}}, "held is a card in phases place and swap"),
    ({"phase": "place"}, "held is a card in phases place and swap"),
    ({"focus": 0}, "focus is a slot in phases swap, order, recall, mark, curse"),
    ({"phase": "order"}, "focus is a slot in phases"),
    ({"trigger": "rogue"}, "trigger is rogue or exterminator in phases recall and mark"),
    ({"phase": "mark", "focus": 0}, "trigger is rogue or exterminator in phases"),
    ({"picked": [1]}, "picked is empty outside phase order"),
    ({"step": 4}, "step is 1 to 3 in phase card"),
    ({"phase": "order", "focus": 0, "picked": [4]}, "different positions from 1 to 3"),
    ({"phase": "order", "focus": 0, "picked": [1, 1]}, "different positions from 1 to 3"),
    (
        {"phase": "swap", "focus": 0, "held": {"card": "mage", "from": "hand"}},
        "held is the ranger, from the hand, in phase swap",
    ),
    (
        {"phase": "mark", "focus": 0, "trigger": "exterminator"},
        "a token of the active player is free in phase mark",
    ),
    (
        {"phase": "mark", "focus": 0, "trigger": "rogue"},
        "trigger is exterminator in phase mark",
    ),
    (
        {"phase": "recall", "focus": 0, "trigger": "rogue", "active": 1},
        "both tokens of the active player are out in phase recall",
    ),
    (
        {"phase": "recall", "focus": 2, "trigger": "rogue"},
        "there is a card for the token in phase recall",
    ),
    ({"phase": "curse", "focus": 2}, "has at least one action in phase curse"),
    ({"table": []}, "has at least one action in phase card"),
    (
        {"step": 3, "lair": [], "monster_deck": [], "monster_discard": []},
        "has at least one action in phase card",
    ),
]


@pytest.mark.parametrize(("fields", "message"), STANDS)
def test_a_position_stands_at_a_decision(fields, message):
    with pytest.raises(ValueError, match=f"the position does not add up: .*{message}"):
        GAME.state_from_dict({**whole(), **fields})


def test_rows_are_no_longer_than_actions_can_tell():
    row = [{"owner": 1, "card": "rogue", "tokens": [], "cursed": False}] * 7
    with pytest.raises(ValueError, match=r"table\[2\].slayers has at most 6 cards"):
        GAME.state_from_dict(changed(whole(), "table.2.slayers", row))


def test_focus_is_a_location():
    empty = {"location": None, "used": False, "monsters": [], "slayers": []}
    set_up = {**changed(whole(), "table.2", empty), "phase": "curse", "focus": 2}
    with pytest.raises(ValueError, match="focus is a slot with a location"):
        GAME.state_from_dict(set_up)


def test_a_set_position_may_leave_cards_out():
    set_up = {
        **whole(),
        "monster_deck": [],
        "location_deck": [],
        "monster_discard": [],
        "lair": ["zmey"],
        "hunts": [],
        "monster_trophies": [[], []],
    }
    state = GAME.state_from_dict(set_up)
    assert legal(act(state, "play ranger")) == [
        *("at salt-road", "at old-mill", "at hollow-barrow")
    ]
    while not state.is_terminal():
        act(state, legal(state)[0])
    assert seen(state)["phase"] == "over"


@pytest.mark.parametrize(
    ("fields", "actions"),
    [
        (
            {"phase": "place", "held": {"card": "ranger", "from": "hand"}},
            ["at salt-road", "at old-mill", "at hollow-barrow"],
        ),
        (
            {"phase": "swap", "focus": 1, "held": {"card": "ranger", "from": "hand"}},
            ["swap rogue", "no swap"],
        ),
        ({"phase": "order", "focus": 0, "picked": [2]}, ["pick 1", "pick 3", "keep order"]),
        (
            {"phase": "recall", "focus": 0, "trigger": "rogue"},
            ["recall 1", "recall 2", "keep tokens"],
        ),
        (
            {"phase": "mark", "focus": 0, "trigger": "exterminator", "active": 1},
            ["mark 1", "mark 2"],
        ),
        ({"phase": "curse", "focus": 1, "step": 4}, ["curse 2"]),
    ],
)
def test_every_phase_can_be_set(fields, actions):
    state = GAME.state_from_dict({**whole(), **fields})
    assert legal(state) == actions
    assert GAME.state_from_dict(state.to_dict()).to_dict() == state.to_dict()


def test_a_position_after_the_end():
    state = GAME.state_from_dict({**whole(), "phase": "over", "step": 4})
    assert state.is_terminal()
    assert state.scores() == [5, 2]


def test_the_turn_flags_are_taken_as_they_are():
    set_up = changed(whole(), "table.0.used", True)
    state = GAME.state_from_dict({**set_up, "step": 2, "slayers_played": 1})
    act(state, "play warrior-5", "at hollow-barrow")
    assert slayers(state, "hollow-barrow") == "0:warrior-5"
    assert state.to_dict()["slayers_played"] == 2
