"""A whole installation on this machine for as long as a block lasts: what `up` and `demo` share."""

import http.client
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from deploy import processes
from deploy.installation import CHECKOUT, Installation, Running
from deploy.listening import address, listen
from deploy.preparing import prepare
from deploy.processes import Supervisor
from deploy.servers import Servers

WEB_READY_S = 120


@dataclass(frozen=True)
class Service:
    """An installation that runs: its processes, and where the site answers."""

    installation: Installation
    running: Running
    supervisor: Supervisor
    url: str


@contextmanager
def service(
    command: str,
    *,
    host: str,
    port: int | None,
    workers: int,
    say: Callable[[str], None],
    show: Callable[[str, str], None] | None,
    hurry: Callable[[], bool],
) -> Iterator[Service]:
    """Hold the installation, start servers and processes, stop all of them at the end of the block.

    The block has to call `supervisor.tend()` again and again. Raises CannotListen, ServerError,
    ProcessFailed. Settings and environment are those that manage.py has set.
    """
    installation = Installation()
    with installation.hold(command) as running, closing(listen(host, port)) as listening:
        running.web = address(listening)
        installation.tell(running)
        with Servers(installation.data, installation.programs, lasting=True) as servers:
            say(f"Servers: {servers}. Data: {installation.data}")
            running.ready = True
            installation.tell(running)
            prepare(installation, os.environ)
            with Supervisor(
                installation.data / "logs",
                os.environ,
                cwd=CHECKOUT,
                say=say,
                show=show,
                hurry=hurry,
            ) as supervisor:
                try:
                    supervisor.start(processes.web(listening.fileno()))
                    supervisor.start(processes.housekeeper())
                    for number in range(1, workers + 1):
                        supervisor.start(processes.worker(number))
                    supervisor.start(processes.beat(installation.data))
                    supervisor.tend_until(
                        lambda: _answers(running.web), WEB_READY_S, "the web server answers"
                    )
                    yield Service(installation, running, supervisor, running.web)
                finally:
                    say("Stopping; matches get a few seconds to end (Ctrl-C again: at once).")


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=2)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
        return True
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
