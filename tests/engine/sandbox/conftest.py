"""A sandbox for the tests here, and the rule that no test leaves anything behind."""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.sandbox import (
    Bot,
    CannotIsolate,
    Limits,
    Program,
    Sandbox,
    cgroups,
    isolated,
    workspace,
)
from engine.sandbox.identity import bot_identity
from engine.sandbox.tiers import BACK_ENDS

Start = Callable[..., Bot]


def _group_places() -> tuple[Path, ...]:
    try:
        return cgroups._places()[1]
    except OSError:
        return ()


GROUP_PLACES = _group_places()


def back_ends_here() -> list[str]:
    """Those that this machine offers to our user: only some may make control groups."""
    try:
        cgroups.Groups().close()
    except CannotIsolate:
        return [name for name in BACK_ENDS if name != "ns+cgroup"]
    return list(BACK_ENDS)


@pytest.fixture(scope="session", params=back_ends_here())
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Every back end in turn."""
    with isolated(minimum="landlock", name=request.param) as made:
        yield made


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the bots' user can reach; pytest's own are closed to others."""
    with workspace() as folder:
        yield folder


@pytest.fixture
def program(place: Path) -> Callable[..., Program]:
    """Make a package with one entry."""

    def make(
        source: str | bytes, *, language: str = "python", entry: str = "main.py", mode: int = 0o755
    ) -> Program:
        folder = place / f"bot-{len(list(place.iterdir()))}"
        folder.mkdir()
        folder.chmod(0o755)
        path = folder / entry
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        path.chmod(mode)
        return Program(folder, language, entry)

    return make


@pytest.fixture
def start(sandbox: Sandbox, program: Callable[..., Program]) -> Iterator[Start]:
    """Start Python source in the sandbox; it is stopped after the test."""
    bots: list[Bot] = []

    def begin(source: str, limits: Limits | None = None) -> Bot:
        bots.append(sandbox.start(program(source), limits or Limits()))
        return bots[-1]

    yield begin
    for bot in bots:
        bot.stop()


OURS = re.compile(r"(/sys|/bot|/tmp|/proc|/usr|/dev)(/slayer-play-.*)?")
"""Where a bot or a launcher mounts anything; other programs mount elsewhere meanwhile."""


def _left_over() -> Counter[str]:
    children = {
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    }
    descriptors = sorted(
        link for fd in os.listdir("/proc/self/fd") if (link := _target(f"/proc/self/fd/{fd}"))
    )
    points = (line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines())
    mounts = sorted(point for point in points if OURS.fullmatch(point))
    groups = {group for place in GROUP_PLACES for group in place.glob(f"slayer-{os.getpid()}-*/*/")}
    bots_user = bot_identity()
    of_bots = processes_of(bots_user.uid) if bots_user.other else []
    return Counter(
        [f"child {pid}" for pid in children]
        + [f"descriptor {link}" for link in descriptors]
        + [f"mount {point}" for point in mounts]
        + [f"group {group}" for group in groups]
        + [f"process of a bot {process}" for process in of_bots]
    )


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None  # the folder's own descriptor, closed again


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process (not even a zombie), descriptor, mount or control group more than before, and no
    other process of the bots' user anywhere: a launcher lives as long as its sandbox."""
    before = _left_over()
    yield
    # What tests before have left for the garbage collector may go meanwhile.
    assert not _left_over() - before


def processes_of(uid: int) -> list[str]:
    """The user's processes, but for dead ones: those of ours are among our children above, and
    some machines' process 1 takes its time over the rest."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                status = (folder / "status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if f"\nUid:\t{uid}\t" in status and "\nState:\tZ" not in status:
                found.append(f"{folder.name} {status.split(chr(10), 1)[0]}")
    return found


def wait_for_the_end_of(pid: int) -> None:
    """Until the process is gone, or dead and its parent's to reap."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return
        if "\nState:\tZ" in status:
            return
        time.sleep(0.01)
    raise AssertionError("a bot outlived what started it")
