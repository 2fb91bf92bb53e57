"""The fields of an observation: section 12 of the rules."""

import pytest

from tests.engine.kunlun.positions import CARDS, MEDITATIONS, SPELLS, act, cards, position, seen


def example():
    return position(
        "stride, thunders, diligence",
        clan="wu",
        ready="contemplation, 2 flame",
        waiting="2 diligence, pyre",
        regalia="tally, silver-tooth",
        creature="golden-qilin",
        tokens=3,
        lord="drum-marshal",
        zone="2 grave-imp, moon-hare",
        gone="azure-dragon",
        abyss="2 corpse-breath",
        others=(
            {
                "clan": "kunlun",
                "hand": "2 scabbard, diligence",
                "ready": "enlightenment, scabbard",
                "sure": "scabbard",
                "trophies": "2 mud-ghoul, veiled-empress",
                "tokens": 1,
            },
        ),
        round=4,
        wave=2,
        quiet=1,
        stirred=True,
    )


def test_fields_of_the_table():
    view = seen(example(), 0)
    assert {name: view[name] for name in view if name not in ("seats", "now", "decks")} == {
        "game": "kunlun",
        "edition": "1",
        "players": 2,
        "options": {"clans": "random", "first": "random"},
        "you": 0,
        "current": [0],
        "phase": "action",
        "pending": None,
        "first": 0,
        "turn": 0,
        "round": 4,
        "wave": 2,
        "quiet": 1,
        "stirred": True,
        # 5 + two imps of 2 + 1 (the other one) + 1 (drill)
        "lord": {"card": "drum-marshal", "strength": 13},
        "zone": [
            {"card": "grave-imp", "strength": 4},
            {"card": "grave-imp", "strength": 4},
            {"card": "moon-hare", "strength": 7},
        ],
        "isles": {name: CARDS[name] for name in (*MEDITATIONS, *SPELLS)}
        | {
            "diligence": 28 - 4,
            "contemplation": 13,
            "enlightenment": 9,
            "cloud-stride-incantation": 3,
            "five-thunders-incantation": 4,
        },
        "abyss": {"corpse-breath-miasma": 2},
        "gone": {"azure-dragon": 1},
    }
    decks = view["decks"]
    assert decks["servants"]["grave-imp"] == 3
    assert set(decks["servants"]) >= {"white-tiger", "black-tortoise"}
    assert not {"moon-hare", "azure-dragon", "golden-qilin"} & set(decks["servants"])
    assert decks["lords"] == {
        "hungry-ghost-sage": 1,
        "plague-abbot": 1,
        "gate-tyrant": 1,
        "jade-regent": 1,
        "supreme-villain": 1,
    }
    assert sum(decks["artifacts"].values()) == 13
    assert decks["miasmas"]["corpse-breath-miasma"] == 1
    assert decks["miasmas"]["silver-tooth-miasma"] == 1


def test_fields_of_the_seats():
    view = seen(example(), 1)
    assert view["you"] == 1
    assert view["seats"] == [
        {
            "clan": "wu",
            "tokens": 3,
            "score": 3 + 5,
            "list": {
                "disciple-of-the-flame": 4,
                "master-of-the-pyre": 3,
                "sage-of-the-undying-ember": 1,
            },
            "regalia": cards("tally, silver-tooth"),
            "creature": "golden-qilin",
            "trophies": {},
            "waiting": {"diligence": 2, "master-of-the-pyre": 1},
            "ready_count": 3,
            "hand_count": 3,
            "hand": cards("stride, thunders, diligence"),
            "sure": [],
            "unseen": {"disciple-of-the-flame": 2, "contemplation": 1},
        },
        {
            "clan": "kunlun",
            "tokens": 1,
            "score": 1,
            "list": {
                "disciple-of-the-scabbard": 3,
                "master-of-the-drawn-blade": 4,
                "sage-of-the-jade-citadel": 1,
            },
            "regalia": [],
            "creature": None,
            "trophies": {"mud-ghoul": 2, "veiled-empress": 1},
            "waiting": {},
            "ready_count": 2,
            "hand_count": 3,
            "hand": cards("2 scabbard, diligence"),
            "sure": cards("scabbard"),
            "unseen": {"disciple-of-the-scabbard": 1, "enlightenment": 1},
        },
    ]


@pytest.mark.parametrize("viewer", [None, 0])
def test_a_hand_of_another_out_of_turn(viewer):
    view = seen(example(), viewer)
    other = view["seats"][1]
    assert (other["hand"], other["hand_count"], other["ready_count"]) == (None, 3, 2)
    assert other["unseen"] == {
        "disciple-of-the-scabbard": 3,
        "diligence": 1,
        "enlightenment": 1,
    }
    assert other["sure"] == cards("scabbard")
    assert view["seats"][0]["hand"] == cards("stride, thunders, diligence")


def test_all_see_the_same_but_for_their_own_hand():
    state = example()
    views = [seen(state, viewer) for viewer in (None, 0, 1)]
    for view in views:
        view.pop("you")
        view["seats"][1].pop("hand")
        view["seats"][1].pop("unseen")
    assert views[0] == views[1] == views[2]


def test_numbers_of_the_player_in_turn():
    state = example()
    assert seen(state, 1)["now"] == {
        # 3 + 2 (tally) - 1 (silver-tooth)
        "attack_total": 4,
        "attack_left": 4,
        "purity_total": 1,
        "purity_left": 1,
        "slain": 0,
        "slays_left": 1,
        "acquired": 0,
        "acquisitions_left": 2,
        "isles_left": 2,
        "twins": 0,
        "alchemy_left": 1,
        "burned": 0,
        "veil": False,
        "leaden": False,
        "swept": False,
        "hand_delta": 0,
        "turned": {},
        "used": [],
    }
    act(state, "turn stride", "acquire diligence", "slay grave-imp")
    view = seen(state, 1)["now"]
    # stride drew the contemplation and a flame
    assert (view["attack_total"], view["attack_left"]) == (5, 1)
    assert (view["purity_total"], view["purity_left"]) == (3, 2)
    assert (view["slain"], view["slays_left"]) == (1, 0)
    assert (view["acquired"], view["acquisitions_left"], view["isles_left"]) == (1, 1, 1)
    assert view["turned"] == {"cloud-stride-incantation": 1}


def test_only_the_first_step_shows():
    pending = [{"kind": "creature", "card": "white-tiger"}, {"kind": "forced"}]
    state = position(
        "5 thunders, diligence", zone="spider-vanguard", creature="moon-hare", pending=pending
    )
    assert seen(state)["pending"] == {"kind": "creature", "card": "white-tiger"}
    act(state, "keep creature")
    assert seen(state)["pending"] == {"kind": "forced"}


def test_the_order_of_a_deck_does_not_show():
    state = position("diligence", zone="mud-ghoul")
    d = state.to_dict()
    for deck in ("servants", "lords", "artifacts", "miasmas"):
        d[deck].reverse()
    other = type(state.game)().state_from_dict(d)
    assert str(seen(other)) == str(seen(state))


@pytest.mark.parametrize("viewer", [2, -1, True, 0.0, "0", [0]])
def test_other_viewers_are_refused(viewer):
    with pytest.raises(ValueError, match="a player is a seat from 0 to 1"):
        example().observation(viewer)
