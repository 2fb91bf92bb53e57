"""The installation that belongs to a checkout: its data folder, and who is using it.

lock          held by the process that runs the installation
running.json  what that process is, and whether its servers answer
secret-key    Django's SECRET_KEY
servers/      the embedded servers' own
files/        packages, logs and replays (private)
logs/ static/ programs/
"""

import fcntl
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Self

from deploy import children
from deploy.bootstrap import named_after
from deploy.servers.account import owner_of, server_account
from deploy.servers.errors import ServerError

CHECKOUT = Path(__file__).resolve().parent.parent
PRIVATE = ("files", "logs", "static")
LEFT_BEHIND = ((signal.SIGTERM, 3.0), (signal.SIGKILL, 5.0))


class AlreadyRunning(ServerError):
    """Another process holds the installation."""


@dataclass
class Running:
    """What runs an installation: told to a second start, and used by short commands beside it."""

    pid: int
    command: str
    since: float  # seconds since 1970
    ready: bool = False  # its servers answer
    web: str = ""

    def __str__(self) -> str:
        at = f" at {self.web}" if self.web else ""
        began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"`manage.py {self.command}` (process {self.pid}, since {began}){at}"


class Installation:
    """The data folder of one checkout. `hold` it before anything is started in it."""

    def __init__(self, checkout: Path = CHECKOUT) -> None:
        self.checkout = checkout
        self.data = data_folder(checkout)

    @property
    def programs(self) -> Path:
        return self.data / "programs"

    def prepare(self) -> Self:
        """Make the folders that are missing; says what helps when that is not possible."""
        try:
            if not self.data.exists():
                self.data.mkdir(parents=True)
                # As root the servers run as another user, who must pass through.
                self.data.chmod(0o711 if os.geteuid() == 0 else 0o700)
            for name in PRIVATE:
                (self.data / name).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ServerError(
                f"the data folder {self.data} cannot be made or written ({error.strerror}). "
                "What helps: SLAYER_DATA_DIR=/a/folder/of/yours before the command."
            ) from error
        return self

    def secret_key(self) -> str:
        """Django's SECRET_KEY of this installation, made at the first use, readable to us alone."""
        path = self.data / "secret-key"
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(file, "w") as out:
                out.write(secrets.token_urlsafe(48))
        for _ in range(100):  # another process may be writing it just now
            key = path.read_text()
            if key:
                return key
            time.sleep(0.02)
        raise ServerError(
            f"{path} is empty. What helps: remove it (sessions end, no data is lost)."
        )

    @contextmanager
    def hold(self, command: str) -> Iterator[Running]:
        """Hold the installation until the block ends; AlreadyRunning names who holds it now.

        Processes that a killed holder left are ended first. (Its servers' are ended by theirs.)
        """
        with self._lock_file() as lock:
            if not _locks(lock):
                holder = self._running() or "another process"
                raise AlreadyRunning(
                    f"{holder} runs on {self.data}. What helps: use it, stop it there with "
                    "Ctrl-C, or give this start a folder of its own with SLAYER_DATA_DIR."
                )
            children.end(children.marked(self.data), LEFT_BEHIND)
            running = Running(os.getpid(), command, time.time())
            self.tell(running)
            try:
                yield running
            finally:
                self._record.unlink(missing_ok=True)

    def tell(self, running: Running) -> None:
        """Write down what runs here."""
        part = self._record.with_suffix(".part")
        part.write_text(json.dumps(asdict(running), indent=1) + "\n")
        part.replace(self._record)

    def held(self) -> bool:
        with self._lock_file() as lock:
            return not _locks(lock)

    def ready(self, patience_s: float = 60) -> bool:
        """Wait until the servers answer of the process that holds this installation.

        False when it ended meanwhile, or after the patience.
        """
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline and self.held():
            running = self._running()
            if running and running.ready:
                return True
            time.sleep(0.1)
        return False

    @property
    def _record(self) -> Path:
        return self.data / "running.json"

    def _running(self) -> Running | None:
        try:
            return Running(**json.loads(self._record.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def _lock_file(self) -> IO[bytes]:
        return open(self.data / "lock", "ab")


def _locks(lock: IO[bytes]) -> bool:
    """Take the lock; False when somebody keeps it, and not just looks whether it is held."""
    for _ in range(3):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(0.01)
    return False


def data_folder(checkout: Path) -> Path:
    """`.data` in the checkout, or the folder that stands for it where that cannot be used.

    For root: where the servers' user cannot reach the checkout, or nobody can write it, a folder
    under /var/lib named after the checkout. For others: one in $XDG_STATE_HOME.
    """
    named = os.environ.get("SLAYER_DATA_DIR")
    if named:
        return Path(named).expanduser().absolute()
    own = checkout / ".data"
    name = Path("slayer-league") / named_after(str(checkout))
    if os.geteuid() == 0:
        _check_owner(own)
        reached = _writable(own) and _servers_reach(checkout)
        return own if reached else Path("/var/lib") / name
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return own if _writable(own) else Path(state).expanduser() / name


def _writable(own: Path) -> bool:
    if own.exists():
        return own.stat().st_uid == os.geteuid() and os.access(own, os.W_OK | os.X_OK)
    return os.access(own.parent, os.W_OK | os.X_OK)


def _check_owner(own: Path) -> None:
    """Root must not mix its files into another user's data, who could not read them later."""
    if own.exists() and own.stat().st_uid != 0:
        owner = owner_of(own).name
        command = " ".join(sys.argv)
        raise ServerError(
            f"{own} is the data folder of {owner}, and this is root. What helps: "
            f"`runuser -u {owner} -- python3 {command}`, or SLAYER_DATA_DIR=/another/folder."
        )


def _servers_reach(checkout: Path) -> bool:
    try:
        return server_account().can_enter(checkout)
    except ServerError:  # told when servers are really needed
        return True
