"""Hunts: section 9 of the rules, examples E1 to E3 and the rule cases, values by hand."""

import pytest

from engine.chance import Chance
from tests.engine.slawia.positions import (
    SEED,
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


def playing(card, *slots, **fields):
    """Step 3: the card lies in the lair."""
    return position(
        *slots, **{"lair": f"{card} leshy leshy", "step": 3, "slayers_played": 2, **fields}
    )


def shuffled(names, used=0):
    """The cards in the order in which they are given as trophies."""
    chance = Chance(SEED, {"trophies": used} if used else None)
    cards = names.split()
    chance.shuffle("trophies", cards)
    return cards[::-1]


def rulebook_example(bear="2:warrior-6+0.2"):
    """Owl is 0, Boar 1, Bear 2."""
    return position(
        at(
            "crossroads-shrine",
            "basilisk+0.1 chochlik",
            f"1:warrior-5 {bear} 0:rogue 0:exterminator",
        ),
        at("old-mill", "topielec", used=True),
        at("wolf-pass", "topielec", used=True),
        at("raven-hill", "topielec"),
        players=3,
        lair="striga poludnica leshy",
        draws="zmey likho",
        reveals="black-marsh",
        time=2,
        step=3,
        slayers_played=2,
    )


def test_e1_the_rulebooks_example():
    state = rulebook_example()
    act(state, "lair striga")
    assert (seen(state)["phase"], legal(state)) == (
        "place",
        ["at crossroads-shrine", "at raven-hill"],
    )
    act(state, "at crossroads-shrine")
    assert told(state, "hunt") == [
        {"location": "crossroads-shrine", "monsters": 4, "slayers": 16, "success": True}
    ]
    assert told(state, "glory") == [
        {"player": 1, "place": 1, "strength": 5, "points": 3},
        {"player": 0, "place": 2, "strength": 5, "points": 2},
        {"player": 2, "place": 3, "strength": 0, "points": 1},
    ]
    view = seen(state)
    assert [seat["glory"] for seat in view["seats"]] == view["scores"] == [2, 3, 1]
    cards = shuffled("basilisk chochlik striga")
    position_ = state.to_dict()
    assert position_["monster_trophies"] == [[[cards[1], 0]], [[cards[0], 0]], [[cards[2], 0]]]
    assert position_["hunts"] == [["basilisk", "chochlik", "striga"]]
    assert position_["monster_discard"] == []
    assert position_["streams"] == {"trophies": 2}
    assert [e["player"] for e in told(state, "trophy")] == [1, 0, 2]
    assert told(state, "trophy-card") == [
        {"player": player, "card": card} for player, card in zip([1, 0, 2], cards, strict=True)
    ]
    assert told(state, "time") == [{"from": 2, "to": 5}]
    assert (view["time"], view["side"]) == (5, "night")
    assert view["seats"][1]["locations"] == ["crossroads-shrine"]
    assert told(state, "location-won") == [{"player": 1, "location": "crossroads-shrine"}]
    assert [(e["player"], e["card"]) for e in told(state, "return")] == [
        *((1, "warrior-5"), (2, "warrior-6"), (0, "rogue"), (0, "exterminator"))
    ]
    assert {e["reason"] for e in told(state, "return")} == {"hunt"}
    assert [seat["free_tokens"] for seat in view["seats"]] == [[1, 2]] * 3
    assert told(state, "location") == [{"slot": 0, "location": "black-marsh"}]
    assert view["lair"] == ["poludnica", "leshy", "zmey"]
    assert monsters(state, "black-marsh") == "likho"
    assert (view["active"], view["turn"], view["step"]) == (1, 2, 1)
    assert kinds(state) == [
        *("monster", "hunt", "glory", "glory", "glory"),
        *("trophy", "trophy-card", "trophy", "trophy-card", "trophy", "trophy-card"),
        *("time", "location-won", "return", "return", "return", "return", "location"),
        *("lair", "monster", "turn"),
    ]


def test_e2_without_the_token_on_the_bear():
    state = rulebook_example("2:warrior-6")
    act(state, "lair striga", "at crossroads-shrine")
    assert [(e["player"], e["strength"], e["points"]) for e in told(state, "glory")] == [
        (2, 6, 3),
        (1, 5, 2),
        (0, 5, 1),
    ]


@pytest.mark.parametrize(
    ("monsters_there", "row", "strengths"),
    [
        ("chochlik", "0:mage 1:warrior-5 1:warrior-6", [6, 5, 6]),
        ("vila", "0:mage 1:warrior-5 1:warrior-6", [2, 5, 6]),
        ("likho", "0:mage 1:warrior-5 1:warrior-6", [6, 2, 2]),
        ("chochlik", "0:mage 1:warrior-5! 1:warrior-6", [6, 0, 6]),
        ("chochlik", "0:mage! 1:warrior-5", [0, 5]),
        ("chochlik", "0:mage 1:mage", [2, 2]),
        ("likho+0.1", "1:warrior-5 1:warrior-6!", [2, 0]),
        ("likho vila", "0:mage 1:warrior-6", [2, 2]),
        ("likho likho", "0:mage 1:warrior-6", [4, 2]),
        ("chochlik", "mimic 0:rogue 0:ranger 0:exterminator", [0, 1, 3, 4]),
        ("chochlik", "0:rogue+1.1 1:warrior-6+0.1+0.2 1:rogue", [1, 6, 1]),
    ],
)
def test_e3_strengths_of_slayers(monsters_there, row, strengths):
    state = position(at("twilight-meadow", monsters_there, row))
    entry = lies(state, "twilight-meadow")
    assert [card["strength"] for card in entry["slayers"]] == strengths
    assert entry["slayer_total"] == sum(strengths)


@pytest.mark.parametrize(
    ("row", "strengths"),
    [
        ("stolem poludnica likho", [2, 8, 2]),
        ("stolem poludnica stolem zmey+0.1", [2, 16, 2, 0]),
        ("stolem+0.1 poludnica", [0, 8]),
        ("mimic stolem vodnik bies", [1, 2, 1, 2]),
        ("vila zmey", [0, 7]),
        ("chochlik skarbnik topielec striga", [1, 1, 2, 3]),
        ("stolem basilisk+0.1+1.1 leshy", [2, 0, 12]),
    ],
)
def test_e3_strengths_of_monsters(row, strengths):
    state = position(at("hollow-barrow", row), lair="topielec")
    entry = lies(state, "hollow-barrow")
    assert [card["strength"] for card in entry["monsters"]] == strengths
    assert entry["monster_total"] == sum(strengths)


def test_case_2_a_failure():
    state = playing(
        "leshy",
        at("wolf-pass", "poludnica striga", "0:exterminator 1:rogue"),
        reveals="black-marsh",
        time=20,
    )
    act(state, "lair leshy", "at wolf-pass")
    assert told(state, "hunt") == [
        {"location": "wolf-pass", "monsters": 13, "slayers": 5, "success": False}
    ]
    assert told(state, "glory") == told(state, "trophy") == []
    position_ = state.to_dict()
    assert position_["monster_discard"] == [
        *(["poludnica", None], ["striga", None], ["leshy", None])
    ]
    assert position_["hunts"] == []
    view = seen(state)
    assert view["location_discard"] == ["wolf-pass"]
    assert told(state, "location-lost") == [{"location": "wolf-pass"}]
    assert view["time"] == 23
    assert (hand(state, 0).count("exterminator"), hand(state, 1).count("rogue")) == (1, 1)
    assert view["table"][0]["location"] == "black-marsh"
    assert "trophies" not in position_["streams"]


def test_case_3_just_strong_enough_and_a_tie():
    state = playing(
        "striga", at("wolf-pass", "poludnica chochlik", "0:exterminator 1:exterminator")
    )
    act(state, "lair striga", "at wolf-pass")
    assert told(state, "hunt")[0] == {
        "location": "wolf-pass",
        "monsters": 8,
        "slayers": 8,
        "success": True,
    }
    assert told(state, "glory") == [
        {"player": 0, "place": 1, "strength": 4, "points": 5},
        {"player": 1, "place": 2, "strength": 4, "points": 2},
    ]


def test_case_4_nobody_there():
    state = playing("vila", at("birch-ferry", "vila"))
    act(state, "lair vila", "at birch-ferry")
    assert told(state, "hunt") == [
        {"location": "birch-ferry", "monsters": 0, "slayers": 0, "success": True}
    ]
    assert told(state, "glory") == told(state, "trophy") == []
    position_ = state.to_dict()
    assert position_["monster_discard"] == [["vila", None], ["vila", None]]
    assert (position_["time"], position_["location_discard"]) == (1, ["birch-ferry"])
    assert (position_["hunts"], position_["streams"]) == ([], {})


def test_nobody_but_a_mimic_there():
    """R28 with a neutral slayer: against monsters of more than 0 it fails."""
    state = playing("vila", at("birch-ferry", "vila", "mimic"))
    act(state, "lair vila", "at birch-ferry")
    assert told(state, "hunt")[0]["success"]
    assert told(state, "glory") == []
    assert state.to_dict()["monster_discard"] == [
        *(["vila", None], ["vila", None], ["mimic", None])
    ]
    state = playing("striga", at("birch-ferry", "vila"))
    act(state, "lair striga", "at birch-ferry")
    assert told(state, "hunt")[0] == {
        "location": "birch-ferry",
        "monsters": 3,
        "slayers": 0,
        "success": False,
    }


def test_case_5_four_places():
    state = playing(
        "topielec",
        at("crossroads-shrine", "chochlik chochlik", "3:rogue 2:ranger 1:exterminator 0:warrior-5"),
        players=4,
    )
    act(state, "lair topielec", "at crossroads-shrine")
    assert told(state, "hunt")[0]["monsters"] == 4
    assert told(state, "hunt")[0]["slayers"] == 13
    assert told(state, "glory") == [
        {"player": 0, "place": 1, "strength": 5, "points": 3},
        {"player": 1, "place": 2, "strength": 4, "points": 2},
        {"player": 2, "place": 3, "strength": 3, "points": 1},
        {"player": 3, "place": 4, "strength": 1, "points": 0},
    ]
    assert [e["player"] for e in told(state, "trophy")] == [0, 1, 2]
    assert [seat["trophies"] for seat in seen(state)["seats"]] == [1, 1, 1, 0]
    assert state.to_dict()["monster_discard"] == []


def test_case_6_what_is_left_over_is_discarded_face_down():
    state = playing("chochlik", at("crossroads-shrine", "chochlik skarbnik", "1:warrior-6"))
    act(state, "lair chochlik", "at crossroads-shrine")
    assert told(state, "glory") == [{"player": 1, "place": 1, "strength": 6, "points": 3}]
    cards = shuffled("chochlik skarbnik chochlik")
    position_ = state.to_dict()
    assert position_["location_trophies"] == [[], ["crossroads-shrine"]]
    assert position_["monster_trophies"] == [[], [[cards[0], 0]]]
    # In list order, the one that would have been given next last.
    assert position_["monster_discard"] == [[cards[2], 0], [cards[1], 0]]
    shown = [
        (
            state.observation(viewer)["seats"][1]["trophies"],
            state.observation(viewer)["seats"][1]["trophy_cards"],
        )
        for viewer in (1, 0, None)
    ]
    assert shown == [(1, [cards[0]]), (1, None), (1, None)]
    (event,) = [event for event in state.events if event["kind"] == "trophy-card"]
    assert event["visible_to"] == [1]


def test_strength_before_position_and_position_only_among_equals():
    """R30: the nearest slayer decides, whatever its strength; several cards add up."""
    state = playing(
        "striga",
        at(
            "honey-grove",
            "chochlik chochlik topielec",
            "2:rogue 1:warrior-6 0:mage 0:rogue 2:warrior-5",
        ),
        players=3,
    )
    act(state, "lair striga", "at honey-grove")
    # 0: 2 + 2 x 2 + 1 = 7; 1: 6; 2: 1 + 5 = 6, and it has position 1.
    assert [(e["player"], e["strength"], e["points"]) for e in told(state, "glory")] == [
        (0, 7, 4),
        (2, 6, 3),
        (1, 6, 2),
    ]


def test_rogues_token_on_an_own_slayer_counts_against_its_owner():
    state = playing(
        "chochlik", at("old-mill", "chochlik chochlik", "0:warrior-6+0.1 0:rogue 1:ranger")
    )
    act(state, "lair chochlik", "at old-mill")
    assert told(state, "hunt")[0]["slayers"] == 10
    assert [(e["player"], e["strength"]) for e in told(state, "glory")] == [(1, 3), (0, 1)]


def test_mage_gives_her_bonus_to_her_own_house():
    state = playing("chochlik", at("old-mill", "chochlik chochlik", "1:warrior-6+0.1 0:mage"))
    act(state, "lair chochlik", "at old-mill")
    assert [(e["player"], e["strength"]) for e in told(state, "glory")] == [(0, 4), (1, 0)]


def test_the_new_location_gets_its_first_monster_at_the_end_of_the_turn():
    state = playing(
        "striga",
        at("old-mill", "chochlik topielec", "0:warrior-6"),
        reveals="cursed-well",
        draws="zmey vila",
    )
    act(state, "lair striga", "at old-mill")
    assert monsters(state, "cursed-well") == "vila"
    assert slayers(state, "cursed-well") == ""
    assert told(state, "lair") == [{"card": "zmey"}]
    assert seen(state)["location_deck"] == 30 - 3 - 1


def test_without_a_location_the_slot_stays_empty():
    """R39; and with a pile it becomes the deck."""
    fields = {"location_deck": "", "lair": "striga leshy leshy"}
    state = playing("striga", at("old-mill", "chochlik topielec", "0:warrior-6"), **fields)
    act(state, "lair striga", "at old-mill")
    assert seen(state)["table"][0] is None
    assert state.to_dict()["table"][0] == {
        "location": None,
        "used": False,
        "monsters": [],
        "slayers": [],
    }
    assert told(state, "location") == []
    # The game goes on with the other locations.
    act(state, "play mage")
    assert legal(state) == ["at hollow-barrow", "at black-marsh"]

    state = playing(
        "striga",
        at("old-mill", "chochlik topielec", "0:warrior-6"),
        location_discard=["salt-road", "wolf-pass"],
        **fields,
    )
    act(state, "lair striga", "at old-mill")
    assert told(state, "shuffle") == [{"deck": "locations", "cards": 2}]
    assert kinds(state)[kinds(state).index("shuffle") + 1] == "location"
    view = seen(state)
    assert (view["location_deck"], view["location_discard"]) == (1, [])
    assert state.to_dict()["streams"]["locations"] == 1


def test_a_lost_location_may_come_back_at_once():
    state = playing("leshy", at("old-mill", "zmey topielec"), location_deck="", lair="leshy")
    act(state, "lair leshy", "at old-mill")
    assert kinds(state)[1:5] == ["hunt", "time", "location-lost", "shuffle"]
    assert seen(state)["table"][0]["location"] == "old-mill"


def test_trophies_go_on_in_their_stream_from_hunt_to_hunt():
    """Two hunts in one turn: the second shuffle takes the next words."""
    state = position(
        at("birch-ferry", "chochlik", "1:warrior-5 1:warrior-6"),
        at("charcoal-pits", "topielec", "1:rogue 1:mage 1:ranger"),
        hands={0: ""},
        lair="striga zmey skarbnik",
        step=2,
        reveals="iron-gorge honey-grove",
    )
    act(state, "lair striga", "at birch-ferry", "lair skarbnik", "at charcoal-pits")
    first, second = shuffled("chochlik striga"), shuffled("topielec skarbnik", used=1)
    assert state.to_dict()["monster_trophies"][1] == [[first[0], 0], [second[0], 1]]
    assert state.to_dict()["monster_discard"] == [[first[1], 0], [second[1], 1]]
    assert seen(state)["seats"][1]["locations"] == ["birch-ferry", "charcoal-pits"]
