"""Dealing anew what a player cannot know: section 11 of the rules, the steps done by hand."""

from engine.chance import Chance
from tests.engine.deca_slayer.positions import (
    GAME,
    MONSTERS,
    TREASURES,
    act,
    in_order,
    position,
    seen,
)

SEED = "ab" * 32


def test_heroes_of_the_others_mix_with_the_deck():
    state = position(
        "hydra",
        hands=["wizard priest", "sorcerer jester knight", "cleric bard"],
        known={1: "paladin"},
    )
    before = state.to_dict()
    after = state.resample(0, SEED).to_dict()
    pool = in_order(["sorcerer", "jester", "knight", "cleric", "bard", *before["hero_deck"]])
    Chance(SEED).shuffle("resample-heroes", pool)
    expected = [in_order(pool.pop() for _ in range(3)), in_order(pool.pop() for _ in range(2))]
    assert [seat["hidden"] for seat in after["seats"]] == [
        before["seats"][0]["hidden"],
        [expected[0]],
        [expected[1]],
    ]
    assert after["hero_deck"] == pool
    assert after["seats"][1]["known"] == ["paladin"]


def test_cards_drawn_before_a_reshuffle_stay_among_themselves():
    set_up = position("hydra", hands=["wizard", "sorcerer jester knight", "cleric bard"]).to_dict()
    set_up["shuffles"] = 1
    hidden = [[["wizard"], []], [["knight"], ["sorcerer", "jester"]], [["cleric", "bard"], []]]
    for seat, lists in zip(set_up["seats"], hidden, strict=True):
        seat["hidden"] = lists
    after = GAME.state_from_dict(set_up).resample(0, SEED).to_dict()

    chance = Chance(SEED)
    old = ["knight", "cleric", "bard"]
    chance.shuffle("resample-heroes", old)
    new = in_order(["sorcerer", "jester", *set_up["hero_deck"]])
    chance.shuffle("resample-heroes", new)  # the same stream goes on
    assert after["seats"][1]["hidden"] == [[old.pop()], in_order([new.pop(), new.pop()])]
    assert after["seats"][2]["hidden"] == [in_order([old.pop(), old.pop()]), []]
    assert after["hero_deck"] == new
    assert after["chance"]["resample-heroes"] == 2 + len(new) + 2 - 1


def test_monsters_to_come_mix_with_the_removed_ones():
    state = position("hydra", hands=["wizard", "jester", "cleric"])
    before, after = state.to_dict(), state.resample(None, SEED).to_dict()
    pool = sorted([*before["monster_deck"][1:], *before["monsters_removed"]], key=MONSTERS.index)
    Chance(SEED).shuffle("resample-monsters", pool)
    assert after["monsters_removed"] == sorted(pool[:6], key=MONSTERS.index)
    assert after["monster_deck"] == ["dragon", *pool[6:]]


def test_without_a_monster_deck_the_removed_ones_stay():
    state = position("hydra", hands=["wizard", "jester", "cleric"], round=8)
    after = state.resample(0, SEED).to_dict()
    assert after["monsters_removed"] == state.to_dict()["monsters_removed"]
    assert "resample-monsters" not in after["chance"]


def test_treasures_not_seen_mix_with_the_deck():
    set_up = position(
        "hydra", hands=["wizard", "jester", "cleric"], closed="riches-5 riches-6"
    ).to_dict()
    set_up["row"][1]["seen_by"] = [0]
    state = GAME.state_from_dict(set_up)
    order = list(dict.fromkeys(TREASURES)).index

    after = state.resample(0, SEED).to_dict()
    pool = sorted(["riches-6", *set_up["treasure_deck"]], key=order)
    Chance(SEED).shuffle("resample-treasures", pool)
    assert [entry["closed"] for entry in after["row"]] == [None, "riches-5", pool.pop()]
    assert after["treasure_deck"] == pool

    after = state.resample(1, SEED).to_dict()
    pool = sorted(["riches-5", "riches-6", *set_up["treasure_deck"]], key=order)
    Chance(SEED).shuffle("resample-treasures", pool)
    assert [entry["closed"] for entry in after["row"]] == [None, pool.pop(), pool.pop()]
    assert [entry["seen_by"] for entry in after["row"]] == [[], [0], []]


def test_answers_of_the_others_are_forgotten():
    state = position("vampire", hands=["wizard priest", "jester bard", "cleric bard"])
    act(state, "0 play wizard", "1 play jester")
    own = state.resample(0, SEED)
    assert own.current_players() == (1, 2)
    assert seen(own, 0) == seen(state, 0)
    assert state.resample(None, SEED).current_players() == (0, 1, 2)


def test_seed_chance_and_events():
    state = GAME.new_initial_state(3, "00" * 32, {"guilds": True})
    after = state.resample(1, SEED)
    position_ = after.to_dict()
    assert position_["seed"] == SEED
    assert set(position_["chance"]) == {
        "resample-heroes",
        "resample-monsters",
        "resample-treasures",
    }
    assert after.events == [e for e in state.events if e["visible_to"] in (None, [1])]
    assert all(e["visible_to"] is None for e in state.resample(None, SEED).events)
    assert after.resample(0, SEED).to_dict()["seats"][0] == position_["seats"][0]


def test_who_added_a_princess_is_dealt_a_hero_that_can_take_her():
    state = position("golem", hands=["princess knight", "scout", "archer"], princesses=1)
    act(state, "0 add princess")
    for number in range(40):
        seen_anew = state.resample(1, f"{number:064x}")
        assert seen_anew.legal_actions(0), number
        assert GAME.state_from_dict(seen_anew.to_dict()).legal_actions(0)
