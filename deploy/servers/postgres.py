"""An embedded PostgreSQL: its data folder, its process, its database."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from deploy import children
from deploy.servers.account import Account, owner_of
from deploy.servers.errors import ServerError
from deploy.servers.programs import Program, choose_postgres, readable

NAME = "slayer"  # of the database and of its owner
READY_S = 60
# Fast: sessions are cut off, the data are written. Immediate: recovered at the next start.
FAST = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0))
IMMEDIATE = ((signal.SIGQUIT, 5.0),)
# Only a crash of the machine could harm the data then, and a test run's data are thrown away.
FOR_ONE_RUN = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def postgres_url(sockets: Path, database: str = NAME) -> str:
    # With the port in it, since PGPORT in somebody's environment would otherwise count.
    return f"postgresql://{NAME}@:5432/{database}?host={sockets}"


class Postgres:
    """PostgreSQL in `folder`, reached over a socket in `sockets` alone.

    `lasting` data are kept safe and shut down in order; others are for one run.
    """

    def __init__(self, folder: Path, sockets: Path, log: Path, account: Account, *, lasting: bool):
        self.folder = folder
        self.sockets = sockets
        self.log = log
        self.account = account
        self.lasting = lasting
        self.program: Program | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, copies: Path) -> None:
        """Make the data folder when there is none, start the server, make the database.

        `copies` is where programs are copied that the account cannot run in their place.
        """
        try:
            program = choose_postgres(self._major())
        except ServerError as error:
            where = f"{self.folder}: " if self.folder.exists() else ""
            raise ServerError(f"{where}{error}") from None
        self.program = readable(program, self.account, copies)
        if self.folder.exists():
            self._clear_leftovers()
        else:
            self._make(self.program)
        self._run(self.program)
        self._wait(self.program)

    def stop(self) -> None:
        if self._process is not None:
            children.stop(self._process, FAST if self.lasting else IMMEDIATE)
            self._process = None

    def _major(self) -> int | None:
        """The major version that wrote the data, or None when there are none."""
        if not self.folder.exists():
            return None
        try:
            return int((self.folder / "PG_VERSION").read_text().strip())
        except (OSError, ValueError):
            raise ServerError(
                f"{self.folder} is no data folder of PostgreSQL. What helps: move it away."
            ) from None

    def _clear_leftovers(self) -> None:
        """End what a killed run left; the caller holds the installation, so nobody else uses it."""
        owner = owner_of(self.folder)
        if owner.uid != self.account.uid:
            raise ServerError(
                f"{self.folder} belongs to {owner.name}, and the server would run as "
                f"{self.account.name}. What helps: start as the user who made it, or set "
                "SLAYER_DATA_DIR to another folder."
            )
        left = children.end(
            children.working_in(self.folder, ["postgres"]), (*FAST, (signal.SIGKILL, 5.0))
        )
        if left:
            raise ServerError(
                f"PostgreSQL of an earlier run does not end: process {left[0]}. What helps: "
                f"kill -9 {left[0]}"
            )
        # Its number may meanwhile be another process's, which PostgreSQL would take for a server.
        (self.folder / "postmaster.pid").unlink(missing_ok=True)

    def _make(self, program: Program) -> None:
        """Run initdb under another name, so that a folder with the right name is a whole one."""
        new = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        command: list[str | Path] = [
            program.path.with_name("initdb"),
            "-D",
            new,
            "-U",
            NAME,
            "-E",
            "UTF8",
        ]
        command += ["--locale=C.UTF-8", "--locale-provider=libc", "--no-instructions"]
        command += ["--auth-local=trust", "--auth-host=reject"]
        if not self.lasting:
            command.append("--no-sync")
        done = subprocess.run(
            command,
            cwd=self.folder.parent,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            errors="replace",
            **self.account.popen,
        )
        if done.returncode != 0:
            shutil.rmtree(new, ignore_errors=True)
            raise ServerError(f"{program} cannot make its data folder:\n{done.stdout.rstrip()}")
        new.rename(self.folder)

    def _run(self, program: Program) -> None:
        settings = [
            "listen_addresses=",
            f"unix_socket_directories={self.sockets}",
            "unix_socket_permissions=0700",
            "logging_collector=off",
            "log_destination=stderr",
            # A failing statement may hold a seed, a password hash or an address: never logged.
            "log_min_error_statement=panic",
            "log_error_verbosity=terse",
        ]
        if not self.lasting:
            settings += FOR_ONE_RUN
        command: list[str | Path] = [program.path, "-D", self.folder, "-p", "5432"]
        for setting in settings:
            command += ["-c", setting]
        with self.log.open("ab") as output:
            self._process = children.spawn(
                command,
                cwd=self.folder,
                env=_environment(),
                output=output,
                when_orphaned=signal.SIGINT,
                identity=self.account.popen,
            )

    def _wait(self, program: Program) -> None:
        assert self._process is not None
        url = postgres_url(self.sockets, "postgres")
        deadline = time.monotonic() + READY_S
        while True:
            try:
                connection = psycopg.connect(url, autocommit=True, connect_timeout=5)
                break
            except psycopg.OperationalError as error:
                if self._process.poll() is not None:
                    raise ServerError(
                        f"{program} ended at its start; {self.log} ends with:\n{tail(self.log)}"
                    ) from None
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"{program} is not ready after {READY_S} s ({error}); see {self.log}"
                    ) from None
                time.sleep(0.02)
        with connection:
            there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
            if there.fetchone() is None:
                connection.execute(f"CREATE DATABASE {NAME}")


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log, indented."""
    text = log.read_text(errors="replace").splitlines()[-lines:]
    return "\n".join(f"  {re.sub(r'[^ -~]', '?', line)}" for line in text)


def _environment() -> dict[str, str]:
    # PGDATA, PGOPTIONS or a locale of the caller must not change the server.
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
