"""`manage.py up` for real: servers, web, beat and workers, stopped without a trace."""

import http.client
import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy import children
from tests.deploy.conftest import Managed, eventually

pytestmark = pytest.mark.e2e
Manage = Callable[..., Managed]


def get(url: str, path: str) -> tuple[int, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


@pytest.mark.faults
def test_the_service_stands_stays_up_and_goes_without_a_trace(
    manage: Manage, open_folder: Path
) -> None:
    data = open_folder / "data"
    up = manage("up", "--workers", "1", SLAYER_DATA_DIR=str(data))
    url = re.search(r"http://\S+", up.line_with("Ctrl-C stops everything"))[0]
    assert urlsplit(url).hostname == "127.0.0.1"
    assert json.loads((data / "running.json").read_text())["web"] == url

    # The pages have their static files, the tables are there.
    status, page = get(url, "/admin/login/")
    assert status == 200
    style = re.search(rb"/static/admin/css/base\.\w+\.css", page)
    assert style is not None
    assert get(url, style[0].decode())[0] == 200

    # What watches it is told that all parts work, and gets figures of them.
    assert get(url, "/healthz") == (200, b"ok\n")
    assert eventually(lambda: get(url, "/readyz")[0] == 200, 60), get(url, "/readyz")
    assert b'slayer_up{part="database"} 1.0' in get(url, "/metrics")[1]
    assert eventually(lambda: b"\nslayer_worker_slots 1.0\n" in get(url, "/metrics")[1], 60)

    second = manage("up", SLAYER_DATA_DIR=str(data))
    said = second.end()
    assert second.returncode == 1
    assert f"process {up.pid}" in said
    assert url in said
    shell = manage(
        "shell",
        "-v0",
        "-c",
        "from bots.models import User; print(User.objects.count())",
        SLAYER_DATA_DIR=str(data),
    )
    said = shell.end()
    assert shell.returncode == 0, said
    assert said.strip().isdecimal()

    def workers() -> list[int]:
        return [pid for pid in children.marked(data) if "worker1@" in command_of(pid)]

    assert eventually(lambda: len(workers()) == 2, 60)  # and the child that plays
    killed = min(workers())
    os.kill(killed, signal.SIGKILL)
    up.line_with("worker1 ended by signal 9")
    assert eventually(lambda: any(pid > killed for pid in workers()), 60)

    up.send_signal(signal.SIGTERM)
    said = up.end()
    assert up.returncode == 0, said
    assert "Everything is stopped." in said
    assert children.marked(data) == []
    assert children.working_in(data / "servers/postgres", ["postgres"]) == []
    assert not (data / "running.json").exists()


def test_a_taken_port_is_said_and_nothing_is_started(manage: Manage, open_folder: Path) -> None:
    from deploy.listening import listen

    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        up = manage("up", "--port", str(port), SLAYER_DATA_DIR=str(open_folder / "data"))
        said = up.end()
    assert up.returncode == 1
    assert f"another program listens at 127.0.0.1:{port}" in said
    assert "Traceback" not in said
    assert not (open_folder / "data" / "servers").exists()


def test_an_open_address_needs_the_names_of_the_site(manage: Manage, open_folder: Path) -> None:
    up = manage("up", "--host", "0.0.0.0", SLAYER_DATA_DIR=str(open_folder / "data"))
    said = up.end()
    assert up.returncode == 1
    assert "SLAYER_ALLOWED_HOSTS=" in said
    assert "Traceback" not in said
