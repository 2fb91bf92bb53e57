"""The time marker, dusk and dawn: section 10 of the rules, E4, E5 and the rule cases, by hand."""

import pytest

from tests.engine.slawia.positions import (
    act,
    at,
    hand,
    kinds,
    legal,
    lies,
    monsters,
    position,
    seen,
    slayers,
    told,
)

STEP_3 = {"step": 3, "slayers_played": 2}


@pytest.mark.parametrize("time", range(25))
def test_sides(time):
    state = position(at("noon-fields", "chochlik"), at("old-mill", "chochlik"), time=time)
    day = 6 <= time <= 17
    assert seen(state)["side"] == ("day" if day else "night")
    # Case 29; no other location changes.
    entry = lies(state, "noon-fields")
    assert (entry["spaces"], entry["threshold"]) == ((5, 3) if day else (4, 4))
    entry = lies(state, "old-mill")
    assert (entry["spaces"], entry["threshold"]) == (4, 3)


def test_e4_dawn():
    state = position(
        at("noon-fields", "chochlik chochlik chochlik", "1:warrior-6"),
        at("birch-ferry", "chochlik", "0:warrior-6"),
        at("owl-ravine", "zmey topielec topielec", "2:rogue"),
        at("hollow-barrow", "topielec"),
        players=3,
        lair="chochlik leshy leshy",
        reveals="iron-gorge drowned-village honey-grove",
        time=5,
        step=2,
        monsters_played=1,
        hands={0: ""},
    )
    act(state, "lair chochlik", "at birch-ferry")
    assert told(state, "hunt") == [
        {"location": "birch-ferry", "monsters": 2, "slayers": 6, "success": True},
        {"location": "noon-fields", "monsters": 3, "slayers": 6, "success": True},
        {"location": "owl-ravine", "monsters": 11, "slayers": 1, "success": False},
    ]
    assert told(state, "time") == [
        *({"from": 5, "to": 6}, {"from": 6, "to": 8}, {"from": 8, "to": 10})
    ]
    assert told(state, "glory") == [
        {"player": 0, "place": 1, "strength": 6, "points": 2},
        {"player": 1, "place": 1, "strength": 6, "points": 4},
    ]
    assert told(state, "location") == [
        {"slot": 1, "location": "iron-gorge"},
        {"slot": 0, "location": "drowned-village"},
        {"slot": 2, "location": "honey-grove"},
    ]
    # The first hunt is over, its new location included, before the next begins.
    order = [kind for kind in kinds(state) if kind in ("hunt", "dawn", "location")]
    assert order == ["hunt", "dawn", "location", "hunt", "location", "hunt", "location"]
    view = seen(state)
    assert (view["active"], view["step"], view["scores"]) == (0, 3, [2, 4, 0])
    assert view["location_discard"] == ["owl-ravine"]
    # All locations are open, the new ones too: step 3 is a real choice.
    assert legal(state) == ["lair leshy", "deck"]
    act(state, "lair leshy")
    assert legal(state) == [
        *("at honey-grove", "at drowned-village", "at iron-gorge", "at hollow-barrow")
    ]


def test_dawn_in_the_first_of_two_due_hunts_is_looked_at_again():
    """The hunt that dawn makes due lies above the one that was due already: it goes first."""
    state = position(
        at("noon-fields", "chochlik chochlik chochlik"),
        at("birch-ferry", "topielec"),
        at("amber-shore", "striga striga striga", "1:rogue"),
        time=5,
        lair="skarbnik leshy leshy",
        **STEP_3,
    )
    act(state, "lair skarbnik", "at birch-ferry")
    assert [e["location"] for e in told(state, "hunt")] == [
        *("birch-ferry", "noon-fields", "amber-shore")
    ]


def dusk(**fields):
    """A hunt at birch-ferry moves the marker from 17 to 18."""
    state = position(
        at("owl-ravine", "topielec topielec", fields.pop("row")),
        at("birch-ferry", "chochlik"),
        time=17,
        lair="skarbnik leshy leshy",
        **STEP_3,
        **fields,
    )
    return act(state, "lair skarbnik", "at birch-ferry")


def test_e5_dusk():
    state = dusk(row="0:warrior-5 0:mage 0:ranger 0:exterminator+1.1")
    assert slayers(state, "owl-ravine") == "0:warrior-5 0:mage 0:ranger"
    assert told(state, "return") == [
        {"player": 0, "card": "exterminator", "location": "owl-ravine", "reason": "dusk"}
    ]
    assert "exterminator" in hand(state, 0)
    assert seen(state)["seats"][1]["free_tokens"] == [1, 2]
    assert lies(state, "owl-ravine")["threshold"] == 4
    assert kinds(state)[1:6] == ["hunt", "time", "dusk", "return", "location-lost"]


def test_a_row_without_a_card_too_many_stays_at_dusk():
    state = dusk(row="0:warrior-5 0:mage 0:ranger")
    assert slayers(state, "owl-ravine") == "0:warrior-5 0:mage 0:ranger"
    assert "dusk" in kinds(state)


def test_case_30_a_mimic_drops_out():
    state = dusk(row="0:warrior-5 1:mage 0:ranger mimic+0.2")
    assert slayers(state, "owl-ravine") == "0:warrior-5 1:mage 0:ranger"
    assert told(state, "discard") == [{"card": "mimic", "location": "owl-ravine", "reason": "dusk"}]
    # The hunt's own monsters were discarded before the marker moved.
    assert state.to_dict()["monster_discard"] == [
        *(["chochlik", None], ["skarbnik", None], ["mimic", None])
    ]


def test_dusk_goes_from_slot_to_slot():
    state = position(
        at("lantern-inn", "topielec", "0:rogue 1:rogue 0:mage 1:mage 0:ranger"),
        at("birch-ferry", "chochlik"),
        at("misty-lake", "topielec", "0:exterminator 1:ranger 0:warrior-5 1:warrior-5"),
        time=17,
        lair="skarbnik leshy leshy",
        **STEP_3,
    )
    act(state, "lair skarbnik", "at birch-ferry")
    assert [(e["player"], e["card"], e["location"]) for e in told(state, "return")] == [
        (0, "ranger", "lantern-inn"),
        (1, "warrior-5", "misty-lake"),
    ]


def test_case_31_the_location_that_is_hunted_stays_as_it_is():
    state = position(
        at("owl-ravine", "chochlik chochlik", "0:rogue 1:warrior-5 0:mage 1:ranger"),
        at("misty-lake", "topielec", "0:exterminator 1:rogue 0:warrior-5 1:exterminator"),
        time=16,
        lair="skarbnik leshy leshy",
        **STEP_3,
    )
    act(state, "lair skarbnik", "at owl-ravine")
    assert told(state, "time") == [{"from": 16, "to": 18}]
    # 0: 1 + (2 + 2) = 5, position 1; 1: 5 + 3 = 8.
    assert [(e["player"], e["strength"]) for e in told(state, "glory")] == [(1, 8), (0, 5)]
    assert [(e["card"], e["reason"]) for e in told(state, "return")] == [
        ("exterminator", "dusk"),  # of misty-lake
        *(("rogue", "hunt"), ("warrior-5", "hunt"), ("mage", "hunt"), ("ranger", "hunt")),
    ]


def test_dusk_saves_a_location_from_the_hunt_that_was_due():
    """By night its threshold is one higher: what the topmost hunt changed, counts."""
    state = position(
        at("birch-ferry", "chochlik"),
        at("owl-ravine", "topielec topielec topielec", "0:warrior-5"),
        time=17,
        lair="skarbnik leshy leshy",
        **STEP_3,
    )
    act(state, "lair skarbnik", "at birch-ferry")
    assert [e["location"] for e in told(state, "hunt")] == ["birch-ferry"]
    assert monsters(state, "owl-ravine") == "topielec topielec topielec"


def test_dusk_drops_a_slayer_whom_a_due_hunt_then_lacks():
    """Both hunts were due; the upper one brings dusk, and the lower one goes without the last."""
    state = position(
        at("birch-ferry", "chochlik"),
        at("moonlit-weir", "topielec topielec topielec", "1:rogue 1:mage 1:ranger 0:warrior-6"),
        time=17,
        lair="skarbnik leshy leshy",
        **STEP_3,
    )
    act(state, "lair skarbnik", "at birch-ferry")
    assert told(state, "hunt")[1] == {
        "location": "moonlit-weir",
        "monsters": 6,
        "slayers": 6,
        "success": True,
    }
    assert [e["player"] for e in told(state, "glory")] == [1]


def test_a_slayer_dropped_at_dusk_is_in_hand_for_the_next_step():
    state = position(
        at("owl-ravine", "topielec", "1:rogue 1:mage 1:ranger 0:mage"),
        at("birch-ferry", "chochlik", "1:warrior-5 1:warrior-6"),
        at("amber-shore", "topielec", "0:rogue 0:ranger 1:exterminator"),
        hands={0: ""},
        time=17,
        lair="skarbnik leshy leshy",
        reveals="wolf-pass",
    )
    act(state, "lair skarbnik", "at birch-ferry")
    # Step 2: the Mage goes to the only free space, at the new location.
    assert slayers(state, "wolf-pass") == "0:mage"
    assert seen(state)["step"] == 3


def test_space_23_is_not_the_end():
    state = position(at("birch-ferry", "chochlik"), time=22, lair="skarbnik leshy leshy", **STEP_3)
    act(state, "lair skarbnik", "at birch-ferry")
    assert (seen(state)["time"], seen(state)["last_turn"], seen(state)["active"]) == (23, False, 1)


def test_case_40_the_marker_stops_on_24_and_the_turn_goes_on():
    state = position(
        at("wolf-pass", "topielec topielec", "1:rogue 1:mage 1:ranger 1:warrior-5"),
        at("birch-ferry", "topielec", "1:warrior-6 1:exterminator"),
        at("amber-shore", "topielec", "0:rogue 0:ranger 0:exterminator"),
        hands={0: "mage warrior-5"},
        time=23,
        lair="skarbnik leshy leshy",
        draws="zmey zmey",
        trophies={0: "zmey basilisk chochlik"},
        glory=[4, 1],
    )
    act(state, "lair skarbnik", "at wolf-pass")
    assert told(state, "time") == [{"from": 23, "to": 24}]
    assert "last-turn" in kinds(state)
    view = seen(state)
    assert (view["last_turn"], view["step"], view["phase"]) == (True, 2, "card")
    # 2 + 2 + 1 against 1 + (2 + 2) + 3 + 5 = 13: five points for player 1.
    assert view["scores"] == [4, 6]
    act(state, "play warrior-5", "lair leshy", "at birch-ferry")
    # 6 + 4 against 2 + 6: another hunt on the last turn; the marker stays.
    assert told(state, "time")[1] == {"from": 24, "to": 24}
    assert kinds(state).count("last-turn") == 1
    view = seen(state)
    assert (view["phase"], view["active"], view["turn"], view["step"]) == ("over", 0, 1, 4)
    assert state.is_terminal()
    assert legal_of_all(state) == [[], []]
    # The turn was finished before the end: the lair is full, the new locations have monsters.
    assert len(view["lair"]) == 3
    assert all(entry["monsters"] for entry in view["table"])
    assert view["scores"][0] == 4 + 3 + 1
    assert told(state, "score")[0]["treasures"] == 4


def legal_of_all(state):
    return [state.legal_actions(player) for player in range(state.players)]
