"""Placement and treasures: section 8 of the rules and its cases, values by hand."""

import pytest

from tests.engine.deca_slayer.positions import act, all_pass, hand, position, seen, told


def tied_round():
    """E7: all three have a total of 5, first player 0, royal-regulars at seat 2."""
    state = position(
        "hydra",
        hands=["cleric", "cleric", "cleric"],
        guilds={2: "royal-regulars"},
    )
    return act(state, "0 play cleric", "1 play cleric", "2 play cleric")


def test_case_27_e7_up_one_place():
    state = tied_round()
    view = seen(state)
    assert (view["phase"], view["order"], view["deciding"]) == ("outrank", [0, 1, 2], [2])
    assert told(state, "ranking") == []
    act(state, "2 outrank")
    assert (seen(state)["phase"], seen(state)["order"]) == ("outrank", [0, 2, 1])
    act(state, "2 pass")
    assert told(state, "ranking") == [{"order": [0, 2, 1], "values": [5, 5, 5]}]
    assert told(state, "outrank") == [{"player": 2, "over": 1}]
    assert told(state, "decline") == [{"player": 2, "phase": "outrank"}]
    assert state.current_players() == (0,)


def test_case_27_e7_to_the_top():
    state = act(tied_round(), "2 outrank", "2 outrank")
    assert told(state, "ranking") == [{"order": [2, 0, 1], "values": [5, 5, 5]}]
    assert told(state, "outrank") == [{"player": 2, "over": 1}, {"player": 2, "over": 0}]
    assert state.current_players() == (2,)


def test_case_27_e7_stay():
    state = act(tied_round(), "2 pass")
    assert told(state, "ranking") == [{"order": [0, 1, 2], "values": [5, 5, 5]}]


def test_outranking_needs_a_tie_with_the_seat_above():
    state = position("hydra", hands=["priest", "cleric", "cleric"], guilds={1: "royal-regulars"})
    act(state, "0 play priest", "1 play cleric", "2 play cleric")
    assert seen(state)["order"] == [0, 1, 2]
    assert seen(state)["phase"] == "treasure"


def test_case_28_no_outranking_by_last_man_standing():
    state = position("golem", hands=["knight", "warrior", "warrior"], guilds={0: "royal-regulars"})
    act(state, "0 pass", "1 pass")
    view = seen(state)
    assert (view["order"], view["values"]) == ([2, 1, 0], [0, 0, 0])
    assert (view["phase"], view["deciding"]) == ("treasure", [2])


def test_case_30_rank_2_gets_the_other_treasure_with_its_effect():
    state = position(
        "hydra",
        hands=["cleric jester", "jester bard", "knight bard"],
        open="alluring-scroll riches-12",
        display="paladin paladin ranger ranger",
        heroes="archer scout ninja",
    )
    all_pass(act(state, "0 play cleric", "1 play jester"))
    assert state.legal_actions(0) == ["take riches-12", "take alluring-scroll"]
    act(state, "0 take riches-12")
    assert hand(state, 1) == ["archer", "scout", "bard"]
    assert told(state, "treasure") == [
        {"player": 0, "treasure": "riches-12"},
        {"player": 1, "treasure": "alluring-scroll"},
    ]
    assert told(state, "draw") == [{"player": 1, "count": 2, "reason": "alluring-scroll"}]
    assert told(state, "drawn") == [{"player": 1, "cards": ["archer", "scout"]}]
    assert state.events[-1]["visible_to"] == [1]
    assert (seen(state)["phase"], state.current_players()) == ("recruit", (2,))


def idol_round(hands):
    state = position(
        "hydra",
        hands=hands,
        open="cursed-idol riches-12",
        display="paladin paladin ranger ranger",
    )
    return all_pass(act(state, "0 play cleric", "1 play jester"))


def test_case_31_rank_2_gets_the_idol():
    state = idol_round(["cleric scout", "jester bard bard knight", "knight"])
    act(state, "0 take riches-12")
    view = seen(state)
    assert (view["phase"], view["owed"], view["deciding"]) == ("curse", 2, [1])
    assert state.legal_actions(1) == ["discard knight", "discard bard"]
    act(state, "1 discard bard")
    assert seen(state)["owed"] == 1
    act(state, "1 discard bard")
    view = seen(state)
    assert (view["phase"], view["owed"], view["deciding"]) == ("recruit", 0, [2])
    assert hand(state, 1) == ["knight"]
    assert view["hero_discard"] == ["cleric", "bard", "bard", "jester"]
    assert told(state, "discard") == [{"player": 1, "card": "bard", "reason": "cursed-idol"}] * 2


def test_case_31_rank_1_discards_before_rank_2_gains():
    state = idol_round(["cleric scout scout scout", "jester bard", "knight"])
    act(state, "0 take cursed-idol", "0 discard scout")
    assert seen(state)["seats"][1]["treasures"] == []
    assert seen(state)["row"][0]["open"] == ["riches-12"]
    act(state, "0 discard scout")
    assert seen(state)["seats"][1]["treasures"] == ["riches-12"]
    assert seen(state)["row"][0]["open"] == []
    assert hand(state, 0) == ["scout"]


def test_case_32_the_idol_and_one_card():
    state = idol_round(["cleric scout", "jester bard", "knight"])
    act(state, "0 take cursed-idol")
    assert seen(state)["owed"] == 1
    act(state, "0 discard scout")
    assert seen(state)["phase"] == "recruit"
    assert hand(state, 0) == []


def test_the_idol_and_an_empty_hand():
    state = idol_round(["cleric", "jester bard", "knight"])
    act(state, "0 take cursed-idol")
    assert (seen(state)["phase"], seen(state)["owed"]) == ("recruit", 0)
    assert seen(state)["seats"][1]["treasures"] == ["riches-12"]


def test_two_gemstones_are_one_action():
    state = position(
        "hydra",
        hands=["cleric", "jester", "knight"],
        open="twin-star-gemstone twin-star-gemstone",
    )
    all_pass(act(state, "0 play cleric"))
    assert state.legal_actions(0) == ["take twin-star-gemstone"]
    act(state, "0 take twin-star-gemstone")
    assert state.scores() == [6, 6, 0]


def test_case_33_the_crystal():
    state = position(
        "hydra",
        hands=["cleric jester scout", "jester bard bard", "knight scout scout"],
        open="far-seeking-crystal riches-12",
        closed="riches-5 riches-6",
        display="paladin ranger ranger paladin",
        guilds={0: "mercenaries-guild"},
        next_treasures="riches-7 riches-8",
    )
    all_pass(act(state, "0 play cleric", "1 play jester"))
    act(state, "0 take far-seeking-crystal")
    first, second = seen(state)["row"][1:]
    assert told(state, "peek") == [
        {"player": 0, "monster": first["monster"], "treasure": "riches-5"},
        {"player": 0, "monster": second["monster"], "treasure": "riches-6"},
    ]
    assert [e["visible_to"] for e in state.events if e["kind"] == "peek"] == [[0], [0]]
    assert [entry["closed"] for entry in seen(state, 0)["row"]] == [
        None,
        {"treasure": "riches-5", "seen_by": [0]},
        {"treasure": "riches-6", "seen_by": [0]},
    ]
    for viewer in (1, 2, None):
        assert [entry["closed"] for entry in seen(state, viewer)["row"][1:]] == [
            {"treasure": None, "seen_by": [0]}
        ] * 2

    # Given up: what was seen stays seen, the next new one is not.
    act(state, "2 recruit paladin", "2 recruit paladin", "1 recruit ranger")
    act(state, "0 hire far-seeking-crystal")
    row = seen(state, 0)["row"]
    assert [entry["closed"] for entry in row] == [
        None,
        {"treasure": "riches-6", "seen_by": [0]},
        {"treasure": None, "seen_by": []},
    ]
    assert row[0]["open"][1] == "riches-5"
    assert row[2]["open"] == ["riches-7"]
    assert len(told(state, "peek")) == 2


def test_what_is_seen_already_is_not_told_again():
    """With the Crystal and one new monster each round there is one new peek each round."""
    state = position(
        "hydra",
        hands=["cleric jester scout", "jester bard bard", "knight scout scout"],
        treasures={0: "far-seeking-crystal"},
        display="paladin ranger ranger paladin",
        closed="riches-5 riches-6",
        next_treasures="riches-7 riches-8",
    )
    all_pass(act(state, "0 play cleric", "1 play jester"))
    act(state, "0 take riches-10", "2 recruit paladin", "2 recruit paladin", "1 recruit ranger")
    # Its owner did not get it by a gain here, so all three lying down are new at the end of round.
    assert [e["treasure"] for e in told(state, "peek")] == ["riches-5", "riches-6", "riches-8"]


@pytest.mark.parametrize("first", [0, 1, 2])
def test_equal_values_rank_in_turn_order(first):
    state = position("hydra", hands=["jester"] * 3, start=first)
    all_pass(state)
    assert seen(state)["order"] == [first, (first + 1) % 3, (first + 2) % 3]
