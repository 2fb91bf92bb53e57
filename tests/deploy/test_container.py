"""The processes that containers run, for real: each is started by its role and checked as a
container would be. Only the containers themselves are missing here."""

import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection

from deploy import container
from tests.deploy.conftest import eventually
from tests.deploy.test_worker_seccomp import PROFILE, UNDER_THE_PROFILE
from tests.faults.conftest import Processes, send_to
from tests.tournaments.test_database_role import drop
from tournaments import dispatch
from tournaments.database_role import DEFAULT_NAME, differences

__all__ = ["send_to"]
MODULE = [sys.executable, "-m", "deploy.container"]


@pytest.mark.parametrize(
    ("command_line", "role"),
    [
        (b"tini\0--\0python\0-m\0deploy.container\0web\0", "web"),
        (b"tini\0--\0python\0-m\0deploy.container\0beat\0", "beat"),
        (b"python\0-m\0celery\0worker\0--hostname\0worker1@%h\0--queues\0match\0", "worker"),
        (b"python\0-m\0celery\0worker\0--hostname\0housekeeper@%h\0", "housekeeper"),
        (b"python\0-m\0gunicorn\0--bind\0fd://3\0deploy.wsgi:application\0", "web"),
    ],
)
def test_the_role_is_found_in_the_first_process(command_line: bytes, role: str) -> None:
    assert container.role_of_this_container(command_line) == role


@pytest.mark.parametrize("arguments", [[], ["cook"], ["check", "cook"], ["web", "worker"]])
def test_another_role_is_refused(arguments: list[str], capsys) -> None:
    assert container.main(arguments) == 1
    assert "Say one of web, worker, housekeeper, beat, migrate" in capsys.readouterr().err


def test_a_wrong_setting_is_said_and_nothing_is_started() -> None:
    done = subprocess.run(
        [*MODULE, "beat"],
        env={**os.environ, "SLAYER_LEASE_S": "soon"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "SLAYER_LEASE_S must be a whole number" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("age_s", "wrong"), [(None, "nobody has looked"), (5, ""), (600, "600 s ago")]
)
def test_beat_is_known_by_what_it_brings_about(db, monkeypatch, age_s, wrong: str) -> None:
    now = dispatch.database_now()
    last = None if age_s is None else now - timedelta(seconds=age_s)
    monkeypatch.setattr(dispatch, "last_reap", lambda: last)
    monkeypatch.setattr(dispatch, "database_now", lambda: now)
    said = container.check("beat")
    assert wrong in said
    assert bool(said) is bool(wrong)


class Containers(Processes):
    """Processes on this test's database and broker, by role; the web server has its own port."""

    def __init__(self, folder, url) -> None:
        super().__init__(folder, url)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def environment(self):
        return {
            **super().environment(),
            "SLAYER_NO_VENV": "1",
            "SLAYER_WORKER_PASSWORD": "a password of workers",
        }

    def command(self, *arguments: str) -> list[str]:
        code = f"import sys; from deploy import container; container.PORT = {self.port}; "
        return [sys.executable, "-c", code + "sys.exit(container.main(sys.argv[1:]))", *arguments]

    def under_profile(self, role: str) -> list[str]:
        """The same under the seccomp profile that a worker's container has."""
        python, option, code, _ = self.command(role)
        return [python, option, f"{UNDER_THE_PROFILE}\nsys.argv.pop(1)\n{code}", str(PROFILE), role]


@pytest.fixture
def containers(tmp_path, redis_url, send_to, monkeypatch, transactional_db):
    send_to(redis_url)
    containers = Containers(tmp_path, redis_url)
    monkeypatch.setattr(container, "PORT", containers.port)
    drop(DEFAULT_NAME)
    yield containers
    containers.end()
    connection.close()
    drop(DEFAULT_NAME)


@pytest.mark.e2e
def test_roles_start_are_found_well_and_stop(containers: Containers) -> None:
    migrate = containers.start(*containers.command("migrate"), name="migrate")
    assert migrate.wait(120) == 0, containers.log("migrate")
    assert "Made the role slayer_worker" in containers.log("migrate")
    assert differences(DEFAULT_NAME) == []

    assert "does not answer" in container.check("web")
    assert "does not answer" in container.check("worker")
    # Not the housekeeper, which is a worker like the other: what it would do is done here.
    started = {
        role: containers.start(*containers.command(role), name=role) for role in ("web", "beat")
    }
    started["worker"] = containers.start(*containers.under_profile("worker"), name="worker")
    for role in ("web", "worker"):
        assert eventually(lambda role=role: not container.check(role), 90), containers.log(role)
    dispatch.reap()
    assert container.check("beat") == ""
    check = subprocess.run(
        containers.command("check", "web"), env=containers.environment(), check=False
    )
    assert check.returncode == 0
    for process in started.values():
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
    for role, process in started.items():
        assert process.wait(60) == 0, containers.log(role)
