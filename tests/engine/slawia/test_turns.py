"""The course of a turn: section 6 of the rules and its rule cases, values by hand."""

import pytest

from engine import IllegalAction
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

PLAYS = [f"play {name}" for name in ("rogue", "mage", "ranger", "exterminator")]
ALL_PLAYS = [*PLAYS, "play warrior-5", "play warrior-6"]


def test_case_1_equal_lair_cards_and_the_only_open_location():
    state = position(
        at("old-mill", "chochlik", used=True),
        at("wolf-pass", "chochlik", used=True),
        at("raven-hill", "chochlik"),
        step=3,
        lair="striga striga striga",
        slayers_played=2,
    )
    assert legal(state) == ["lair striga", "deck"]
    act(state, "lair striga")
    # The place was not asked: it is the next player's turn.
    assert monsters(state, "raven-hill") == "chochlik striga"
    assert told(state, "monster") == [
        {
            "player": 0,
            "card": "striga",
            "source": "lair",
            "location": "raven-hill",
            "side": "monster",
            "position": 2,
        }
    ]
    view = seen(state)
    assert (view["turn"], view["active"], view["step"]) == (2, 1, 1)


def test_a_turn():
    state = position(
        at("old-mill", "chochlik"),
        at("wolf-pass", "chochlik"),
        at("raven-hill", "chochlik"),
        lair="zmey leshy likho",
        draws="bies",
    )
    assert legal(state) == ALL_PLAYS
    act(state, "play warrior-5")
    view = seen(state)
    assert (view["phase"], view["held"]) == ("place", {"card": "warrior-5", "from": "hand"})
    assert hand(state, 0) == "rogue mage ranger exterminator warrior-6"
    assert legal(state) == ["at old-mill", "at wolf-pass", "at raven-hill"]
    act(state, "at wolf-pass")
    view = seen(state)
    assert (view["phase"], view["step"], view["held"]) == ("card", 2, None)
    assert lies(state, "wolf-pass")["used"]
    position_ = state.to_dict()
    assert (position_["slayers_played"], position_["monsters_played"]) == (1, 0)
    act(state, "play rogue", "at raven-hill")
    assert legal(state) == ["lair leshy", "lair zmey", "lair likho", "deck"]
    act(state, "lair leshy")
    # Only old-mill is open.
    assert monsters(state, "old-mill") == "chochlik leshy"
    assert seen(state)["lair"] == ["zmey", "likho", "bies"]
    assert kinds(state) == ["slayer", "slayer", "monster", "lair", "turn"]
    assert told(state, "lair") == [{"card": "bies"}]
    assert told(state, "turn") == [{"turn": 2, "player": 1}]
    position_ = state.to_dict()
    assert (position_["slayers_played"], position_["monsters_played"]) == (0, 0)
    assert not any(slot["used"] for slot in position_["table"])


def test_case_43_golden_rule():
    state = position(at("old-mill", "chochlik"), at("wolf-pass", "chochlik"))
    act(state, "play rogue", "at old-mill", "play warrior-5")
    assert legal(state) == ["at wolf-pass", "at hollow-barrow"]
    with pytest.raises(IllegalAction, match="'at old-mill' is not legal for player 0"):
        act(state, "at old-mill")


def test_a_card_from_the_deck_is_shown_before_its_place_is_chosen():
    state = position(
        at("old-mill", "chochlik", used=True), step=3, slayers_played=2, draws="basilisk"
    )
    act(state, "deck")
    assert told(state, "draw") == [{"player": 0, "card": "basilisk"}]
    view = seen(state, 1)
    assert (view["phase"], view["held"]) == ("place", {"card": "basilisk", "from": "deck"})
    assert legal(state) == ["at hollow-barrow", "at black-marsh"]
    act(state, "at black-marsh")
    assert told(state, "monster")[0] == {
        "player": 0,
        "card": "basilisk",
        "source": "deck",
        "location": "black-marsh",
        "side": "monster",
        "position": 2,
    }


def test_the_first_of_equal_lair_cards_is_taken():
    """R46; the others keep their order."""
    state = position(
        at("old-mill", "chochlik", used=True),
        step=3,
        slayers_played=2,
        lair="striga zmey striga",
        draws="leshy",
    )
    act(state, "lair striga", "at hollow-barrow")
    assert seen(state)["lair"] == ["zmey", "striga", "leshy"]


def test_case_24_no_free_space_but_a_swap():
    state = position(
        at("birch-ferry", "chochlik", "0:warrior-5 1:warrior-6"),
        at("charcoal-pits", "chochlik", "1:rogue 1:mage 1:ranger"),
        at("old-mill", "topielec", used=True),  # its free spaces change nothing
        lair="zmey leshy leshy",
    )
    assert legal(state) == ["play ranger", "lair leshy", "lair zmey", "deck"]
    act(state, "play ranger")
    # One place, and one slayer to change with.
    assert slayers(state, "birch-ferry") == "0:ranger 1:warrior-6"
    assert hand(state, 0) == "rogue mage exterminator warrior-5 warrior-6"
    assert seen(state)["step"] == 2


def test_case_24_without_the_ranger_only_monsters():
    state = position(
        at("birch-ferry", "chochlik", "0:warrior-5 1:warrior-6"),
        at("charcoal-pits", "chochlik", "1:rogue 1:mage 1:exterminator"),
        at("old-mill", "topielec", "0:ranger", used=True),
        lair="zmey leshy leshy",
    )
    assert legal(state) == ["lair leshy", "lair zmey", "deck"]


def test_a_monster_may_be_played_although_a_swap_is_possible():
    """R10: three monsters and no slayer in the hand of a player who could have swapped."""
    state = position(
        at("birch-ferry", "chochlik", "0:warrior-5 1:warrior-6"),
        at("amber-shore", "chochlik", "1:rogue 1:mage 1:exterminator"),
        at("old-mill", "topielec", used=True),
        lair="zmey leshy leshy",
    )
    act(state, "lair zmey", "at amber-shore")
    assert (seen(state)["step"], seen(state)["phase"]) == (2, "card")
    position_ = state.to_dict()
    assert (position_["slayers_played"], position_["monsters_played"]) == (0, 1)


def test_case_7_a_monster_in_step_1_starts_a_hunt():
    state = position(
        at("birch-ferry", "chochlik", "1:warrior-5 1:warrior-6"),
        at("charcoal-pits", "topielec", "1:rogue 1:mage 1:ranger"),
        at("amber-shore", "topielec", "0:rogue 0:mage 1:exterminator"),
        hands={0: "exterminator warrior-5 warrior-6"},
        lair="striga striga striga",
        reveals="wolf-pass",
    )
    assert legal(state) == ["lair striga", "deck"]
    act(state, "lair striga", "at birch-ferry")
    assert told(state, "hunt") == [
        {"location": "birch-ferry", "monsters": 4, "slayers": 11, "success": True}
    ]
    view = seen(state)
    assert (view["step"], view["phase"], view["active"]) == (2, "card", 0)
    assert legal(state) == ["play exterminator", "play warrior-5", "play warrior-6"]
    assert not lies(state, "wolf-pass")["used"]
    act(state, "play warrior-5")
    # The new location was the only one with a space; step 3 is for the other two.
    assert slayers(state, "wolf-pass") == "0:warrior-5"
    assert legal(state) == ["lair striga", "deck"]
    act(state, "lair striga")
    assert legal(state) == ["at charcoal-pits", "at amber-shore"]


def test_case_25_empty_hand():
    state = position(
        at("hollow-barrow", "chochlik", "0:rogue 0:mage 0:ranger"),
        at("black-marsh", "chochlik", "0:exterminator 0:warrior-5 0:warrior-6"),
        at("iron-gorge", "chochlik"),
        lair="zmey leshy likho",
        draws="vila stolem vodnik",
    )
    assert legal(state) == ["lair leshy", "lair zmey", "lair likho", "deck"]
    act(state, "lair zmey", "at hollow-barrow", "lair likho", "at iron-gorge")
    assert seen(state)["lair"] == ["leshy"]
    act(state, "lair leshy")
    assert told(state, "lair") == [{"card": name} for name in ("vila", "stolem", "vodnik")]
    assert seen(state)["lair"] == ["vila", "stolem", "vodnik"]
    assert seen(state)["active"] == 1


def test_case_26_impending_danger_binds_the_first_slayer():
    state = position(at("cursed-well", "chochlik", "1:mage"), at("old-mill", "chochlik"))
    act(state, "play warrior-6")
    assert slayers(state, "cursed-well") == "1:mage 0:warrior-6"
    act(state, "play warrior-5")
    assert legal(state) == ["at old-mill", "at hollow-barrow"]


def test_case_26_two_such_locations():
    state = position(
        at("cursed-well", "chochlik"), at("plague-gate", "chochlik"), at("old-mill", "chochlik")
    )
    act(state, "play warrior-6")
    assert legal(state) == ["at cursed-well", "at plague-gate"]
    act(state, "at plague-gate", "play warrior-5")
    assert legal(state) == ["at old-mill", "at cursed-well"]


def test_case_26_a_full_one_is_no_duty_and_the_ranger_may_swap_in():
    state = position(
        at("cursed-well", "chochlik", "0:mage 1:mage 1:rogue"), at("old-mill", "chochlik")
    )
    act(state, "play ranger")
    assert legal(state) == ["at old-mill", "at hollow-barrow", "at cursed-well"]
    act(state, "at cursed-well")
    assert slayers(state, "cursed-well") == "0:ranger 1:mage 1:rogue"


def test_impending_danger_forbids_a_swap_elsewhere():
    """R11: while the duty stands the Ranger goes there, and nowhere else."""
    state = position(
        at("cursed-well", "chochlik"),
        at("birch-ferry", "chochlik", "0:warrior-5 0:warrior-6"),
        at("amber-shore", "chochlik"),
    )
    act(state, "play ranger")
    assert slayers(state, "cursed-well") == "0:ranger"
    # In step 2 the duty is done.
    state = position(
        at("cursed-well", "chochlik"),
        at("birch-ferry", "chochlik", "0:warrior-5 0:warrior-6"),
        at("amber-shore", "chochlik"),
        step=2,
        slayers_played=1,
    )
    act(state, "play ranger")
    assert legal(state) == ["at birch-ferry", "at amber-shore", "at cursed-well"]


def test_case_27_the_slayer_of_step_2_is_bound():
    state = position(
        at("birch-ferry", "chochlik", used=True),
        at("cursed-well", "chochlik"),
        at("old-mill", "chochlik"),
        step=2,
        monsters_played=1,
    )
    act(state, "play mage")
    assert slayers(state, "cursed-well") == "0:mage"
    assert seen(state)["step"] == 3


def test_case_28_an_unknown_region_takes_no_lair_card():
    state = position(
        at("fog-moor", "chochlik"),
        at("old-mill", "chochlik"),
        at("wolf-pass", "chochlik", used=True),
        step=3,
        slayers_played=1,
        lair="zmey leshy likho",
        draws="basilisk",
    )
    assert legal(state) == ["lair leshy", "lair zmey", "lair likho", "deck"]
    drawn = state.clone()
    act(state, "lair zmey")
    assert monsters(state, "old-mill") == "chochlik zmey"
    act(drawn, "deck")
    assert legal(drawn) == ["at old-mill", "at fog-moor"]


def test_case_28_the_only_open_location():
    state = position(
        at("fog-moor", "chochlik"),
        at("old-mill", "chochlik", used=True),
        at("wolf-pass", "chochlik"),
        step=2,
        slayers_played=1,
        lair="zmey leshy likho",
        draws="basilisk",
    )
    act(state, "play mage", "at wolf-pass")
    # Only `deck` was legal in step 3, and then only one place.
    assert told(state, "draw") == [{"player": 0, "card": "basilisk"}]
    assert monsters(state, "fog-moor") == "chochlik basilisk"
    assert seen(state)["active"] == 1


def test_a_set_position_asks_for_a_single_action():
    state = position(
        at("old-mill", "chochlik", used=True),
        at("birch-ferry", "chochlik", "1:warrior-5 1:warrior-6"),
        at("raven-hill", "chochlik"),
        phase="place",
        step=2,
        held="mage hand",
    )
    assert legal(state) == ["at raven-hill"]
    act(state, "at raven-hill")
    assert (seen(state)["step"], seen(state)["phase"]) == (3, "card")


def test_a_step_without_an_action_is_skipped():
    """No hand, nothing to draw: with the last lair card gone steps 2 and 3 are skipped."""
    state = position(
        at("old-mill", "chochlik"),
        at("wolf-pass", "chochlik"),
        hands={0: ""},
        lair="striga",
        monster_deck="",
    )
    assert legal(state) == ["lair striga"]
    act(state, "lair striga", "at wolf-pass")
    assert told(state, "skip") == [{"player": 0, "step": 2}, {"player": 0, "step": 3}]
    # A monster was played, so the game goes on.
    assert (seen(state)["active"], seen(state)["phase"]) == (1, "card")


def test_every_location_without_a_monster_gets_one_topmost_first():
    state = position(
        at("old-mill"),
        at("wolf-pass", "chochlik"),
        at("raven-hill"),
        step=3,
        slayers_played=2,
        lair="zmey zmey leshy",
        draws="basilisk striga poludnica",
    )
    act(state, "lair zmey", "at wolf-pass")
    assert seen(state)["lair"] == ["zmey", "leshy", "basilisk"]
    assert [(e["card"], e["location"]) for e in told(state, "monster")[1:]] == [
        ("striga", "old-mill"),
        ("poludnica", "raven-hill"),
    ]
    assert told(state, "monster")[1] == {
        "player": None,
        "card": "striga",
        "source": "populate",
        "location": "old-mill",
        "side": "monster",
        "position": 1,
    }


def test_laying_out_does_not_make_the_location_used_nor_count_as_played():
    """Seen in the one decision that may come up while monsters are laid out."""
    state = position(
        at("old-mill", "", "0:warrior-5 1:warrior-5"),
        at("wolf-pass", "chochlik"),
        step=3,
        slayers_played=2,
        lair="zmey zmey leshy",
        draws="basilisk bies",
    )
    act(state, "lair zmey", "at wolf-pass")
    assert (seen(state)["phase"], seen(state)["step"]) == ("curse", 4)
    assert not lies(state, "old-mill")["used"]
    assert state.to_dict()["monsters_played"] == 1


def test_without_a_card_to_draw_nothing_is_laid_out():
    state = position(
        at("old-mill"),
        at("wolf-pass", "chochlik"),
        step=3,
        slayers_played=2,
        lair="zmey zmey leshy",
        monster_deck="",
    )
    act(state, "lair zmey", "at wolf-pass")
    assert seen(state)["lair"] == ["zmey", "leshy"]
    assert monsters(state, "old-mill") == ""
    assert seen(state)["active"] == 1


def test_case_39_the_discard_pile_becomes_the_deck_at_once():
    pile = [["zmey", None], ["leshy", None], ["likho", None]]
    state = position(
        at("old-mill", "chochlik", used=True),
        step=3,
        slayers_played=2,
        monster_deck="basilisk",
        monster_discard=pile,
    )
    act(state, "deck")
    assert kinds(state) == ["shuffle", "draw"]
    assert told(state, "shuffle") == [{"deck": "monsters", "cards": 3}]
    view = seen(state)
    assert (view["monster_deck"], view["monster_discard"]) == (3, 0)
    assert view["held"] == {"card": "basilisk", "from": "deck"}
    assert sorted(state.to_dict()["monster_deck"]) == ["leshy", "likho", "zmey"]
    assert state.to_dict()["streams"] == {"monsters": 2}


def test_an_empty_deck_is_renewed_when_a_card_is_wanted():
    """R38: the pile was empty when the last card was drawn."""
    state = position(
        at("old-mill", "chochlik", used=True),
        step=3,
        slayers_played=2,
        monster_deck="",
        monster_discard=[["zmey", None], ["leshy", None]],
        lair="striga striga striga",
    )
    assert legal(state) == ["lair striga", "deck"]
    act(state, "deck")
    assert told(state, "shuffle") == [{"deck": "monsters", "cards": 2}]
    assert seen(state)["monster_deck"] == 1


def test_the_last_card_with_an_empty_pile_leaves_an_empty_deck():
    state = position(
        at("old-mill", "chochlik", used=True), step=3, slayers_played=2, monster_deck="basilisk"
    )
    act(state, "deck")
    assert told(state, "shuffle") == []
    assert seen(state)["monster_deck"] == 0
