"""The house's bots for Deca Slayer know the cards, play by the rules, and keep their order."""

import json
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import games, wire
from engine.house import house_package
from engine.local import play_local
from engine.package import read
from tests.bench.bench_house import compare, interval, load, seed_of

ROOT = Path(__file__).parents[2]
GAME = games.get("deca-slayer")
NAMES = ["random", "greedy", "planner"]
ALL_OPTIONS = {"guilds": True, "princesses": 2}


@pytest.fixture(scope="module")
def bots():
    return {name: load(GAME.name, name) for name in NAMES}


def test_cards_are_those_of_the_engine():
    cards = SimpleNamespace(**runpy.run_path(str(ROOT / "bots/house/deca-slayer/cards.py")))
    tables = tomllib.loads((ROOT / "engine/games/deca_slayer/cards.toml").read_text())
    types = ("melee", "ranged", "magic")
    assert {
        hero["name"]: tuple(hero.get(of_type, 0) for of_type in types) for hero in tables["hero"]
    } == cards.HEROES
    copies = {hero["name"]: hero["count"] for hero in tables["hero"]} | {"princess": 0}
    assert copies == cards.COPIES
    points = {treasure["name"]: treasure["vp"] for treasure in tables["treasure"]}
    assert points | {"dragon": 5} == cards.POINTS
    stronger = {
        card["name"]: tuple(int(of_type in card["power"]) for of_type in types)
        for card in tables["treasure"] + tables["guild"]
        if "power" in card
    }
    assert stronger == cards.BONUSES
    assert {m["name"]: m["placement"] for m in tables["monster"]} == {
        name: placement for name, (placement, _) in cards.MONSTERS.items()
    }
    slots = {
        m["name"]: [tuple(step.get("slots", ())) for step in m["steps"]] for m in tables["monster"]
    }
    assert slots == {
        name: [slots for _, slots in steps] for name, (_, steps) in cards.MONSTERS.items()
    }


@pytest.mark.parametrize("options", [{}, ALL_OPTIONS], ids=["plain", "all-options"])
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_they_play_to_the_end_by_the_rules(bots, players, options):
    table = [bots[NAMES[(seat + players) % 3]] for seat in range(players)]
    for number in range(2):
        record = play_local(
            GAME, players=players, seed=seed_of(number, "legal"), bots=table, options=options
        )
        assert sorted(record.places)[0] == 1  # an illegal action or a crash would have raised


def test_planner_above_greedy_above_random(bots):
    random, greedy, planner = (bots[name] for name in NAMES)
    for better, worse in ((greedy, random), (planner, greedy)):
        mean, half_width = interval(
            compare(GAME, better, worse, None, players=4, matches=10, label="order")
        )
        assert mean - half_width > 0.2


def test_a_play_fits_the_clock(bots):
    # 6 planners with all options have the most to think about; the ladder gives 100 ms a decision
    # and a bank of 5 s.
    planner = bots["planner"]
    planner.decision_s.clear()
    play_local(GAME, players=6, seed=seed_of(1, "clock"), bots=[planner] * 6, options=ALL_OPTIONS)
    over = sum(max(0.0, spent - 0.1) for spent in planner.decision_s)
    assert len(planner.decision_s) > 150
    assert sum(planner.decision_s) / len(planner.decision_s) < 0.02
    assert over < 2.5


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


@pytest.mark.parametrize("name", ["greedy", "planner"])
def test_package_alone_answers_the_same_in_a_process_of_its_own(bots, tmp_path, name):
    taped = Taped(bots[name])
    table = [taped, bots["greedy"], bots["greedy"]]
    play_local(GAME, players=3, seed=seed_of(2, "tape"), bots=table, options=ALL_OPTIONS)
    package = read(house_package(GAME.name, name), filename="bot.zip", game=GAME.name)
    program = package.unpack(tmp_path / "bot")
    asked = "".join(json.dumps(line) + "\n" for line in taped.lines)
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, program.entry],
            input=asked,
            cwd=program.folder,
            env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        ready, *answers = done.stdout.splitlines()
        assert wire.parse_ready(ready.encode()) is None
        assert [json.loads(answer)["action"] for answer in answers] == taped.answers
        assert done.stderr == ""
