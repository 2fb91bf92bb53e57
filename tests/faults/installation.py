"""A whole installation of the suite's own: servers, links to them that can fail, and processes.

Everything lies in one folder. The processes reach PostgreSQL and Valkey through proxies; the tests
reach the servers themselves, so that they see what happens while the processes cannot.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import deploy.installation
from deploy import children
from deploy.processes import web
from deploy.servers import ServerError
from deploy.servers.account import server_account
from deploy.servers.postgres import Postgres, postgres_url
from deploy.servers.valkey import SOCKET, Valkey, valkey_url
from tests.faults import process_tree
from tests.faults.proxy import Proxy

ROOT = Path(__file__).parent.parent.parent
CELERY = [sys.executable, "-m", "celery", "-A", "deploy.celery:app"]
ALONE = ["--without-gossip", "--without-mingle", "-l", "INFO"]
WORKERS = ("one", "two")
BEATS = ("beat one", "beat two")
HOUSEKEEPING = "housekeeping"
WEB = "web"
EVERYBODY = (*WORKERS, HOUSEKEEPING, *BEATS, WEB)
# What a worker sends to the database: the results of matches, and what they change on a ladder,
# whose lock it holds by then.
STORES = b"INSERT INTO tournaments_play"
RATES = b"INSERT INTO tournaments_ratingchange"
CRASH = ((signal.SIGQUIT, 10.0),)  # PostgreSQL ends at once and recovers when it is started


class OwnPostgres(Postgres):
    """A PostgreSQL of a certain major version, where the machine has it."""

    major: int | None = None

    def _major(self) -> int | None:
        return super()._major() or self.major

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def crash(self) -> None:
        """End it without an orderly end."""
        children.stop(self.process, CRASH)


class OwnValkey(Valkey):
    """A Valkey whose process tests can reach."""

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def kill(self) -> None:
        """End it at once; it comes back empty."""
        self.process.kill()
        self.process.wait()


class Installation:
    """Servers and processes in `folder`, which is new, empty and has a short name.

    `settings` go into the environment of every process. It runs two workers, two beats, and a
    worker for housekeeping with two processes: two reapers and two schedulers are at work.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str], *, major: int | None = None):
        self.folder, self.settings = folder, settings
        self.data = folder / "data"
        self.files = self.data / "files"
        self._sockets = folder / "s"
        self._links = folder / "p"
        account = server_account()
        folder.chmod(0o711)
        for part in (self.data, self._sockets, self._links):
            part.mkdir(mode=0o700)
        account.own(self._sockets)
        self._servers = folder / "servers"
        self._servers.mkdir()
        account.own(self._servers)
        self.postgres = OwnPostgres(
            self._servers / "postgres", self._sockets, self.log("postgres"), account, lasting=True
        )
        self.postgres.major = major
        self.valkey = OwnValkey(
            self._servers / "valkey", self._sockets, self.log("valkey"), account
        )
        self._all: dict[str, subprocess.Popen[bytes]] = {}
        self._ours: set[int] = set(process_tree.children_of(os.getpid()))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        try:
            self.programs = deploy.installation.Installation().programs  # kept from run to run
        except ServerError:  # another user's
            self.programs = folder / "programs"

    # ---- servers

    def start_servers(self) -> None:
        """Start both servers and the links to them."""
        process_tree.adopt_orphans(True)
        self.start_postgres()
        self.start_valkey()
        self.database = Proxy(self._links / ".s.PGSQL.5432", self._sockets / ".s.PGSQL.5432")
        self.broker = Proxy(self._links / SOCKET, self._sockets / SOCKET)

    def start_postgres(self) -> None:
        self.postgres.start(self.programs)
        self._ours.add(self.postgres.process.pid)

    def start_valkey(self) -> None:
        self.valkey.start(self.programs)
        self._ours.add(self.valkey.process.pid)

    @property
    def here(self) -> dict[str, str]:
        """The environment by which the tests reach the servers."""
        return {
            "DATABASE_URL": postgres_url(self._sockets),
            "REDIS_URL": valkey_url(self._sockets),
            "SLAYER_DATA_DIR": str(self.data),
            **self.settings,
        }

    def environment(self) -> dict[str, str]:
        """The environment of the processes."""
        return {
            **os.environ,
            **self.here,
            "DATABASE_URL": postgres_url(self._links),
            "REDIS_URL": valkey_url(self._links),
            "DJANGO_SETTINGS_MODULE": "deploy.settings",
            "SECRET_KEY": "of an installation that is thrown away after this run, and long enough",
            "SLAYER_ALLOWED_HOSTS": "127.0.0.1",
            "SLAYER_LOG_LEVEL": "INFO",
            "CELERY_SKIP_CHECKS": "1",  # of addresses and views, which halves the time of a start
            "PYTHONWARNINGS": "default",
        }

    def migrate(self) -> None:
        """Make the tables."""
        command = [sys.executable, "manage.py", "migrate", "--noinput", "--skip-checks"]
        environment = {**self.environment(), "SLAYER_NO_VENV": "1"}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    # ---- processes

    def start(self, name: str, *, before: Sequence[str] = (), **changes: str) -> int:
        """Start a process of the installation, or one more; returns its number."""
        with self.log(name).open("ab") as log:
            process = children.spawn(
                [*before, *self._command(name)],
                cwd=ROOT,
                env={**self.environment(), **changes},
                output=log,
                when_orphaned=signal.SIGKILL,  # when the tests are killed, so is all this
                pass_fds=(self._listening.fileno(),) if name == WEB else (),
            )
        self._all[name] = process
        self._ours.add(process.pid)
        return process.pid

    def _command(self, name: str) -> list[Any]:
        if name == WEB:
            return list(web(self._listening.fileno(), workers=1, threads=2).command)
        if name.startswith("beat"):
            schedule = str(self.folder / f"{name}.schedule")
            return [*CELERY, "beat", "-l", "INFO", "--pidfile", "", "-s", schedule]
        queues = HOUSEKEEPING if name.startswith(HOUSEKEEPING) else "match"
        slots = "2" if name == HOUSEKEEPING else "1"
        return [*CELERY, "worker", "-Q", queues, "-c", slots, "-n", f"{name}@test", *ALONE]

    def complete(self, everybody: Sequence[str] = EVERYBODY) -> None:
        """Start whoever is missing, as a supervisor would."""
        for name in everybody:
            if not self.runs(name):
                self.start(name)

    def runs(self, name: str) -> bool:
        return name in self._all and self._all[name].poll() is None

    def pid(self, name: str) -> int:
        return self._all[name].pid

    def kill(self, name: str) -> None:
        """What a power cut does to a process and its children: they are gone at once."""
        process = self._all[name]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, name: str, within_s: float = 60) -> int:
        """Ask a process to end, and wait for it; its exit status."""
        self._all[name].terminate()
        return self.wait(name, within_s)

    def wait(self, name: str, within_s: float = 60) -> int:
        """Wait for the end of a process; its exit status."""
        return self._all[name].wait(within_s)

    def mend(self) -> None:
        """Make good what a test may have left broken."""
        for process in self._all.values():
            process_tree.thaw([process.pid, *process_tree.descendants_of(process.pid)])
        self.database.drop_held()
        self.broker.drop_held()
        self.database.open()
        self.broker.open()
        if self.postgres.process.poll() is not None:
            self.start_postgres()
        if self.valkey.process.poll() is not None:
            self.start_valkey()
        self.complete()

    def log(self, name: str) -> Path:
        return self.folder / f"{name.replace(' ', '-')}.log"

    def logged(self, name: str) -> str:
        return self.log(name).read_text(errors="replace")

    def orphans(self) -> list[str]:
        """The commands of processes that have lost their parents and live on."""
        with suppress(ChildProcessError):
            while True:
                # Collect those that have ended; subprocess does so for ours.
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if found is None or found.si_pid in self._ours:
                    break
                os.waitpid(found.si_pid, os.WNOHANG)
        left = set(process_tree.children_of(os.getpid())) - self._ours
        return [f"{pid} {process_tree.command_of(pid)[:200]}" for pid in sorted(left)]

    def end(self) -> None:
        """End every process and server."""
        for name, process in self._all.items():
            process_tree.thaw([process.pid, *process_tree.descendants_of(process.pid)])
            self.kill(name)
        for link in (getattr(self, "database", None), getattr(self, "broker", None)):
            if link is not None:
                link.close()
        self.valkey.stop()
        self.postgres.stop()
        self._listening.close()
        left = until(lambda: not self.orphans(), or_else=self.orphans, within_s=30)
        process_tree.adopt_orphans(False)
        assert left is True, left


def until(
    condition: Callable[[], Any],
    *,
    within_s: float = 90,
    or_else: Callable[[], Any] | None = None,
) -> Any:
    """Wait for a condition, and return what it gave.

    When it does not come about: what `or_else` gives, or AssertionError. While the database or the
    broker is away the condition does not hold.
    """
    deadline = time.monotonic() + within_s
    while True:
        found = _try(condition)
        if found:
            return found
        if time.monotonic() > deadline:
            assert or_else is not None, f"it did not happen within {within_s:.0f} s"
            return or_else()
        time.sleep(0.05)


def _try(condition: Callable[[], Any]) -> Any:
    from django.db import InterfaceError, OperationalError, connection

    try:
        return condition()
    except (InterfaceError, OperationalError):
        connection.close()
        return None


@contextmanager
def disk_full(folder: Path, *, kept: int = 0) -> Iterator[None]:
    """A folder on a file system of its own that has no room left. Needs root."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={max(4096, kept)},mode=0755", "full"]
    subprocess.run([*command, str(folder)], check=True, capture_output=True)
    try:
        with suppress(OSError), (folder / "filling").open("wb", buffering=0) as filling:
            while True:
                filling.write(bytes(4096))
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
