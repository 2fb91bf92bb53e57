"""Control groups of version 2, as far as a machine with trees of version 1 has them too: there all
that needs no controller works (freezing, CPU, entering), and memory and pids are not to be had."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sandbox.cgroups import Group, _GroupV2, _mounts


def _place() -> Path | None:
    mounted = _mounts().get("")
    return mounted[0] if mounted and os.access(mounted[0], os.W_OK) else None


PLACE = _place()
pytestmark = pytest.mark.skipif(PLACE is None, reason="no tree of version 2 that we may write to")


@pytest.fixture
def group() -> Iterator[Group]:
    assert PLACE
    folder = PLACE / f"slayer-test-{os.getpid()}"
    folder.mkdir()
    made = _GroupV2((str(folder),))
    yield made
    made.remove()
    assert not folder.exists()


def spin_in(group: Group) -> subprocess.Popen[bytes]:
    """A process that enters as the launcher's copies do, then computes for ever."""
    (door,) = group.doors()
    code = f"import os\nos.write({door}, b'0')\nos.close({door})\nwhile True: pass"
    try:
        return subprocess.Popen([sys.executable, "-S", "-c", code], pass_fds=[door])
    finally:
        os.close(door)


def until_it_has_used(group: Group, used_ns: int) -> None:
    deadline = time.monotonic() + 60
    while group.cpu_ns() < used_ns:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_version_2_counts_freezes_and_thaws(group: Group) -> None:
    process = spin_in(group)
    try:
        until_it_has_used(group, 20_000_000)
        assert group.pids() == [process.pid]
        assert not group.is_frozen()

        group.freeze()
        assert group.is_frozen()
        used = group.cpu_ns()
        time.sleep(0.2)
        assert group.cpu_ns() == used

        group.thaw()
        until_it_has_used(group, used + 20_000_000)
    finally:
        process.kill()
        process.wait()


def test_what_is_frozen_in_version_2_dies_at_once(group: Group) -> None:
    # which version 1 does not let it; the launcher need thaw nothing
    process = spin_in(group)
    until_it_has_used(group, 1_000_000)
    group.freeze()
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert group.thawing() == []
