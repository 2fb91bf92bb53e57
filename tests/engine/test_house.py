"""House bots are ordinary packages made from the tree."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine import house
from engine.house import house_names, house_package
from engine.package import PackageError, read

GAME = "deca-slayer"


def test_deca_slayer_has_its_three_bots():
    assert house_names(GAME) == ["greedy", "planner", "random"]


@pytest.mark.parametrize("game", ["no-such-game", "", "..", "deca-slayer/greedy"])
def test_other_games_have_none(game):
    assert house_names(game) == []
    with pytest.raises(PackageError, match="it has: none"):
        house_package(game, "greedy")


@pytest.mark.parametrize("name", house_names(GAME))
def test_bot_is_an_ordinary_package(name):
    package = read(house_package(GAME, name), filename=f"{name}.zip", game=GAME)
    assert package.manifest.entry == "main.py"
    assert {"bot.toml", "main.py", "slayer.py"} <= set(package.files)
    assert not [path for path in package.files if "/" in path or path.startswith((".", "_"))]


def test_package_is_the_same_each_time_and_differs_by_handicap():
    first = house_package(GAME, "greedy")
    assert house_package(GAME, "greedy", random_share=0.0) == first
    quarter = house_package(GAME, "greedy", random_share=0.25)
    assert house_package(GAME, "greedy", random_share=0.25) == quarter
    assert len({first, quarter, house_package(GAME, "greedy", random_share=0.5)}) == 3


def test_sdk_is_the_kits():
    files = read(house_package(GAME, "random"), filename="r.zip", game=GAME).files
    kit = Path(house.__file__).parents[1] / "bots" / "kits" / "python" / "slayer.py"
    assert files["slayer.py"] == kit.read_bytes()


def test_unknown_bot_names_the_known_ones():
    with pytest.raises(PackageError) as caught:
        house_package(GAME, "gredy")
    assert str(caught.value) == (
        "the house has no bot 'gredy' for deca-slayer; it has: greedy, planner, random"
    )


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_share_outside_0_to_1_is_refused(share):
    with pytest.raises(ValueError, match="from 0 to 1"):
        house_package(GAME, "greedy", random_share=share)


def chosen(tmp_path, share, decisions):
    """What greedy takes, decision for decision, where riches-9 is right and riches-1 is not."""
    package = read(house_package(GAME, "greedy", random_share=share), filename="g.zip", game=GAME)
    program = package.unpack(tmp_path / f"bot-{share}")
    start = {"type": "start", "player": 0, "players": 3, "random_seed": 811}
    ask = {"type": "decide", "observation": {"phase": "treasure"}, "events": [],
           "legal_actions": ["take riches-1", "take riches-9"]}  # fmt: skip
    lines = [start] + [ask | {"id": str(number)} for number in range(decisions)]
    done = subprocess.run(
        [sys.executable, program.entry],
        input="".join(json.dumps(line) + "\n" for line in lines),
        cwd=program.folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready"}
    assert [answer["id"] for answer in answers] == [str(number) for number in range(decisions)]
    return [answer["action"] for answer in answers]


def test_handicap_leaves_its_share_to_chance(tmp_path):
    assert set(chosen(tmp_path, 0.0, 50)) == {"take riches-9"}
    half = chosen(tmp_path, 0.5, 2_000)
    # A random choice is wrong half the time: 2000 × 0.5 × 0.5 = 500, standard deviation 19.
    assert 400 <= half.count("take riches-1") <= 600
    (tmp_path / "again").mkdir()
    assert chosen(tmp_path / "again", 0.5, 2_000) == half


def test_installed_copy_is_found_before_the_checkout(tmp_path, monkeypatch):
    bot = tmp_path / "_house" / "my-game" / "mine"
    bot.mkdir(parents=True)
    (bot / "bot.toml").write_text('games = ["my-game"]\nentry = "main.py"\n')
    (bot / "main.py").write_text("pass\n")
    (tmp_path / "_house" / "shared.py").write_text("1\n")
    (tmp_path / "_house" / "my-game" / "cards.py").write_text("2\n")
    (tmp_path / "_kits" / "python").mkdir(parents=True)
    (tmp_path / "_kits" / "python" / "slayer.py").write_text("3\n")
    monkeypatch.setattr(house, "_ENGINE", tmp_path)
    assert house_names("my-game") == ["mine"]
    (tmp_path / "z.zip").write_bytes(house_package("my-game", "mine"))
    assert zipfile.ZipFile(tmp_path / "z.zip").namelist() == [
        "bot.toml",
        "cards.py",
        "main.py",
        "shared.py",
        "slayer.py",
    ]
