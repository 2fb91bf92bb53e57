"""The embedded servers, really started: new data, old data, leftovers of killed runs, refusals."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from deploy import children
from deploy.installation import CHECKOUT
from deploy.servers import ServerError, Servers, postgres
from deploy.servers.account import Account, server_account
from deploy.servers.programs import Program, choose_postgres, choose_redis, readable
from deploy.servers.sockets import make_empty, socket_folder
from tests.deploy.conftest import eventually

pytestmark = pytest.mark.usefixtures("nothing_named")

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can step down to another user")

# Starts the servers in a process of its own, tells where they are, and waits to be killed.
RUNNER = f"""\
import sys, time
sys.path.insert(0, {str(CHECKOUT)!r})
from pathlib import Path
from deploy.servers import Servers
base = Path(sys.argv[1])
with Servers(base, base / "programs", lasting=True) as servers:
    print(*servers.urls.values(), flush=True)
    time.sleep(600)
"""


@pytest.fixture
def base(open_folder: Path) -> Path:
    base = open_folder / "data"
    base.mkdir()
    return base


def servers(base: Path, *, lasting: bool = True) -> Servers:
    return Servers(base, base / "programs", lasting=lasting)


def query(url: str, sql: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql)  # type: ignore[arg-type]
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def working(base: Path) -> list[int]:
    return [
        pid
        for name in ("postgres", "valkey")
        if (base / "servers" / name).exists()
        for pid in children.working_in(
            base / "servers" / name, ["postgres", "valkey-server", "redis-server"]
        )
    ]


def test_data_last_from_one_start_to_the_next(base: Path) -> None:
    with servers(base) as first:
        query(first.urls["DATABASE_URL"], "CREATE TABLE kept AS SELECT 42 AS answer")
        major = int(str(query(first.urls["DATABASE_URL"], "SHOW server_version_num"))) // 10_000
        assert major >= 15
        assert query(first.urls["DATABASE_URL"], "SHOW fsync") == "on"
        with redis.Redis.from_url(first.urls["REDIS_URL"]) as broker:
            broker.set("lost", 1)
    assert working(base) == []
    with servers(base) as second:
        assert second.urls == first.urls
        assert query(second.urls["DATABASE_URL"], "SELECT answer FROM kept") == 42
        # The broker starts empty: what counts lies in the database.
        with redis.Redis.from_url(second.urls["REDIS_URL"]) as broker:
            assert broker.dbsize() == 0
    assert not (base / "servers" / "run").exists()


def test_nothing_listens_on_a_network_and_the_sockets_are_private(base: Path) -> None:
    with servers(base, lasting=False) as running:
        folder = base / "servers" / "run"
        assert {path.name for path in folder.iterdir()} >= {".s.PGSQL.5432", "valkey.sock"}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((base / "servers").stat().st_mode) == 0o700
        assert query(running.urls["DATABASE_URL"], "SHOW listen_addresses") == ""
        with redis.Redis.from_url(running.urls["REDIS_URL"]) as broker:
            assert broker.config_get("port") == {"port": "0"}
        inodes = set()
        for pid in working(base):
            for file in Path(f"/proc/{pid}/fd").iterdir():
                target = os.readlink(file)
                if target.startswith("socket:"):
                    inodes.add(target.removeprefix("socket:[").rstrip("]"))
        for table in ("tcp", "tcp6", "udp", "udp6"):
            lines = Path(f"/proc/net/{table}").read_text().splitlines()[1:]
            assert not inodes & {line.split()[9] for line in lines}, table


def test_the_name_of_a_server_of_our_own_does_not_count_as_named(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = servers(base).urls
    assert set(planned) == {"DATABASE_URL", "REDIS_URL"}
    monkeypatch.setenv("DATABASE_URL", planned["DATABASE_URL"])
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere:6379/0")
    assert set(servers(base).urls) == {"DATABASE_URL"}


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DATABASE_URL", "postgresql://me:secret@127.0.0.1:9/x", "does not answer"),
        ("DATABASE_URL", "mysql://127.0.0.1/x", "postgresql://user:password@host:5432/name"),
        ("REDIS_URL", "redis://:secret@127.0.0.1:9/0", "does not answer"),
        ("REDIS_URL", "http://127.0.0.1/", "redis://host:6379/0"),
    ],
)
def test_a_named_server_that_does_not_answer_is_said(
    base: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ServerError, match=said) as refused, servers(base):
        pass
    assert variable in str(refused.value)
    assert "secret" not in str(refused.value)
    assert not working(base)


@pytest.mark.faults
def test_what_a_killed_run_left_is_ended_and_its_data_are_whole(base: Path) -> None:
    # As on a system whose kernel does not tell the servers that their parent has died.
    deaf = RUNNER.replace("base = ", "from deploy import children\nbase = ").replace(
        "with Servers", "children._follow_parent = lambda signum: None\nwith Servers"
    )
    with subprocess.Popen([sys.executable, "-c", deaf, base], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        url = run.stdout.readline().decode().split()[0]
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        run.kill()
    left = working(base)
    assert len(left) > 2  # PostgreSQL with its children, and Valkey
    assert (base / "servers/postgres/postmaster.pid").exists()
    with servers(base) as again:
        assert query(again.urls["DATABASE_URL"], "SELECT answer FROM kept") == 42
        assert not set(left) & set(working(base))


@pytest.mark.faults
def test_servers_end_when_their_parent_is_killed(base: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, base], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline()
        assert working(base)
        run.kill()
    assert eventually(lambda: not working(base))


@pytest.mark.faults
def test_a_stale_pid_file_that_names_a_living_process_is_no_obstacle(base: Path) -> None:
    with servers(base) as first:
        query(first.urls["DATABASE_URL"], "CREATE TABLE kept AS SELECT 42 AS answer")
    account = server_account()
    # A machine that was switched off; since then another process of that user has the number.
    with subprocess.Popen(["sleep", "600"], **account.popen) as other:
        pid_file = base / "servers/postgres/postmaster.pid"
        pid_file.write_text(f"{other.pid}\n{pid_file.parent}\n1\n5432\n\n\n0 0\nready\n")
        with servers(base) as second:
            assert query(second.urls["DATABASE_URL"], "SELECT answer FROM kept") == 42
        assert other.poll() is None
        other.kill()


def test_data_of_another_major_version_are_refused_with_the_way_out(base: Path) -> None:
    with servers(base):
        pass
    (base / "servers/postgres/PG_VERSION").write_text("11\n")
    with pytest.raises(ServerError) as refused, servers(base):
        pass
    message = str(refused.value)
    assert str(base / "servers/postgres") in message
    assert "written by PostgreSQL 11" in message
    assert "apt-get install postgresql-11" in message
    assert "moving the folder away" in message
    assert not working(base)


def test_a_half_made_data_folder_is_made_anew(base: Path) -> None:
    account = server_account()
    account.own(base / "servers")
    account.own(base / "servers/postgres.new")
    (base / "servers/postgres.new/rest").write_text("of a killed initdb")
    with servers(base, lasting=False) as running:
        assert query(running.urls["DATABASE_URL"], "SELECT 1") == 1
    assert not (base / "servers/postgres.new").exists()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "FOR_ONE_RUN", ("shared_buffers=none",))
    with (
        pytest.raises(ServerError, match="shared_buffers") as refused,
        servers(base, lasting=False),
    ):
        pass
    assert str(base / "logs/postgres.log") in str(refused.value)
    assert not working(base)


def test_a_long_or_odd_path_gets_its_sockets_elsewhere(open_folder: Path) -> None:
    base = open_folder / ("a long name, with blanks " * 5)
    base.mkdir()
    with servers(base, lasting=False) as running:
        assert query(running.urls["DATABASE_URL"], "SELECT 1") == 1
        folder = Path(running.urls["REDIS_URL"].removeprefix("unix://")).parent
        assert not folder.is_relative_to(base)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert len(os.fsencode(folder / ".s.PGSQL.5432")) <= 107
    assert not folder.exists()


def test_a_socket_folder_of_somebody_else_is_not_taken(open_folder: Path) -> None:
    account = server_account()
    (open_folder / "target").mkdir()
    (open_folder / "run").symlink_to(open_folder / "target")
    with pytest.raises(ServerError, match="made by somebody else"):
        make_empty(open_folder / "run", account)
    assert (open_folder / "target").exists()


def test_the_longest_socket_path_is_still_used(open_folder: Path) -> None:
    account = server_account()
    room = 107 - len("/.s.PGSQL.5432") - len(str(open_folder)) - 1
    fits, too_long = open_folder / ("a" * room), open_folder / ("a" * (room + 1))
    assert socket_folder(fits, account) == fits
    assert socket_folder(too_long, account) != too_long
    # The bound is the kernel's.
    with socket.socket(socket.AF_UNIX) as probe:
        fits.mkdir()
        probe.bind(str(fits / ".s.PGSQL.5432"))
    too_long.mkdir()
    with socket.socket(socket.AF_UNIX) as probe, pytest.raises(OSError, match="too long"):
        probe.bind(str(too_long / ".s.PGSQL.54322"))


@AS_ROOT
def test_root_steps_down_and_the_data_are_the_other_users(base: Path) -> None:
    with servers(base, lasting=False):
        for name in ("postgres", "valkey-server"):
            found = children.working_in(base / "servers" / name.partition("-")[0], [name])
            oldest = Path(f"/proc/{min(found)}")  # PostgreSQL's helpers come and go
            assert oldest.stat().st_uid == server_account().uid != 0
        assert (base / "servers").stat().st_uid == server_account().uid
        assert base.stat().st_uid == 0


@AS_ROOT
def test_a_wheel_that_the_servers_user_cannot_read_is_copied_once(open_folder: Path) -> None:
    nobody = Account("nobody", 65534, 65534)
    hidden = open_folder / "hidden"
    (hidden / "bin").mkdir(parents=True)
    for name in ("valkey-server", "valkey-cli"):
        (hidden / "bin" / name).write_text(f"#!/bin/sh\necho {name}\n")
        (hidden / "bin" / name).chmod(0o755)
    hidden.chmod(0o700)
    program = Program(hidden / "bin/valkey-server", "Valkey", "8.1.8", wheel=True)
    copied = readable(program, nobody, open_folder / "programs")
    assert copied.path == open_folder / "programs/valkey-8.1.8/valkey-server"
    assert nobody.can_run(copied.path)
    made = copied.path.stat().st_mtime_ns
    again = readable(program, nobody, open_folder / "programs")
    assert again.path.stat().st_mtime_ns == made
    assert [path.name for path in (open_folder / "programs").iterdir()] == ["valkey-8.1.8"]


@AS_ROOT
def test_a_machines_program_that_the_servers_user_cannot_read_is_refused(open_folder: Path) -> None:
    hidden = open_folder / "postgres"
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o700)
    program = Program(hidden, "PostgreSQL", "17.1", wheel=False)
    with pytest.raises(ServerError, match="may not run"):
        readable(program, Account("nobody", 65534, 65534), open_folder / "programs")


def test_the_wheels_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_postgres(None).wheel
    assert choose_redis().wheel


def fake_program(path: Path, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


@pytest.fixture
def no_wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine for which there are no wheels; its PATH is the folder given."""
    monkeypatch.setattr("deploy.servers.programs._package", lambda name: None)
    monkeypatch.setattr("deploy.servers.programs.DEBIAN", tmp_path / "debian")
    monkeypatch.setattr("deploy.servers.programs.SBIN", "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_without_wheels_the_newest_server_of_the_machine_serves(no_wheels: Path) -> None:
    for version in ("14.2", "15.18", "16.4"):
        folder = no_wheels / "debian" / version.split(".")[0] / "bin"
        fake_program(folder / "postgres", f"postgres (PostgreSQL) {version} (Debian)")
        fake_program(folder / "initdb", "")
    fake_program(no_wheels / "bin/redis-server", "Redis server v=7.0.15 sha=0 malloc=jemalloc")
    assert str(choose_postgres(None)) == "PostgreSQL 16.4"
    assert str(choose_postgres(15)) == "PostgreSQL 15.18"
    assert str(choose_redis()) == "Redis 7.0.15"
    fake_program(no_wheels / "bin/valkey-server", "Valkey server v=8.0.1 sha=0")
    assert str(choose_redis()) == "Valkey 8.0.1"


def test_a_machine_without_servers_is_told_what_to_install(no_wheels: Path) -> None:
    with pytest.raises(ServerError, match="apt-get install postgresql"):
        choose_postgres(None)
    with pytest.raises(ServerError, match="apt-get install redis-server"):
        choose_redis()


def test_a_server_that_is_too_old_is_named(no_wheels: Path) -> None:
    fake_program(no_wheels / "bin/postgres", "postgres (PostgreSQL) 13.9")
    fake_program(no_wheels / "bin/initdb", "")
    fake_program(no_wheels / "bin/redis-server", "Redis server v=5.0.14 sha=0")
    with pytest.raises(ServerError, match=r"PostgreSQL 13\.9 is too old"):
        choose_postgres(None)
    with pytest.raises(ServerError, match=r"6\.2 or newer"):
        choose_redis()


def test_a_program_that_does_not_run_here_is_passed_over(no_wheels: Path) -> None:
    # As a wheel for a newer C library would be.
    broken = no_wheels / "bin/valkey-server"
    fake_program(broken, "")
    broken.write_text("#!/no/such/interpreter\n")
    fake_program(no_wheels / "bin/redis-server", "Redis server v=7.0.15 sha=0")
    assert str(choose_redis()) == "Redis 7.0.15"
