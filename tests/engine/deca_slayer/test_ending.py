"""Victory points, the end of the game and ranks: sections 4 and 9 of the rules, values by hand."""

import pytest

from engine import IllegalAction
from tests.engine.deca_slayer.positions import act, position, seen, told


def last_choice(treasures, *, open="riches-5 riches-6", order=(0, 1, 2), **fields):
    """Round 10, the Dragon is beaten: rank 1 chooses a treasure."""
    return position(
        "dragon",
        hands=["", "", ""],
        round=10,
        step=1,
        phase="treasure",
        turn=order[0],
        order=list(order),
        values=[0, 0, 0],
        treasures=treasures,
        open=open,
        closed="",
        **fields,
    )


def test_case_42_ties_by_the_number_of_treasures():
    # 17, 9, 17 with 4, 2, 2 treasures
    state = last_choice(
        {0: "dragon riches-3 riches-4", 1: "riches-8", 2: "riches-12 legendary-sword"},
        open="riches-5 riches-1",
    )
    act(state, "0 take riches-5")
    assert state.scores() == [17, 9, 17]
    assert state.ranks() == [1, 3, 2]
    assert state.is_terminal()
    assert told(state, "end") == [{"scores": [17, 9, 17], "ranks": [1, 3, 2]}]


def test_case_42_shared_rank():
    # 17, 1, 17 with 3, 1, 3 treasures
    state = last_choice(
        {0: "dragon riches-2", 2: "riches-4 riches-5 riches-8"}, open="riches-10 riches-1"
    )
    act(state, "0 take riches-10")
    assert state.scores() == [17, 1, 17]
    assert state.ranks() == [1, 3, 1]


def test_case_43_merchants_guild():
    state = last_choice(
        {0: "dragon", 1: "twin-star-gemstone"},
        guilds={0: "merchants-guild", 1: "royal-regulars"},
        open="riches-12 riches-1",
    )
    act(state, "0 take riches-12")
    # 5 + 12 + 2 cards; 6 + 1 + 3
    assert state.scores()[:2] == [19, 10]
    state = last_choice(
        {0: "dragon", 1: "twin-star-gemstone"},
        guilds={1: "merchants-guild"},
        open="twin-star-gemstone riches-1",
    )
    act(state, "0 take riches-1")
    # 10 + 10 + 2 cards
    assert state.scores()[:2] == [6, 22]


@pytest.mark.parametrize(
    ("treasures", "vp"),
    [
        ("twin-star-gemstone", 6),
        ("twin-star-gemstone twin-star-gemstone", 20),
        ("crown-of-avarice cursed-idol gloves-of-charisma", 26),
        ("heros-war-banner far-seeking-crystal alluring-scroll", 6),
        ("anima-staff legendary-sword marksmans-bow mysterious-doll", 22),
        ("riches-1 riches-2 riches-3 riches-4 riches-5 riches-6", 21),
        ("riches-7 riches-8 riches-9 riches-12", 36),
    ],
)
def test_victory_points(treasures, vp):
    state = position(hands=["jester", "jester", "jester"], treasures={1: treasures})
    assert state.scores() == [0, vp, 0]
    assert [seat["vp"] for seat in seen(state)["seats"]] == [0, vp, 0]


def test_royal_regulars_are_worth_3():
    state = position(hands=["jester"] * 3, guilds={1: "royal-regulars"})
    assert state.scores() == [0, 3, 0]


def alchemists(treasures, **fields):
    state = last_choice(
        {0: "dragon", **treasures},
        guilds={2: "alchemy-guild"},
        open="riches-5 riches-6",
        **fields,
    )
    return act(state, "0 take riches-5")


def test_case_44_a_gemstone_from_the_deck():
    state = alchemists(
        {2: "riches-2 twin-star-gemstone"}, treasure_deck="twin-star-gemstone riches-9"
    )
    assert (seen(state)["phase"], state.current_players()) == ("alchemy", (2,))
    assert state.legal_actions(2) == ["pass", "transmute riches-2", "transmute twin-star-gemstone"]
    assert state.scores()[2] == 8
    act(state, "2 transmute riches-2")
    assert state.scores()[2] == 20
    assert state.is_terminal()
    assert told(state, "transmute") == [
        {"player": 2, "discarded": "riches-2", "drawn": "twin-star-gemstone"}
    ]
    view = seen(state)
    assert (view["phase"], view["row"], view["deciding"]) == ("end", [], [])
    assert view["treasure_discard"][-1] == "riches-2"
    assert view["treasure_deck"] == 1


def test_alchemy_may_be_declined():
    state = alchemists({2: "riches-2"}, treasure_deck="riches-12")
    act(state, "2 pass")
    assert state.scores()[2] == 2
    assert told(state, "decline") == [{"player": 2, "phase": "alchemy"}]


def test_alchemy_needs_a_treasure_and_a_deck():
    assert alchemists({}, treasure_deck="riches-12").is_terminal()
    assert alchemists({2: "riches-2"}, treasure_deck="").is_terminal()


def test_the_dragon_may_be_transmuted():
    state = last_choice({0: "dragon"}, guilds={0: "alchemy-guild"}, treasure_deck="riches-12")
    act(state, "0 take riches-5")
    assert state.legal_actions(0) == ["pass", "transmute riches-5", "transmute dragon"]
    act(state, "0 transmute dragon")
    assert state.scores()[0] == 17
    assert seen(state)["treasure_discard"][-1] == "dragon"


def test_alchemy_has_no_effect_on_gain():
    state = alchemists({2: "riches-2"}, treasure_deck="alluring-scroll")
    act(state, "2 transmute riches-2")
    assert told(state, "draw") == []
    assert state.is_terminal()


def test_nothing_is_legal_after_the_end():
    state = act(last_choice({0: "dragon"}), "0 take riches-5")
    assert state.current_players() == ()
    assert [state.legal_actions(player) for player in range(3)] == [[], [], []]
    with pytest.raises(IllegalAction, match="the play is over"):
        act(state, "0 pass")


def test_no_recruiting_in_round_10():
    """R7: the game ends with the last treasure."""
    state = act(last_choice({0: "dragon"}, display="knight paladin"), "0 take riches-5")
    assert seen(state)["phase"] == "end"
    assert seen(state)["display"] == ["knight", "paladin"]
    # 0: the Dragon and 5; 1: 6
    assert state.scores() == [10, 6, 0]
