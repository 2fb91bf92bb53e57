"""`pip install .` gives an author the engine alone, with the house's bots to play against."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=CHECKOUT)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_engine_and_nothing_of_the_service(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"engine", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert "engine/games/deca_slayer/cards.toml" in names
    assert "engine/_kits/python/slayer.py" in names
    assert not [name for name in names if name.endswith(".pyc")]


def test_an_empty_environment_with_the_wheel_plays_and_verifies(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-index", wheel, cwd=tmp_path)
    bots = ["house:greedy", "house:random", "house:planner"]
    seed = "07" * 32
    out = run(
        tmp_path / "env" / "bin" / "slayer",
        *[
            "play",
            "deca-slayer",
            *bots,
            "--seed",
            seed,
            "--json",
            "--trust",
            "--replay",
            "p.replay",
        ],
        cwd=tmp_path,
    )
    played = json.loads(out)
    assert played["record"]["failures"] == []
    assert "is right" in run(python, "-m", "engine", "verify", "p.replay", cwd=tmp_path)
