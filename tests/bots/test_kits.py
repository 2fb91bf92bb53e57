"""The Python starter kit, run as the referee runs it: lines of JSON over pipes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.package import from_path, read

GAME = "deca-slayer"
KIT = Path(__file__).parents[2] / "bots" / "kits" / "python"
START = {
    "type": "start",
    "protocol": 1,
    "game": GAME,
    "edition": "1",
    "player": 2,
    "players": 4,
    "options": {},
    "random_seed": 811,
    "time": {"start_ms": 5000, "move_ms": 100, "bank_ms": 5000},
    "a_key_of_later": 1,
}
END = {"type": "end", "scores": [1, 2, 3, 4], "ranks": [4, 3, 2, 1]}


def decide(number, legal_actions, observation=None):
    return {
        "type": "decide",
        "id": f"request-{number}",
        "player": 2,
        "observation": observation or {},
        "events": [{"kind": "pass"}],
        "legal_actions": legal_actions,
        "bank_ms": 5000,
        "previous_ms": 3,
        "a_key_of_later": 1,
    }


def talk(folder, entry, messages):
    """What the bot answers, message by message, and its log."""
    done = subprocess.run(
        [sys.executable, entry],
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        cwd=folder,
        capture_output=True,
        timeout=20,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def with_choose(tmp_path, body):
    (tmp_path / "slayer.py").write_bytes((KIT / "slayer.py").read_bytes())
    (tmp_path / "main.py").write_text(
        "import random\nfrom slayer import run\n\n"
        f"def choose(observation, legal_actions, info):\n    {body}\n\nrun(choose)\n"
    )
    return tmp_path


def readme_block(containing):
    blocks = re.findall(r"```python\n(.*?)```", (KIT / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if containing in block)


def test_sdk_is_one_small_file_of_the_standard_library():
    source = (KIT / "slayer.py").read_text()
    assert len(source.splitlines()) < 80
    imported = set(re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE))
    assert imported <= sys.stdlib_module_names


def test_bot_is_ready_answers_and_ends():
    messages = [
        START,
        decide(1, ["take riches-7", "take riches-11"], {"phase": "treasure"}),
        decide(2, ["pass", "play jester"], {"phase": "play", "row": [{"open": ["riches-2"]}]}),
        END,
        decide(3, ["never asked"]),
    ]
    answers, log = talk(KIT, "main.py", messages)
    assert answers == [
        {"type": "ready"},
        {"id": "request-1", "action": "take riches-11"},
        {"id": "request-2", "action": "pass", "note": "the best treasure is worth 2"},
    ]
    assert log == ""


def test_end_of_input_ends_the_bot():
    assert talk(KIT, "main.py", []) == ([], "")
    assert talk(KIT, "main.py", [START]) == ([{"type": "ready"}], "")


def test_messages_of_another_kind_are_passed_over(tmp_path):
    folder = with_choose(tmp_path, "return legal_actions[0]")
    answers, _ = talk(folder, "main.py", [START, {"type": "news"}, decide(1, ["pass"])])
    assert answers == [{"type": "ready"}, {"id": "request-1", "action": "pass"}]


def test_what_is_printed_goes_to_the_log(tmp_path):
    folder = with_choose(tmp_path, "print('thinking about ü'); return legal_actions[0]")
    answers, log = talk(folder, "main.py", [START, decide(1, ["pass"])])
    assert len(answers) == 2
    assert "thinking about" in log


def test_info_has_the_start_and_the_current_message(tmp_path):
    folder = with_choose(tmp_path, "return legal_actions[0], ' '.join(sorted(info))")
    answers, _ = talk(folder, "main.py", [START, decide(1, ["pass"])])
    assert set(answers[1]["note"].split()) == {
        "a_key_of_later", "bank_ms", "edition", "events", "game", "options", "player", "players",
        "previous_ms", "protocol", "random_seed", "time",
    }  # fmt: skip


def test_note_is_cut_to_what_the_referee_takes(tmp_path):
    folder = with_choose(tmp_path, "return legal_actions[0], 'ü' * 500")
    answers, _ = talk(folder, "main.py", [START, decide(1, ["pass"])])
    assert answers[1]["note"] == "ü" * 200


def test_random_is_seeded(tmp_path):
    folder = with_choose(tmp_path, "return random.choice(legal_actions)")
    asked = [decide(number, [f"a{i}" for i in range(1000)]) for number in range(5)]
    first = talk(folder, "main.py", [START, *asked])
    assert talk(folder, "main.py", [START, *asked]) == first
    assert talk(folder, "main.py", [START | {"random_seed": 812}, *asked]) != first


def test_kit_folder_is_a_package():
    package = from_path(KIT, GAME)
    assert package.manifest.games == (GAME,)
    assert {"main.py", "slayer.py", "bot.toml"} <= set(package.files)


@pytest.mark.parametrize("containing", ["from slayer import run", "for line in sys.stdin"])
def test_code_of_the_readme_works(tmp_path, containing):
    (tmp_path / "slayer.py").write_bytes((KIT / "slayer.py").read_bytes())
    (tmp_path / "bot.py").write_text(readme_block(containing))
    answers, log = talk(tmp_path, "bot.py", [START, decide(1, ["play jester", "pass"]), END])
    assert answers[0] == {"type": "ready"}
    assert answers[1]["id"] == "request-1"
    assert answers[1]["action"] == "play jester"
    assert log == ""


@pytest.mark.parametrize("players", [3, 6])
def test_example_plays_to_the_end_by_the_rules_of_the_readme(tmp_path, players):
    shutil.copytree(KIT, tmp_path / "my-bot")
    command = next(
        line
        for line in (KIT / "README.md").read_text().splitlines()
        if " play deca-slayer " in line
    )
    python, *arguments = command.split()
    assert python == "python3"
    more = ["my-bot"] * (players - 3)
    options = ["--option", "guilds=true", "--option", "princesses=2"]
    done = subprocess.run(
        [sys.executable, *arguments, *more, *options, "--seed", "5e" * 32, "--trust", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(KIT.parents[2])},
        capture_output=True,
        timeout=60,
        check=True,
    )
    record = json.loads(done.stdout)["record"]
    assert record["failures"] == []
    assert record["players"] == players


def test_bot_by_hand_is_uploaded_as_one_file():
    source = readme_block("for line in sys.stdin")
    package = read(source.encode(), filename="bot.py", game=GAME)
    assert (package.manifest.language, package.manifest.entry) == ("python", "bot.py")
    assert len(source.splitlines()) <= 12
