"""The processes of an installation: web, beat, workers. Started, watched, restarted, stopped.

Each is a process of its own, as in any installation of several machines. Their output goes to
files in the data folder. `Supervisor.tend` does the watching and is called again and again by the
command that runs them; there are no threads.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy import children
from deploy.children import Command, Steps
from deploy.servers.postgres import tail

CANNOT_WORK_HERE = 78  # a worker's exit status on a machine that cannot isolate bots (EX_CONFIG)
RESTARTS = 5  # of one process within WINDOW_S; one more and the machine is at fault, not chance
WINDOW_S = 120.0
LOG_BYTES = 10 * 2**20  # a log that is longer is put aside, one old one is kept

# A worker told TERM finishes its match, told QUIT it hands it back.
PATIENT: Steps = ((signal.SIGTERM, 10.0), (signal.SIGQUIT, 5.0))


class ProcessFailed(Exception):
    """A process does not stay up; the message names it and ends with the last lines of its log."""


@dataclass(frozen=True)
class Role:
    """One process: its name, its command, and the files (listening sockets) that it inherits."""

    name: str
    command: Command
    pass_fds: tuple[int, ...] = ()
    first_to_stop: bool = False  # what gives work to the others


def web(listening: int, workers: int = 2, threads: int = 8) -> Role:
    """The web server on the listening socket with that file number, which survives a restart."""
    command = [sys.executable, "-m", "gunicorn", "-c", "python:deploy.web_server"]
    command += ["--bind", f"fd://{listening}"]
    command += ["--workers", str(workers), "--threads", str(threads), "deploy.wsgi:application"]
    return Role("web", command, pass_fds=(listening,))


def beat(data: Path) -> Role:
    """The clock that sends the periodic tasks."""
    schedule = ["--schedule", str(data / "beat-schedule"), "--pidfile", ""]
    return Role("beat", [*_celery("beat"), *schedule], first_to_stop=True)


def worker(number: int) -> Role:
    """A worker that plays matches, one at a time."""
    return Role(f"worker{number}", _worker(f"worker{number}", "match"))


def housekeeper() -> Role:
    """The worker for the periodic tasks, which must not wait behind a long match.

    Two at once: lost attempts are looked for while the night's check of the ledger goes on.
    """
    return Role("housekeeper", _worker("housekeeper", "housekeeping", at_once=2))


def _celery(verb: str) -> list[str]:
    # Quiet: its banner is no line of a log. How much is logged SLAYER_LOG_LEVEL says.
    return [sys.executable, "-m", "celery", "--quiet", "-A", "deploy.celery:app", verb]


def _worker(name: str, queues: str, *, at_once: int = 1) -> list[str]:
    options = ["--hostname", f"{name}@%h", "--queues", queues, "--concurrency", str(at_once)]
    # Workers need not know of each other; looking for them costs each start a second.
    return [*_celery("worker"), *options, "--without-gossip", "--without-mingle"]


@dataclass
class _Running:
    role: Role
    process: subprocess.Popen[bytes] | None = None
    shown: int = 0  # bytes of the log that were passed on
    due: float = 0.0  # when to start it again
    restarts: list[float] = field(default_factory=list)


class Supervisor:
    """Runs roles as child processes; a context manager that stops them all at its end.

    `show(name, line)` gets each line of output, `say(text)` what happens to the processes, and
    `hurry()` tells whether the user has lost patience with an orderly stop.
    """

    def __init__(
        self,
        logs: Path,
        environment: Mapping[str, str],
        *,
        cwd: Path,
        say: Callable[[str], None],
        show: Callable[[str, str], None] | None = None,
        hurry: Callable[[], bool] = lambda: False,
    ) -> None:
        self.logs = logs
        self.environment = environment
        self.cwd = cwd
        self.say = say
        self.show = show
        self.hurry = hurry
        self._all: dict[str, _Running] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self, role: Role) -> None:
        """Start a role; from then on `tend` keeps it up."""
        log = self.log(role.name)
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        running = _Running(role, shown=log.stat().st_size if log.exists() else 0)
        self._all[role.name] = running
        self._spawn(running)

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def pids(self) -> dict[str, int]:
        """Process numbers by name, of those that run now."""
        return {
            name: running.process.pid
            for name, running in self._all.items()
            if running.process is not None and running.process.poll() is None
        }

    def tend(self) -> None:
        """Pass on new output and start again what has died. Raises ProcessFailed."""
        now = time.monotonic()
        for running in self._all.values():
            self._follow(running)
            if running.process is not None and running.process.poll() is not None:
                self._died(running, running.process.returncode, now)
            if running.process is None and now >= running.due:
                self._spawn(running)

    def tend_until(self, done: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Tend until `done()`; ProcessFailed, naming `what` was waited for, after the timeout."""
        deadline = time.monotonic() + timeout_s
        while not done():
            if time.monotonic() > deadline:
                raise ProcessFailed(f"{what}: not after {timeout_s:.0f} s; see {self.logs}")
            self.tend()
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop those that give work first, then the others together. Twice does no harm."""
        for first in (True, False):
            group = [
                running.process
                for running in self._all.values()
                if running.process is not None and running.role.first_to_stop is first
            ]
            children.stop_all(group, PATIENT, self.hurry)
        for running in self._all.values():
            self._follow(running)
        self._all.clear()

    def _spawn(self, running: _Running) -> None:
        with self.log(running.role.name).open("ab") as output:
            running.process = children.spawn(
                running.role.command,
                cwd=self.cwd,
                env=self.environment,
                output=output,
                when_orphaned=signal.SIGKILL,  # their servers end then, and attempts are leased
                pass_fds=running.role.pass_fds,
            )

    def _died(self, running: _Running, status: int, now: float) -> None:
        name = running.role.name
        assert running.process is not None
        children.stop(running.process, ())  # what it left in its process group
        running.process = None
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        recent = [at for at in running.restarts if now - at < WINDOW_S]
        if status == CANNOT_WORK_HERE or len(recent) >= RESTARTS:
            times = f", for the {len(recent) + 1}th time" if recent else ""
            raise ProcessFailed(
                f"{name} ended {how}{times}. {self.log(name)} ends with:\n{tail(self.log(name))}"
            )
        delay = 0.5 * 2 ** len(recent)
        running.restarts = [*recent, now]
        running.due = now + delay
        self.say(f"{name} ended {how}; it is started again in {delay:g} s.")

    def _follow(self, running: _Running) -> None:
        """Pass on whole new lines of the log, and keep the file from growing for ever."""
        log = self.log(running.role.name)
        size = log.stat().st_size
        if size > running.shown and self.show is not None:
            with log.open("rb") as file:
                file.seek(running.shown)
                new = file.read(size - running.shown)
            whole = new.rpartition(b"\n")[0]
            if whole:
                running.shown += len(whole) + 1
                for line in whole.decode(errors="replace").splitlines():
                    self.show(running.role.name, line)
        if size > LOG_BYTES:
            # The process keeps writing to the same file, at its end: copied, then emptied.
            shutil.copyfile(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)
            running.shown = 0
