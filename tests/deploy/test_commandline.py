"""What `manage.py` sets for its commands, and its help."""

import os
from pathlib import Path

import pytest

from deploy import commandline
from deploy.commandline import Utility, servers_for, set_environment
from deploy.installation import Installation

pytestmark = pytest.mark.usefixtures("nothing_named")


@pytest.fixture
def installation(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("SLAYER_DATA_DIR", str(open_folder / "data"))
    for name in ("SECRET_KEY", "SLAYER_ALLOWED_HOSTS", "SLAYER_RUN", "DATABASE_URL", "REDIS_URL"):
        # Set and deleted, so that what the command line sets is taken back after the test.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return Installation().prepare()


def test_the_help_begins_with_the_projects_own_commands() -> None:
    text = Utility(["manage.py", "help"]).main_help_text()
    own, others = text.split("Commands of Django and its packages:")
    assert own.startswith("Commands of this project")
    assert "  test " in own
    assert "Run the service on this machine" in own
    assert "migrate" in others
    assert "migrate" not in own


def test_a_checkout_on_its_own_gets_a_key_and_local_hosts(installation: Installation) -> None:
    set_environment(installation, own=False)
    assert os.environ["SECRET_KEY"] == installation.secret_key()
    assert os.environ["SLAYER_ALLOWED_HOSTS"] == "127.0.0.1,localhost,[::1]"
    assert os.environ["SLAYER_DATA_DIR"] == str(installation.data)


def test_an_operator_has_to_name_his_key_and_hosts(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/league")
    set_environment(installation, own=False)
    assert "SECRET_KEY" not in os.environ
    assert "SLAYER_ALLOWED_HOSTS" not in os.environ


def test_what_is_named_is_kept(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "named")
    monkeypatch.setenv("SLAYER_ALLOWED_HOSTS", "league.example")
    set_environment(installation, own=True)
    assert os.environ["SECRET_KEY"] == "named"
    assert os.environ["SLAYER_ALLOWED_HOSTS"] == "league.example"


def test_a_command_has_servers_for_as_long_as_it_takes(installation: Installation) -> None:
    import psycopg

    with servers_for(installation, "createsuperuser"):
        assert installation.held()
        url = os.environ["DATABASE_URL"]
        # A second command meanwhile uses the same ones and does not stop them.
        with servers_for(installation, "shell"):
            assert os.environ["DATABASE_URL"] == url
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not installation.held()
    assert not (installation.data / "servers" / "run").exists()


@pytest.mark.parametrize("command", sorted(commandline.WITHOUT_SERVERS))
def test_some_commands_start_none(installation: Installation, command: str) -> None:
    with servers_for(installation, command):
        assert not installation.held()
        # They know where they will be, since settings are read once.
        assert str(installation.data) in os.environ["DATABASE_URL"]
