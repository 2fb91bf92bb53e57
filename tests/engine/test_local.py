import random

import pytest

from engine import IllegalAction, games
from engine.local import play_local
from engine.record import play_hash
from engine.verify import verify
from engine.wire import random_seed
from tests.engine.scripted import GAME, SEED

DECA = games.get("deca-slayer")


class Chooser:
    """Plays at random from the seed that it is told, and remembers what it heard."""

    def start(self, info):
        self.info = info
        self.random = random.Random(info["random_seed"])

    def act(self, observation, legal_actions):
        assert observation["you"] == self.info["player"]
        return self.random.choice(legal_actions)

    def end(self, result):
        self.result = result


def test_the_same_deal_gives_the_same_play():
    first, second = (
        play_local(DECA, players=3, seed=SEED, bots=[Chooser() for _ in range(3)]) for _ in range(2)
    )
    assert first == second
    verify(first)
    assert (first.isolation, first.packages, first.time) == ("none", [], None)
    assert play_hash(first) == play_hash(second)


def test_objects_are_told_start_and_end_and_callables_just_act():
    bot = Chooser()
    record = play_local(
        DECA,
        players=3,
        seed=SEED,
        options={"guilds": True},
        rotation=2,
        bots=[lambda observation, legal: legal[0], bot, lambda observation, legal: legal[-1]],
    )
    assert bot.info == {
        "game": "deca-slayer",
        "edition": "1",
        "player": 1,
        "players": 3,
        "options": record.options,
        "random_seed": random_seed(SEED, 2, 1),
    }
    assert record.options["guilds"] is True
    assert bot.result == {"scores": record.scores, "ranks": record.places}


def test_an_illegal_action_names_seat_and_decision():
    def wrong(observation, legal):
        return "bid 9" if observation["round"] == 1 else legal[-1]

    bots = [lambda observation, legal: legal[-1], wrong]
    with pytest.raises(IllegalAction, match="seat 1, decision 4: 'bid 9' is not legal"):
        play_local(GAME, players=2, seed=SEED, bots=bots)


def test_what_is_no_bot_or_too_few_of_them_is_refused():
    with pytest.raises(ValueError, match="bot of seat 1, a int, neither has an `act` method"):
        play_local(GAME, players=2, seed=SEED, bots=[print, 7])
    with pytest.raises(ValueError, match="2 players need as many bots, not 1"):
        play_local(GAME, players=2, seed=SEED, bots=[print])
