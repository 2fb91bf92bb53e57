"""The house's bots for Slawia know the cards, play by the rules, and keep their order."""

import json
import os
import random
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import games, wire
from engine.clock import TimeControl
from engine.games.slawia import tables
from engine.house import house_names, house_package
from engine.local import play_local
from engine.package import from_path, read
from engine.referee import SeatProgram, play
from engine.sandbox import plain
from tests.bench.bench_house import compare, interval, load, seed_of
from tests.engine.slawia.positions import at, position

ROOT = Path(__file__).parents[2]
GAME = games.get("slawia")
NAMES = ["random", "greedy", "planner"]


@pytest.fixture(scope="module")
def bots():
    return {name: load(GAME.name, name) for name in NAMES}


@pytest.fixture(scope="module")
def ask(bots):
    """What a bot does in a position."""

    def asked(name, state):
        [player] = state.current_players()
        answer = bots[name].act(state.observation(player), state.legal_actions(player))
        assert answer in state.legal_actions(player)
        return answer

    return asked


def test_the_three_bots_are_there_as_ordinary_packages():
    assert house_names(GAME.name) == sorted(NAMES)
    for name in NAMES:
        package = read(house_package(GAME.name, name), filename=f"{name}.zip", game=GAME.name)
        assert package.manifest.games == ("slawia",)
        assert {"bot.toml", "main.py", "slayer.py"} <= set(package.files)


def test_cards_are_those_of_the_engine():
    cards = SimpleNamespace(**runpy.run_path(str(ROOT / "bots/house/slawia/cards.py")))
    assert {card.name: card.strength for card in tables.SLAYERS.values()} == cards.SLAYERS
    assert set(cards.WARRIORS) == tables.WARRIORS
    assert {
        card.name: (card.strength, card.treasures, card.copies) for card in tables.MONSTERS.values()
    } == cards.MONSTERS
    assert set(cards.SPECIAL) == {card.name for card in tables.MONSTERS.values() if card.special}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_they_play_to_the_end_by_the_rules(bots, players):
    table = [bots[NAMES[(seat + players) % 3]] for seat in range(players)]
    record = play_local(GAME, players=players, seed=seed_of(0, "legal"), bots=table)
    assert 1 in record.places  # an illegal action or a crash would have raised


@pytest.mark.parametrize("seed", range(8))
def test_they_have_an_answer_wherever_chance_leads(ask, seed):
    dice = random.Random(seed)
    state = GAME.new_initial_state(2 + seed % 4, f"{seed:064x}")
    while not state.is_terminal():
        for name in NAMES:
            ask(name, state)
        [player] = state.current_players()
        state.apply_action(player, dice.choice(state.legal_actions(player)))


@pytest.mark.parametrize("players", [2, 5])
def test_planner_above_greedy_above_random(bots, players):
    random_, greedy, planner = (bots[name] for name in NAMES)
    matches = {2: 16, 5: 4}[players]
    for better, worse in ((greedy, random_), (planner, greedy)):
        mean, half_width = interval(
            compare(GAME, better, worse, random_, players=players, matches=matches, label="order")
        )
        assert mean - half_width > 0


def test_planner_is_quick(bots):
    planner = bots["planner"]
    planner.decision_s.clear()
    play_local(GAME, players=5, seed=seed_of(1, "clock"), bots=[planner] * 5)
    assert len(planner.decision_s) > 100
    assert sum(planner.decision_s) / len(planner.decision_s) < 0.002
    assert max(planner.decision_s) < 0.1


# In a process of its own


class Taped:
    """A bot that notes what it was asked and what it answered."""

    def __init__(self, bot):
        self.bot = bot
        self.lines, self.answers = [], []

    def start(self, info):
        self.bot.start(info)
        self.lines.append({"type": "start", "protocol": 1, **info, "time": {}})

    def act(self, observation, legal_actions):
        action = self.bot.act(observation, legal_actions)
        self.lines.append(
            {"type": "decide", "id": str(len(self.answers)), "observation": observation,
             "legal_actions": legal_actions, "events": []}
        )  # fmt: skip
        self.answers.append(action)
        return action


def answers(tmp_path, name, lines, *, share=0.0, hash_seed="0"):
    """What a bot answers as a package alone; it must log nothing."""
    data = house_package(GAME.name, name, random_share=share)
    package = read(data, filename="bot.zip", game=GAME.name)
    program = package.unpack(tmp_path / f"{name}-{share}-{hash_seed}")
    done = subprocess.run(
        [sys.executable, program.entry],
        input="".join(json.dumps(line) + "\n" for line in lines),
        cwd=program.folder,
        env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    ready, *rest = done.stdout.splitlines()
    assert wire.parse_ready(ready.encode()) is None
    return [json.loads(answer)["action"] for answer in rest]


@pytest.mark.parametrize("name", ["greedy", "planner", "random"])
def test_package_alone_answers_the_same_each_time(bots, tmp_path, name):
    taped = Taped(bots[name])
    play_local(GAME, players=2, seed=seed_of(2, "tape"), bots=[taped, bots["greedy"]])
    first = answers(tmp_path, name, taped.lines, hash_seed="1")
    assert answers(tmp_path, name, taped.lines, hash_seed="2") == first
    if name != "random":  # in this process others use its dice as well
        assert first == taped.answers


def test_handicap_leaves_its_share_to_chance(tmp_path):
    # My own Warrior waits for a weak monster; greedy never takes a Zmey.
    state = position(at("old-mill", "striga striga", "0:warrior-6"), lair="chochlik zmey zmey",
                     step=3, slayers_played=2, hands={0: "", 1: ""})  # fmt: skip
    start = {"type": "start", "player": 0, "players": 2, "random_seed": 811}
    ask = {"type": "decide", "observation": state.observation(0), "events": [],
           "legal_actions": ["lair chochlik", "lair zmey"]}  # fmt: skip
    lines = [start, *[ask | {"id": str(number)} for number in range(400)]]
    assert set(answers(tmp_path, "greedy", lines)) == {"lair chochlik"}
    given = answers(tmp_path, "greedy", lines, share=0.5)
    assert 65 <= given.count("lair zmey") <= 135  # 400 × 0.5 × 0.5 = 100, standard deviation 8.7


# What they know


@pytest.mark.parametrize("name", ["greedy", "planner"])
def test_they_start_a_hunt_that_they_win(ask, name):
    # 6 against 2 + 2 + 1: three glory for me alone; two Leshys in the lair would spoil it.
    row = at("old-mill", "topielec topielec", "0:warrior-6")
    state = position(row, lair="leshy chochlik leshy", step=3, slayers_played=2)
    assert ask(name, state) == "lair chochlik"
    state.apply_action(0, "lair chochlik")
    assert ask(name, state) == "at old-mill"


@pytest.mark.parametrize("name", ["greedy", "planner"])
def test_they_spoil_a_hunt_that_another_wins(ask, name):
    # 6 + 4 against 2 + 2 and what comes; only a Zmey is too strong.
    row = at("old-mill", "topielec topielec", "1:warrior-6 1:mage")
    state = position(row, lair="zmey chochlik skarbnik", step=3, slayers_played=2)
    assert ask(name, state) == "lair zmey"


def test_planner_keeps_its_tokens_where_they_are_needed(ask):
    # Without token 1 the Zmey beats my Warrior; token 2 lies where nobody is.
    state = position(
        at("old-mill", "zmey+0.1 striga", "0:warrior-6"),
        at("raven-hill", "chochlik+0.2"),
        at("wolf-pass", "leshy striga", "0:exterminator 0:warrior-5"),
        phase="recall", trigger="exterminator", focus=2, slayers_played=1,
    )  # fmt: skip
    assert ask("planner", state) == "recall 2"


# The kit


def test_example_of_the_kit_beats_random_play(tmp_path):
    kit = tmp_path / "kit"
    kit.mkdir()
    for path in (ROOT / "bots" / "kits" / "python").iterdir():
        if path.is_file():
            (kit / path.name).write_bytes(path.read_bytes())
    (kit / "bot.toml").write_text('games = ["slawia"]\nlanguage = "python"\nentry = "slawia.py"\n')
    package = from_path(kit, GAME.name)
    mine = SeatProgram(package.unpack(tmp_path / "bot"), package.sha256)
    package = read(house_package(GAME.name, "random"), filename="bot.zip", game=GAME.name)
    theirs = SeatProgram(package.unpack(tmp_path / "random"), package.sha256)
    wins = 0
    with plain() as sandbox:
        for number in range(10):
            result = play(
                GAME, players=2, options={}, seed=seed_of(number, "kit"), seats=[mine, theirs],
                time=TimeControl(), sandbox=sandbox,
            )  # fmt: skip
            assert result.record.failures == []
            wins += result.record.places == [1, 2]
    assert wins >= 7
