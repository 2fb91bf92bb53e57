"""The data folder of a checkout: where it lies, who holds it, what it keeps."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import installation
from deploy.bootstrap import named_after
from deploy.children import MARK
from deploy.installation import AlreadyRunning, Installation, data_folder
from deploy.servers import ServerError
from deploy.servers.account import Account

pytestmark = pytest.mark.usefixtures("nothing_named")

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("SLAYER_DATA_DIR", str(tmp_path / "data"))
    return Installation().prepare()


def test_the_data_lie_beside_manage_py(open_folder: Path) -> None:
    assert data_folder(open_folder) == open_folder / ".data"


def test_a_named_folder_is_taken(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLAYER_DATA_DIR", str(open_folder / "elsewhere"))
    assert data_folder(Path("/nowhere")) == open_folder / "elsewhere"


@AS_ROOT
def test_root_goes_to_var_lib_where_the_servers_cannot_reach_the_checkout(
    open_folder: Path,
) -> None:
    checkout = open_folder / "hidden" / "league"
    checkout.mkdir(parents=True)
    (open_folder / "hidden").chmod(0o700)
    assert data_folder(checkout) == Path("/var/lib/slayer-league") / named_after(str(checkout))
    assert named_after(str(checkout)).startswith("league-")


@AS_ROOT
def test_root_does_not_mix_its_files_into_another_users_data(open_folder: Path) -> None:
    (open_folder / ".data").mkdir()
    os.chown(open_folder / ".data", 65534, 65534)
    with pytest.raises(ServerError, match="is the data folder of nobody") as refused:
        data_folder(open_folder)
    assert "runuser -u nobody -- python3" in str(refused.value)


def test_an_ordinary_user_who_cannot_write_the_checkout_gets_the_state_folder(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    name = named_after(str(open_folder))
    assert data_folder(open_folder) == Path("/state/slayer-league") / name
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert data_folder(open_folder) == Path("/home/me/.local/state/slayer-league") / name


@AS_ROOT
def test_an_ordinary_user_does_not_take_the_data_of_root(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (open_folder / ".data").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert data_folder(open_folder).is_relative_to("/state")


def test_a_folder_that_cannot_be_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLAYER_DATA_DIR", str(tmp_path / "file" / "data"))
    with pytest.raises(ServerError, match="SLAYER_DATA_DIR=/a/folder/of/yours"):
        Installation().prepare()


def test_private_folders_are_private(own: Installation) -> None:
    for name in ("files", "logs"):
        assert stat.S_IMODE((own.data / name).stat().st_mode) == 0o700
    others = 0o001 if os.geteuid() == 0 else 0  # root's servers must pass through
    assert stat.S_IMODE(own.data.stat().st_mode) == 0o700 | 0o010 * others | others


def test_the_secret_key_is_made_once_and_readable_to_its_owner_alone(own: Installation) -> None:
    key = own.secret_key()
    assert len(key) >= 50
    assert stat.S_IMODE((own.data / "secret-key").stat().st_mode) == 0o600
    assert Installation().secret_key() == key


def test_an_empty_secret_key_is_not_used(
    own: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own.data / "secret-key").write_text("")
    monkeypatch.setattr(installation.time, "sleep", lambda seconds: None)
    with pytest.raises(ServerError, match="is empty"):
        own.secret_key()


def test_a_second_start_says_who_runs_and_where(own: Installation) -> None:
    with own.hold("up") as running:
        running.web = "http://127.0.0.1:8001/"
        own.tell(running)
        with pytest.raises(AlreadyRunning) as refused, own.hold("demo"):
            pass
        message = str(refused.value)
        assert f"`manage.py up` (process {os.getpid()}" in message
        assert "http://127.0.0.1:8001/" in message
        assert "Ctrl-C" in message
    with own.hold("demo"):
        pass


def test_servers_are_ready_when_their_holder_says_so(own: Installation) -> None:
    assert not own.ready()
    with own.hold("up") as running:
        assert not own.ready(patience_s=0.2)
        running.ready = True
        own.tell(running)
        assert own.ready(patience_s=5)
    assert not own.ready()


@pytest.mark.faults
def test_processes_of_a_killed_run_are_ended_and_others_left_alone(own: Installation) -> None:
    sleep = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
    with (
        subprocess.Popen(
            sleep, stdout=subprocess.PIPE, env={**os.environ, MARK: str(own.data)}
        ) as ours,
        subprocess.Popen(
            sleep, stdout=subprocess.PIPE, env={**os.environ, MARK: f"{own.data}-other"}
        ) as others,
    ):
        for process in (ours, others):
            assert process.stdout is not None
            process.stdout.readline()
        with own.hold("up"):
            assert ours.wait(10) != 0
            assert others.poll() is None
        others.kill()


@AS_ROOT
def test_folders_can_be_tested_as_another_user(open_folder: Path) -> None:
    nobody = Account("nobody", 65534, 65534)
    (open_folder / "shut").mkdir(mode=0o700)
    assert nobody.can_enter(open_folder)
    assert not nobody.can_enter(open_folder / "shut")
