"""Every hostile bot comes to its end, as our own user and, where we are root, as another."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.sandbox import Sandbox, workspace
from engine.sandbox.tiers import BACK_ENDS
from tests.engine.sandbox import hostile

ORDINARY_USER = 65534
PARTS = 3  # side by side, because many cases do nothing but wait
CHECKOUT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", hostile.CASES)
def test_hostile_bot(sandbox: Sandbox, name: str) -> None:
    assert hostile.run(sandbox, name) is None


def _python_for_others() -> str | None:
    """An interpreter that the ordinary user can run."""
    system = sorted(Path("/usr/bin").glob("python3.1[1-9]"), reverse=True)
    for path in [sys.executable, *map(str, system)]:
        probe = [path, "-S", "-c", "import json, socket"]
        try:
            done = subprocess.run(probe, user=ORDINARY_USER, capture_output=True, check=False)
        except PermissionError:
            continue
        if done.returncode == 0:
            return path
    return None


@pytest.fixture(scope="module", params=[name for name in BACK_ENDS if name != "ns+cgroup"])
def as_ordinary_user(request: pytest.FixtureRequest) -> dict[str, str | None]:
    """What came of every case in a process of an ordinary user."""
    python = _python_for_others()
    if python is None:
        pytest.skip("no Python 3.11 or newer that an ordinary user can run")
    with workspace() as place:
        place.chmod(0o755)
        leave_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / "engine", place / "engine", ignore=leave_out)
        shutil.copytree(
            CHECKOUT / "tests" / "engine" / "sandbox",
            place / "tests" / "engine" / "sandbox",
            ignore=leave_out,
        )
        subprocess.run(["chmod", "-R", "a+rX", str(place)], check=True)
        names = list(hostile.CASES)
        parts = [names[number::PARTS] for number in range(PARTS)]
        running = [
            subprocess.Popen(
                [python, "-B", "-m", "tests.engine.sandbox.hostile", request.param, *part],
                cwd=place,
                env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
                user=ORDINARY_USER,
                group=ORDINARY_USER,
                extra_groups=[],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for part in parts
        ]
        said = [process.communicate() for process in running]
    problems: dict[str, str | None] = {}
    for process, (out, errors) in zip(running, said, strict=True):
        assert process.returncode == 0, errors
        problems |= json.loads(out)
    return problems


if os.geteuid() == 0:  # otherwise the tests above ran as an ordinary user

    @pytest.mark.parametrize("name", hostile.CASES)
    def test_hostile_bot_of_an_ordinary_user(
        as_ordinary_user: dict[str, str | None], name: str
    ) -> None:
        assert as_ordinary_user[name] is None
