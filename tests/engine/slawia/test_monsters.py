"""Putting down monsters: section 8 of the rules and its rule cases, values by hand."""

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
    totals,
)


def playing(card, *slots, **fields):
    """Step 3: the card lies in the lair."""
    return position(
        *slots, **{"lair": f"{card} leshy leshy", "step": 3, "slayers_played": 2, **fields}
    )


# Mimic


def test_case_32_a_mimic_goes_to_the_slayer_row():
    state = playing("mimic", at("old-mill", "chochlik topielec", "1:mage"))
    act(state, "lair mimic", "at old-mill")
    assert slayers(state, "old-mill") == "1:mage mimic"
    assert monsters(state, "old-mill") == "chochlik topielec"
    assert told(state, "hunt") == []
    assert told(state, "monster")[0] == {
        "player": 0,
        "card": "mimic",
        "source": "lair",
        "location": "old-mill",
        "side": "slayer",
        "position": 2,
    }
    # It was a monster played: the game goes on.
    assert seen(state)["active"] == 1


def test_case_32_without_a_free_space_it_is_a_monster():
    state = playing("mimic", at("amber-shore", "chochlik topielec", "1:mage 1:rogue 1:ranger"))
    act(state, "lair mimic", "at amber-shore")
    assert told(state, "monster")[0]["side"] == "monster"
    assert told(state, "monster")[0]["position"] == 3
    assert told(state, "hunt") == [
        {"location": "amber-shore", "monsters": 4, "slayers": 6, "success": True}
    ]


def test_a_mimic_in_the_monster_row_stays_there():
    """R26: a space that comes free later changes nothing."""
    state = position(
        at("birch-ferry", "mimic", "0:warrior-5 1:mage"), at("old-mill", "topielec", used=True)
    )
    act(state, "play ranger", "at birch-ferry")
    assert monsters(state, "birch-ferry") == "mimic"
    assert totals(state, "birch-ferry")[0] == 1


def test_case_33_a_mimic_is_no_participant():
    state = playing("striga", at("old-mill", "chochlik topielec", "mimic 1:warrior-6"))
    act(state, "lair striga", "at old-mill")
    assert told(state, "hunt")[0] == {
        "location": "old-mill",
        "monsters": 6,
        "slayers": 6,
        "success": True,
    }
    assert told(state, "glory") == [{"player": 1, "place": 1, "strength": 6, "points": 3}]
    assert told(state, "discard") == [{"card": "mimic", "location": "old-mill", "reason": "hunt"}]
    assert len(told(state, "trophy")) == 1
    position_ = state.to_dict()
    assert position_["monster_trophies"][1][0][0] != "mimic"
    # Two of the monsters were left over face down; the Mimic was seen.
    assert [hunt for _, hunt in position_["monster_discard"]] == [0, 0, None]
    assert position_["monster_discard"][2] == ["mimic", None]


# Vodnik


def test_case_34_the_last_slayer_goes_home_before_the_hunt():
    state = playing("vodnik", at("old-mill", "chochlik topielec", "1:warrior-6 0:warrior-5+1.1"))
    act(state, "lair vodnik", "at old-mill")
    assert kinds(state)[:3] == ["monster", "return", "hunt"]
    assert told(state, "return")[0] == {
        "player": 0,
        "card": "warrior-5",
        "location": "old-mill",
        "reason": "vodnik",
    }
    assert told(state, "hunt")[0] == {
        "location": "old-mill",
        "monsters": 4,
        "slayers": 6,
        "success": True,
    }
    assert told(state, "glory") == [{"player": 1, "place": 1, "strength": 6, "points": 3}]
    assert seen(state)["seats"][1]["free_tokens"] == [1, 2]


def test_case_34_a_mimic_as_the_last_card_is_discarded():
    state = playing("vodnik", at("old-mill", "chochlik", "1:warrior-6 mimic+0.1"))
    act(state, "lair vodnik", "at old-mill")
    assert slayers(state, "old-mill") == "1:warrior-6"
    assert told(state, "discard") == [{"card": "mimic", "location": "old-mill", "reason": "vodnik"}]
    assert state.to_dict()["monster_discard"] == [["mimic", None]]
    assert seen(state)["seats"][0]["free_tokens"] == [1, 2]


def test_vodnik_where_nobody_is():
    state = playing("vodnik", at("old-mill", "chochlik"))
    act(state, "lair vodnik", "at old-mill")
    assert kinds(state)[0:2] == ["monster", "lair"]
    assert monsters(state, "old-mill") == "chochlik vodnik"


def test_the_card_that_vodnik_sends_home_may_be_played_in_the_same_turn():
    state = position(
        at("birch-ferry", "chochlik", "1:warrior-6 0:warrior-5"),
        at("amber-shore", "chochlik", "1:mage 1:rogue 1:ranger"),
        at("charcoal-pits", "chochlik", "1:warrior-5 1:exterminator 0:mage"),
        hands={0: ""},
        lair="vodnik leshy leshy",
    )
    act(state, "lair vodnik", "at charcoal-pits")
    # The Mage came home before the hunt there: 5 + 4 against 1 + 1.
    assert told(state, "hunt")[0]["slayers"] == 9
    assert (seen(state)["step"], hand(state, 0)) == (3, "")
    assert slayers(state, seen(state)["table"][2]["location"]) == "0:mage"


# Bies


def test_case_35_among_equals_the_active_player_chooses():
    state = playing("bies", at("old-mill", "chochlik", "1:warrior-5 1:mage 0:warrior-6"))
    act(state, "lair bies", "at old-mill")
    view = seen(state)
    assert (view["phase"], view["focus"], view["step"]) == ("curse", 0, 3)
    assert lies(state, "old-mill")["used"]
    assert state.to_dict()["monsters_played"] == 1
    assert legal(state) == ["curse 2", "curse 3"]
    act(state, "curse 3")
    assert slayers(state, "old-mill") == "1:warrior-5 1:mage 0:warrior-6!"
    assert totals(state, "old-mill") == (3, 11)
    assert told(state, "curse") == [{"location": "old-mill", "position": 3}]
    assert seen(state)["active"] == 1


def test_case_36_the_curse_comes_before_the_hunt():
    state = playing("bies", at("old-mill", "chochlik topielec", "1:warrior-5 0:warrior-6"))
    act(state, "lair bies", "at old-mill")
    assert kinds(state)[:3] == ["monster", "curse", "hunt"]
    assert told(state, "curse") == [{"location": "old-mill", "position": 2}]
    assert told(state, "hunt")[0] == {
        "location": "old-mill",
        "monsters": 5,
        "slayers": 5,
        "success": True,
    }
    assert told(state, "glory") == [
        {"player": 1, "place": 1, "strength": 5, "points": 3},
        {"player": 0, "place": 2, "strength": 0, "points": 2},
    ]


def test_a_choice_for_bies_comes_before_the_hunt():
    state = playing("bies", at("old-mill", "chochlik topielec", "1:warrior-6 0:warrior-6"))
    act(state, "lair bies", "at old-mill")
    assert (seen(state)["phase"], told(state, "hunt")) == ("curse", [])
    act(state, "curse 1")
    assert told(state, "hunt")[0]["slayers"] == 6
    assert [e["player"] for e in told(state, "glory")] == [0, 1]


@pytest.mark.parametrize("row", ["mimic 1:warrior-6!", "mimic", "", "1:mage! 0:warrior-5!"])
def test_case_37_nobody_to_curse(row):
    state = playing("bies", at("old-mill", "chochlik", row))
    act(state, "lair bies", "at old-mill")
    assert told(state, "curse") == []
    assert seen(state)["active"] == 1


def test_a_rogues_token_does_not_save_from_bies():
    state = playing("bies", at("old-mill", "chochlik", "1:warrior-6+0.1 0:rogue"))
    act(state, "lair bies", "at old-mill")
    assert slayers(state, "old-mill") == "1:warrior-6+0.1! 0:rogue"


# Laying out at the end of the turn


def at_the_end(draws, row="0:warrior-5"):
    """The lair is filled with a striga, then `draws` come; old-mill has no monster."""
    state = playing("zmey", at("old-mill", "", row), at("wolf-pass", "chochlik"), draws=draws)
    return act(state, "lair zmey", "at wolf-pass")


def test_case_38_a_mimic_calls_for_another_card():
    state = at_the_end("striga mimic basilisk")
    assert slayers(state, "old-mill") == "0:warrior-5 mimic"
    assert monsters(state, "old-mill") == "basilisk"
    assert [(e["card"], e["source"], e["side"], e["position"]) for e in told(state, "monster")] == [
        ("zmey", "lair", "monster", 2),
        ("mimic", "populate", "slayer", 2),
        ("basilisk", "populate", "monster", 1),
    ]


def test_case_38_a_vodnik():
    state = at_the_end("striga vodnik")
    assert (slayers(state, "old-mill"), monsters(state, "old-mill")) == ("", "vodnik")
    assert told(state, "return") == [
        {"player": 0, "card": "warrior-5", "location": "old-mill", "reason": "vodnik"}
    ]
    assert "warrior-5" in hand(state, 0)


def test_case_38_a_bies():
    state = at_the_end("striga bies", "0:warrior-5 1:rogue 1:warrior-5")
    view = seen(state)
    assert (view["phase"], view["step"], view["focus"], view["active"]) == ("curse", 4, 0, 0)
    assert legal(state) == ["curse 1", "curse 3"]
    act(state, "curse 3")
    assert slayers(state, "old-mill") == "0:warrior-5 1:rogue 1:warrior-5!"
    view = seen(state)
    assert (view["phase"], view["step"], view["active"], view["turn"]) == ("card", 1, 1, 2)


def test_laying_out_goes_on_after_the_choice_for_bies():
    state = playing(
        "zmey",
        at("old-mill", "", "0:warrior-5 1:warrior-5"),
        at("wolf-pass", "chochlik"),
        at("raven-hill", "", "1:mage"),
        draws="striga bies vodnik",
    )
    act(state, "lair zmey", "at wolf-pass")
    assert monsters(state, "raven-hill") == ""
    act(state, "curse 1")
    assert monsters(state, "raven-hill") == "vodnik"
    assert slayers(state, "raven-hill") == ""
    assert seen(state)["active"] == 1


def test_laid_out_mimic_then_vodnik_in_one_place():
    """The Mimic came last into the row: it is the one to leave."""
    state = at_the_end("striga mimic vodnik")
    assert (slayers(state, "old-mill"), monsters(state, "old-mill")) == ("0:warrior-5", "vodnik")
    assert told(state, "discard") == [{"card": "mimic", "location": "old-mill", "reason": "vodnik"}]


def test_laid_out_mimic_then_bies_in_one_place():
    state = at_the_end("striga mimic bies")
    assert slayers(state, "old-mill") == "0:warrior-5! mimic"
    assert monsters(state, "old-mill") == "bies"


def test_a_laid_out_mimic_without_a_space_is_the_monster():
    state = playing(
        "zmey",
        at("birch-ferry", "", "0:warrior-5 1:mage"),
        at("wolf-pass", "chochlik"),
        draws="striga mimic",
    )
    act(state, "lair zmey", "at wolf-pass")
    assert monsters(state, "birch-ferry") == "mimic"


def test_a_laid_out_vila_or_likho_works():
    state = at_the_end("striga likho")
    assert totals(state, "old-mill") == (2, 2)


# Abilities that meet in one place


def test_bies_counts_what_likho_and_vila_leave():
    """Likho: the Warriors have 2, the Ranger is the strongest. Vila: the Mage has 2."""
    state = playing("bies", at("raven-hill", "likho", "1:warrior-6 0:ranger 1:mage!"))
    act(state, "lair bies", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:warrior-6 0:ranger! 1:mage!"
    state = playing("bies", at("raven-hill", "vila", "1:warrior-5 0:mage 1:exterminator"))
    act(state, "lair bies", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:warrior-5! 0:mage 1:exterminator"


def test_bies_finds_a_mage_that_is_stronger_than_her_warriors():
    """2 + 2 + 2 beside two Warriors of 2 each: the Mage alone has 6."""
    state = playing("bies", at("raven-hill", "likho", "1:warrior-6 0:mage 1:warrior-5"))
    act(state, "lair bies", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:warrior-6 0:mage! 1:warrior-5"


def test_bies_may_curse_again():
    """The second Bies finds the next strongest; a curse on a Warrior leaves the Mage her bonus."""
    state = playing("bies", at("raven-hill", "bies", "1:warrior-6! 0:mage 1:ranger"))
    act(state, "lair bies", "at raven-hill")
    # The Mage has 2 + 2.
    assert slayers(state, "raven-hill") == "1:warrior-6! 0:mage! 1:ranger"


def test_vodnik_takes_the_rogue_and_leaves_his_token():
    state = playing("vodnik", at("raven-hill", "chochlik", "1:warrior-6+0.1 0:rogue"))
    act(state, "lair vodnik", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:warrior-6+0.1"
    assert seen(state)["seats"][0]["free_tokens"] == [2]


def test_vila_stops_instant_abilities_of_slayers_but_not_of_monsters():
    state = playing("vodnik", at("raven-hill", "vila", "1:warrior-6 0:rogue"))
    act(state, "lair vodnik", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:warrior-6"


def test_a_mimic_that_fills_the_row_shuts_out_the_next_slayer():
    state = position(
        at("birch-ferry", "chochlik", "1:warrior-6"),
        at("amber-shore", "chochlik", "1:mage 1:rogue 1:ranger"),
        at("charcoal-pits", "chochlik", "1:warrior-5 1:exterminator 0:rogue"),
        hands={0: "mage"},
        lair="mimic leshy leshy",
        step=2,
        phase="place",
        held="mimic lair",
    )
    act(state, "at birch-ferry")
    assert slayers(state, "birch-ferry") == "1:warrior-6 mimic"
    assert (seen(state)["step"], legal(state)) == (3, ["lair leshy", "lair mimic", "deck"])
