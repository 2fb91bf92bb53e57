"""The house's bots for Kunlun know the cards, play by the rules, and keep their order."""

import dataclasses
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
from engine.games.kunlun import tables
from engine.house import house_names, house_package
from engine.local import play_local
from engine.package import from_path, read
from engine.referee import SeatProgram, play
from engine.sandbox import plain
from tests.bench.bench_house import compare, interval, load, seed_of
from tests.engine.kunlun.positions import position

ROOT = Path(__file__).parents[2]
GAME = games.get("kunlun")
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
        assert package.manifest.games == ("kunlun",)
        assert {"bot.toml", "main.py", "slayer.py"} <= set(package.files)


def test_cards_are_those_of_the_engine():
    cards = SimpleNamespace(**runpy.run_path(str(ROOT / "bots/house/kunlun/cards.py")))
    assert list(cards.CARDS) == list(tables.CARDS)
    columns = [field.name for field in dataclasses.fields(cards.Card)]
    for name, card in cards.CARDS.items():
        theirs = {column: getattr(card, column) for column in columns}
        assert theirs == {column: getattr(tables.CARDS[name], column) for column in columns}


@pytest.mark.parametrize("options", [{}, {"clans": "choose", "first": 1}], ids=["plain", "chosen"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_they_play_to_the_end_by_the_rules(bots, players, options):
    table = [bots[NAMES[(seat + players) % 3]] for seat in range(players)]
    record = play_local(
        GAME, players=players, seed=seed_of(0, "legal"), bots=table, options=options
    )
    assert record.places.count(1) == 1  # an illegal action or a crash would have raised


@pytest.mark.parametrize("name", ["greedy", "planner"])
def test_among_themselves_they_end_the_seventh_wave(bots, name):
    for players in (2, 3, 4):
        record = play_local(
            GAME, players=players, seed=seed_of(players, "waves"), bots=[bots[name]] * players
        )
        state = GAME.new_initial_state(players, record.seed, record.options)
        for seat, index in record.actions:
            state.apply_action(seat, GAME.actions[index])
        assert state.events[-1]["reason"] == "waves"


@pytest.mark.parametrize("seed", range(6))
def test_they_have_an_answer_wherever_chance_leads(ask, seed):
    # Uniform choices throw decks away and fill Regalia zones with Miasmas: positions that no bot
    # would bring about.
    dice = random.Random(seed)
    players = 2 + seed % 3
    state = GAME.new_initial_state(players, f"{seed:064x}", {"clans": "choose"})
    for _ in range(400):
        for name in NAMES:
            if not state.is_terminal():
                ask(name, state)
        if state.is_terminal():
            break
        [player] = state.current_players()
        state.apply_action(player, dice.choice(state.legal_actions(player)))


def test_planner_above_greedy_above_random(bots):
    random_, greedy, planner = (bots[name] for name in NAMES)
    for better, worse in ((greedy, random_), (planner, greedy)):
        mean, half_width = interval(
            compare(GAME, better, worse, None, players=2, matches=6, label="order")
        )
        assert mean - half_width > 0


def test_planner_is_quick(bots):
    planner = bots["planner"]
    planner.decision_s.clear()
    play_local(GAME, players=4, seed=seed_of(1, "clock"), bots=[planner] * 4)
    assert len(planner.decision_s) > 200
    assert sum(planner.decision_s) / len(planner.decision_s) < 0.002
    assert max(planner.decision_s) < 0.1


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


def answers(folder, entry, lines, hash_seed="0"):
    """What a bot answers in a process of its own; it must log nothing."""
    done = subprocess.run(
        [sys.executable, entry],
        input="".join(json.dumps(line) + "\n" for line in lines),
        cwd=folder,
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


@pytest.mark.parametrize("name", ["greedy", "planner"])
def test_package_alone_answers_the_same_in_a_process_of_its_own(bots, tmp_path, name):
    taped = Taped(bots[name])
    play_local(GAME, players=2, seed=seed_of(2, "tape"), bots=[taped, bots["greedy"]])
    package = read(house_package(GAME.name, name), filename="bot.zip", game=GAME.name)
    program = package.unpack(tmp_path / "bot")
    for hash_seed in ("1", "2"):
        assert answers(program.folder, program.entry, taped.lines, hash_seed) == taped.answers


def test_random_answers_the_same_again(bots, tmp_path):
    taped = Taped(bots["random"])
    play_local(GAME, players=2, seed=seed_of(2, "tape"), bots=[taped, bots["greedy"]])
    package = read(house_package(GAME.name, "random"), filename="bot.zip", game=GAME.name)
    program = package.unpack(tmp_path / "bot")
    first = answers(program.folder, program.entry, taped.lines, "1")
    assert answers(program.folder, program.entry, taped.lines, "2") == first
    other = [taped.lines[0] | {"random_seed": 1}, *taped.lines[1:]]
    assert answers(program.folder, program.entry, other) != first


# Chance


def asked_often(tmp_path, name, share, legal_actions, phase):
    data = house_package(GAME.name, name, random_share=share)
    program = read(data, filename="bot.zip", game=GAME.name).unpack(tmp_path / f"{name}-{share}")
    start = {"type": "start", "player": 0, "players": 2, "random_seed": 811}
    ask = {
        "type": "decide",
        "observation": {"phase": phase, "pending": None, "zone": []},
        "events": [],
        "legal_actions": legal_actions,
    }
    lines = [start, *[ask | {"id": str(number)} for number in range(400)]]
    return answers(program.folder, program.entry, lines)


@pytest.mark.parametrize(("name", "share"), [("random", 0.0), ("greedy", 1.0)])
def test_chance_never_abstains(tmp_path, name, share):
    given = asked_often(tmp_path, name, share, ["proceed", "abstain"], "start")
    assert set(given) == {"proceed"}


@pytest.mark.parametrize(("name", "share"), [("random", 0.0), ("greedy", 1.0)])
def test_all_else_is_equally_likely(tmp_path, name, share):
    legal = ["slay mud-ghoul", "acquire diligence", "alchemy", "end turn"]
    given = asked_often(tmp_path, name, share, legal, "action")
    # 400 × ¼ = 100 each, standard deviation 8.7
    assert all(65 <= given.count(action) <= 135 for action in legal)


def test_handicap_leaves_its_share_to_chance(tmp_path):
    legal = ["slay mud-ghoul", "end turn"]
    given = asked_often(tmp_path, "greedy", 0.5, legal, "action")
    # Greedy itself always slays; chance ends the turn half the time: 400 × 0.5 × 0.5 = 100.
    assert 65 <= given.count("end turn") <= 135


# What the planner knows


OTHER = {"clan": "kontong", "hand": "thunders, 2 alembic, 2 diligence"}  # Attack 7, all known


def test_planner_does_not_open_the_way_for_the_next_player(ask):
    # With the Wraith the Lord is of strength 6 + 2, without it of 6, and worth 5 tokens.
    hand = "2 diligence, thunders"
    guarded = position(hand, zone="lantern-wraith", others=(OTHER,))
    assert ask("planner", guarded) != "slay lantern-wraith"
    assert ask("greedy", guarded) == "slay lantern-wraith"


def test_planner_slays_the_same_enemy_if_nobody_can_follow(ask):
    harmless = position("2 diligence, thunders", zone="lantern-wraith", now={"acquired": 1})
    assert ask("planner", harmless) == "slay lantern-wraith"


def test_planner_ends_the_game_when_it_wins(ask):
    hand = "3 thunders, 2 diligence"
    ahead = position(hand, wave=7, lord="jade-regent", zone="", tokens=20, others=({"tokens": 25},))
    assert ask("planner", ahead) == "slay jade-regent"


def test_planner_plays_on_while_it_is_behind(ask):
    hand = "3 thunders, 2 diligence"
    behind = position(
        hand, wave=7, lord="jade-regent", zone="", tokens=20,
        others=({"tokens": 60, "hand": "5 diligence"},),
    )  # fmt: skip
    assert not ask("planner", behind).startswith("slay")


# The kit


def test_example_of_the_kit_plays_to_the_end(tmp_path):
    kit = tmp_path / "kit"
    kit.mkdir()
    for path in (ROOT / "bots" / "kits" / "python").iterdir():
        if path.is_file():
            (kit / path.name).write_bytes(path.read_bytes())
    (kit / "bot.toml").write_text('games = ["kunlun"]\nlanguage = "python"\nentry = "kunlun.py"\n')
    package = from_path(kit, GAME.name)
    program = package.unpack(tmp_path / "bot")
    seats = [SeatProgram(program, package.sha256)] * 2
    with plain() as sandbox:
        result = play(
            GAME, players=2, options={}, seed=seed_of(0, "kit"), seats=seats,
            time=TimeControl(), sandbox=sandbox,
        )  # fmt: skip
    assert result.record.failures == []
    assert max(result.record.scores) > 20
