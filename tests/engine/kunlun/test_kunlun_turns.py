"""Start, abstaining, End Phase, end of the game, score and rank: sections 6, 10 and 11."""

import pytest

from tests.engine.kunlun.positions import (
    act,
    cards,
    legal,
    may,
    now,
    position,
    seat,
    seen,
    told,
)


def test_the_start_of_a_turn():
    assert legal(position("diligence", phase="start")) == ["proceed", "abstain"]
    assert legal(position("tally, pearl", phase="start")) == ["proceed"]
    assert legal(position("", phase="start")) == ["proceed"]


def test_abstaining_discards_anything_but_an_artifact():
    state = position("tally, flame, diligence, corpse-breath", clan="wu", phase="start")
    act(state, "abstain")
    assert seen(state)["phase"] == "abstain"
    assert seen(state)["pending"] == {"kind": "abstain"}
    assert legal(state) == [
        *("discard corpse-breath-miasma", "discard diligence", "discard disciple-of-the-flame"),
    ]


def test_abstaining_may_ask_what_a_miasma_displaces():
    state = position(
        "diligence, silver-tooth",
        ready="5 diligence",
        regalia="tally, mirror, pearl",
        phase="start",
    )
    act(state, "abstain", "discard diligence")
    assert (seen(state)["phase"], state.current_players()) == ("abstain", (0,))
    assert seen(state)["pending"] == {"kind": "miasma", "card": "silver-tooth-miasma"}
    act(state, "displace mirror")
    assert state.current_players() == (1,)
    assert [event["kind"] for event in state.events] == [
        *("action", "action", "discard", "action", "displace", "miasma"),
        *("draw", "cards", "turn"),
    ]


def test_the_next_turn():
    state = position(
        "diligence",
        ready="5 diligence",
        others=({"hand": "thunders, flame", "clan": "wu"},),
        now={"slain": 1, "veil": True},
    )
    act(state, "end turn")
    assert told(state, "turn") == [{"player": 1, "round": 1, "hand": cards("flame, thunders")}]
    assert seen(state)["phase"] == "start"
    assert (now(state)["slain"], now(state)["veil"]) == (0, False)


def test_rounds_are_counted_when_the_first_player_is_in_turn_again():
    state = position("diligence", turn=1, first=2, others=({}, {}))
    act(state, "end turn")
    assert (seen(state)["turn"], seen(state)["round"]) == (2, 2)
    state = position("diligence", turn=2, first=2, others=({}, {}))
    act(state, "end turn")
    assert (seen(state)["turn"], seen(state)["round"]) == (0, 1)


@pytest.mark.parametrize(
    ("delta", "creature", "count"),
    [(0, None, 5), (0, "moon-hare", 6), (-2, None, 3), (-9, None, 0)],
)
def test_size_of_the_new_hand(delta, creature, count):
    state = position(
        "diligence", ready="9 contemplation", creature=creature, now={"hand_delta": delta}
    )
    act(state, "end turn")
    assert told(state, "draw") == [{"player": 0, "count": count}]
    assert len(seat(state, 0)["hand"]) == count
    (event,) = [event for event in state.events if event["kind"] == "cards"]
    assert (event["cards"], event["visible_to"]) == (["contemplation"] * count, [0])


def test_drawing_stops_when_nothing_is_left():
    state = position("diligence", ready="contemplation")
    act(state, "end turn")
    after = seat(state, 0)
    assert after["hand"] == cards("diligence, contemplation")
    assert (after["ready"], after["waiting"]) == ([], [])
    # The Ready deck is empty now, so the whole hand is known.
    assert after["sure"] == cards("diligence, contemplation")


@pytest.mark.parametrize(
    ("ready", "sure"),
    [
        # more in the Ready deck than are drawn: nothing is known
        ("3 diligence, 3 contemplation", ""),
        # exactly as many: the whole hand
        ("2 diligence, 3 contemplation", "2 diligence, 3 contemplation"),
        # fewer: these are in it, the rest came from the reshuffled deck
        ("2 diligence, contemplation", "2 diligence, contemplation"),
        ("", ""),
    ],
)
def test_what_everybody_knows_of_a_hand(ready, sure):
    state = position("2 thunders", waiting="3 scabbard, veil", ready=ready)
    act(state, "end turn")
    assert seat(state, 0)["sure"] == cards(sure)
    assert seen(state)["seats"][0]["sure"] == cards(sure)


def test_what_was_sure_is_open_in_the_owners_turn():
    state = position("diligence", others=({"hand": "2 thunders", "sure": "thunders"},))
    act(state, "end turn")
    assert seat(state, 1)["sure"] == []
    assert seen(state)["seats"][1]["hand"] == cards("2 thunders")


def test_the_next_wave_comes_after_the_new_hand():
    state = position(
        "2 thunders",
        lord="hungry-ghost-sage",
        ready="5 diligence",
        servants="demon-smith, moon-hare, 2 grave-imp, 2 mud-ghoul, bone-piper, banner-fiend",
    )
    act(state, "slay hungry-ghost-sage", "end turn")
    assert [event["kind"] for event in state.events[-5:]] == [
        *("action", "draw", "cards", "wave", "turn"),
    ]
    assert told(state, "wave") == [
        {
            "wave": 2,
            "lord": "drum-marshal",
            "zone": cards(
                "2 grave-imp, bone-piper, 2 mud-ghoul, banner-fiend, demon-smith, moon-hare"
            ),
        }
    ]
    assert list(seen(state)["decks"]["lords"]) == [
        "veiled-empress",
        "plague-abbot",
        "gate-tyrant",
        "jade-regent",
        "supreme-villain",
    ]


def test_the_turn_that_ends_the_last_wave_goes_on():
    """R26: to its End Phase, with acquisitions and Alchemy; then nothing is drawn."""
    state = position(
        "5 thunders, diligence",
        lord="supreme-villain",
        wave=7,
        ready="5 contemplation",
        artifacts="furnace",
        others=({}, {}),
    )
    act(state, "slay supreme-villain")
    assert may(state, "acquire diligence")
    assert may(state, "alchemy")
    act(state, "alchemy", "pick furnace", "pay", "end turn")
    assert state.is_terminal()
    assert told(state, "end") == [{"reason": "waves", "scores": [10, 0, 0], "ranks": [1, 2, 2]}]
    view = seen(state)
    assert (view["phase"], view["turn"], view["current"]) == ("over", 0, [])
    assert (view["now"], view["pending"]) == (None, None)
    assert told(state, "draw") == []
    assert seat(state, 0)["hand"] == []
    assert state.to_dict()["now"]["swept"] is False
    assert [legal_ for legal_ in map(state.legal_actions, range(3)) if legal_] == []


def test_sweeping_an_earlier_wave_does_not_end_the_game():
    state = position("2 thunders", wave=6)
    act(state, "slay hungry-ghost-sage", "end turn")
    assert (seen(state)["wave"], state.is_terminal()) == (7, False)


def test_the_seventh_wave_goes_before_the_other_ends():
    state = position("5 thunders", turn=1, lord="supreme-villain", wave=7, round=100, quiet=14)
    act(state, "slay supreme-villain", "end turn")
    assert told(state, "end")[0]["reason"] == "waves"
    assert seen(state)["quiet"] == 0


def test_what_is_no_deed():
    """Placing, turning, burning, discarding."""
    state = position(
        "flame, stride, tally, pure-heart, diligence",
        clan="wu",
        ready="diligence",
        turn=1,
        quiet=5,
    )
    act(state, "place tally", "burn flame", "turn stride", "turn pure-heart", "discard diligence")
    assert seen(state)["stirred"] is False
    act(state, "end turn")
    assert seen(state)["quiet"] == 6


@pytest.mark.parametrize(
    ("actions", "fields"),
    [
        (["slay grave-imp"], {"zone": "grave-imp"}),
        (["slay hungry-ghost-sage"], {}),
        (["slay golden-qilin"], {"zone": "golden-qilin"}),
        (["acquire diligence"], {}),
        (["alchemy", "pick furnace", "pay"], {"artifacts": "furnace", "tokens": 3}),
    ],
)
def test_deeds(actions, fields):
    state = act(position("3 thunders, diligence", quiet=5, **fields), *actions)
    assert (seen(state)["stirred"], seen(state)["quiet"]) == (True, 5)


# Score and rank


def test_score():
    """Tokens and Artifacts wherever they lie; a Sage counts nothing."""
    state = position(
        "tally, thunders, citadel",
        regalia="mirror, silver-tooth",
        waiting="pearl",
        ready="furnace",
        tokens=2,
        others=({"tokens": 1},),
    )
    assert state.scores() == [2 + 5 + 4 + 8 + 3, 1]
    assert [seat_["score"] for seat_ in seen(state)["seats"]] == state.scores()
    assert state.ranks() == [1, 2]


@pytest.mark.parametrize(
    ("points", "turn", "ranks"),
    [
        ((5, 3, 3, 1), 0, [1, 2, 2, 4]),
        ((3, 3, 3, 3), 1, [2, 1, 2, 2]),
        ((4, 4, 1, 4), 2, [2, 1, 4, 2]),
        ((4, 1, 1, 4), 2, [1, 3, 3, 2]),
        ((0, 7, 2, 2), 3, [4, 1, 2, 2]),
    ],
)
def test_only_the_first_place_is_decided_by_the_latest_turn(points, turn, ranks):
    others = tuple({"tokens": score} for seat_, score in enumerate(points) if seat_ != turn)
    state = position("diligence", turn=turn, tokens=points[turn], others=others)
    assert state.scores() == list(points)
    assert state.ranks() == ranks
