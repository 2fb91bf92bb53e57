"""Battles: the worked examples and rule cases of section 7 of the rules, values by hand."""

import pytest

from engine import IllegalAction
from tests.engine.deca_slayer.positions import act, all_pass, hand, position, seen, told


def rulebook_round():
    return position(
        "demon",
        hands=[
            "sorcerer warrior jester cleric priest",
            "guild-master fighter bard scout archer",
            "scout knight knight sword-master",
        ],
        treasures={1: "legendary-sword"},
        open="riches-8 marksmans-bow",
        display="paladin ranger wizard jester",
        heroes="archer cleric",
    )


def test_case_1_the_round_of_the_rulebook():
    """E1, from the face-down cards to the next round's first player."""
    state = rulebook_round()
    act(state, "0 play sorcerer", "1 play guild-master", "2 play scout")
    assert [(e["player"], e["type"], e["power"]) for e in told(state, "play")] == [
        (0, "magic", 8),
        (1, "magic", 8),  # no bonus of the sword, for it is used as magic
        (2, "magic", 0),
    ]
    act(state, "0 play warrior", "0 play jester", "0 pass")
    act(state, "1 play fighter", "1 play bard", "1 pass")
    act(state, "2 play knight", "2 play knight", "2 play sword-master")
    assert [e["power"] for e in told(state, "play")] == [8, 8, 0, 6, 3, 6, 5, 8, 8, 10]
    # C's hand is empty: the turn ends without a pass.
    assert told(state, "pass") == [{"player": 0, "step": 1}, {"player": 1, "step": 1}]
    view = seen(state)
    assert (view["phase"], view["values"], view["order"]) == ("treasure", [17, 19, 26], [2, 1, 0])
    assert view["deciding"] == [2]
    assert state.legal_actions(2) == ["take riches-8", "take marksmans-bow"]

    act(state, "2 take marksmans-bow")
    treasures = [seat["treasures"] for seat in seen(state)["seats"]]
    assert treasures == [[], ["legendary-sword", "riches-8"], ["marksmans-bow"]]

    act(state, "0 recruit paladin", "0 recruit wizard", "1 recruit ranger")
    assert hand(state, 0) == ["paladin", "wizard", "priest", "cleric"]
    assert hand(state, 1) == ["ranger", "archer", "scout"]
    assert hand(state, 2) == ["archer", "cleric", "jester"]
    view = seen(state)
    assert (view["round"], view["start"]) == (2, 2)
    assert view["monsters_defeated"] == ["demon"]
    assert view["hero_discard"] == [
        *("guild-master", "sword-master", "knight", "knight", "warrior", "fighter"),
        *("scout", "sorcerer", "bard", "jester"),
    ]


def test_case_2_bonus_counts_for_the_slot_that_it_fits():
    state = position(
        "hydra",
        hands=["wizard wizard", "jester jester", "bard bard"],
        treasures={0: "anima-staff"},
    )
    all_pass(act(state, "0 play wizard", "1 pass", "2 pass", "0 play wizard"))
    assert seen(state)["values"] == [10, 0, 0]


def test_case_3_bonuses_add_up():
    state = position(
        "hydra",
        hands=["cleric warrior", "jester", "sorcerer"],
        guilds={0: "fighters-guild", 2: "mages-guild"},
        treasures={0: "legendary-sword heros-war-banner"},
    )
    act(state, "0 play cleric", "1 pass", "2 play sorcerer", "0 play warrior", "1 pass")
    # 0: 5+1 and 6+3; 2: 8+1, then an empty hand passes by itself
    view = seen(state)
    assert (view["values"], view["order"]) == ([15, 0, 9], [0, 2, 1])


def test_case_4_cyclops():
    state = position(
        "cyclops",
        hands=["guild-master guild-master", "archer", "jester jester"],
        treasures={0: "marksmans-bow"},
    )
    act(state, "2 play jester", "1 play archer", "0 play guild-master")
    act(state, "0 play guild-master", "2 play jester")
    assert [(e["player"], e["power"]) for e in told(state, "play")] == [
        (0, 8),
        (1, 0),
        (2, 3),
        (0, 9),
        (2, 3),
    ]
    assert seen(state)["values"] == [17, 0, 6]


def test_case_5_ties_go_by_turn_order():
    state = position("hydra", hands=["priest bard", "warlock fighter", "cleric fighter"], start=2)
    act(state, "2 play cleric", "0 play priest", "1 play warlock")
    act(state, "2 play fighter", "0 play bard", "1 pass")
    view = seen(state)
    assert (view["values"], view["order"]) == ([10, 7, 10], [2, 0, 1])


def test_case_6_highest_minimum_counts_an_empty_slot_as_0():
    state = position(
        "lich",
        hands=["assassin knight cleric", "scout fighter cleric", "jester jester jester"],
    )
    act(state, "0 play assassin", "1 play scout", "2 play jester")
    act(state, "0 play knight", "1 play fighter", "2 play jester")
    act(state, "0 pass", "1 play cleric", "2 play jester")
    view = seen(state)
    assert (view["values"], view["order"]) == ([0, 5, 3], [1, 2, 0])


def test_case_7_nothing_and_wrong_types_tie_at_0():
    state = position("troll", hands=["knight cleric", "jester jester", "scout scout"], start=1)
    act(state, "1 pass", "2 play scout", "2 play scout", "0 pass")
    view = seen(state)
    assert (view["values"], view["order"]) == ([0, 0, 0], [1, 2, 0])


def test_case_8_a_turn_is_played_in_full_or_not_at_all():
    state = position("wyvern", hands=["ranger knight cleric", "jester jester", "bard bard"])
    act(state, "0 play ranger")
    assert state.legal_actions(0) == ["play knight", "play cleric"]
    with pytest.raises(IllegalAction, match="'pass' is not legal for player 0"):
        act(state, "0 pass")


def test_case_9_too_few_cards_pass_by_themselves():
    state = position("wyvern", hands=["ranger", "jester jester", "bard bard"], start=2)
    act(state, "2 pass")
    assert told(state, "pass") == [{"player": 2, "step": 0}, {"player": 0, "step": 0}]
    assert state.current_players() == (1,)


def test_case_10_any_number_ends_with_the_last_card():
    state = position(
        "demon", hands=["priest", "cleric fighter scout fighter", "priest"], heroes="knight"
    )
    act(state, "0 play priest", "1 play cleric", "2 play priest")
    # 0 holds nothing: it passes by itself.
    assert state.current_players() == (1,)
    act(state, "1 play fighter", "1 play scout", "1 play fighter")
    assert [e["power"] for e in told(state, "play") if e["player"] == 1] == [5, 5, 0, 5]
    assert [e["slot"] for e in told(state, "play") if e["player"] == 1] == [0, 0, 1, 2]
    assert told(state, "pass") == [{"player": 0, "step": 1}, {"player": 2, "step": 1}]
    assert seen(state)["values"] == [6, 15, 6]


def test_case_11_up_to_one():
    state = position(
        "vampire",
        hands=["archmage wizard wizard", "priest cleric jester", "knight wizard jester"],
    )
    act(state, "0 play archmage", "1 play priest", "2 play knight")
    act(state, "0 pass", "1 play cleric", "2 play wizard")
    view = seen(state)
    assert (view["phase"], view["values"]) == ("treasure", [10, 11, 9])


def test_case_12_no_skipping_in_simultaneous_play():
    state = position("vampire", hands=["knight wizard jester", "priest", "priest"])
    assert state.legal_actions(0) == ["play knight", "play wizard", "play jester"]


def test_case_13_an_answer_shows_to_nobody_else():
    state = position("vampire", hands=["knight wizard", "priest cleric", "priest jester"])
    before = [seen(state, viewer) for viewer in (0, 2, None)]
    events = list(state.events)
    act(state, "1 play cleric")
    assert [seen(state, viewer) for viewer in (0, 2, None)] == before
    assert state.events == events
    assert state.current_players() == (0, 2)
    assert state.legal_actions(1) == []
    own = seen(state, 1)
    assert own["sealed"] == {"card": "cleric", "princesses": 0}
    assert own["hand"] == ["priest"]
    assert own["seats"][1]["hand_count"] == 2


def test_case_14_turned_up_in_turn_order():
    state = position("vampire", hands=["knight wizard", "priest cleric", "priest jester"], start=1)
    act(state, "2 play jester", "0 play wizard", "1 play priest")
    assert [e["player"] for e in told(state, "play")] == [1, 2, 0]
    assert seen(state, 0)["sealed"] is None
    assert state.current_players() == (1,)


def test_simultaneous_without_cards():
    """Who holds nothing takes no part and passes when the others' cards are turned up."""
    state = position("vampire", hands=["knight wizard", "", "priest jester"])
    assert state.current_players() == (0, 2)
    assert seen(state)["deciding"] == [0, 2]
    act(state, "0 play wizard", "2 play priest")
    assert [(e["kind"], e["player"]) for e in state.events if e["kind"] in ("play", "pass")] == [
        ("play", 0),
        ("pass", 1),
        ("play", 2),
    ]
    # A pass counts as passing in continuous play only.
    assert seen(state)["passed"] == []


def test_a_step_in_which_nobody_can_take_part():
    """All cards go in the first step of the Vampire; in the second everybody passes."""
    state = position("vampire", hands=["wizard", "cleric", "priest"])
    act(state, "0 play wizard", "1 play cleric", "2 play priest")
    assert told(state, "pass") == [{"player": player, "step": 1} for player in range(3)]
    assert seen(state)["values"] == [9, 5, 6]


def test_case_15_continuous_play_offers_the_type_alone():
    state = position("golem", hands=["knight warrior cleric", "fighter", "fighter"])
    assert state.legal_actions(0) == ["pass", "play knight", "play warrior"]


def test_case_16_a_forced_pass_is_asked():
    state = position("golem", hands=["knight warrior cleric", "fighter fighter fighter", "scout"])
    act(state, "0 play knight", "1 play fighter", "2 pass", "0 play warrior", "1 play fighter")
    assert state.legal_actions(0) == ["pass"]


def test_e6_last_man_standing():
    state = position("golem", hands=["knight warrior cleric", "fighter fighter fighter", "scout"])
    act(state, "0 play knight", "1 play fighter", "2 pass", "0 play warrior", "1 play fighter")
    act(state, "0 pass")
    view = seen(state)
    assert (view["passed"], view["order"], view["values"]) == ([2, 0, 1], [1, 0, 2], [2, 2, 0])
    assert [e["player"] for e in told(state, "pass")] == [2, 0, 1]
    assert hand(state, 1) == ["fighter"]


def test_case_17_an_empty_hand_passes_by_itself():
    state = position("golem", hands=["knight warrior", "fighter fighter fighter", "scout"])
    act(state, "0 play knight", "1 play fighter", "2 pass", "0 play warrior", "1 play fighter")
    view = seen(state)
    assert (view["passed"], view["order"], view["values"]) == ([2, 0, 1], [1, 0, 2], [2, 2, 0])


def test_case_18_the_last_one_left_passes_without_a_card():
    state = position("golem", hands=["knight", "knight", "warrior"], start=1)
    act(state, "1 pass", "2 pass")
    view = seen(state)
    assert (view["order"], view["phase"]) == ([0, 2, 1], "treasure")
    assert hand(state, 0) == ["knight"]


def princess_hand(cards, monster="hydra", **fields):
    return position(
        monster,
        hands=[cards, "warrior cleric", "warrior cleric"],
        princesses=2,
        **fields,
    )


def test_case_19_a_princess_alone():
    state = princess_hand("princess fighter", treasures={0: "anima-staff"})
    act(state, "0 play princess")
    assert told(state, "play")[-1]["power"] == 6


def test_case_20_a_princess_attached():
    state = princess_hand("princess cleric knight", treasures={0: "anima-staff"})
    act(state, "0 add princess", "0 play cleric")
    assert told(state, "play") == [
        {
            "player": 0,
            "step": 0,
            "slot": 0,
            "type": "magic",
            "card": "cleric",
            "princesses": 1,
            "power": 11,
        }
    ]
    assert told(state, "princess") == [{"player": 0}]
    # One card: the next turn is player 1's.
    assert state.current_players() == (1,)


def test_case_21_a_princess_with_the_wrong_type():
    state = princess_hand("princess fighter knight")
    act(state, "0 add princess", "0 play fighter")
    assert told(state, "play")[-1]["power"] == 0
    all_pass(state)
    assert seen(state)["hero_discard"] == ["fighter", "princess"]


def test_case_22_a_card_must_follow_the_princess():
    state = princess_hand("princess cleric knight")
    act(state, "0 add princess")
    assert state.legal_actions(0) == ["play knight", "play cleric"]
    view = seen(state)
    assert (view["attached"], view["seats"][0]["hand_count"]) == (1, 2)
    with pytest.raises(IllegalAction):
        act(state, "0 pass")


def test_case_23_a_princess_face_down():
    state = princess_hand("princess wizard knight", "demon")
    before = [seen(state, viewer) for viewer in (1, 2, None)]
    act(state, "0 add princess")
    assert [seen(state, viewer) for viewer in (1, 2, None)] == before
    assert seen(state, 0)["sealed"] == {"card": None, "princesses": 1}
    assert state.legal_actions(0) == ["play knight", "play wizard"]
    assert state.current_players() == (0, 1, 2)
    act(state, "0 play wizard", "1 play warrior", "2 play cleric")
    assert told(state, "play")[0]["power"] == 14
    assert told(state, "princess") == []
    assert hand(state, 0) == ["knight"]


def test_case_24_two_princesses():
    state = princess_hand("princess princess cleric knight")
    act(state, "0 add princess", "0 add princess", "0 play cleric")
    assert told(state, "play")[-1]["power"] == 15
    state = princess_hand("princess princess cleric knight")
    act(state, "0 add princess", "0 play princess")
    assert told(state, "play")[-1]["power"] == 10


def test_case_25_no_princess_without_a_card_for_each_slot():
    state = princess_hand("princess knight", "troll")
    assert state.legal_actions(0) == ["pass", "play knight", "play princess"]
    act(state, "0 play knight")
    assert state.legal_actions(0) == ["play princess"]


def test_case_26_a_princess_in_continuous_play():
    state = princess_hand("princess cleric wizard", "golem")
    assert state.legal_actions(0) == ["pass", "play princess"]
    state = princess_hand("princess cleric wizard knight", "golem")
    assert state.legal_actions(0) == ["pass", "play knight", "play princess", "add princess"]
    act(state, "0 add princess")
    assert state.legal_actions(0) == ["play knight"]
    state = princess_hand("princess princess", "golem")
    assert "add princess" in state.legal_actions(0)


def test_sealed_princess_is_not_played_twice():
    state = princess_hand("princess knight", "vampire")
    act(state, "0 add princess")
    assert state.legal_actions(0) == ["play knight"]


def test_case_47_and_e2_slots_in_order():
    """The first card fills the first slot: melee, then ranged."""
    state = position("gazer", hands=["ranger knight", "jester jester", "jester jester"])
    act(state, "0 play ranger", "0 play knight")
    assert [e["power"] for e in told(state, "play")] == [0, 0]
    state = position("gazer", hands=["ranger knight", "jester jester", "jester jester"])
    act(state, "0 play knight", "0 play ranger")
    assert [(e["type"], e["slot"], e["power"]) for e in told(state, "play")] == [
        ("melee", 0, 8),
        ("ranged", 1, 7),
    ]


def test_e2_highest_minimum():
    state = position("gazer", hands=["warrior scout", "paladin bard", "knight sniper"])
    act(state, "0 play warrior", "0 play scout", "1 play paladin", "1 play bard", "2 pass")
    view = seen(state)
    assert (view["values"], view["order"]) == ([5, 4, 0], [0, 1, 2])


def test_e3_wrong_type_and_bonus():
    state = position("basilisk", hands=["wizard wizard", "", ""], treasures={0: "anima-staff"})
    act(state, "0 play wizard")
    assert told(state, "play")[-1]["power"] == 10
    state = position("griffin", hands=["wizard", "", ""], treasures={0: "anima-staff"})
    act(state, "0 play wizard")  # in a ranged slot
    assert told(state, "play")[-1]["power"] == 0


def test_e4_sums_of_bonuses():
    state = position(
        "golem",
        hands=["warrior", "knight", "knight"],
        treasures={0: "legendary-sword heros-war-banner"},
        guilds={0: "fighters-guild"},
    )
    act(state, "0 play warrior")
    assert told(state, "play")[-1]["power"] == 9


@pytest.mark.parametrize(
    ("monster", "types"),
    [
        ("lich", ["ranged", "melee", "magic"]),
        ("chimera", ["melee", "magic", "ranged"]),
        ("cerberus", ["magic", "ranged", "melee"]),
        ("hydra", ["magic", "melee"]),
        ("basilisk", ["magic", "ranged"]),
        ("griffin", ["ranged", "melee"]),
    ],
)
def test_sequential_steps_in_order(monster, types):
    """Each step is done by all players before the next one."""
    state = position(monster, hands=["jester jester jester"] * 2 + [""])
    for _ in types:
        act(state, "0 play jester", "1 play jester")
    plays = told(state, "play")
    assert [(e["player"], e["type"], e["step"]) for e in plays] == [
        (player, kind, step) for step, kind in enumerate(types) for player in (0, 1)
    ]
    assert seen(state)["phase"] == "treasure"


@pytest.mark.parametrize(
    ("monster", "types"),
    [
        ("gazer", ["melee", "ranged"]),
        ("troll", ["melee", "magic"]),
        ("wyvern", ["ranged", "magic"]),
    ],
)
def test_two_slots_in_one_turn(monster, types):
    state = position(monster, hands=["jester jester", "jester jester", "jester"])
    act(state, *["0 play jester"] * 2, *["1 play jester"] * 2)
    assert [(e["player"], e["type"]) for e in told(state, "play")] == [
        (player, kind) for player in (0, 1) for kind in types
    ]
    assert seen(state)["values"] == [3, 3, 0]


@pytest.mark.parametrize(
    ("monster", "card"), [("golem", "knight"), ("harpy", "assassin"), ("wraith", "sorcerer")]
)
def test_continuous_monsters(monster, card):
    state = position(monster, hands=["knight assassin sorcerer", "jester", "jester"])
    assert state.legal_actions(0) == ["pass", f"play {card}"]


@pytest.mark.parametrize(
    ("monster", "card", "power"),
    [("demon", "knight", 8), ("cyclops", "ninja", 9), ("vampire", "warlock", 7)],
)
def test_second_steps_after_the_face_down_card(monster, card, power):
    state = position(monster, hands=[f"jester {card} jester", "jester", "jester"])
    act(state, "0 play jester", "1 play jester", "2 play jester", f"0 play {card}")
    assert told(state, "play")[-1]["power"] == power
    # "Any number" goes on, "up to one" does not; all others have no card left.
    assert seen(state)["phase"] == ("treasure" if monster == "vampire" else "play")


def dragon_round(hands, treasures=None, display="jester jester", **fields):
    """Round 9 is all but over: 1 picks one of two heroes, 0 gets the other, the Dragon comes."""
    return position(
        "hydra",
        hands=hands,
        treasures=treasures,
        round=9,
        open="",
        closed="riches-11",
        display=display,
        phase="recruit",
        turn=1,
        order=[0, 1, 2],
        picks=1,
        step=2,
        **fields,
    )


def test_case_41_the_dragon():
    state = dragon_round(
        [
            "guild-master warrior cleric",
            "jester bard scout",
            "archmage knight sniper priest archer",
        ],
        {0: "legendary-sword", 1: "heros-war-banner"},
        display="jester fighter",
    )
    act(state, "1 recruit jester")
    plays = [(e["player"], e["card"], e["type"], e["power"]) for e in told(state, "play")]
    assert plays == [
        (0, "guild-master", "melee", 9),
        (0, "warrior", "melee", 7),
        (0, "fighter", "melee", 6),
        (0, "cleric", "magic", 5),
        (1, "scout", "ranged", 6),
        (1, "bard", "melee", 5),
        (1, "jester", "melee", 4),
        (1, "jester", "melee", 4),
        (2, "knight", "melee", 8),
        (2, "sniper", "ranged", 10),
        (2, "archer", "ranged", 6),
        (2, "archmage", "magic", 10),
        (2, "priest", "magic", 6),
    ]
    assert [e["slot"] for e in told(state, "play")] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4]
    view = seen(state)
    assert (view["round"], view["values"], view["order"]) == (10, [27, 19, 40], [2, 0, 1])
    assert view["phase"] == "treasure"
    assert view["seats"][2]["treasures"] == ["dragon"]
    assert told(state, "treasure") == [{"player": 2, "treasure": "dragon"}]
    assert state.legal_actions(2) == ["take riches-1", "take riches-11"]
    assert view["display"] == []


def test_e5_a_princess_counts_on_her_own_against_the_dragon():
    state = dragon_round(
        ["princess guild-master cleric", "princess knight bard", "knight bard scout"],
        {1: "legendary-sword"},
        princesses=2,
    )
    act(state, "1 recruit jester")
    powers = {(e["player"], e["card"]): (e["type"], e["power"]) for e in told(state, "play")}
    assert powers[0, "princess"] == ("melee", 5)
    assert powers[0, "guild-master"] == ("melee", 8)
    assert powers[1, "princess"] == ("melee", 6)
    assert powers[1, "bard"] == ("melee", 5)
    assert all(e["princesses"] == 0 for e in told(state, "play"))


def test_case_29_a_performer_is_taken_back():
    state = position(
        "hydra",
        hands=["minstrel troubadour", "jester jester", "bard bard"],
        guilds={0: "performers-guild"},
    )
    act(state, "0 play minstrel", "1 pass", "2 pass", "0 play troubadour", "1 pass", "2 pass")
    view = seen(state)
    assert (view["phase"], view["deciding"], view["order"]) == ("take-back", [0], None)
    assert view["values"] == [8, 0, 0]
    assert state.legal_actions(0) == ["pass", "take back troubadour", "take back minstrel"]
    act(state, "0 take back minstrel")
    view = seen(state)
    assert (view["values"], view["order"]) == ([8, 0, 0], [0, 1, 2])
    assert view["seats"][0]["known"] == ["minstrel"]
    assert view["hero_discard"] == ["troubadour"]
    assert told(state, "take-back") == [{"player": 0, "card": "minstrel"}]


def test_taking_back_may_be_declined():
    state = position("hydra", hands=["minstrel", "jester", "bard"], guilds={0: "performers-guild"})
    all_pass(act(state, "0 play minstrel"))
    act(state, "0 pass")
    assert told(state, "decline") == [{"player": 0, "phase": "take-back"}]
    assert seen(state)["hero_discard"] == ["minstrel"]


def test_the_princess_of_a_performer_does_not_come_back():
    state = position(
        "hydra",
        hands=["minstrel princess", "jester", "knight"],
        guilds={0: "performers-guild"},
        princesses=1,
    )
    all_pass(act(state, "0 add princess", "0 play minstrel"))
    act(state, "0 take back minstrel")
    view = seen(state)
    assert view["values"] == [9, 0, 0]
    assert view["hero_discard"] == ["princess"]
    assert view["seats"][0]["known"] == ["minstrel"]


def test_case_45_no_taking_back_in_round_10_but_outranking():
    state = dragon_round(
        ["bard bard", "troubadour jester", "minstrel jester jester"],
        guilds={0: "performers-guild", 2: "royal-regulars"},
    )
    act(state, "1 recruit jester")
    view = seen(state)
    # 4+4+3; 4+3+3; 4+3+3
    assert (view["round"], view["values"], view["phase"]) == (10, [11, 10, 10], "outrank")
    assert state.legal_actions(2) == ["pass", "outrank"]


def test_a_known_copy_is_played_first():
    """R2: after a knight was recruited, a knight that is played is that one."""
    state = position("golem", hands=["knight", "warrior", "warrior"], known={0: "knight"})
    act(state, "0 play knight")
    assert seen(state)["seats"][0]["known"] == []
    assert hand(state, 0) == ["knight"]
