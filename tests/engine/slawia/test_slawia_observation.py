"""The fields of an observation: section 15 of the rules."""

import pytest

from tests.engine.slawia.positions import act, at, position, seen


def middle():
    return position(
        at("noon-fields", "stolem poludnica+1.1", "1:warrior-6+0.2 mimic 0:mage!"),
        at("salt-road", "chochlik", "0:rogue 1:mage 0:warrior-5"),
        at("fog-moor", "topielec", used=True),
        time=12,
        first=1,
        turn=7,
        glory=[4, 9],
        lair="zmey vila zmey",
        trophies={0: "skarbnik", 1: "leshy striga"},
        locations_won={1: "far-bank birch-ferry"},
        location_discard=["old-mill", "raven-hill"],
        monster_discard=[["bies", None], ["likho", 0]],
    )


def test_fields_of_a_player():
    state = act(middle(), "play ranger", "at salt-road")
    view = seen(state, 0)
    assert {name: view[name] for name in view if name not in ("table", "seats")} == {
        "game": "slawia",
        "edition": "1",
        "players": 2,
        "me": 0,
        "first": 1,
        "turn": 7,
        "active": 0,
        "to_act": [0],
        "step": 1,
        "phase": "swap",
        "held": {"card": "ranger", "from": "hand"},
        "focus": 1,
        "trigger": None,
        "picked": [],
        "time": 12,
        "side": "day",
        "last_turn": False,
        "lair": ["zmey", "vila", "zmey"],
        # 54: 4 on the table and a Mimic, 3 in the lair, 3 trophies, 2 discarded
        "monster_deck": 41,
        "monster_discard": 2,
        # 30: 3 on the table, 2 won, 2 discarded
        "location_deck": 23,
        "location_discard": ["old-mill", "raven-hill"],
        "scores": [4, 9],
        "ranks": [2, 1],
    }
    assert view["table"][0] == {
        "location": "noon-fields",
        "ability": "dusk-dawn",
        "sun": 2,
        "points": [4, 2, 1],
        "spaces": 5,
        "threshold": 3,
        "used": False,
        "monsters": [
            {"card": "stolem", "strength": 2, "tokens": []},
            {"card": "poludnica", "strength": 0, "tokens": [[1, 1]]},
        ],
        "slayers": [
            {"owner": 1, "card": "warrior-6", "strength": 6, "cursed": False, "tokens": [[0, 2]]},
            {"owner": None, "card": "mimic", "strength": 0, "cursed": False, "tokens": []},
            {"owner": 0, "card": "mage", "strength": 0, "cursed": True, "tokens": []},
        ],
        "monster_total": 2,
        "slayer_total": 6,
    }
    assert view["table"][2]["used"]
    assert view["seats"] == [
        {
            "house": "owl",
            "hand": ["exterminator", "warrior-6"],
            "glory": 4,
            "free_tokens": [1],
            "locations": [],
            "trophies": 1,
            "trophy_cards": ["skarbnik"],
        },
        {
            "house": "boar",
            "hand": ["rogue", "ranger", "exterminator", "warrior-5"],
            "glory": 9,
            "free_tokens": [2],
            "locations": ["far-bank", "birch-ferry"],
            "trophies": 2,
            "trophy_cards": None,
        },
    ]


def test_the_others_and_spectators_see_the_same_but_the_trophies():
    state = middle()
    views = {viewer: seen(state, viewer) for viewer in (None, 0, 1)}
    faces = {
        viewer: [seat.pop("trophy_cards") for seat in view["seats"]]
        for viewer, view in views.items()
    }
    assert faces == {
        None: [None, None],
        0: [["skarbnik"], None],
        1: [None, ["leshy", "striga"]],
    }
    assert [views[viewer].pop("me") for viewer in (None, 0, 1)] == [None, 0, 1]
    assert views[None] == views[0] == views[1]


def test_an_ability_of_its_own_name():
    abilities = [entry["ability"] for entry in seen(middle())["table"]]
    assert abilities == ["dusk-dawn", "none", "unknown-region"]
    assert seen(position(at("plague-gate", "chochlik")))["table"][0]["ability"] == (
        "impending-danger"
    )


def test_a_slot_without_a_location():
    empty = {"location": None, "used": False, "monsters": [], "slayers": []}
    state = position(at("old-mill", "chochlik"), empty)
    assert seen(state)["table"][1] is None


@pytest.mark.parametrize("viewer", [-1, 2, True, "0", 0.0])
def test_seats_that_do_not_exist(viewer):
    with pytest.raises(ValueError, match="a player is a seat from 0 to 1"):
        middle().observation(viewer)
