"""The first command of a user who is not root, on a machine with nothing but Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.bootstrap import named_after
from deploy.installation import CHECKOUT

NOBODY = 65534
PYTHON = "/usr/bin/python3"
CODE = (
    "from django.db import connection; from django.core.cache import cache; "
    "cache.set('a', 1); connection.ensure_connection(); "
    "print('reached', connection.pg_version // 10000, cache.get('a'))"
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a command as another user"),
]


def as_nobody(checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, "manage.py", *command],
        cwd=checkout,
        env={"HOME": str(checkout.parent / "home"), "PATH": "/usr/bin:/bin"},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


@pytest.fixture
def checkout(open_folder: Path) -> Path:
    """A copy of this checkout, without what commands and tools have made in it, of that user."""
    made = shutil.ignore_patterns(
        ".git", ".venv*", ".data", "__pycache__", ".*_cache", ".hypothesis"
    )
    copy = open_folder / "league"
    shutil.copytree(CHECKOUT, copy, ignore=made)
    (open_folder / "home").mkdir()
    for path in (copy, open_folder / "home"):
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", path], check=True)
    return copy


def test_the_first_command_brings_packages_and_servers(checkout: Path) -> None:
    first = as_nobody(checkout, "shell", "-v0", "-c", CODE)
    assert first.returncode == 0, first.stderr
    assert "is ready" in first.stderr
    assert first.stdout.split() == ["reached", "17", "1"]
    assert (checkout / ".data/servers/postgres/PG_VERSION").stat().st_uid == NOBODY

    # The same checkout, when it has become somebody else's and read-only.
    for path in (checkout, checkout / ".data"):
        os.chown(path, 0, 0)
    second = as_nobody(checkout, "shell", "-v0", "-c", CODE)
    assert second.returncode == 0, second.stderr
    assert second.stderr == ""  # nothing was made again
    state = checkout.parent / "home/.local/state/slayer-league" / named_after(str(checkout))
    assert (state / "servers/postgres/PG_VERSION").exists()
