"""The end, scores and ranks: section 12 of the rules, values by hand."""

import pytest

from tests.engine.slawia.positions import act, at, kinds, legal, position, seen, told


def last_turn(players=3, **fields):
    """One card is left to play of the last turn, and no hunt comes of it."""
    state = position(
        at("old-mill", "topielec", used=True),
        at("wolf-pass", "topielec", used=True),
        *([at("raven-hill", "topielec", used=True)] if players > 2 else []),
        players=players,
        lair="chochlik chochlik chochlik",
        step=3,
        slayers_played=2,
        time=24,
        last_turn=True,
        **fields,
    )
    return act(state, "lair chochlik")


def test_the_last_turn_is_played_to_its_end_and_nobody_else_gets_one():
    state = last_turn(glory=[3, 2, 1])
    assert kinds(state) == ["monster", "lair", "score", "score", "score", "end"]
    assert seen(state)["phase"] == "over"
    assert (state.scores(), state.ranks()) == ([3, 2, 1], [1, 2, 3])


def test_treasures_are_added_at_the_end():
    state = last_turn(
        glory=[3, 5, 0],
        trophies={0: "zmey chochlik leshy", 1: "mimic", 2: "basilisk poludnica skarbnik"},
    )
    # 3 + 3 + 0 + 2; 5 + 1; 0 + 1 + 1 + 1
    assert (state.scores(), state.ranks()) == ([8, 6, 3], [1, 2, 3])
    assert told(state, "score") == [
        {
            "player": 0,
            "glory": 3,
            "trophies": ["zmey", "chochlik", "leshy"],
            "treasures": 5,
            "score": 8,
        },
        {"player": 1, "glory": 5, "trophies": ["mimic"], "treasures": 1, "score": 6},
        {
            "player": 2,
            "glory": 0,
            "trophies": ["basilisk", "poludnica", "skarbnik"],
            "treasures": 3,
            "score": 3,
        },
    ]
    assert told(state, "end") == [{"ranks": [1, 2, 3]}]
    # Now everybody sees them.
    assert [seat["trophy_cards"] for seat in seen(state)["seats"]] == [
        *(["zmey", "chochlik", "leshy"], ["mimic"], ["basilisk", "poludnica", "skarbnik"])
    ]


def test_scores_during_the_game_leave_the_treasures_out():
    state = position(glory=[3, 5], trophies={0: "zmey zmey"})
    assert (state.scores(), state.ranks()) == ([3, 5], [2, 1])


@pytest.mark.parametrize(
    ("won", "trophies", "ranks"),
    [
        # More location trophies.
        ({1: "old-mill"}, {0: "chochlik topielec striga"}, [2, 1, 3]),
        # As many locations, more of both together.
        ({0: "salt-road", 1: "birch-ferry"}, {1: "chochlik"}, [2, 1, 3]),
        # Shared, and the next rank is skipped.
        ({0: "salt-road", 1: "birch-ferry"}, {0: "chochlik", 1: "likho"}, [1, 1, 3]),
        ({}, {2: "striga"}, [2, 2, 1]),
        ({}, {}, [1, 1, 1]),
    ],
)
def test_case_41_equal_scores(won, trophies, ranks):
    won = {player: "far-bank" if name == "old-mill" else name for player, name in won.items()}
    during = position(
        players=3, glory=[7, 7, 7], locations_won=won, trophies=trophies, location_deck=""
    )
    assert during.ranks() == ranks
    state = last_turn(glory=[7, 7, 7], locations_won=won, trophies=trophies)
    assert (state.scores(), state.ranks()) == ([7, 7, 7], ranks)


def test_the_score_goes_before_the_trophies():
    state = last_turn(glory=[6, 7, 7], locations_won={0: "far-bank"})
    assert state.ranks() == [3, 1, 1]


def test_case_42_a_turn_without_a_monster_ends_the_game():
    state = position(
        at("old-mill", "chochlik"),
        at("wolf-pass", "chochlik"),
        lair="",
        monster_deck="",
        step=2,
        slayers_played=1,
    )
    assert legal(state)[0] == "play rogue"
    act(state, "play mage", "at wolf-pass")
    assert told(state, "skip") == [{"player": 0, "step": 3}]
    assert seen(state)["phase"] == "over"
    assert kinds(state) == ["slayer", "skip", "score", "score", "end"]


def test_a_mimic_is_a_monster_played():
    state = position(
        at("old-mill", "chochlik", "1:mage", used=True),
        at("wolf-pass", "chochlik", used=True),
        at("raven-hill", "chochlik"),
        lair="mimic",
        monster_deck="",
        step=3,
        slayers_played=2,
    )
    act(state, "lair mimic")
    assert (seen(state)["phase"], seen(state)["active"]) == ("card", 1)


def test_after_the_end_there_is_nothing_to_do():
    state = last_turn()
    assert state.is_terminal()
    assert state.current_players() == ()
    assert seen(state)["to_act"] == []
    with pytest.raises(ValueError, match="the play is over"):
        state.apply_action(0, "deck")
