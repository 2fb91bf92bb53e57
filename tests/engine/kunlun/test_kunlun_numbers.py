"""What counts at every moment: section 5 of the rules."""

import pytest

from tests.engine.kunlun.positions import act, may, now, position, seat, seen


@pytest.mark.parametrize(
    ("clan", "hand", "attack"),
    [
        # pair: the step once beside another copy, however many there are
        ("kunlun", "scabbard", 1),
        ("kunlun", "2 scabbard", 4),
        ("kunlun", "3 scabbard", 6),
        # clan: for each other Immortal in hand
        ("kunlun", "blade", 3),
        ("kunlun", "blade, scabbard", 4 + 1),
        ("kunlun", "2 blade, citadel", 2 * 5 + 7),
        ("kontong", "swordplay, 2 alembic, thunders", 5 + 6 + 4 + 3),
        # regalia, without an Artifact placed
        ("kontong", "crucible", 4),
        ("wu", "pyre, flame", 4),
        ("kichen", "drum, beacon, reserve", 9),
    ],
)
def test_attack_of_a_hand(clan, hand, attack):
    assert now(position(hand, clan=clan))["attack_total"] == attack


def test_leadership_by_artifacts_counts_no_miasma():
    state = position("2 crucible", clan="kontong", regalia="tally, mirror, silver-tooth")
    assert now(state)["attack_total"] == 2 * (4 + 2) + 2 - 1


def test_leadership_by_burning():
    state = position("2 flame, 2 pyre", clan="wu")
    act(state, "burn flame", "burn flame")
    assert now(state)["attack_total"] == 2 * (3 + 2 * 2) + 2 * 4
    assert now(state)["burned"] == 2


def test_artifacts_and_miasmas_in_hand_are_not_in_force():
    state = position("pearl, wheels, furnace, standard, silver-tooth, vanishing-truth")
    numbers = now(state)
    assert (numbers["attack_total"], numbers["purity_total"]) == (0, 0)
    assert (numbers["slays_left"], numbers["acquisitions_left"]) == (1, 1)


def test_cards_in_the_regalia_zone_and_the_creature_are_in_force():
    state = position("diligence, thunders", regalia="pearl, silver-tooth", creature="azure-dragon")
    assert (now(state)["attack_total"], now(state)["purity_total"]) == (3 + 2 - 1 + 2, 1 + 1)
    state = position("diligence", regalia="vanishing-truth", creature="black-tortoise")
    assert now(state)["purity_total"] == 1 - 1 + 2


def test_nothing_is_below_0():
    state = position("diligence", regalia="2 silver-tooth, vanishing-truth", lord="supreme-villain")
    assert (now(state)["attack_total"], now(state)["purity_total"]) == (0, 0)
    spent = {"attack_spent": 5, "purity_spent": 5, "slain": 4, "acquired": 3, "from_isles": 2}
    numbers = now(position("diligence, thunders", now=spent))
    for name in ("attack_left", "purity_left", "slays_left", "acquisitions_left", "isles_left"):
        assert numbers[name] == 0


def test_what_is_spent_stays_spent():
    """R4: the points are counted afresh after a card has left the hand."""
    state = position("pure-heart, 2 thunders, enlightenment", zone="plague-crow")
    act(state, "slay plague-crow")
    assert now(state)["attack_left"] == 2
    act(state, "turn pure-heart", "discard thunders")
    assert (now(state)["attack_total"], now(state)["attack_left"]) == (3, 0)


def test_a_leaden_turn_has_exactly_one_attack():
    state = position("2 blades, thunders, leaden-limb", zone="bone-piper, mud-ghoul", phase="start")
    act(state, "proceed")
    assert (now(state)["leaden"], now(state)["slays_left"]) == (True, 1)
    act(state, "slay mud-ghoul")
    assert now(state)["slays_left"] == 0


def test_harvest_counts_once_and_fortune_each_time():
    state = position("2 harvest", regalia="standard", creature="golden-qilin")
    assert now(state)["acquisitions_left"] == 1 + 1 + 1


def test_alchemy_prices():
    """At least 1, whatever the discount."""
    state = position(
        "4 alembic", clan="kontong", tokens=3, artifacts="furnace", now={"alchemy": False}
    )
    act(state, "alchemy", "pick furnace")
    assert may(state, "pay")
    act(state, "pay")
    assert seat(state)["tokens"] == 2


def test_the_discount_does_not_help_the_risk():
    state = position("2 alembic", clan="kontong", tokens=9, artifacts="mirror")
    act(state, "alchemy", "pick mirror")
    # mirror: 4 tokens, so at most 3 are risked
    assert [action for action in ("risk 3", "risk 4") if may(state, action)] == ["risk 3"]


def test_levy_makes_every_acquisition_dearer_but_no_sage_costs_more_tokens():
    state = position("2 enlightenment", lord="jade-regent", tokens=2)
    assert may(state, "acquire citadel")
    act(state, "acquire citadel")
    assert (now(state)["purity_left"], seat(state)["tokens"]) == (0, 0)


@pytest.mark.parametrize(
    ("lord", "zone", "strengths", "whole"),
    [
        ("hungry-ghost-sage", "", [], 6),
        ("hungry-ghost-sage", "grave-imp", [2], 8),
        ("hungry-ghost-sage", "2 grave-imp, mud-ghoul", [3, 3, 3], 15),
        ("hungry-ghost-sage", "banner-fiend, moon-hare", [4, 7], 10),
        ("gate-tyrant", "2 banner-fiend, mud-ghoul", [5, 5, 5], 8 + 15),
        ("drum-marshal", "spider-vanguard, azure-dragon", [4, 6], 5 + 4),
    ],
)
def test_strengths(lord, zone, strengths, whole):
    view = seen(position("diligence", lord=lord, zone=zone))
    assert sorted(enemy["strength"] for enemy in view["zone"]) == sorted(strengths)
    assert view["lord"]["strength"] == whole


def test_strengths_without_a_lord():
    view = seen(position("diligence", lord=None, zone="grave-imp"))
    assert (view["lord"], view["zone"]) == (None, [{"card": "grave-imp", "strength": 2}])
