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
    folder = Path(tempfile.mkdtemp(prefix="slayer-deploy-", dir=_roomy()))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _roomy() -> str:
    """Memory, if there is enough and programs may run from it; disks take long to remove files."""
    memory = "/dev/shm"
    if os.path.isdir(memory):
        found = os.statvfs(memory)
        if found.f_bavail * found.f_frsize > 2 * 2**30 and not found.f_flag & os.ST_NOEXEC:
            return memory
    return "/tmp"


class Managed(subprocess.Popen[bytes]):
    """A running `manage.py`; its output goes to a file, so that it never waits for a reader."""

    def __init__(self, log: Path, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
        self.log = log
        with log.open("wb") as output:
            super().__init__(
                [sys.executable, CHECKOUT / "manage.py", *arguments],
                env={**os.environ, "SLAYER_NO_VENV": "1", **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.log.read_text()

    def end(self, within_s: float = 90) -> str:
        """Wait for its end; returns all its output."""
        self.wait(within_s)
        return self.said()

    def line_with(self, wanted: str, within_s: float = 120) -> str:
        """Wait for a line that contains `wanted`."""
        found: list[str] = []

        def there() -> bool:
            found[:] = [line for line in self.said().splitlines() if wanted in line]
            return bool(found) or self.poll() is not None

        assert eventually(there, within_s), f"no {wanted!r} in:\n{self.said()}"
        assert found, f"ended without {wanted!r}:\n{self.said()}"
        return found[0]


@pytest.fixture
def manage(nothing_named: None, tmp_path: Path) -> Iterator[Callable[..., Managed]]:
    """Start `manage.py` of this checkout with this interpreter; what still runs is ended."""
    started: list[Managed] = []

    def start(*arguments: str, **environment: str) -> Managed:
        process = Managed(tmp_path / f"output-{len(started)}", arguments, environment)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def eventually(condition: Callable[[], bool], within_s: float = 10) -> bool:
    """Whether the condition comes true in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
