"""What holds for every game of the registry: it is the contract, tested by random plays."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import IllegalAction
from engine.contract import may_see
from tests.contract.plays import GAMES, deals, moves, plain, play_out, somewhere
from tests.contract.scramble import SCRAMBLE

SEED = "0123456789abcdef" * 4

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def check(examples):
    """Few examples, for each one is a whole play with many checks."""
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@every_game
def test_description(game):
    assert game.name == game.name.lower()
    assert game.title
    assert int(game.edition) >= 1
    assert 2 <= game.min_players <= game.max_players
    assert len(set(game.actions)) == len(game.actions)
    assert all(isinstance(action, str) and action for action in game.actions)
    assert [game.action_index[action] for action in game.actions] == list(range(len(game.actions)))
    assert game.stand_in in ("uniform", "first")
    for name, option in game.options.items():
        assert option.name == name
        assert option.title
        assert option.values is None or option.default in option.values


@every_game
def test_bad_deals_are_refused(game):
    default = {name: option.default for name, option in game.options.items()}
    for players in (game.min_players - 1, game.max_players + 1, True, None, 3.0, "3"):
        with pytest.raises(ValueError, match="players"):
            game.new_initial_state(players=players, seed=SEED)
    for seed in (SEED[1:], SEED + "0", SEED.upper(), "", None, 5):
        with pytest.raises(ValueError, match="seed"):
            game.new_initial_state(players=game.min_players, seed=seed)
    for options in ({"no such option": 1}, [], "guilds"):
        with pytest.raises(ValueError, match="option"):
            game.new_initial_state(players=game.min_players, seed=SEED, options=options)
    for name in game.options:
        for value in (None, -1, "no such value", [], 0.5):
            with pytest.raises(ValueError, match="option"):
                game.new_initial_state(game.min_players, SEED, {name: value})
    assert game.new_initial_state(game.min_players, SEED).options == default
    for position in (None, [], {}, {"game": game.name, "edition": game.edition}):
        with pytest.raises(ValueError, match=r"\w"):
            game.state_from_dict(position)


@every_game
@check(25)
@given(data=st.data())
def test_decisions(game, data):
    """Legal actions are there exactly for the current players, and nothing else is applied."""
    deal = data.draw(deals(game))
    state, rng = deal.start(), deal.random()
    for _ in moves(state, rng):
        _check_deciders(state)
        if rng.random() < 0.3:
            _check_refusals(state, rng)
        assert not state.is_terminal()
    _check_deciders(state)
    _check_refusals(state, rng)
    assert state.is_terminal()


def _check_deciders(state):
    deciders = state.current_players()
    assert isinstance(deciders, tuple)
    assert list(deciders) == sorted(set(deciders))
    assert set(deciders) <= set(range(state.players))
    assert state.is_terminal() == (not deciders)
    index = state.game.action_index
    for player in range(state.players):
        legal = state.legal_actions(player)
        assert bool(legal) == (player in deciders)
        numbers = [index[action] for action in legal]
        assert numbers == sorted(set(numbers))


def _check_refusals(state, rng):
    before = plain(state.to_dict())
    for player in range(state.players):
        legal = state.legal_actions(player)
        illegal = [action for action in state.game.actions if action not in legal]
        for action in [*rng.sample(illegal, min(3, len(illegal))), "no such action", None]:
            with pytest.raises(IllegalAction) as caught:
                state.apply_action(player, action)
            assert all(repr(name) in str(caught.value) for name in legal)
    for player in (-1, state.players, True, None):
        with pytest.raises(ValueError, match="seat"):
            state.apply_action(player, "no such action")
    assert plain(state.to_dict()) == before


@every_game
@check(10)
@given(data=st.data())
def test_the_same_deal_and_actions_give_the_same_play(game, data):
    deal = data.draw(deals(game))
    state = deal.start()
    made, positions = [], []
    for move in moves(state, deal.random()):
        made.append(move)
        positions.append(plain(state.to_dict()))
    again = deal.start()
    for (player, action), position in zip(made, positions, strict=True):
        assert plain(again.to_dict()) == position
        again.apply_action(player, action)
    assert plain(again.to_dict()) == plain(state.to_dict())
    assert again.events == state.events


@every_game
@check(25)
@given(data=st.data())
def test_observations_and_events_are_plain_and_stand(game, data):
    """JSON values; one that was given does not change with the play; each names its game."""
    deal = data.draw(deals(game))
    state, rng = deal.start(), deal.random()
    kept = []
    told = 0
    for _ in moves(state, rng):
        viewer = rng.choice(deal.viewers())
        seen = state.observation(viewer)
        kept.append((seen, plain(seen)))
        assert json.loads(plain(seen)) == seen
        for event in state.events[told:]:
            assert json.loads(plain(event)) == event
            assert isinstance(event["kind"], str)
            visible_to = event["visible_to"]
            assert visible_to is None or set(visible_to) <= set(range(deal.players))
        told = len(state.events)
    assert all(plain(seen) == before for seen, before in kept)
    assert all(isinstance(state.observation(viewer), dict) for viewer in deal.viewers())
    for viewer in (-1, deal.players, True, "0"):
        with pytest.raises(ValueError, match="seat"):
            state.observation(viewer)


@every_game
@check(25)
@given(data=st.data())
def test_scores_and_ranks(game, data):
    """A better score is a better rank; ties share one and the next ones are skipped."""
    deal = data.draw(deals(game))
    state = deal.start()
    for _ in moves(state, deal.random()):
        _check_ranks(state)
    _check_ranks(state)


def _check_ranks(state):
    scores, ranks = state.scores(), state.ranks()
    assert len(scores) == len(ranks) == state.players
    assert all(type(score) is int for score in scores)
    assert ranks == [1 + sum(other < rank for other in ranks) for rank in ranks]
    for score, rank in zip(scores, ranks, strict=True):
        assert not any(
            other > score and place >= rank for other, place in zip(scores, ranks, strict=True)
        )


@every_game
@check(25)
@given(data=st.data())
def test_clones_are_independent(game, data):
    deal = data.draw(deals(game))
    rng = deal.random()
    state = somewhere(deal, rng)
    before, choices = plain(state.to_dict()), rng.random()
    clone = state.clone()
    assert plain(clone.to_dict()) == before
    made = play_out(clone, random.Random(choices))
    assert plain(state.to_dict()) == before
    assert play_out(state, random.Random(choices)) == made
    assert plain(state.to_dict()) == plain(clone.to_dict())


@every_game
@check(50)
@given(data=st.data())
def test_positions_are_loss_free(game, data):
    """There and back as JSON at any moment; all cards are there, and the play goes on alike."""
    deal = data.draw(deals(game))
    rng = deal.random()
    state = somewhere(deal, rng)
    position = state.to_dict()
    text = plain(position)
    back = game.state_from_dict(json.loads(text))
    assert json.loads(text) == position
    assert plain(back.to_dict()) == text
    assert back.current_players() == state.current_players()
    for viewer in deal.viewers():
        assert back.observation(viewer) == state.observation(viewer)
    assert back.options == state.options
    choices = rng.random()
    made = play_out(back, random.Random(choices))
    assert play_out(state, random.Random(choices)) == made
    assert plain(back.to_dict()) == plain(state.to_dict())
    without = json.loads(text)
    del without["events"]
    assert game.state_from_dict(without).events == []


def _visible(state, viewer):
    return [event for event in state.events if may_see(event, viewer)]


def _check_alike(state, other, viewer):
    """The viewer cannot tell the two apart."""
    assert other.observation(viewer) == state.observation(viewer)
    assert _visible(other, viewer) == _visible(state, viewer)
    if viewer is not None:
        assert other.legal_actions(viewer) == state.legal_actions(viewer)


@every_game
@check(50)
@given(data=st.data())
def test_resampling(game, data):
    """It is consistent with all that was seen, deterministic, and can be played to the end."""
    deal = data.draw(deals(game))
    rng = deal.random()
    state = somewhere(deal, rng)
    before = plain(state.to_dict())
    for viewer in deal.viewers():
        seed = f"{rng.getrandbits(256):064x}"
        other = state.resample(viewer, seed)
        _check_alike(state, other, viewer)
        assert plain(other.to_dict()) == plain(state.resample(viewer, seed).to_dict())
        assert plain(game.state_from_dict(other.to_dict()).to_dict()) == plain(other.to_dict())
        play_out(other, rng)
        assert plain(state.to_dict()) == before
    for viewer in (-1, deal.players, True, "0"):
        with pytest.raises(ValueError, match="seat"):
            state.resample(viewer, SEED)
    with pytest.raises(ValueError, match="seed"):
        state.resample(None, SEED[1:])


@every_game
def test_resampling_changes_what_is_hidden(game):
    state = game.new_initial_state(game.max_players, SEED)
    hidden = set()
    for number in range(5):
        position = state.resample(0, f"{number:064x}").to_dict()
        hidden.add(plain({k: v for k, v in position.items() if k not in ("seed", "events")}))
    assert len(hidden) > 1


@every_game
@check(50)
@given(data=st.data())
def test_secrets_do_not_show(game, data):
    """What a player cannot know is changed in the position: nothing that he sees changes."""
    deal = data.draw(deals(game))
    rng = deal.random()
    state = somewhere(deal, rng)
    for viewer in deal.viewers():
        position = json.loads(plain(state.to_dict()))
        SCRAMBLE[game.name](position, viewer, rng)
        _check_alike(state, game.state_from_dict(position), viewer)


@every_game
@check(25)
@given(data=st.data())
def test_answers_given_at_the_same_time_are_secret(game, data):
    """Until all have answered nothing shows; and the order of the answers does not matter."""
    deal = data.draw(deals(game))
    state = deal.start()
    rng = deal.random()
    for _ in moves(state, rng):
        deciders = state.current_players()
        if len(deciders) > 1 and rng.random() < 0.5:
            choices = rng.random()
            there = _answer(state.clone(), deciders, choices)
            back = _answer(state.clone(), deciders[::-1], choices)
            assert plain(there.to_dict()) == plain(back.to_dict())


def _answer(state, order, choices):
    """All answer in that order, each from a source of choices of his own."""
    told = len(state.events)
    viewers = [None, *range(state.players)]
    seen = {viewer: state.observation(viewer) for viewer in viewers}
    for player in order:
        rng = random.Random(f"{choices} {player}")
        while player in state.current_players() and len(state.events) == told:
            state.apply_action(player, rng.choice(state.legal_actions(player)))
        if player == order[-1]:
            break
        assert len(state.events) == told
        seen[player] = state.observation(player)
        for viewer in viewers:
            assert state.observation(viewer) == seen[viewer]
    return state
