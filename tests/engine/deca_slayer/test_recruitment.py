"""Recruitment and the end of a round: section 9 of the rules and its cases, values by hand."""

from tests.engine.deca_slayer.positions import GAME, act, all_pass, hand, position, seen, told


def recruiting(hands, *, order=None, display="paladin ranger ranger paladin", **fields):
    """The worst rank begins to recruit; by default seat 0 is rank 1, seat 1 rank 2 …"""
    order = order or list(range(len(hands)))
    return position(
        "hydra",
        hands=hands,
        open="",
        display=display,
        phase="recruit",
        turn=order[-1],
        order=order,
        step=2,
        picks=2,
        **fields,
    )


THREE = "jester scout bard"


def test_case_34_ranks_4_3_2_pick_and_rank_1_gets_the_last():
    state = recruiting(
        [THREE, THREE, "fighter scout bard", "jester fighter cleric"],
        display="paladin ranger warrior wizard ninja knight",
    )
    assert state.legal_actions(3) == [
        *("recruit paladin", "recruit knight", "recruit warrior"),
        *("recruit ninja", "recruit ranger", "recruit wizard"),
    ]
    act(state, "3 recruit paladin", "3 recruit ranger")
    act(state, "2 recruit warrior", "2 recruit wizard")
    act(state, "1 recruit ninja")
    assert told(state, "recruit") == [
        {"player": 3, "card": "paladin"},
        {"player": 3, "card": "ranger"},
        {"player": 2, "card": "warrior"},
        {"player": 2, "card": "wizard"},
        {"player": 1, "card": "ninja"},
        {"player": 0, "card": "knight"},
    ]
    assert seen(state)["round"] == 2
    assert seen(state)["seats"][0]["known"] == ["knight"]


def test_the_order_of_ranks_not_of_seats():
    state = recruiting([THREE, THREE, THREE], order=[1, 2, 0])
    assert (state.current_players(), seen(state)["picks"]) == ((0,), 2)
    act(state, "0 recruit paladin")
    assert seen(state)["picks"] == 1
    act(state, "0 recruit paladin")
    assert (state.current_players(), seen(state)["picks"]) == ((2,), 1)
    act(state, "2 recruit ranger")
    assert seen(state)["start"] == 1


def test_case_35_an_empty_hand_is_filled_up_to_three():
    state = recruiting([THREE, THREE, ""], heroes="archer")
    act(state, "2 recruit paladin", "2 recruit ranger")
    assert hand(state, 2) == ["paladin", "ranger", "archer"]
    assert told(state, "draw") == [{"player": 2, "count": 1, "reason": "refill"}]
    assert told(state, "drawn") == [{"player": 2, "cards": ["archer"]}]
    assert seen(state)["seats"][2]["known"] == ["paladin", "ranger"]


EIGHT = "warrior warrior archer archer cleric cleric priest priest"
FEW = "jester jester bard"
OTHER_EIGHT = "fighter fighter scout scout warlock warlock sorcerer sorcerer"


def test_case_36_rank_3_discards_before_rank_2_recruits():
    state = recruiting([THREE, OTHER_EIGHT, EIGHT])
    act(state, "2 recruit paladin", "2 recruit paladin")
    view = seen(state)
    assert (view["phase"], view["deciding"]) == ("limit", [2])
    assert state.legal_actions(2) == [
        *("discard paladin", "discard warrior", "discard archer"),
        *("discard priest", "discard cleric"),
    ]
    act(state, "2 discard cleric", "2 discard cleric")
    assert told(state, "discard") == [{"player": 2, "card": "cleric", "reason": "hand-limit"}] * 2
    assert (seen(state)["phase"], state.current_players()) == ("recruit", (1,))

    # rank 2 with 8 recruits one and discards one
    act(state, "1 recruit ranger")
    assert (seen(state)["phase"], state.current_players()) == ("limit", (1,))
    act(state, "1 discard fighter")
    assert seen(state)["round"] == 2
    assert len(hand(state, 1)) == 8


def test_case_36_gloves_of_charisma():
    state = recruiting([FEW, OTHER_EIGHT, FEW], treasures={1: "gloves-of-charisma"})
    act(state, "2 recruit paladin", "2 recruit paladin", "1 recruit ranger")
    assert seen(state)["round"] == 2
    assert (len(hand(state, 1)), seen(state)["seats"][1]["hand_limit"]) == (9, 9)


def test_case_36_crown_of_avarice():
    state = recruiting([FEW, OTHER_EIGHT, FEW], treasures={1: "crown-of-avarice"})
    act(state, "2 recruit paladin", "2 recruit paladin", "1 recruit ranger")
    act(state, "1 discard fighter", "1 discard fighter", "1 discard scout")
    assert seen(state)["round"] == 2
    assert (len(hand(state, 1)), seen(state)["seats"][1]["hand_limit"]) == (6, 6)


def test_gloves_and_crown_together():
    state = recruiting([THREE, THREE, THREE], treasures={1: "crown-of-avarice gloves-of-charisma"})
    assert [seat["hand_limit"] for seat in seen(state)["seats"]] == [8, 7, 8]


def test_case_37_the_doll_is_used():
    state = recruiting(
        [THREE, THREE, ""], treasures={2: "mysterious-doll"}, heroes="archer ninja sniper"
    )
    act(state, "2 recruit paladin", "2 recruit ranger")
    assert seen(state)["phase"] == "exchange"
    assert state.legal_actions(2) == ["pass", "use mysterious-doll"]
    act(state, "2 use mysterious-doll")
    assert hand(state, 2) == ["paladin", "sniper", "ninja", "ranger", "archer"]
    view = seen(state)
    assert view["treasure_discard"] == ["mysterious-doll"]
    assert view["seats"][2]["treasures"] == []
    assert told(state, "exchange") == [
        {"player": 2, "treasure": "mysterious-doll", "by": "mysterious-doll"}
    ]
    assert told(state, "draw") == [{"player": 2, "count": 3, "reason": "mysterious-doll"}]
    assert (view["phase"], view["deciding"]) == ("recruit", [1])


def test_case_37_the_doll_is_kept():
    state = recruiting([THREE, THREE, ""], treasures={2: "mysterious-doll"}, heroes="archer")
    act(state, "2 recruit paladin", "2 recruit ranger", "2 pass")
    assert hand(state, 2) == ["paladin", "ranger", "archer"]
    assert state.scores() == [0, 0, 8]
    assert told(state, "decline") == [{"player": 2, "phase": "exchange"}]
    assert told(state, "draw") == [{"player": 2, "count": 1, "reason": "refill"}]


def test_case_38_the_mercenaries_hire_once():
    state = recruiting(
        [THREE, THREE, THREE],
        treasures={2: "mysterious-doll riches-1"},
        guilds={2: "mercenaries-guild"},
        heroes="archer ninja",
    )
    act(state, "2 recruit paladin", "2 recruit ranger")
    assert state.legal_actions(2) == [
        *("pass", "use mysterious-doll", "hire riches-1", "hire mysterious-doll"),
    ]
    assert seen(state)["hired"] is False
    act(state, "2 hire riches-1")
    assert seen(state)["hired"] is True
    assert told(state, "exchange") == [
        {"player": 2, "treasure": "riches-1", "by": "mercenaries-guild"}
    ]
    assert told(state, "draw") == [{"player": 2, "count": 2, "reason": "mercenaries-guild"}]
    assert state.legal_actions(2) == ["pass", "use mysterious-doll"]
    act(state, "2 use mysterious-doll")
    # 3 + 2 + 2 + 3 cards: the exchange ended by itself, the limit is asked; `hired` stays.
    view = seen(state)
    assert (view["phase"], view["hired"]) == ("limit", True)
    act(state, "2 discard jester", "2 discard scout")
    assert (seen(state)["phase"], seen(state)["hired"]) == ("recruit", False)


def test_the_mercenaries_may_give_up_the_doll_for_two():
    state = recruiting(
        [THREE, THREE, THREE],
        treasures={2: "mysterious-doll"},
        guilds={2: "mercenaries-guild"},
    )
    act(state, "2 recruit paladin", "2 recruit ranger", "2 hire mysterious-doll")
    assert told(state, "draw") == [{"player": 2, "count": 2, "reason": "mercenaries-guild"}]
    assert state.current_players() == (1,)


def test_case_39_a_reshuffle_in_the_middle_of_a_drawing():
    state = position(
        "hydra",
        hands=["cleric", "jester", "scout"],
        open="alluring-scroll riches-12",
        hero_deck="ninja",
        display="paladin paladin ranger ranger",
    )
    all_pass(act(state, "0 play cleric"))
    # 70 heroes: 2 in hands, 4 on display, 1 in the deck.
    assert len(seen(state)["hero_discard"]) == 63
    act(state, "0 take alluring-scroll")
    kinds = [event["kind"] for event in state.events[-4:]]
    assert kinds == ["reshuffle", "draw", "drawn", "treasure"]
    assert told(state, "reshuffle") == [{"count": 63}]
    ninja, other = told(state, "drawn")[0]["cards"]
    assert ninja == "ninja"
    seats = state.to_dict()["seats"]
    assert seats[0]["hidden"] == [["ninja"], [other]]
    assert [len(seat["hidden"]) for seat in seats] == [2, 2, 2]
    view = seen(state)
    assert (view["shuffles"], view["hero_deck"], view["hero_discard"]) == (1, 62, [])
    # The pile was sorted and shuffled by the stream `heroes`: 62 words for 63 cards.
    assert state.to_dict()["chance"] == {"heroes": 62}


def test_a_reshuffle_for_the_display():
    state = end_of_round(3, hero_deck="ninja")
    kinds = [event["kind"] for event in state.events[-3:]]
    assert kinds == ["round", "reshuffle", "heroes"]
    assert told(state, "heroes")[0]["cards"][0] == "ninja"
    assert len(seen(state)["display"]) == 4


def test_drawing_stops_when_no_card_is_left():
    """R3: no deck and no discard pile; the drawing gives what there was."""
    state = position(
        "hydra",
        hands=["cleric", "", ""],
        open="alluring-scroll riches-12",
        hero_deck="ninja",
    )
    # All that was discarded lies on display instead.
    set_up = all_pass(state).to_dict()
    set_up["display"], set_up["hero_discard"] = set_up["hero_discard"], []
    state = act(GAME.state_from_dict(set_up), "0 take alluring-scroll")
    assert told(state, "draw") == [{"player": 0, "count": 1, "reason": "alluring-scroll"}]
    assert told(state, "reshuffle") == []


def test_case_40_the_row_runs_out():
    state = end_of_round(7)
    view = seen(state)
    assert [entry["monster"] for entry in view["row"]][2] == "dragon"
    assert (view["monster_deck"], len(view["row"])) == (0, 3)
    state = end_of_round(8)
    assert (seen(state)["monster_deck"], len(seen(state)["row"])) == (0, 2)
    assert [entry["monster"] for entry in seen(state)["row"]][1] == "dragon"


def end_of_round(number, **fields):
    """The last two picks of a round, so that the next one begins."""
    state = position(
        "hydra",
        hands=[THREE, THREE, THREE],
        round=number,
        open="",
        display="paladin paladin",
        phase="recruit",
        turn=1,
        order=[0, 1, 2],
        step=2,
        picks=1,
        closed="riches-5 riches-6",
        next_treasures="riches-7 riches-8",
        **fields,
    )
    return act(state, "1 recruit paladin")


def test_the_end_of_a_round():
    """A new monster with the next two treasures, then the next round with both of row[0] open."""
    state = end_of_round(3)
    view = seen(state)
    assert view["monsters_defeated"][-1] == "hydra"
    assert (view["row"][2]["open"], view["row"][2]["closed"]) == (
        ["riches-7"],
        {"treasure": None, "seen_by": []},
    )
    assert view["row"][0]["open"][1] == "riches-5"
    assert view["row"][0]["closed"] is None
    assert (view["step"], view["passed"], view["values"], view["order"]) == (0, [], None, None)
    kinds = [event["kind"] for event in state.events[-3:]]
    assert kinds == ["monster", "round", "heroes"]
    assert told(state, "monster") == [{"monster": view["row"][2]["monster"], "open": "riches-7"}]
    assert told(state, "round") == [
        {
            "round": 4,
            "monster": view["row"][0]["monster"],
            "open": view["row"][0]["open"],
            "start": 0,
        }
    ]
    assert told(state, "heroes") == [{"cards": view["display"]}]
