"""The Action Phase: sections 7 to 9 of the rules, what the cases do not cover."""

import pytest

from tests.engine.kunlun.positions import (
    GAME,
    act,
    cards,
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

# Placing


def test_place_conditions():
    assert not may(position("sword, thunders"), "place sword")
    assert not may(position("sword, scabbard"), "place sword")
    assert may(position("sword, blade"), "place sword")
    assert may(position("sword, citadel"), "place sword")
    assert not may(position("profane-seal", regalia="profane-seal"), "place profane-seal")


def test_a_miasma_in_the_zone_makes_no_room():
    state = position("pearl", regalia="2 silver-tooth, mirror")
    act(state, "place pearl")
    assert legal(state) == ["displace mirror-of-still-water"]
    since = len(state.events)
    act(state, "displace mirror")
    assert [event["kind"] for event in state.events[since:]] == ["action", "displace", "place"]
    assert seat(state)["regalia"] == cards("pearl, 2 silver-tooth")


def test_a_second_copy_stays_in_hand():
    state = position("2 profane-seal")
    act(state, "place profane-seal")
    assert seat(state)["hand"] == ["profane-seal"]
    assert legal(state, "place") == []


# Turning


def test_each_copy_turns_once():
    state = position("2 stride", ready="6 diligence")
    act(state, "turn stride", "turn stride")
    assert now(state)["turned"] == {"cloud-stride-incantation": 2}
    assert seat(state)["hand"] == cards("4 diligence, 2 stride")
    assert not may(state, "turn stride")


def test_a_drawn_copy_is_unturned():
    state = position("stride", ready="stride, diligence")
    act(state, "turn stride")
    assert now(state)["turned"] == {"cloud-stride-incantation": 1}
    assert not may(state, "turn stride")  # nothing is left to draw
    state = position("stride", ready="stride, 2 diligence")
    act(state, "turn stride")
    assert may(state, "turn stride")


def test_drawing_needs_cards():
    assert not may(position("stride"), "turn stride")
    assert may(position("stride", waiting="diligence"), "turn stride")
    assert not may(position("drum", clan="kichen"), "turn drum")
    assert not may(position("diligence", regalia="talisman"), "use talisman")


def test_drawing_with_a_reshuffle_is_one_drawing():
    state = position("stride", ready="diligence", waiting="2 thunders")
    act(state, "turn stride")
    assert [event["kind"] for event in state.events] == ["action", "shuffle", "draw", "cards"]
    assert told(state, "shuffle") == [{"player": 0, "count": 2}]
    assert told(state, "draw") == [{"player": 0, "count": 2}]
    assert told(state, "cards") == [{"player": 0, "cards": cards("diligence, thunders")}]
    assert all(event["visible_to"] is None for event in state.events)
    assert seat(state)["ready"] == ["five-thunders-incantation"]


def test_drawn_miasmas_work_in_table_order():
    state = position("stride", ready="fever-blood, corpse-breath")
    act(state, "turn stride")
    assert [event["card"] for event in told(state, "miasma")] == [
        *("corpse-breath-miasma", "fever-blood-miasma"),
    ]
    bonuses = state.to_dict()["now"]
    assert (bonuses["attack_bonus"], bonuses["purity_bonus"]) == (-3 + 2, -1)


def test_muster_keeps_an_immortal():
    state = position("drum", clan="kichen", ready="beacon", waiting="3 diligence")
    act(state, "turn drum")
    assert seat(state)["hand"] == cards("drum, beacon")
    assert told(state, "muster") == [{"player": 0, "card": "master-of-the-beacon", "kept": True}]
    assert now(state)["attack_total"] == 4


def test_muster_reshuffles():
    state = position("drum", clan="kichen", waiting="2 diligence")
    act(state, "turn drum")
    assert [event["kind"] for event in state.events] == ["action", "shuffle", "muster"]
    assert (seat(state)["waiting"], seat(state)["ready"]) == (["diligence"], ["diligence"])


def test_calling_an_immortal():
    state = position("reserve", clan="kichen", ready="diligence, drum, beacon, thunders")
    act(state, "turn reserve")
    assert seen(state)["pending"] == {"kind": "call"}
    assert legal(state) == ["call master-of-the-beacon", "call disciple-of-the-drum"]
    drawn = state.to_dict()["drawn"].get("ready-0", 0)
    act(state, "call beacon")
    assert seat(state)["hand"] == cards("beacon, reserve")
    assert sorted(seat(state)["ready"]) == sorted(cards("diligence, drum, thunders"))
    assert state.to_dict()["drawn"]["ready-0"] == drawn + 2
    assert [event["kind"] for event in state.events] == ["action", "action", "call"]
    assert not may(position("reserve", clan="kichen", ready="diligence"), "turn reserve")


def test_purging_needs_another_card():
    assert not may(position("pure-heart, tally"), "turn pure-heart")
    assert may(position("pure-heart, corpse-breath"), "turn pure-heart")


def test_shedding_needs_an_unturned_copy():
    state = position("2 pure-heart, 3 diligence")
    act(state, "turn pure-heart", "discard diligence")
    assert may(state, "shed pure-heart")
    act(state, "shed pure-heart", "discard diligence", "discard pure-heart")
    # The unturned copy was shed, the turned one was discarded.
    assert seat(state)["hand"] == ["diligence"]
    assert now(state)["turned"] == {}


def test_sealing_offers_hand_and_zone():
    state = position(
        "corpse-breath, gnawing-doubt", regalia="silver-tooth, vanishing-truth, profane-seal"
    )
    act(state, "turn profane-seal")
    assert legal(state) == [
        *("discard corpse-breath-miasma", "discard gnawing-doubt-miasma"),
        "chisel silver-tooth-miasma",
    ]
    assert now(state)["used"] == ["profane-seal"]


# Using


def test_use_goes_by_name_once_a_turn():
    """R13: a reshuffle cannot bring the Artifact back for a second use."""
    state = position("stride", regalia="bell")
    act(state, "use bell", "turn stride", "place bell")
    assert seat(state)["regalia"] == ["six-demon-bell"]
    assert not may(state, "use bell")
    assert now(state)["attack_total"] == 6


def test_a_talisman_draws_before_it_leaves():
    state = position(
        "diligence", regalia="talisman, mirror, tally", ready="silver-tooth, diligence"
    )
    act(state, "use talisman")
    kinds = [event["kind"] for event in state.events]
    assert kinds == ["action", "draw", "cards", "use", "miasma"]
    # Its slot is free when the Miasma settles.
    assert seat(state)["regalia"] == cards("mirror, tally, silver-tooth")
    assert seat(state)["waiting"] == ["talisman-of-expedition"]


# Attacks


@pytest.mark.parametrize(
    ("hand", "clan", "enemy", "legal_"),
    [
        ("5 thunders, diligence", "kunlun", "blood-monk", False),
        ("5 thunders, diligence, contemplation", "kunlun", "blood-monk", True),
        ("5 thunders, scabbard", "kunlun", "demon-smith", False),
        ("5 thunders, scabbard, blade", "kunlun", "demon-smith", True),
        ("5 thunders, scabbard", "kunlun", "thousand-eyes", False),
        ("5 thunders, beacon", "kichen", "thousand-eyes", True),
        ("5 thunders, reserve", "kichen", "thousand-eyes", True),
    ],
)
def test_conditions(hand, clan, enemy, legal_):
    assert may(position(hand, clan=clan, zone=enemy), f"slay {enemy}") == legal_


def test_strength_must_not_exceed_the_attack_left():
    assert may(position("thunders", zone="mud-ghoul"), "slay mud-ghoul")
    assert not may(position("thunders", zone="plague-crow"), "slay plague-crow")


def test_guardians_protect_lord_and_creatures_from_the_first_attack_only():
    state = position("5 thunders, blades", zone="mud-ghoul, golden-qilin", lord="drum-marshal")
    assert legal(state, "slay") == ["slay mud-ghoul"]
    act(state, "slay mud-ghoul")
    assert legal(state, "slay") == ["slay drum-marshal", "slay golden-qilin"]


def test_the_veil_ignores_guardian_and_shadow_but_no_condition():
    state = position("5 thunders, veil", lord="veiled-empress", zone="mud-ghoul, thousand-eyes")
    act(state, "turn veil")
    # 9 + 3 + 7 = 19 is more than 16
    assert legal(state, "slay") == ["slay mud-ghoul"]


def test_horde_gets_weaker_as_it_falls():
    state = position("2 thunders, 2 blades", zone="3 grave-imp")
    act(state, "slay grave-imp", "slay grave-imp")
    assert [event["strength"] for event in told(state, "slay")] == [4, 3]
    assert now(state)["attack_left"] == 8 - 7


def test_dim():
    state = position("enlightenment, thunders", zone="lantern-wraith")
    act(state, "slay lantern-wraith")
    assert now(state)["purity_total"] == 1


def test_envy_in_turn_order_from_the_next_seat():
    state = position(
        "2 thunders",
        zone="fox-enchantress",
        turn=1,
        others=({"tokens": 1}, {"tokens": 2}, {"tokens": 0}),
    )
    act(state, "slay fox-enchantress")
    assert told(state, "lose") == [{"player": 2, "amount": 1}, {"player": 0, "amount": 1}]
    assert tokens(state) == [0, 2, 1, 0]


def test_pestilence():
    state = position(
        "5 thunders",
        lord="plague-abbot",
        turn=1,
        miasmas="corpse-breath, fever-blood",
        others=({}, {"regalia": "gourd"}, {}),
    )
    act(state, "slay plague-abbot")
    assert told(state, "infect") == [
        {"player": 3, "card": "corpse-breath-miasma"},
        {"player": 0, "card": "fever-blood-miasma"},
    ]
    assert [event["kind"] for event in state.events] == [
        *("action", "slay", "sweep", "infect", "infect"),
    ]


def test_the_gourd_keeps_miasmas_away():
    state = position("2 thunders", regalia="gourd", zone="plague-crow")
    act(state, "slay plague-crow")
    assert (seat(state)["waiting"], told(state, "infect")) == ([], [])
    in_hand = act(position("2 thunders, gourd", zone="plague-crow"), "slay plague-crow")
    assert len(seat(in_hand)["waiting"]) == 1


def no_miasmas(**fields):
    """All Miasmas lie in the Abyss."""
    everything = "3 corpse-breath, 2 silver-tooth, vanishing-truth, gnawing-doubt, leaden-limb"
    return position(abyss=f"{everything}, greedy-whisper, fever-blood", **fields)


def test_an_empty_miasma_deck_infects_nobody():
    state = no_miasmas(hand="2 thunders", zone="plague-crow")
    act(state, "slay plague-crow")
    assert told(state, "infect") == []
    state = no_miasmas(hand="3 thunders", zone="corpse-puppeteer")
    act(state, "slay corpse-puppeteer")
    assert seen(state)["pending"] is None
    assert sum(seen(state)["abyss"].values()) == 10


def test_nobody_can_be_infected():
    state = position("3 thunders", zone="corpse-puppeteer", others=({"regalia": "gourd"},))
    act(state, "slay corpse-puppeteer")
    assert seen(state)["pending"] is None


def test_only_one_enemy_of_several_alike_falls():
    state = position("thunders", zone="2 mud-ghoul")
    act(state, "slay mud-ghoul")
    assert [enemy["card"] for enemy in seen(state)["zone"]] == ["mud-ghoul"]


def test_creatures():
    state = position("4 thunders, blades", zone="white-tiger, golden-qilin")
    act(state, "slay golden-qilin")
    assert told(state, "slay") == [
        {"player": 0, "card": "golden-qilin", "strength": 5, "reward": 0}
    ]
    assert told(state, "creature") == [{"player": 0, "joins": "golden-qilin", "leaves": None}]
    act(state, "slay white-tiger")
    assert now(state)["slays_left"] == 0  # the Tiger is not in force yet
    assert now(state)["acquisitions_left"] == 2
    act(state, "replace creature")
    assert told(state, "creature")[1] == {
        "player": 0,
        "joins": "white-tiger",
        "leaves": "golden-qilin",
    }
    assert (now(state)["slays_left"], now(state)["acquisitions_left"]) == (1, 1)
    assert seen(state)["gone"] == {"golden-qilin": 1}


def test_keeping_the_creature():
    state = position("3 thunders", creature="azure-dragon", zone="golden-qilin")
    act(state, "slay golden-qilin", "keep creature")
    assert told(state, "creature") == [
        {"player": 0, "joins": "azure-dragon", "leaves": "golden-qilin"}
    ]


def test_the_lords_own_effects_work():
    """R16: of the swept cards only the rewards count, but the Lord's Miasma infects."""
    state = position(
        "5 thunders, blades",
        zone="fox-enchantress, night-rider",
        others=({"tokens": 2},),
        now={"attack_bonus": 10},
        miasmas="fever-blood",
    )
    act(state, "slay hungry-ghost-sage")
    assert tokens(state) == [5 + 2 + 5, 2]
    assert now(state)["hand_delta"] == 0
    assert seat(state)["waiting"] == ["fever-blood-miasma"]


# Acquisitions


def test_the_list_and_the_isles():
    state = position("enlightenment, contemplation", clan="wu", tokens=1)
    assert legal(state, "acquire") == [
        *("acquire master-of-the-pyre", "acquire contemplation", "acquire disciple-of-the-flame"),
        *("acquire pure-heart", "acquire golden-harvest-incantation"),
        *("acquire five-thunders-incantation", "acquire whirling-blades-incantation"),
        *("acquire cloud-stride-incantation", "acquire parted-veil-incantation"),
        "acquire diligence",
    ]


def test_an_empty_stack():
    state = position("enlightenment", waiting="4 pure-heart")
    assert not may(state, "acquire pure-heart")
    state = position("enlightenment", waiting="6 scabbard")
    assert not may(state, "acquire scabbard")


def test_a_twin_after_another_card():
    """The first twin needs an acquisition like any card, the second none."""
    state = position("3 enlightenment, harvest")
    act(state, "acquire diligence", "acquire scabbard")
    assert now(state)["acquisitions_left"] == 0
    assert legal(state, "acquire") == ["acquire disciple-of-the-scabbard"]
    act(state, "acquire scabbard")
    assert (now(state)["acquired"], now(state)["twins"]) == (2, 2)
    state = position("2 enlightenment")
    act(state, "acquire diligence")
    assert legal(state, "acquire") == []


def test_the_second_twin_costs_its_purity():
    state = position("enlightenment")
    act(state, "acquire scabbard")
    assert legal(state, "acquire") == []


# Alchemy


def test_alchemy_once_a_turn_with_a_token_and_a_deck():
    assert not may(position("diligence"), "alchemy")
    assert not may(position("diligence", tokens=1, now={"alchemy": True}), "alchemy")
    everything = (
        "2 profane-seal, 2 standard, flag, bell, talisman, pearl, sword, wheels, mirror, gourd,"
        " furnace, tally"
    )
    assert not may(position("diligence", tokens=1, waiting=everything), "alchemy")


def test_alchemy_with_two_cards_left():
    rest = "2 profane-seal, 2 standard, flag, bell, talisman, pearl, sword, wheels, mirror, gourd"
    state = position("diligence", tokens=3, waiting=rest)
    act(state, "alchemy")
    assert legal(state) == ["pick cinnabar-furnace", "pick tiger-tally"]
    act(state, "pick furnace")
    assert seen(state)["pending"] == {
        "kind": "price",
        "cards": cards("furnace, tally"),
        "card": "cinnabar-furnace",
    }
    act(state, "pay")
    assert seen(state)["decks"]["artifacts"] == {"tiger-tally": 1}
    assert now(state)["alchemy_left"] == 0


def test_alchemy_lays_open_and_shuffles_back():
    state = position("diligence", tokens=3, artifacts="profane-seal, profane-seal, furnace")
    act(state, "alchemy")
    assert told(state, "alchemy") == [{"player": 0, "cards": cards("2 profane-seal, furnace")}]
    assert legal(state) == ["pick profane-seal", "pick cinnabar-furnace"]
    assert "profane-seal" not in seen(state)["decks"]["artifacts"]
    act(state, "pick profane-seal")
    lost = roll(state, 3, die=1)
    assert seen(lost)["decks"]["artifacts"]["profane-seal"] == 2
    assert lost.to_dict()["drawn"] == {"die": 1, "artifacts": 13}
    gained = roll(state, 3, die=2)
    assert seen(gained)["decks"]["artifacts"]["profane-seal"] == 1
    assert gained.to_dict()["drawn"] == {"die": 1, "artifacts": 12}
    assert sorted(gained.to_dict()["artifacts"]) != gained.to_dict()["artifacts"]


def test_the_price_can_be_paid_or_any_smaller_stake_risked():
    state = position("diligence", tokens=9, artifacts="furnace")
    act(state, "alchemy", "pick furnace")
    assert legal(state) == ["pay", "risk 1", "risk 2"]


def test_the_furnace_helps_the_roll_in_the_zone():
    state = position("diligence", regalia="furnace", tokens=1, artifacts="mirror")
    act(state, "alchemy", "pick mirror")
    assert told(roll(state, 1, die=2), "roll")[0] == {
        "player": 0,
        "card": "mirror-of-still-water",
        "stake": 1,
        "die": 2,
        "bonus": 1,
        "gained": True,
    }
    assert not told(roll(state, 1, die=1), "roll")[0]["gained"]


# Miasmas


def test_all_miasmas_of_a_hand_work_in_table_order():
    hand = "2 corpse-breath, gnawing-doubt, leaden-limb, greedy-whisper, fever-blood"
    state = position(hand, tokens=3, phase="start")
    act(state, "proceed")
    assert [event["card"] for event in told(state, "miasma")] == cards(hand)
    assert {event["result"] for event in told(state, "miasma")} == {"works"}
    fields = state.to_dict()["now"]
    assert (fields["attack_bonus"], fields["purity_bonus"]) == (-6 + 2, -2 - 1)
    assert (fields["leaden"], tokens(state)[0]) == (True, 2)
    assert seat(state)["hand"] == cards(hand)
    kinds = [event["kind"] for event in state.events]
    assert kinds[-3:] == ["miasma", "lose", "miasma"]


def test_greedy_whisper_takes_no_more_than_there_is():
    state = act(position("greedy-whisper", phase="start"), "proceed")
    assert (told(state, "lose"), tokens(state)[0]) == ([], 0)


def test_settling():
    state = position("silver-tooth, vanishing-truth", phase="start")
    act(state, "proceed")
    assert seat(state)["regalia"] == cards("silver-tooth, vanishing-truth")
    assert seat(state)["hand"] == []


def test_a_zone_full_of_miasmas_takes_no_more():
    """The printed cards are too few for it, but only the total of a group is fixed."""
    d = position("silver-tooth", regalia="silver-tooth, vanishing-truth", phase="start").to_dict()
    d["miasmas"].remove("corpse-breath-miasma")
    d["seats"][0]["regalia"].append("silver-tooth-miasma")
    state = act(GAME.state_from_dict(d), "proceed")
    assert told(state, "miasma") == [{"player": 0, "card": "silver-tooth-miasma", "result": "idle"}]
    assert seat(state)["hand"] == ["silver-tooth-miasma"]


def test_two_miasmas_that_displace():
    state = position("silver-tooth, vanishing-truth", regalia="tally, mirror, pearl", phase="start")
    act(state, "proceed", "displace tally")
    assert told(state, "miasma") == [
        {"player": 0, "card": "silver-tooth-miasma", "result": "settles"}
    ]
    assert legal(state) == [
        "displace pearl-of-ten-thousand-years",
        "displace mirror-of-still-water",
    ]
    act(state, "displace mirror")
    assert seat(state)["regalia"] == cards("pearl, silver-tooth, vanishing-truth")
    assert seat(state)["waiting"] == cards("tally, mirror")
    assert seen(state)["phase"] == "action"
    assert [event["kind"] for event in state.events] == [
        *("action", "action", "displace", "miasma", "action", "displace", "miasma"),
    ]
