"""The fields of an observation: section 11 of the rules."""

import pytest

from tests.engine.deca_slayer.positions import act, position, seen


def test_fields_of_a_player():
    state = position(
        "hydra",
        hands=["wizard priest", "sorcerer jester knight", "cleric bard"],
        known={0: "guild-master"},
        treasures={0: "anima-staff riches-7"},
        guilds={0: "mages-guild", 2: "royal-intelligence"},
        open="riches-8 riches-9",
        closed="riches-5 riches-6",
        display="ninja ranger",
        start=2,
    )
    act(state, "2 play cleric", "0 play wizard")
    view = seen(state, 0)
    assert {
        name: view[name] for name in view if name not in ("row", "seats", "monsters_defeated")
    } == {
        "game": "deca-slayer",
        "edition": "1",
        "players": 3,
        "options": {"guilds": True, "princesses": 0},
        "you": 0,
        "round": 1,
        "phase": "play",
        "start": 2,
        "deciding": [1],
        "step": 0,
        "attached": 0,
        "passed": [],
        "values": None,
        "order": None,
        "owed": 0,
        "picks": 0,
        "hired": False,
        "monster_deck": 7,
        # 24: 2 owned, 2 with the opponent, 4 with the two others of the row
        "treasure_deck": 16,
        # 70: 8 in hands, 2 on display
        "hero_deck": 60,
        "treasure_discard": [],
        "hero_discard": [],
        "shuffles": 0,
        "display": ["ninja", "ranger"],
        "hand": ["guild-master", "priest"],
        "sealed": None,
    }
    assert view["row"][0] == {"monster": "hydra", "open": ["riches-8", "riches-9"], "closed": None}
    assert view["row"][1]["closed"] == {"treasure": None, "seen_by": []}
    assert view["seats"][0] == {
        "guild": "mages-guild",
        "hand_count": 2,
        "known": ["guild-master"],
        "hand_limit": 8,
        "treasures": ["anima-staff", "riches-7"],
        "vp": 11,
        "played": [
            {
                "step": 0,
                "slot": 0,
                "type": "magic",
                "card": "wizard",
                "princesses": 0,
                "power": 11,
            }
        ],
    }
    assert [seat["hand_count"] for seat in view["seats"]] == [2, 3, 1]


def test_a_spectator_has_no_hand():
    state = position("vampire", hands=["wizard priest", "jester", "cleric"])
    act(state, "0 play wizard")
    view = seen(state)
    assert (view["you"], view["hand"], view["sealed"]) == (None, None, None)
    own = seen(state, 0)
    assert (own["you"], own["hand"]) == (0, ["priest"])
    assert own["sealed"] == {"card": "wizard", "princesses": 0}
    different = {name for name in own if own[name] != view[name]}
    assert different == {"you", "hand", "sealed"}


def test_deciding_shows_all_who_take_part_until_the_cards_are_turned_up():
    state = position("vampire", hands=["wizard priest", "jester bard", ""])
    act(state, "1 play jester")
    assert seen(state)["deciding"] == [0, 1]
    act(state, "0 play wizard")
    assert seen(state)["deciding"] == [0]


@pytest.mark.parametrize("viewer", [3, -1, True, 0.0, "0", [0]])
def test_other_viewers_are_refused(viewer):
    state = position(hands=["wizard", "jester", "cleric"])
    with pytest.raises(ValueError, match="a player is a seat from 0 to 2"):
        state.observation(viewer)
