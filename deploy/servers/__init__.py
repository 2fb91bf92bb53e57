"""PostgreSQL and Valkey for an installation or a test run, where no others are named.

`DATABASE_URL` and `REDIS_URL` name servers that run already. For each that is missing, a server of
our own is started: from the pinned wheels, else from a program found on the machine.
"""

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.servers.account import Account, server_account
from deploy.servers.errors import ServerError
from deploy.servers.named import check_named
from deploy.servers.postgres import Postgres
from deploy.servers.programs import Program
from deploy.servers.sockets import socket_folder
from deploy.servers.valkey import Valkey

__all__ = ["ServerError", "Servers", "needed"]


def needed() -> set[str]:
    """The names of the two variables that are not set: for these a server is to be started."""
    return {name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)}


class Servers:
    """The servers that are `needed()`, working under `base`; a context manager.

    The caller holds `base`, so what runs there already is a killed run's and is ended. `base` stays
    the caller's; below it the servers own `servers/`. `programs` is the folder for copies of
    programs that their account cannot run in their place.
    """

    def __init__(self, base: Path, programs: Path, *, lasting: bool) -> None:
        self.base = base
        self.programs = programs
        self.lasting = lasting
        self.urls: dict[str, str] = {}
        self._running: list[Postgres | Valkey] = []
        self._sockets: Path | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __str__(self) -> str:
        return " and ".join(str(program) for program in self.in_use) or "no servers of our own"

    @property
    def in_use(self) -> list[Program]:
        return [server.program for server in self._running if server.program is not None]

    def _start(self) -> None:
        missing = needed()
        check_named()
        if not missing:
            return
        account = server_account()
        folder = self.base / "servers"
        account.own(folder)
        self._check_reach(folder, account)
        logs = self.base / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        self._sockets = socket_folder(folder / "run", account)
        if "REDIS_URL" in missing:
            valkey = Valkey(folder / "valkey", self._sockets, logs / "valkey.log", account)
            self._running.append(valkey)
            valkey.start(self.programs)
            self.urls["REDIS_URL"] = valkey.url
        if "DATABASE_URL" in missing:
            postgres = Postgres(
                folder / "postgres",
                self._sockets,
                logs / "postgres.log",
                account,
                lasting=self.lasting,
            )
            self._running.append(postgres)
            postgres.start(self.programs)
            self.urls["DATABASE_URL"] = postgres.url

    def _check_reach(self, folder: Path, account: Account) -> None:
        if not account.can_enter(folder):
            raise ServerError(
                f"the servers run as {account.name}, who cannot enter {folder}. What helps: "
                "SLAYER_DATA_DIR=/a/folder/that/all/may/enter before the command."
            )

    def stop(self) -> None:
        """Stop what was started, the last first. Twice does no harm."""
        while self._running:
            self._running.pop().stop()
        if self._sockets is not None:
            shutil.rmtree(self._sockets, ignore_errors=True)
            self._sockets = None
