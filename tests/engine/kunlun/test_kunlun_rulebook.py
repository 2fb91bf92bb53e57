"""The answers to the rulebook's 21 questions, one test each, as sections 3 to 15 apply them."""

import pytest

from tests.engine.kunlun.positions import (
    GAME,
    SEED,
    act,
    cards,
    full,
    legal,
    may,
    now,
    position,
    roll,
    seat,
    seen,
    tokens,
    told,
)


def test_question_1_what_each_resource_is_for():
    """Purity acquires, Attack slays, Development takes Artifacts (and Sages, R32) and counts."""
    state = position("enlightenment, 2 thunders", tokens=3, zone="grave-imp", artifacts="furnace")
    act(state, "acquire contemplation", "slay grave-imp", "alchemy", "pick furnace", "pay")
    fields = state.to_dict()["now"]
    assert (fields["purity_spent"], fields["attack_spent"]) == (3, 2)
    assert tokens(state)[0] == 3 + 1 - 3
    assert state.scores()[0] == 1 + 3
    sage = position("enlightenment, contemplation", tokens=2)
    act(sage, "acquire citadel")
    assert (tokens(sage)[0], sage.scores()[0]) == (0, 0)
    assert not may(position("enlightenment, contemplation", tokens=1), "acquire citadel")


def test_question_2_acquisitions():
    assert now(position("2 enlightenment"))["acquisitions_left"] == 1
    state = position("harvest, contemplation, enlightenment", clan="wu")
    assert now(state)["acquisitions_left"] == 2
    act(state, "acquire flame", "acquire contemplation")
    assert (now(state)["purity_left"], now(state)["acquisitions_left"]) == (0, 0)


def test_question_3_attacks():
    """One, and one more for each card with Frenzy in hand or in the Regalia zone."""
    assert now(position("thunders"))["slays_left"] == 1
    assert now(position("thunders, 2 blades"))["slays_left"] == 3
    assert now(position("citadel, blades", regalia="wheels"))["slays_left"] == 4
    assert now(position("wheels"))["slays_left"] == 1


def test_question_4_servants_lords_and_creatures():
    state = GAME.new_initial_state(3, SEED)
    assert len(seen(state)["zone"]) == 8
    state = position("5 thunders, 4 blades", zone="white-tiger, moon-hare, grave-imp")
    assert seen(state)["lord"]["strength"] == 6 + 2
    act(state, "slay white-tiger")
    assert (tokens(state)[0], seat(state)["trophies"]) == (0, [])
    assert seat(state)["creature"] == "white-tiger"
    assert now(state)["slays_left"] == 5 - 1 + 1
    act(state, "slay hungry-ghost-sage")
    assert seen(state)["gone"] == {"moon-hare": 1}


@pytest.mark.parametrize(
    ("card", "home"),
    [
        ("diligence", "isles"),
        ("pure-heart", "isles"),
        ("scabbard", "list"),
        ("corpse-breath", "abyss"),
    ],
)
def test_question_5_a_discarded_card_goes_home(card, home):
    state = position(f"{card}, thunders, tally", phase="start")
    before = state.to_dict()
    act(state, "abstain", f"discard {card}")
    name = full(f"discard {card}").split()[1]
    assert told(state, "discard") == [{"player": 0, "card": name, "to": home}]
    after = state.to_dict()
    assert name not in after["seats"][0]["waiting"]
    if home == "abyss":
        assert after["abyss"] == [name]
    else:
        there = [d["isles"] if home == "isles" else d["seats"][0]["list"] for d in (before, after)]
        assert there[1][name] == there[0][name] + 1


def test_question_6_four_ways_to_discard():
    abstaining = position("diligence, thunders", phase="start")
    assert may(abstaining, "abstain")
    act(abstaining, "abstain", "discard diligence")
    assert len(told(abstaining, "discard")) == 1

    turned = position("pure-heart, 2 diligence")
    act(turned, "turn pure-heart", "discard diligence")
    assert seen(turned)["pending"] is None

    shed = position("pure-heart, 3 diligence")
    act(shed, "shed pure-heart", "discard diligence", "discard diligence")
    assert seat(shed)["hand"] == ["diligence"]
    assert seen(shed)["pending"] is None

    forced = position("thunders, diligence", zone="spider-vanguard")
    act(forced, "slay spider-vanguard", "discard diligence")
    assert seat(forced)["hand"] == cards("thunders")


def test_question_7_a_new_card_goes_to_the_waiting_deck():
    state = position("enlightenment, thunders", tokens=4, artifacts="mirror", zone="plague-crow")
    act(state, "acquire contemplation", "alchemy", "pick mirror", "pay")
    assert seat(state)["waiting"] == cards("contemplation, mirror")
    assert seat(state)["hand"] == cards("enlightenment, thunders")
    assert now(state)["purity_total"] == 3


def test_question_7_but_it_may_be_drawn_in_the_same_turn():
    """R38: after a reshuffle it went through the Waiting deck."""
    state = position("stride, enlightenment", clan="kunlun")
    act(state, "acquire contemplation", "turn stride")
    assert seat(state)["hand"] == cards("enlightenment, contemplation, stride")


def test_question_8_the_ready_deck_runs_out():
    state = position("diligence, scabbard", ready="2 contemplation", waiting="3 thunders")
    act(state, "end turn")
    after = seat(state, 0)
    assert [event["kind"] for event in state.events[:4]] == ["action", "shuffle", "draw", "cards"]
    assert after["hand"].count("contemplation") == 2
    assert (len(after["hand"]), len(after["ready"]), after["waiting"]) == (5, 2, [])


def test_question_9_the_hand_goes_to_the_waiting_deck():
    state = position("2 thunders, tally", ready="6 diligence")
    act(state, "end turn")
    assert seat(state, 0)["waiting"] == cards("2 thunders, tally")
    assert [hand is not None for hand in (s["hand"] for s in seen(state)["seats"])] == [False, True]


def test_question_10_an_artifact_works_at_once():
    state = position("bell, mirror, thunders")
    act(state, "place bell", "place mirror", "use bell")
    assert (now(state)["attack_total"], now(state)["purity_total"]) == (3 + 6, 1)


def test_question_11_who_slays_the_infected_takes_a_miasma():
    for enemy in ("plague-crow", "miasma-master", "hungry-ghost-sage"):
        zone = "" if enemy == "hungry-ghost-sage" else enemy
        state = position("3 thunders", zone=zone, miasmas="fever-blood")
        act(state, f"slay {enemy}")
        assert seat(state)["waiting"] == ["fever-blood-miasma"]
    clean = act(position("3 thunders", zone="mud-ghoul"), "slay mud-ghoul")
    assert seat(clean)["waiting"] == []


def test_question_12_a_miasma_waits_until_it_is_drawn():
    state = position("2 thunders", zone="plague-crow", miasmas="corpse-breath")
    act(state, "slay plague-crow")
    assert now(state)["attack_total"] == 6
    act(state, "end turn", "proceed", "end turn")
    assert "corpse-breath-miasma" in seat(state, 0)["hand"]
    assert now(state)["attack_total"] == 6
    act(state, "proceed")
    assert now(state)["attack_total"] == 3


def test_question_13_a_miasma_is_discarded_like_any_card():
    spell = position("pure-heart, gnawing-doubt")
    act(spell, "turn pure-heart", "discard gnawing-doubt")
    assert seen(spell)["abyss"] == {"gnawing-doubt-miasma": 1}
    forced = position("2 thunders, gnawing-doubt", zone="spider-vanguard")
    act(forced, "slay spider-vanguard", "discard gnawing-doubt")
    assert seen(forced)["abyss"] == {"gnawing-doubt-miasma": 1}
    seal = position("gnawing-doubt", regalia="profane-seal")
    act(seal, "turn profane-seal", "discard gnawing-doubt")
    assert seen(seal)["abyss"] == {"gnawing-doubt-miasma": 1}


def test_question_14_the_flame_only_at_will():
    state = position("flame, diligence, tally, thunders", clan="wu", zone="spider-vanguard")
    act(state, "slay spider-vanguard")
    assert legal(state) == ["discard diligence", "discard five-thunders-incantation"]
    act(state, "discard diligence")
    before = now(state)["attack_total"]
    act(state, "burn flame")
    assert now(state)["attack_total"] == before + 3
    # Abstaining and Pure Heart are one's own will, then without the bonus (R9).
    abstaining = act(position("flame", clan="wu", phase="start"), "abstain")
    assert legal(abstaining) == ["discard disciple-of-the-flame"]
    spell = act(position("pure-heart, flame", clan="wu"), "turn pure-heart", "discard flame")
    assert now(spell)["attack_total"] == 0


def test_question_15_three_artifacts_are_used_up():
    state = position("diligence", regalia="flag, bell, talisman", ready="2 contemplation")
    assert legal(state, "use") == [
        "use heart-sutra-flag",
        "use six-demon-bell",
        "use talisman-of-expedition",
    ]
    act(state, "use flag", "use bell", "use talisman")
    assert seat(state)["waiting"] == cards("flag, bell, talisman")
    assert seat(state)["regalia"] == []
    assert now(state)["purity_total"] == 1 + 4 + 2 + 2
    others = "standard, pearl, sword, wheels, mirror, gourd, furnace, tally, profane-seal"
    for name in cards(others):
        assert legal(position("diligence", regalia=name), "use") == []


def test_question_16_silver_tooth_in_the_regalia_zone():
    state = position("pure-heart, diligence, scabbard", regalia="silver-tooth, profane-seal")
    act(state, "turn pure-heart")
    assert "discard silver-tooth-miasma" not in legal(state)
    act(state, "discard scabbard", "turn profane-seal", "chisel silver-tooth")
    assert seat(state)["regalia"] == ["profane-seal"]
    assert told(state, "discard")[-1] == {"player": 0, "card": "silver-tooth-miasma", "to": "abyss"}


def test_question_17_vanishing_truth_stays():
    state = position("diligence", regalia="silver-tooth, vanishing-truth, profane-seal")
    act(state, "turn profane-seal")
    assert legal(state) == ["chisel silver-tooth-miasma"]
    # In hand it is a Miasma like any other.
    hand = act(position("vanishing-truth", regalia="profane-seal"), "turn profane-seal")
    assert legal(hand) == ["discard vanishing-truth-miasma"]


def test_question_18_no_attack_on_the_next_wave():
    state = position("5 thunders, 4 blades", zone="grave-imp")
    act(state, "slay hungry-ghost-sage")
    assert now(state)["slays_left"] == 4
    assert (seen(state)["zone"], seen(state)["lord"]) == ([], None)
    assert legal(state, "slay") == []
    act(state, "end turn")
    assert len(seen(state)["zone"]) == 8
    assert state.current_players() == (1,)


def test_question_19_one_scabbard_or_two():
    state = position("2 enlightenment, harvest")
    act(state, "acquire scabbard", "acquire scabbard")
    assert not may(state, "acquire scabbard")
    assert now(state)["acquired"] == 1
    other = position("2 enlightenment, harvest", clan="wu")
    act(other, "acquire flame", "acquire flame")
    assert now(other)["acquisitions_left"] == 0


def test_question_20_a_6_counts_7():
    state = position("swordplay", clan="kontong", tokens=1, artifacts="pearl")
    act(state, "alchemy", "pick pearl")
    assert told(roll(state, 1, die=6), "roll")[0]["gained"]
    without = position("crucible", clan="kontong", tokens=1, artifacts="pearl")
    act(without, "alchemy", "pick pearl")
    assert not told(roll(without, 1, die=6), "roll")[0]["gained"]


def test_question_21_no_more_than_two_from_the_isles():
    assert now(position("harvest", regalia="standard"))["acquisitions_left"] == 2
    state = position("harvest, 2 enlightenment", creature="golden-qilin", regalia="standard")
    assert now(state)["acquisitions_left"] == 3
    act(state, "acquire diligence", "acquire pure-heart")
    assert now(state)["isles_left"] == 0
    assert {action.split()[1] for action in legal(state, "acquire")} <= set(seat(state)["list"])
    assert may(state, "acquire scabbard")
