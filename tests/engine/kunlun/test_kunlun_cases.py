"""The rule cases: section 17 of the rules, with their numbers and values."""

import pytest

from tests.engine.kunlun.positions import (
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


def test_case_1():
    state = position("harvest, contemplation, enlightenment", clan="wu")
    assert now(state)["purity_total"] == 6
    act(state, "acquire flame")
    assert may(state, "acquire contemplation")
    act(state, "acquire contemplation")
    assert now(state)["purity_left"] == 0
    assert legal(state, "acquire") == []


def test_case_2():
    state = position("2 enlightenment", clan="wu")
    act(state, "acquire flame")
    assert now(state)["purity_left"] == 3
    assert legal(state, "acquire") == []


def test_case_3():
    state = position(
        "3 thunders, blades", regalia="wheels", zone="grave-imp, 2 lantern-wraith, plague-crow"
    )
    assert now(state)["slays_left"] == 3
    act(state, "slay grave-imp", "slay lantern-wraith", "slay plague-crow")
    assert now(state)["attack_left"] == 10 - 2 - 2 - 4
    assert legal(state, "slay") == []
    assert now(state)["slays_left"] == 0


def test_case_4():
    state = position("2 thunders", zone="bone-piper, lantern-wraith")
    assert now(state)["attack_total"] == 6
    act(state, "slay bone-piper", "slay lantern-wraith")
    assert now(state)["attack_left"] == 1


def test_case_5():
    state = position(
        "2 thunders", regalia="tally, mirror, profane-seal", zone="black-tortoise, grave-imp"
    )
    before = now(state)["purity_total"]
    act(state, "slay black-tortoise")
    assert seat(state)["creature"] == "black-tortoise"
    assert len(seat(state)["regalia"]) == 3
    assert (tokens(state), seat(state)["trophies"]) == ([0, 0], [])
    assert now(state)["purity_total"] == before + 2


def test_case_6():
    state = position("2 thunders", creature="moon-hare", zone="black-tortoise")
    act(state, "slay black-tortoise")
    assert seen(state)["pending"] == {"kind": "creature", "card": "black-tortoise"}
    assert legal(state) == ["replace creature", "keep creature"]
    act(state, "keep creature")
    assert seat(state)["creature"] == "moon-hare"
    assert seen(state)["gone"] == {"black-tortoise": 1}


def pure_heart():
    return position("pure-heart, 2 diligence, scabbard, thunders")


def test_case_7():
    state = act(pure_heart(), "turn pure-heart")
    assert seen(state)["pending"] == {"kind": "purge", "left": 1, "keep": "pure-heart"}
    assert legal(state) == [
        *("discard diligence", "discard five-thunders-incantation"),
        "discard disciple-of-the-scabbard",
    ]
    act(state, "discard thunders")
    assert legal(state, "turn", "shed") == []


def test_case_8():
    state = pure_heart()
    isles = seen(state)["isles"]
    act(state, "shed pure-heart")
    assert seen(state)["pending"] == {"kind": "purge", "left": 2, "keep": None}
    act(state, "discard diligence")
    assert seen(state)["pending"] == {"kind": "purge", "left": 1, "keep": None}
    act(state, "discard diligence")
    assert seen(state)["pending"] is None
    after = seen(state)["isles"]
    assert after["pure-heart"] == isles["pure-heart"] + 1
    assert after["diligence"] == isles["diligence"] + 2
    assert seat(state)["hand"] == cards("scabbard, thunders")


def test_case_9():
    state = position("pure-heart, diligence, tally")
    assert may(state, "turn pure-heart")
    assert not may(state, "shed pure-heart")


def test_case_10():
    state = position("2 pure-heart")
    act(state, "turn pure-heart")
    assert legal(state) == ["discard pure-heart"]
    act(state, "discard pure-heart")
    assert seat(state)["hand"] == ["pure-heart"]
    assert now(state)["turned"] == {"pure-heart": 1}
    assert legal(state, "turn", "shed") == []


def test_case_11():
    state = position(
        "3 diligence, scabbard, thunders", ready="scabbard, contemplation", waiting="blade"
    )
    act(state, "end turn")
    after = seat(state, 0)
    assert told(state, "shuffle") == [{"player": 0, "count": 6}]
    assert told(state, "draw") == [{"player": 0, "count": 5}]
    assert after["sure"] == cards("scabbard, contemplation")
    assert (len(after["hand"]), len(after["ready"]), after["waiting"]) == (5, 3, [])


def test_case_12():
    state = position("tally, 2 scabbard")
    act(state, "place tally")
    assert now(state)["attack_total"] == 6


def test_case_13():
    state = position("2 thunders", zone="plague-crow", miasmas="corpse-breath")
    act(state, "slay plague-crow")
    assert seat(state)["waiting"] == ["corpse-breath-miasma"]
    assert told(state, "infect") == [{"player": 0, "card": "corpse-breath-miasma"}]
    assert now(state)["attack_total"] == 6


def test_case_14():
    state = position("corpse-breath, pure-heart, 2 thunders", phase="start")
    act(state, "proceed", "turn pure-heart", "discard corpse-breath")
    assert seen(state)["abyss"] == {"corpse-breath-miasma": 1}
    assert now(state)["attack_total"] == 3


def test_case_15():
    state = position("2 flame, pyre, 2 diligence", clan="wu")
    flames = seat(state)["list"]["disciple-of-the-flame"]
    act(state, "burn flame")
    assert now(state)["attack_total"] == 1 + (3 + 2) + 4
    assert seat(state)["list"]["disciple-of-the-flame"] == flames + 1
    assert told(state, "burn") == [{"player": 0, "card": "disciple-of-the-flame", "to": "list"}]


def test_case_16():
    state = position("3 flame, tally", clan="wu", zone="spider-vanguard")
    act(state, "slay spider-vanguard")
    assert seen(state)["pending"] is None
    assert seat(state)["hand"] == cards("3 flame, tally")
    assert may(state, "end turn")


def test_case_17():
    state = position("ember, flame", clan="wu")
    flames = seat(state)["list"]["disciple-of-the-flame"]
    act(state, "burn flame")
    assert seat(state)["waiting"] == ["disciple-of-the-flame"]
    assert seat(state)["list"]["disciple-of-the-flame"] == flames
    assert told(state, "burn") == [{"player": 0, "card": "disciple-of-the-flame", "to": "waiting"}]


def test_case_18():
    state = position("diligence, thunders", regalia="bell, tally, flag")
    before = now(state)
    act(state, "use bell", "use flag")
    assert now(state)["attack_total"] == before["attack_total"] + 6
    assert now(state)["purity_total"] == before["purity_total"] + 4
    assert seat(state)["waiting"] == cards("bell, flag")
    assert seat(state)["regalia"] == ["tiger-tally"]


def test_case_19():
    state = position("thunders", regalia="silver-tooth, profane-seal")
    before = now(state)["attack_total"]
    act(state, "turn profane-seal")
    assert legal(state) == ["chisel silver-tooth-miasma"]
    act(state, "chisel silver-tooth")
    assert seen(state)["abyss"] == {"silver-tooth-miasma": 1}
    assert now(state)["attack_total"] == before + 1


def test_case_19_once_a_turn():
    state = position("thunders", regalia="2 silver-tooth, profane-seal")
    act(state, "turn profane-seal", "chisel silver-tooth")
    assert seat(state)["regalia"] == cards("silver-tooth, profane-seal")
    assert not may(state, "turn profane-seal")


def test_case_20():
    state = position("diligence", regalia="vanishing-truth, profane-seal")
    assert not may(state, "turn profane-seal")


def test_case_21():
    state = position(
        "2 diligence, vanishing-truth, silver-tooth, scabbard", ready="5 diligence", phase="start"
    )
    act(state, "abstain", "discard vanishing-truth")
    assert seen(state)["abyss"] == {"vanishing-truth-miasma": 1}
    assert seat(state, 0)["regalia"] == ["silver-tooth-miasma"]
    assert told(state, "miasma") == [
        {"player": 0, "card": "silver-tooth-miasma", "result": "settles"}
    ]
    assert state.current_players() == (1,)


def test_case_22():
    state = position("silver-tooth", regalia="tally, mirror, vanishing-truth", phase="start")
    act(state, "proceed")
    assert seen(state)["pending"] == {"kind": "miasma", "card": "silver-tooth-miasma"}
    assert legal(state) == ["displace mirror-of-still-water", "displace tiger-tally"]


def test_case_23():
    state = position("tally", regalia="2 silver-tooth, vanishing-truth")
    assert not may(state, "place tally")


@pytest.mark.parametrize(
    ("hand", "fortune"), [("2 enlightenment", 0), ("harvest, 2 enlightenment", 1)]
)
def test_case_24(hand, fortune):
    state = position(f"2 scabbard, {hand}")
    assert now(state)["purity_total"] == 6 + fortune
    act(state, "acquire scabbard")
    isles = [
        action for action in legal(state, "acquire") if action != "acquire disciple-of-the-scabbard"
    ]
    assert may(state, "acquire scabbard")
    assert bool(isles) == bool(fortune)
    act(state, "acquire scabbard")
    assert not may(state, "acquire scabbard")


def test_case_25():
    state = position("2 harvest, enlightenment", regalia="standard")
    assert now(state)["acquisitions_left"] == 2


def test_case_26():
    state = position("harvest, enlightenment, contemplation", creature="golden-qilin")
    act(state, "acquire diligence", "acquire diligence")
    assert now(state)["acquisitions_left"] == 1
    assert legal(state, "acquire") == [
        *("acquire master-of-the-drawn-blade", "acquire disciple-of-the-scabbard"),
    ]


def test_case_27():
    state = position(
        "5 thunders, 2 blades, ember, 4 pyre",
        clan="wu",
        zone="mud-ghoul, iron-sentinel, grave-imp, azure-dragon",
    )
    assert now(state)["attack_total"] > 3 + 16
    assert legal(state, "slay") == ["slay iron-sentinel", "slay mud-ghoul"]
    act(state, "slay mud-ghoul")
    assert legal(state, "slay") == [
        *("slay hungry-ghost-sage", "slay iron-sentinel", "slay grave-imp", "slay azure-dragon"),
    ]


def test_case_28():
    state = position("5 thunders", zone="2 shade-assassin, azure-dragon")
    assert legal(state, "slay") == ["slay shade-assassin", "slay azure-dragon"]
    # The Lord: 6 + 2 x 5 = 16
    strong = position("5 thunders, blades", zone="2 shade-assassin, azure-dragon")
    assert legal(strong, "slay") == [
        *("slay hungry-ghost-sage", "slay shade-assassin", "slay azure-dragon"),
    ]


def test_case_29():
    state = position("5 thunders", lord="veiled-empress", zone="shade-assassin")
    assert legal(state, "slay") == ["slay shade-assassin"]
    state = position("5 thunders", lord="veiled-empress", zone="golden-qilin")
    assert legal(state, "slay") == ["slay veiled-empress", "slay golden-qilin"]


def test_case_30():
    state = position("2 thunders, veil", zone="mud-ghoul, shade-assassin, grave-imp")
    assert legal(state, "slay") == ["slay mud-ghoul"]
    act(state, "turn veil")
    assert legal(state, "slay") == ["slay shade-assassin", "slay mud-ghoul", "slay grave-imp"]
    assert not may(state, "turn veil")


def test_case_31():
    state = position("5 thunders, blades", zone="vermillion-bird, grave-imp, bone-piper")
    assert may(state, "slay vermillion-bird")
    act(state, "slay grave-imp")
    assert legal(state, "slay") == ["slay bone-piper"]


def test_case_32():
    state = position("enlightenment", lord="jade-regent")
    assert may(state, "acquire pure-heart")
    assert not may(state, "acquire contemplation")
    act(state, "acquire pure-heart")
    assert told(state, "acquire") == [
        {"player": 0, "card": "pure-heart", "cost": 3, "development": 0}
    ]


def test_case_33():
    assert not may(position("diligence", lord="gate-tyrant", tokens=9), "alchemy")
    assert may(position("diligence", tokens=9), "alchemy")


def test_case_34():
    state = position("thunders, scabbard", lord="supreme-villain")
    assert now(state)["attack_total"] == 3 + 1 - 2


def test_case_35():
    state = position("2 thunders", zone="fox-enchantress", others=({"tokens": 3}, {"tokens": 0}))
    act(state, "slay fox-enchantress")
    assert tokens(state) == [2, 2, 0]
    assert told(state, "lose") == [{"player": 1, "amount": 1}]


def test_case_36():
    state = position(
        "3 thunders",
        zone="corpse-puppeteer",
        miasmas="fever-blood",
        others=({"regalia": "gourd"}, {}),
    )
    act(state, "slay corpse-puppeteer")
    assert seen(state)["pending"] == {"kind": "infect"}
    assert legal(state) == ["infect 2"]
    act(state, "infect 2")
    assert seat(state, 2)["waiting"] == ["fever-blood-miasma"]


def test_case_37():
    state = position("5 thunders, blades", zone="spider-vanguard, plague-crow, bone-piper")
    before = now(state)["slays_left"]
    act(state, "slay hungry-ghost-sage")
    assert tokens(state) == [5 + 1 + 2 + 1, 0]
    assert len(told(state, "infect")) == 1
    assert seen(state)["pending"] is None
    assert now(state)["slays_left"] == before - 1


@pytest.mark.parametrize(("creature", "drawn"), [(None, 4), ("moon-hare", 5)])
def test_case_38(creature, drawn):
    state = position("3 thunders", ready="8 diligence", creature=creature, zone="night-rider")
    act(state, "slay night-rider")
    assert now(state)["hand_delta"] == -1
    act(state, "end turn")
    assert len(seat(state, 0)["hand"]) == drawn


def test_case_39():
    state = position("stride, 2 thunders", ready="corpse-breath, diligence")
    act(state, "turn stride")
    assert now(state)["attack_total"] == 3
    assert seat(state)["hand"] == cards("diligence, 2 thunders, stride, corpse-breath")


def test_case_40():
    state = position("drum, thunders", clan="kichen", ready="corpse-breath, diligence")
    act(state, "turn drum")
    assert seat(state)["waiting"] == ["corpse-breath-miasma"]
    assert now(state)["attack_total"] == 4
    assert told(state, "muster") == [{"player": 0, "card": "corpse-breath-miasma", "kept": False}]
    assert told(state, "miasma") == []


def test_case_41():
    state = position("2 alembic", clan="kontong", tokens=2, artifacts="mirror, tally, bell")
    act(state, "alchemy", "pick mirror")
    assert legal(state) == ["pay", "risk 1", "risk 2"]
    act(state, "pay")
    assert told(state, "pay") == [{"player": 0, "card": "mirror-of-still-water", "price": 2}]
    assert (tokens(state)[0], state.scores()[0]) == (0, 4)


def test_case_42():
    state = position("2 alembic", clan="kontong", tokens=2, artifacts="wheels, tally, bell")
    act(state, "alchemy", "pick wheels")
    assert legal(state) == ["risk 1", "risk 2"]


def test_case_43():
    state = position("pearl", regalia="tally, mirror, profane-seal")
    act(state, "place pearl")
    assert seen(state)["pending"] == {"kind": "place", "card": "pearl-of-ten-thousand-years"}
    act(state, "displace profane-seal")
    assert seat(state)["regalia"] == cards("pearl, mirror, tally")
    assert seat(state)["waiting"] == ["profane-seal"]
    assert seat(state)["hand"] == []


def test_case_44():
    state = position(
        "5 thunders",
        turn=1,
        wave=7,
        lord="supreme-villain",
        others=({"tokens": 13}, {"tokens": 13}),
        tokens=3,
    )
    act(state, "slay supreme-villain", "end turn")
    assert state.is_terminal()
    assert told(state, "end") == [{"reason": "waves", "scores": [13, 13, 13], "ranks": [2, 1, 2]}]
    assert state.ranks() == [2, 1, 2]


def test_case_45():
    state = position(
        "5 thunders",
        turn=2,
        wave=7,
        lord="supreme-villain",
        others=({"tokens": 30}, {"tokens": 30}),
        tokens=1,
    )
    act(state, "slay supreme-villain", "end turn")
    assert (state.scores(), state.ranks()) == ([30, 30, 11], [2, 1, 3])


def test_case_46():
    state = position("diligence", turn=1, round=100, quiet=14)
    act(state, "end turn")
    assert told(state, "end")[0]["reason"] == "rounds"
    state = position("diligence", turn=0, round=100)
    act(state, "end turn")
    assert not state.is_terminal()


def test_case_47():
    state = position(
        "5 thunders", lord="veiled-empress", zone="blood-monk", now={"attack_bonus": 25}
    )
    assert now(state)["attack_total"] == 40
    assert legal(state, "slay") == []
    other = position("5 thunders", lord="gate-tyrant", zone="blood-monk", now={"attack_bonus": 25})
    assert legal(other, "slay") == ["slay gate-tyrant"]


def test_case_48():
    state = position(
        "5 thunders, veil", lord="veiled-empress", zone="blood-monk", now={"attack_bonus": 25}
    )
    act(state, "turn veil")
    assert seen(state)["lord"]["strength"] == 9 + 4
    assert legal(state, "slay") == ["slay veiled-empress"]
    act(state, "slay veiled-empress")
    assert tokens(state) == [6 + 2, 0]
    assert seat(state)["trophies"] == ["blood-monk", "veiled-empress"]


def test_case_49():
    state = position(
        "2 diligence, scabbard, greedy-whisper, silver-tooth",
        ready="5 diligence",
        tokens=2,
        phase="start",
    )
    act(state, "abstain", "discard diligence")
    after = seat(state, 0)
    assert after["regalia"] == ["silver-tooth-miasma"]
    assert after["tokens"] == 1
    assert after["waiting"] == cards("diligence, scabbard, greedy-whisper")
    assert told(state, "lose") == [{"player": 0, "amount": 1}]


def test_case_50():
    state = position("profane-seal, silver-tooth")
    assert may(state, "place profane-seal")
    assert not may(state, "turn profane-seal")
    act(state, "place profane-seal")
    assert may(state, "turn profane-seal")


@pytest.mark.parametrize("abstain", [False, True])
@pytest.mark.parametrize(("turn", "quiet"), [(0, 3), (1, 3), (2, 4)])
def test_case_51(abstain, turn, quiet):
    phase = "start" if abstain else "action"
    state = position("2 diligence", turn=turn, quiet=3, phase=phase, others=({}, {}))
    act(state, *(("abstain", "discard diligence") if abstain else ("end turn",)))
    assert seen(state)["quiet"] == quiet


def test_case_52():
    state = position("diligence", quiet=14)
    act(state, "acquire diligence", "end turn")
    assert (seen(state)["quiet"], seen(state)["stirred"]) == (14, True)
    act(state, "proceed", "end turn")
    assert (seen(state)["quiet"], seen(state)["stirred"]) == (0, False)


def test_case_53():
    def start(**fields):
        return position(
            "2 thunders", turn=1, quiet=2, tokens=5, artifacts="tally, mirror, bell", **fields
        )

    state = act(start(), "alchemy", "pick tally")
    lost = act(roll(state, 4, die=1), "end turn")
    assert seen(lost)["quiet"] == 3
    gained = act(roll(state, 4, die=2), "end turn")
    assert seen(gained)["quiet"] == 0
    paid = act(state, "pay", "end turn")
    assert seen(paid)["quiet"] == 0
    creature = act(start(zone="golden-qilin"), "slay golden-qilin", "end turn")
    assert seen(creature)["quiet"] == 0


def test_case_54():
    state = position("diligence, tally", turn=1, quiet=14, ready="5 diligence")
    act(state, "end turn")
    assert state.is_terminal()
    assert told(state, "end") == [{"reason": "stalled", "scores": [0, 5], "ranks": [2, 1]}]
    assert seen(state)["quiet"] == 15
    assert told(state, "draw") == []
    assert seat(state, 1)["hand"] == []
