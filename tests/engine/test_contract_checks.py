"""What the contract checks for every game, and its small helpers."""

import pytest

from engine import IllegalAction, games
from engine.contract import Option, may_see, ranks_by
from engine.fields import read_plain, shown

SEED = "c0" * 32


@pytest.fixture
def state():
    return games.get("deca-slayer").new_initial_state(players=4, seed=SEED)


def test_illegal_action_names_it_and_the_legal_ones(state):
    (player,) = state.current_players()
    legal = state.legal_actions(player)
    with pytest.raises(IllegalAction) as caught:
        state.apply_action(player, "play dwarf")
    assert str(caught.value) == (
        f"'play dwarf' is not legal for player {player}; legal are: "
        + ", ".join(repr(action) for action in legal)
    )


def test_out_of_turn(state):
    (player,) = state.current_players()
    other = (player + 1) % 4
    with pytest.raises(IllegalAction, match=f"for player {other}; .* to decide is {player}"):
        state.apply_action(other, "pass")


@pytest.mark.parametrize("action", [None, 3, ["pass"], {"pass": 1}, "p" * 1000, b"pass", 1 << 9999])
def test_an_action_of_another_kind_is_illegal(state, action):
    before = state.to_dict()
    with pytest.raises(IllegalAction) as caught:
        state.apply_action(state.current_players()[0], action)
    assert len(str(caught.value)) < 400
    assert state.to_dict() == before


@pytest.mark.parametrize("player", [4, -1, True, 1.0, "1", None])
def test_seats_that_do_not_exist(state, player):
    message = "a player is a seat from 0 to 3"
    with pytest.raises(ValueError, match=message):
        state.legal_actions(player)
    with pytest.raises(ValueError, match=message):
        state.apply_action(player, "pass")
    if player is not None:
        with pytest.raises(ValueError, match=message):
            state.observation(player)
        with pytest.raises(ValueError, match=message):
            state.resample(player, SEED)


def test_resample_checks_its_seed(state):
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        state.resample(0, "C0" * 32)


def test_illegal_action_is_a_value_error():
    assert issubclass(IllegalAction, ValueError)


def test_the_list_of_legal_actions_is_the_callers_own(state):
    (player,) = state.current_players()
    legal = state.legal_actions(player)
    state.legal_actions(player).clear()
    assert state.legal_actions(player) == legal


def test_ranks_by():
    assert ranks_by([3, 5, 5]) == [3, 1, 1]
    assert ranks_by([(7, 1), (7, 2), (9, 0), (7, 1)]) == [3, 2, 1, 3]
    assert ranks_by([]) == []


def test_may_see():
    assert may_see({"visible_to": None}, None)
    assert may_see({"visible_to": None}, 2)
    assert may_see({"visible_to": [2]}, 2)
    assert not may_see({"visible_to": [2]}, 0)
    assert not may_see({"visible_to": [2]}, None)


def test_options_describe_themselves():
    assert games.get("deca-slayer").options["princesses"] == Option(
        "princesses", "Princess copies added to the hero deck", 0, (0, 1, 2)
    )


def test_shown_is_short():
    assert shown("x" * 100) == "'" + "x" * 57 + "'..."
    assert shown(10**5000) == "a number of 16610 bits"
    assert [shown(value) for value in (None, True, 1, 1.5, "a", [], {}, object())] == [
        *("None", "True", "1", "1.5", "'a'", "a list", "an object", "a object"),
    ]


def test_read_plain_refuses_what_json_does_not_have():
    nested = []
    for _ in range(30):
        nested = [nested]
    for value in (float("nan"), float("inf"), {1: 2}, (1, 2), nested):
        with pytest.raises(ValueError, match="must be a JSON value"):
            read_plain(value, "x")
    assert read_plain({"a": [1, None, True, 0.5, "b"]}, "x") == {"a": [1, None, True, 0.5, "b"]}
