"""The worked examples: section 16 of the rules, the four of the rulebook among them."""

from tests.engine.kunlun.positions import (
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


def test_first_and_second_example_of_the_rulebook():
    state = position(
        "3 diligence, 2 scabbard",
        clan="kunlun",
        lord="hungry-ghost-sage",
        zone="spider-vanguard, 2 grave-imp, lantern-wraith, plague-crow, 2 bone-piper, night-rider",
        phase="start",
    )
    act(state, "proceed")
    assert (now(state)["attack_total"], now(state)["purity_total"]) == (4, 3)
    assert (now(state)["slays_left"], now(state)["acquisitions_left"]) == (1, 1)

    act(state, "slay spider-vanguard")
    assert tokens(state) == [1, 0]
    assert seat(state)["trophies"] == ["spider-vanguard"]
    assert state.to_dict()["now"]["attack_spent"] == 3
    assert seen(state)["pending"] == {"kind": "forced"}
    assert legal(state) == ["discard diligence", "discard disciple-of-the-scabbard"]

    on_isles = seen(state)["isles"]["diligence"]
    act(state, "discard diligence")
    assert seen(state)["isles"]["diligence"] == on_isles + 1
    assert now(state)["purity_total"] == 2

    act(state, "acquire diligence")
    assert seat(state)["waiting"] == ["diligence"]
    assert (now(state)["purity_left"], now(state)["acquisitions_left"]) == (1, 0)
    assert legal(state) == ["end turn", "alchemy"]


def megan():
    state = position(
        "2 diligence, 2 alembic, swordplay",
        clan="kontong",
        tokens=1,
        zone="vermillion-bird, spider-vanguard",
        artifacts="tiger-tally, pearl, profane-seal",
        phase="start",
    )
    return act(state, "proceed")


def test_third_example_the_blow():
    state = megan()
    assert (now(state)["attack_total"], now(state)["slays_left"]) == (15, 1)
    act(state, "slay vermillion-bird")
    assert told(state, "slay") == [
        {"player": 0, "card": "vermillion-bird", "strength": 6, "reward": 3}
    ]
    assert tokens(state) == [4, 0]
    assert seat(state)["trophies"] == ["vermillion-bird"]
    assert legal(state, "slay") == []


def test_third_example_alchemy():
    state = act(megan(), "slay vermillion-bird", "alchemy")
    assert seen(state)["pending"] == {
        "kind": "alchemy",
        "cards": ["profane-seal", "pearl-of-ten-thousand-years", "tiger-tally"],
    }
    act(state, "pick pearl")
    assert legal(state) == ["risk 1", "risk 2", "risk 3", "risk 4"]

    gained = roll(state, 4, die=3)
    assert told(gained, "roll") == [
        {
            "player": 0,
            "card": "pearl-of-ten-thousand-years",
            "stake": 4,
            "die": 3,
            "bonus": 1,
            "gained": True,
        }
    ]
    assert seat(gained)["waiting"] == ["pearl-of-ten-thousand-years"]
    assert (tokens(gained)[0], gained.scores()[0]) == (0, 8)

    lost = roll(state, 4, die=2)
    assert seat(lost)["waiting"] == []
    assert (tokens(lost)[0], lost.scores()[0]) == (0, 0)
    assert seen(lost)["decks"]["artifacts"]["pearl-of-ten-thousand-years"] == 1

    assert seat(roll(state, 1, die=6))["waiting"] == ["pearl-of-ten-thousand-years"]
    assert seat(roll(state, 4, die=1))["waiting"] == []


def frank():
    return position(
        "2 diligence, 2 flame, corpse-breath",
        clan="wu",
        tokens=5,
        ready="3 diligence",
        phase="start",
    )


def test_fourth_example_abstaining():
    state = act(frank(), "abstain")
    assert legal(state) == [
        *("discard corpse-breath-miasma", "discard diligence", "discard disciple-of-the-flame"),
    ]
    act(state, "discard corpse-breath")
    assert seen(state)["abyss"] == {"corpse-breath-miasma": 1}
    assert told(state, "miasma") == []
    assert told(state, "shuffle") == [{"player": 0, "count": 4}]
    before = seat(state, 0)
    assert before["waiting"] == []
    assert before["sure"] == cards("3 diligence")
    assert (len(before["hand"]), len(before["ready"])) == (5, 2)
    assert tokens(state) == [5, 0]
    assert state.current_players() == (1,)


def test_fourth_example_proceeding():
    state = act(frank(), "proceed")
    assert state.to_dict()["now"]["attack_bonus"] == -3
    assert now(state)["attack_total"] == 0


def test_frenzy():
    """Attack 9 and one card with Frenzy: a Servant of 3 leaves 6 for a second attack."""
    state = position(
        "whirling-blades-incantation, 2 thunders, parted-veil-incantation, drum",
        clan="kichen",
        zone="mud-ghoul, thousand-eyes",
    )
    assert (now(state)["attack_total"], now(state)["slays_left"]) == (9, 2)
    act(state, "slay mud-ghoul")
    assert (now(state)["attack_left"], now(state)["slays_left"]) == (6, 1)


def test_a_lord():
    state = position(
        "4 thunders, blades",
        lord="drum-marshal",
        zone="grave-imp, moon-hare",
        phase="start",
    )
    act(state, "proceed")
    assert seen(state)["zone"] == [
        {"card": "grave-imp", "strength": 3},
        {"card": "moon-hare", "strength": 7},
    ]
    assert seen(state)["lord"] == {"card": "drum-marshal", "strength": 8}
    act(state, "slay drum-marshal")
    assert tokens(state) == [6, 0]
    assert seat(state)["trophies"] == ["grave-imp", "drum-marshal"]
    assert seen(state)["gone"] == {"moon-hare": 1}
    assert told(state, "sweep") == [
        {"player": 0, "cards": ["grave-imp"], "reward": 1, "leaves": ["moon-hare"]}
    ]
    assert now(state)["slays_left"] == 1
    assert legal(state, "slay") == []
    assert (seen(state)["lord"], seen(state)["zone"]) == (None, [])

    act(state, "end turn")
    assert seen(state)["wave"] == 2
    assert len(seen(state)["zone"]) == 8
    assert state.current_players() == (1,)


def test_strengths():
    state = position("diligence", lord="drum-marshal", zone="3 grave-imp, 2 banner-fiend")
    assert seen(state)["zone"] == [
        *[{"card": "grave-imp", "strength": 7}] * 3,
        *[{"card": "banner-fiend", "strength": 6}] * 2,
    ]
    assert seen(state)["lord"] == {"card": "drum-marshal", "strength": 38}


def test_short_names_are_written_out():
    assert full("end turn") == "end turn"
    assert full("risk 3") == "risk 3"
    assert not may(position("diligence"), "burn flame")
