"""Child processes that end with their parent, and the search for those of a parent that was killed.

Each child leads a session of its own, so Ctrl-C in a terminal reaches the parent alone, which then
stops its children in order. When the parent dies of `kill -9`, the kernel signals the children
(Linux: PDEATHSIG); what even so is left is found by its folder or its mark at the next start.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

MARK = "SLAYER_RUN"  # environment variable of every process of an installation: its data folder
PR_SET_PDEATHSIG = 1

Command = Sequence[str | Path]
NOBODY_ELSE: Mapping[str, Any] = {}
Steps = Sequence[tuple[signal.Signals, float]]


def spawn(
    command: Command,
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: IO[bytes] | None,
    when_orphaned: signal.Signals,
    identity: Mapping[str, Any] = NOBODY_ELSE,
    pass_fds: Sequence[int] = (),
    own_session: bool = True,
) -> subprocess.Popen[bytes]:
    """Start a child that the kernel signals with `when_orphaned` when this process dies.

    `identity` holds the keyword arguments of Popen that set another user.
    Call it from the main thread: the kernel takes the end of the starting thread for the parent's.
    """
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL if own_session else None,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        start_new_session=own_session,
        pass_fds=pass_fds,
        preexec_fn=_follow_parent(when_orphaned),
        **identity,
    )


def _follow_parent(signum: signal.Signals) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl  # loaded before the fork; the child only calls it
    parent = os.getpid()

    def follow() -> None:
        prctl(PR_SET_PDEATHSIG, int(signum), 0, 0, 0)
        if os.getppid() != parent:  # it died before the call
            os._exit(1)

    return follow


def stop(process: subprocess.Popen[bytes], steps: Steps) -> int:
    """Stop one child as `stop_all` does; returns its exit status."""
    stop_all([process], steps)
    return process.wait()


def stop_all(
    processes: Sequence[subprocess.Popen[bytes]],
    steps: Steps,
    hurry: Callable[[], bool] = lambda: False,
) -> None:
    """Send one signal after the other, each with its seconds to take effect; SIGKILL ends the row.

    `hurry` is asked while waiting: once it is true, what still lives is killed. What a child left
    in its own process group is killed too.
    """
    living = [process for process in processes if process.poll() is None]
    for signum, seconds in steps:
        if hurry():
            break
        for process in living:
            process.send_signal(signum)
        deadline = time.monotonic() + seconds
        while living := [process for process in living if process.poll() is None]:
            if time.monotonic() > deadline or hurry():
                break
            time.sleep(0.02)
    for process in living:
        process.kill()
    for process in processes:
        process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def working_in(folder: Path, names: Iterable[str]) -> list[int]:
    """Processes whose working folder is `folder` and whose program bears one of the names."""
    wanted = set(names)
    found = []
    for process in _processes():
        try:
            if (process / "comm").read_text().strip() in wanted and folder.samefile(
                process / "cwd"
            ):
                found.append(int(process.name))
        except OSError:  # gone, or another user's
            continue
    return found


def marked(folder: Path) -> list[int]:
    """Processes of the installation whose data folder is `folder`, without this one's own line."""
    entry = os.fsencode(f"{MARK}={folder}")
    mine = {os.getpid(), os.getppid()}
    found = []
    for process in _processes():
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if entry in environment and int(process.name) not in mine:
            found.append(int(process.name))
    return found


def _processes() -> Iterator[Path]:
    return (entry for entry in Path("/proc").glob("[0-9]*"))


def end(pids: Iterable[int], steps: Steps) -> list[int]:
    """Signal processes that are not our children, step by step; returns those that still live."""
    left = list(pids)
    for signum, seconds in steps:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signum)
        deadline = time.monotonic() + seconds
        while left := [pid for pid in left if _lives(pid)]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        if not left:
            break
    return left


def _lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # A zombie whose new parent does not collect it holds nothing any more.
    return stat.rpartition(")")[2].split()[0] != "Z"
