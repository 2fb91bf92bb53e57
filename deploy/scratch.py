"""The folder of one test run: made for it, removed after it, and swept up when it was killed."""

import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy import children
from deploy.servers import ServerError, needed
from deploy.servers.account import server_account

PREFIX = "slayer-test-"
UNLOCKED_S = 60  # a folder without a lock is older than this, or its maker is just at it
SERVER_NAMES = ("postgres", "valkey-server", "redis-server")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for one run, which the servers' user can enter; gone when the block ends."""
    parent = _parent()
    sweep(parent)
    base = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    with open(base / "lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        base.chmod(0o711 if os.geteuid() == 0 else 0o700)
        try:
            yield base
        finally:
            shutil.rmtree(base, ignore_errors=True)


def sweep(parent: Path) -> None:
    """Remove this user's folders whose run was killed, and end what still works in them."""
    for base in parent.glob(f"{PREFIX}*"):
        try:
            found = base.lstat()
            if found.st_uid != os.geteuid() or base.is_symlink() or _held(base, found.st_mtime):
                continue
        except OSError:  # swept by another run meanwhile
            continue
        for folder in (base / "servers" / "postgres", base / "servers" / "valkey"):
            if folder.exists():
                left = children.working_in(folder, SERVER_NAMES)
                children.end(left, ((signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)))
        children.end(children.marked(base), ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)))
        shutil.rmtree(base, ignore_errors=True)


def _held(base: Path, made: float) -> bool:
    try:
        lock = open(base / "lock", "rb")  # noqa: SIM115 (the caller's errors are another matter)
    except FileNotFoundError:
        return time.time() - made < UNLOCKED_S
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _parent() -> Path:
    """The first usual folder for temporary files that we can write and the servers can enter."""
    account = server_account() if needed() else None
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        folder = Path(name)
        if not os.access(folder, os.W_OK | os.X_OK):
            continue
        if account is None or account.can_enter(folder):
            return folder
    raise ServerError(
        f"no folder for temporary files that {account.name if account else 'this user'} can enter. "
        "What helps: TMPDIR=/such/a/folder before the command."
    )
