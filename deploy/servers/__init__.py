"""PostgreSQL and Valkey for an installation or a test run, where no others are named.

`DATABASE_URL` and `REDIS_URL` name servers that run already. For each that is missing, a server of
our own is started: from the pinned wheels, else from a program found on the machine.
"""

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.servers.account import server_account
from deploy.servers.errors import ServerError
from deploy.servers.named import check_named
from deploy.servers.postgres import Postgres, postgres_url
from deploy.servers.sockets import make_empty, socket_folder
from deploy.servers.valkey import Valkey, valkey_url

__all__ = ["ServerError", "Servers", "needed"]


class Servers:
    """The servers of the installation or test run in `base`; a context manager.

    `urls` has those that are to be started: it is known before, since the folder of the sockets
    follows from `base`, and a variable that names just this server counts as not set. The caller
    holds `base`, so what still runs there is a killed run's and is ended. `base` stays the
    caller's; below it the servers own `servers/`. `programs` is the folder for copies of programs
    that their user cannot run in their place.
    """

    def __init__(self, base: Path, programs: Path, *, lasting: bool) -> None:
        self.base = base
        self.programs = programs
        self.lasting = lasting
        self.urls: dict[str, str] = {}
        self._running: list[Postgres | Valkey] = []
        try:
            self._account = server_account()
            self._sockets = socket_folder(base / "servers" / "run", self._account)
        except ServerError:
            if needed():
                raise
            return
        own = {"DATABASE_URL": postgres_url(self._sockets), "REDIS_URL": valkey_url(self._sockets)}
        for name, url in own.items():
            if os.environ.get(name) in (None, "", url):
                self.urls[name] = url

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
        programs = [str(server.program) for server in self._running if server.program is not None]
        named = sorted({"DATABASE_URL", "REDIS_URL"} - set(self.urls))
        return " and ".join([*programs, *(f"the one that {name} names" for name in named)])

    def _start(self) -> None:
        check_named(set(self.urls))
        if not self.urls:
            return
        folder = self.base / "servers"
        self._account.own(folder)
        if not self._account.can_enter(folder):
            raise ServerError(
                f"the servers run as {self._account.name}, who cannot enter {folder}. What helps: "
                "SLAYER_DATA_DIR=/a/folder/that/all/may/enter before the command."
            )
        logs = self.base / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        make_empty(self._sockets, self._account)
        if "REDIS_URL" in self.urls:
            log = logs / "valkey.log"
            valkey = Valkey(folder / "valkey", self._sockets, log, self._account)
            self._running.append(valkey)
            valkey.start(self.programs)
        if "DATABASE_URL" in self.urls:
            log = logs / "postgres.log"
            postgres = Postgres(
                folder / "postgres", self._sockets, log, self._account, lasting=self.lasting
            )
            self._running.append(postgres)
            postgres.start(self.programs)

    def stop(self) -> None:
        """Stop what was started, the last first. Twice does no harm."""
        if not self._running:
            return
        while self._running:
            self._running.pop().stop()
        shutil.rmtree(self._sockets, ignore_errors=True)


def needed() -> set[str]:
    """The names of the two variables that are not set: for these a server is to be started."""
    return {name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)}
