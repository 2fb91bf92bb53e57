"""An embedded Valkey (or Redis): broker and cache.

It keeps nothing on disk: every message stands for a row in the database, and lost ones are sent
again from there. So a start is always clean, and the version of the last one does not matter.
"""

import signal
import subprocess
import time
from pathlib import Path

import redis

from deploy import children
from deploy.servers.account import Account
from deploy.servers.errors import ServerError
from deploy.servers.postgres import tail
from deploy.servers.programs import Program, choose_redis, readable

READY_S = 20
ORDERLY = ((signal.SIGTERM, 5.0),)


SOCKET = "valkey.sock"


def valkey_url(sockets: Path) -> str:
    return f"unix://{sockets / SOCKET}"


class Valkey:
    """Valkey or Redis working in `folder`, reached over a socket in `sockets` alone."""

    def __init__(self, folder: Path, sockets: Path, log: Path, account: Account):
        self.folder = folder
        self.socket = sockets / SOCKET
        self.log = log
        self.account = account
        self.program: Program | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, copies: Path) -> None:
        """Start the server and wait for its first answer; `copies` as for PostgreSQL."""
        self.program = readable(choose_redis(), self.account, copies)
        self.account.own(self.folder)
        left = children.working_in(self.folder, ["valkey-server", "redis-server"])
        children.end(left, (*ORDERLY, (signal.SIGKILL, 5.0)))
        command: list[str | Path] = [self.program.path, "--port", "0", "--unixsocket", self.socket]
        command += ["--unixsocketperm", "700", "--dir", self.folder, "--daemonize", "no"]
        command += ["--save", "", "--appendonly", "no"]
        with self.log.open("ab") as output:
            self._process = children.spawn(
                command,
                cwd=self.folder,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                output=output,
                when_orphaned=signal.SIGTERM,
                identity=self.account.popen,
            )
        self._wait(self.program)

    def stop(self) -> None:
        if self._process is not None:
            children.stop(self._process, ORDERLY)
            self._process = None

    def _wait(self, program: Program) -> None:
        assert self._process is not None
        deadline = time.monotonic() + READY_S
        client = redis.Redis(unix_socket_path=str(self.socket))
        with client:
            while True:
                try:
                    client.ping()
                    return
                except redis.ConnectionError as error:
                    if self._process.poll() is not None:
                        raise ServerError(
                            f"{program} ended at its start; {self.log} ends with:\n{tail(self.log)}"
                        ) from None
                    if time.monotonic() > deadline:
                        raise ServerError(
                            f"{program} is not ready after {READY_S} s ({error}); see {self.log}"
                        ) from None
                    time.sleep(0.01)
