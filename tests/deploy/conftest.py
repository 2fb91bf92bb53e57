"""What the tests of the installation share."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.installation import CHECKOUT

OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SLAYER_DATA_DIR", "SLAYER_RUN")


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a machine on which nobody has named a server or a folder."""
    for name in (*OURS, "SLAYER_ALLOWED_HOSTS", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter (pytest's own may be entered by one alone)."""
    folder = Path(tempfile.mkdtemp(prefix="slayer-deploy-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def manage(nothing_named: None) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `manage.py` of this checkout with this interpreter; what still runs is ended."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, CHECKOUT / "manage.py", *arguments],
            env={**os.environ, "SLAYER_NO_VENV": "1", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()


def eventually(condition: Callable[[], bool], within_s: float = 10) -> bool:
    """Whether the condition comes true in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
