"""Putting down slayers: section 7 of the rules and its rule cases, values by hand."""

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


def free(state, player):
    return seen(state)["seats"][player]["free_tokens"]


# Rogue


def test_case_8_rogue_behind_a_foreign_card():
    state = position(at("old-mill", "chochlik", "1:warrior-6"))
    act(state, "play rogue", "at old-mill")
    assert slayers(state, "old-mill") == "1:warrior-6+0.1 0:rogue"
    assert totals(state, "old-mill") == (1, 7)
    assert kinds(state) == ["slayer", "token"]
    assert told(state, "slayer") == [
        {"player": 0, "card": "rogue", "location": "old-mill", "position": 2}
    ]
    assert told(state, "token") == [
        {
            "player": 0,
            "token": 1,
            "effect": "rogue",
            "location": "old-mill",
            "side": "slayer",
            "position": 1,
        }
    ]
    assert (free(state, 0), free(state, 1)) == ([2], [1, 2])
    view = seen(state)
    assert (view["phase"], view["step"], view["focus"], view["trigger"]) == ("card", 2, None, None)


def test_case_9_rogue_behind_an_own_card():
    state = position(at("old-mill", "chochlik", "1:warrior-6 0:warrior-5"))
    act(state, "play rogue", "at old-mill")
    assert slayers(state, "old-mill") == "1:warrior-6 0:warrior-5+0.1 0:rogue"


def test_case_10_no_token():
    state = position(at("old-mill", "chochlik"), at("wolf-pass", "vila", "1:warrior-6"))
    first = act(state.clone(), "play rogue", "at old-mill")
    assert told(first, "token") == []
    assert slayers(first, "old-mill") == "0:rogue"
    beside_vila = act(state.clone(), "play rogue", "at wolf-pass")
    assert told(beside_vila, "token") == []
    assert slayers(beside_vila, "wolf-pass") == "1:warrior-6 0:rogue"


def test_case_11_rogue_behind_a_mimic():
    state = position(at("old-mill", "chochlik", "1:warrior-6 mimic"))
    act(state, "play rogue", "at old-mill")
    assert slayers(state, "old-mill") == "1:warrior-6 mimic+0.1 0:rogue"


def both_out():
    """Player 0's tokens lie on a topielec and on player 1's mage."""
    return position(
        at("old-mill", "chochlik topielec+0.1", "1:warrior-6"),
        at("raven-hill", "chochlik", "1:mage+0.2"),
    )


def test_case_12_rogue_with_both_tokens_out():
    state = act(both_out(), "play rogue", "at raven-hill")
    view = seen(state)
    assert (view["phase"], view["focus"], view["trigger"]) == ("recall", 1, "rogue")
    # The Rogue lies there already: he is played.
    assert slayers(state, "raven-hill") == "1:mage+0.2 0:rogue"
    assert (view["held"], lies(state, "raven-hill")["used"]) == (None, True)
    assert state.to_dict()["slayers_played"] == 1
    assert legal(state) == ["recall 1", "recall 2", "keep tokens"]
    assert totals(state, "old-mill")[0] == 1
    act(state, "recall 1")
    assert monsters(state, "old-mill") == "chochlik topielec"
    assert totals(state, "old-mill")[0] == 3
    assert slayers(state, "raven-hill") == "1:mage+0.2+0.1 0:rogue"
    assert told(state, "recall") == [{"player": 0, "token": 1}]
    assert told(state, "token") == [
        {
            "player": 0,
            "token": 1,
            "effect": "rogue",
            "location": "raven-hill",
            "side": "slayer",
            "position": 1,
        }
    ]
    assert (seen(state)["phase"], seen(state)["trigger"]) == ("card", None)


def test_rogue_may_recall_from_the_slayer_that_gets_the_token():
    state = act(both_out(), "play rogue", "at raven-hill", "recall 2")
    assert slayers(state, "raven-hill") == "1:mage+0.2 0:rogue"
    assert kinds(state)[-2:] == ["recall", "token"]


def test_rogue_may_keep_his_tokens():
    state = act(both_out(), "play rogue", "at raven-hill", "keep tokens")
    assert slayers(state, "raven-hill") == "1:mage+0.2 0:rogue"
    assert kinds(state) == ["slayer"]
    assert seen(state)["step"] == 2


def test_the_lower_free_token_is_used():
    state = position(
        at("old-mill", "chochlik+0.1", "1:warrior-6"), at("raven-hill", "chochlik", "1:mage")
    )
    act(state, "play rogue", "at raven-hill")
    assert slayers(state, "raven-hill") == "1:mage+0.2 0:rogue"


def test_case_13_vila_and_the_tokens():
    def hunt_with(card):
        state = position(
            at("old-mill", "chochlik topielec+1.1", "0:warrior-6+1.2"),
            lair=f"{card} leshy leshy",
            step=3,
            slayers_played=2,
        )
        act(state, f"lair {card}", "at old-mill")
        return told(state, "hunt")[0], told(state, "glory")[0]

    hunt, glory = hunt_with("vila")
    assert (hunt["monsters"], hunt["slayers"], glory["strength"]) == (1, 6, 6)
    hunt, glory = hunt_with("striga")
    assert (hunt["monsters"], hunt["slayers"], glory["strength"]) == (4, 6, 0)


def test_case_13_a_marked_vila_goes_on_working():
    state = position(
        at("old-mill", "vila+1.1 poludnica", "0:warrior-6+1.2"),
        lair="chochlik leshy leshy",
        step=3,
        slayers_played=2,
    )
    act(state, "lair chochlik", "at old-mill")
    assert told(state, "hunt")[0]["monsters"] == 5
    assert told(state, "glory")[0]["strength"] == 6


# Exterminator


def test_case_14_one_monster_is_marked_without_a_question():
    state = act(position(at("old-mill", "zmey")), "play exterminator", "at old-mill")
    assert monsters(state, "old-mill") == "zmey+0.1"
    assert totals(state, "old-mill") == (0, 4)
    assert told(state, "token") == [
        {
            "player": 0,
            "token": 1,
            "effect": "exterminator",
            "location": "old-mill",
            "side": "monster",
            "position": 1,
        }
    ]


def test_case_14_two_monsters():
    state = act(position(at("old-mill", "zmey striga+1.2")), "play exterminator", "at old-mill")
    view = seen(state)
    assert (view["phase"], view["focus"], view["trigger"]) == ("mark", 0, "exterminator")
    assert legal(state) == ["mark 1", "mark 2"]
    act(state, "mark 2")
    assert monsters(state, "old-mill") == "zmey striga+1.2+0.1"
    assert totals(state, "old-mill")[0] == 7


def test_four_monsters_may_be_marked():
    state = position(at("hollow-barrow", "zmey striga topielec chochlik"))
    act(state, "play exterminator", "at hollow-barrow")
    assert legal(state) == ["mark 1", "mark 2", "mark 3", "mark 4"]
    act(state, "mark 4")
    assert monsters(state, "hollow-barrow") == "zmey striga topielec chochlik+0.1"


def test_case_14_no_monster():
    """A location without a monster: it came in this turn."""
    state = act(position(at("old-mill")), "play exterminator", "at old-mill")
    assert kinds(state) == ["slayer"]


def test_exterminator_beside_a_vila_marks_nothing():
    state = act(position(at("old-mill", "zmey vila")), "play exterminator", "at old-mill")
    assert kinds(state) == ["slayer"]
    assert monsters(state, "old-mill") == "zmey vila"


def test_case_15_first_recall_then_mark():
    state = position(at("old-mill", "zmey striga"), at("raven-hill", "chochlik+0.1", "1:mage+0.2"))
    act(state, "play exterminator", "at old-mill")
    view = seen(state)
    assert (view["phase"], view["focus"], view["trigger"]) == ("recall", 0, "exterminator")
    assert legal(state) == ["recall 1", "recall 2", "keep tokens"]
    act(state, "recall 2")
    assert (seen(state)["phase"], seen(state)["trigger"]) == ("mark", "exterminator")
    assert slayers(state, "raven-hill") == "1:mage"
    act(state, "mark 1")
    assert monsters(state, "old-mill") == "zmey+0.2 striga"
    assert kinds(state) == ["slayer", "recall", "token"]


def test_a_token_recalled_from_there_may_go_elsewhere_there():
    state = position(at("old-mill", "zmey+0.1 striga"), at("raven-hill", "chochlik", "1:mage+0.2"))
    act(state, "play exterminator", "at old-mill", "recall 1")
    assert totals(state, "old-mill")[0] == 10
    act(state, "mark 2")
    assert monsters(state, "old-mill") == "zmey striga+0.1"


def test_a_token_goes_on_when_its_slayer_is_gone():
    """R18: the Exterminator leaves, the monster stays marked."""
    state = position(
        at("old-mill", "zmey+0.1", "0:exterminator"),
        lair="vodnik leshy leshy",
        step=3,
        slayers_played=2,
    )
    act(state, "lair vodnik", "at old-mill")
    assert "exterminator" in hand(state, 0)
    assert monsters(state, "old-mill") == "zmey+0.1 vodnik"
    assert free(state, 0) == [2]


# Mage


def test_case_16_order():
    state = position(at("old-mill", "chochlik", "1:rogue+1.1 0:ranger! 1:warrior-5"))
    act(state, "play mage", "at old-mill")
    view = seen(state)
    assert (view["phase"], view["focus"], view["picked"]) == ("order", 0, [])
    assert legal(state) == ["pick 1", "pick 2", "pick 3", "pick 4", "keep order"]
    act(state, "pick 4", "pick 3")
    assert seen(state)["picked"] == [4, 3]
    assert legal(state) == ["pick 1", "pick 2", "keep order"]
    # Nothing moves before the order is complete.
    assert slayers(state, "old-mill") == "1:rogue+1.1 0:ranger! 1:warrior-5 0:mage"
    act(state, "pick 1")
    assert slayers(state, "old-mill") == "0:mage 1:warrior-5 1:rogue+1.1 0:ranger!"
    assert told(state, "order") == [{"player": 0, "location": "old-mill", "order": [4, 3, 1, 2]}]
    assert (seen(state)["phase"], seen(state)["picked"]) == ("card", [])


def test_case_17_the_rest_keeps_its_order():
    state = position(at("old-mill", "chochlik", "1:rogue 0:ranger 1:warrior-5"))
    act(state, "play mage", "at old-mill", "pick 4", "keep order")
    assert slayers(state, "old-mill") == "0:mage 1:rogue 0:ranger 1:warrior-5"
    assert told(state, "order")[0]["order"] == [4, 1, 2, 3]


def test_an_order_that_changes_nothing_is_told_too():
    state = position(at("old-mill", "chochlik", "mimic"))
    act(state, "play mage", "at old-mill")
    assert legal(state) == ["pick 1", "pick 2", "keep order"]
    kept = act(state.clone(), "keep order")
    assert told(kept, "order")[0]["order"] == [1, 2]
    act(state, "pick 2")
    assert slayers(state, "old-mill") == "0:mage mimic"


def test_case_18_no_question_for_a_mage():
    state = position(at("old-mill", "chochlik"), at("wolf-pass", "vila", "1:warrior-6"))
    alone = act(state.clone(), "play mage", "at old-mill")
    assert (kinds(alone), seen(alone)["phase"]) == (["slayer"], "card")
    beside_vila = act(state.clone(), "play mage", "at wolf-pass")
    assert (kinds(beside_vila), seen(beside_vila)["phase"]) == (["slayer"], "card")
    assert lies(beside_vila, "wolf-pass")["slayers"][1]["strength"] == 2


# Ranger


def test_case_19_into_a_full_location():
    state = position(
        at("salt-road", "chochlik", "0:rogue 1:mage 0:warrior-5"),
        at("old-mill", "chochlik", "0:exterminator"),
    )
    other = act(state.clone(), "play mage")
    assert legal(other) == ["at old-mill", "at hollow-barrow"]
    act(state, "play ranger")
    assert legal(state) == ["at salt-road", "at old-mill", "at hollow-barrow"]
    act(state, "at salt-road")
    view = seen(state)
    assert (view["phase"], view["focus"]) == ("swap", 0)
    # He is held still, and nothing has been played.
    assert view["held"] == {"card": "ranger", "from": "hand"}
    assert not lies(state, "salt-road")["used"]
    assert state.to_dict()["slayers_played"] == 0
    assert legal(state) == ["swap rogue", "swap warrior-5"]


def test_case_20_the_card_sent_home_may_be_played_elsewhere():
    state = position(
        at("salt-road", "chochlik", "0:rogue 1:mage 0:warrior-5"),
        at("old-mill", "chochlik", "0:exterminator"),
    )
    act(state, "play ranger", "at salt-road", "swap warrior-5")
    assert slayers(state, "salt-road") == "0:rogue 1:mage 0:ranger"
    assert hand(state, 0) == "mage warrior-5 warrior-6"
    assert kinds(state) == ["return", "slayer"]
    assert told(state, "return") == [
        {"player": 0, "card": "warrior-5", "location": "salt-road", "reason": "swap"}
    ]
    assert told(state, "slayer") == [
        {"player": 0, "card": "ranger", "location": "salt-road", "position": 3}
    ]
    assert lies(state, "salt-road")["used"]
    assert state.to_dict()["slayers_played"] == 1
    act(state, "play warrior-5")
    assert legal(state) == ["at old-mill", "at hollow-barrow"]


def test_case_21_with_a_free_space():
    state = position(at("salt-road", "chochlik", "0:warrior-5 1:mage"))
    act(state, "play ranger", "at salt-road")
    assert legal(state) == ["swap warrior-5", "no swap"]
    stayed = act(state.clone(), "no swap")
    assert slayers(stayed, "salt-road") == "0:warrior-5 1:mage 0:ranger"
    assert kinds(stayed) == ["slayer"]
    act(state, "swap warrior-5")
    assert slayers(state, "salt-road") == "0:ranger 1:mage"
    assert told(state, "slayer")[0]["position"] == 1


def test_case_21_one_own_slayer_in_a_full_location():
    state = position(at("salt-road", "chochlik", "1:rogue 0:warrior-5 1:mage"))
    act(state, "play ranger", "at salt-road")
    assert slayers(state, "salt-road") == "1:rogue 0:ranger 1:mage"


def test_ranger_without_an_own_slayer_there():
    state = position(at("salt-road", "chochlik", "1:rogue mimic"))
    act(state, "play ranger", "at salt-road")
    assert slayers(state, "salt-road") == "1:rogue mimic 0:ranger"


def test_case_22_no_way_in_beside_a_vila():
    state = position(
        at("salt-road", "vila", "0:rogue 1:mage 0:warrior-5"),
        at("old-mill", "chochlik", "0:exterminator"),
    )
    act(state, "play ranger")
    assert legal(state) == ["at old-mill", "at hollow-barrow"]


def test_no_swap_beside_a_vila():
    state = position(at("salt-road", "vila", "0:rogue 1:mage"))
    act(state, "play ranger", "at salt-road")
    assert slayers(state, "salt-road") == "0:rogue 1:mage 0:ranger"


def test_case_23_exterminator_changed_for_the_ranger():
    state = position(at("salt-road", "zmey+0.1", "1:rogue 0:exterminator 1:mage"))
    act(state, "play ranger", "at salt-road")
    assert hand(state, 0) == "rogue mage exterminator warrior-5 warrior-6"
    assert monsters(state, "salt-road") == "zmey+0.1"
    assert free(state, 0) == [2]


def test_tokens_and_curse_of_the_card_sent_home_are_gone():
    state = position(at("salt-road", "bies", "1:rogue 0:warrior-6+1.1+0.2! 1:mage"))
    assert (free(state, 0), free(state, 1)) == ([1], [2])
    act(state, "play ranger", "at salt-road")
    assert slayers(state, "salt-road") == "1:rogue 0:ranger 1:mage"
    assert (free(state, 0), free(state, 1)) == ([1, 2], [1, 2])
    act(state, "play warrior-6", "at hollow-barrow")
    assert slayers(state, "hollow-barrow") == "0:warrior-6"
