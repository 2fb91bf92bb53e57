"""Processes as /proc shows them: who is whose child, and who has been left behind."""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans(yes: bool) -> None:
    """Become the parent of every descendant whose own parent dies, so that none gets lost."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)


def children_of(pid: int) -> list[int]:
    """The living children of a process; one that has ended and waits to be collected is none."""
    return _families().get(pid, [])


def descendants_of(pid: int) -> list[int]:
    """Children, their children and so on; parents before children."""
    families = _families()
    found = list(families.get(pid, []))
    for child in found:  # which grows meanwhile
        found += families.get(child, [])
    return found


def _families() -> dict[int, list[int]]:
    """The living children of every process that has any."""
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            found.setdefault(int(parent), []).append(int(entry.parent.name))
    return found


def command_of(pid: int) -> str:
    """The command line of a process, '' when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def launchers_of(worker: int) -> list[int]:
    """The sandboxes' launchers of a worker's pool: the parents of all bots, and like them."""
    return [
        pid
        for child in children_of(worker)
        for pid in children_of(child)
        if "control = socket.socket" in command_of(pid)
    ]


def send(signum: int, *pids: int) -> None:
    """Send a signal to processes; those that are gone need none."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signum)


def freeze(worker: int) -> list[int]:
    """Stop a worker and all below it, as a machine that is swapping to death; for `thaw`."""
    frozen = [worker, *descendants_of(worker)]
    send(signal.SIGSTOP, *frozen)
    return frozen


def thaw(frozen: list[int]) -> None:
    """Let them go on."""
    send(signal.SIGCONT, *frozen)
