"""A real installation for the browser's tests: `manage.py up` in a folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from deploy import children
from deploy.children import MARK
from deploy.installation import CHECKOUT
from deploy.scratch import scratch_folder
from engine import games
from tests.e2e.season import BRACKET, GAME, Season

# What a run of the tests names for itself, and an installation of its own must not take over.
NOT_OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SLAYER_DATA_DIR", "SLAYER_ALLOWED_HOSTS")
MANAGE = [sys.executable, CHECKOUT / "manage.py"]
STOP: children.Steps = ((signal.SIGTERM, 40.0), (signal.SIGQUIT, 5.0))
Found = TypeVar("Found")


def until(look: Callable[[], Found | None], what: str, within_s: float = 120) -> Found:
    """What `look` finds, as soon as it finds anything; fails, naming what was awaited."""
    deadline = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < deadline, f"not within {within_s:.0f} s: {what}"
        time.sleep(0.25)
    return found


@dataclass(frozen=True)
class Site:
    """A site that answers at `url` (without a slash at its end), and what it holds."""

    url: str
    data: Path
    season: Season
    match: int
    """A finished ladder match of three or more."""
    bracket_match: int
    """The bracket's match, in which grace's bot `brittle` failed."""
    checks: dict[str, int]
    """By game, a finished match of a check."""

    def api(self, path: str, *, key: str = "", send: object = None) -> Any:
        """What the API answers; `key` names whose, `send` is posted as JSON."""
        return call(self.url, path, key=self.season.keys.get(key, ""), send=send)

    def log(self, process: str) -> str:
        return (self.data / "logs" / f"{process}.log").read_text(errors="replace")


def call(url: str, path: str, *, key: str = "", send: object = None) -> Any:
    request = urllib.request.Request(f"{url}/api/v1/{path}")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    if send is not None:
        request.data = json.dumps(send).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{path}: {error} {error.read().decode()}") from None


@dataclass(frozen=True)
class Started:
    """A command of manage.py that runs an installation of its own."""

    process: subprocess.Popen[bytes]
    data: Path
    environment: dict[str, str]
    _log: Path

    def said(self) -> str:
        return self._log.read_text()


@contextmanager
def started(*arguments: str) -> Iterator[Started]:
    """Run `manage.py` in a new data folder; stopped and removed when the block ends."""
    with scratch_folder() as base:
        data = base / "data"
        log = base / "output"
        environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
        environment |= {"SLAYER_NO_VENV": "1", "SLAYER_DATA_DIR": str(data), MARK: str(data)}
        with log.open("wb") as output:
            process = children.spawn(
                [*MANAGE, *arguments],
                cwd=CHECKOUT,
                env=environment,
                output=output,
                when_orphaned=signal.SIGTERM,
            )
        try:
            yield Started(process, data, environment, log)
        finally:
            children.stop(process, STOP)
            children.end(children.marked(data), ((signal.SIGKILL, 5.0),))


@contextmanager
def running() -> Iterator[Site]:
    """An installation with its season played."""
    with started("up", "--workers", "1") as up:
        url = until(lambda: _address(up), "the site answers", within_s=240).rstrip("/")
        filled = subprocess.run(
            [*MANAGE, "shell", "-v0", "-c", "from tests.e2e.season import fill; fill()"],
            cwd=CHECKOUT,
            env=up.environment,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert filled.returncode == 0, filled.stderr
        yield _play(url, up.data, Season(**json.loads(filled.stdout)))


def _address(up: Started) -> str:
    assert up.process.poll() is None, up.said()
    found = re.search(r"Slayer League: (http://\S+)", up.said())
    return found[1] if found else ""


def _play(url: str, data: Path, made: Season) -> Site:
    """Wait until all have qualified, play the bracket, and wait for a match on the ladder."""

    def qualified() -> bool:
        bots = call(url, f"bots/?game={GAME}&active=true")["results"]
        return {bot["name"] for bot in bots} >= {*made.bots, "greedy", "planner", "random"}

    until(qualified, "all bots have qualified", within_s=240)
    key = made.keys["olga"]
    cup = {
        "slug": BRACKET,
        "title": "Spring Cup",
        "game": GAME,
        "format": "round-robin",
        "rules": {"table_size": 4},
    }
    call(url, "brackets/", key=key, send=cup)
    for bot in made.bots.values():
        call(url, f"brackets/{BRACKET}/entries/", key=key, send={"bot": bot})
    call(url, f"brackets/{BRACKET}/start/", key=key, send={})
    until(lambda: call(url, f"brackets/{BRACKET}/")["state"] == "finished", "the bracket's end")

    def finished(kind: str, game: str = GAME) -> int:
        found = call(url, f"matches/?game={game}&kind={kind}&state=finished")["results"]
        return found[0]["id"] if found else 0

    ladder_match = until(lambda: finished("ladder"), "a match on the ladder")
    checks = {
        game.name: until(
            lambda name=game.name: finished("qualification", name), f"a check of {game.name}"
        )
        for game in games.all()
    }
    return Site(url, data, made, ladder_match, finished("bracket"), checks)
