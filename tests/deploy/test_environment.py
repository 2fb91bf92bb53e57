"""One table of variables: what the code reads, the docs tell and .env.example shows."""

import os
import re
import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import call_command

from deploy import environment
from deploy.installation import CHECKOUT
from deploy.management.commands.settings import with_table
from engine.sandbox import tiers

ROOMS = ("deploy", "api", "frontend", "tournaments", "bots", "engine")
NAME = r"(?:SLAYER_[A-Z0-9_]+|DATABASE_URL|REDIS_URL|SECRET_KEY)"


def test_every_variable_that_the_code_reads_is_in_the_table_and_the_reverse():
    read = set()
    for room in ROOMS:
        for file in (CHECKOUT / room).rglob("*.py"):
            if file.name != "environment.py":
                read |= set(re.findall(rf"[\"']({NAME})[\"']", file.read_text()))
    assert read - environment.INTERNAL == set(environment.VARIABLES)


def test_nothing_reads_the_environment_past_the_table():
    for room in ROOMS:
        for file in (CHECKOUT / room).rglob("*.py"):
            for name in re.findall(r"environ(?:\.get\(|\[)[\"'](\w+)[\"']", file.read_text()):
                known = name in environment.VARIABLES or name in environment.INTERNAL
                assert known or not name.startswith("SLAYER_"), f"{file}: {name}"


def test_docs_and_example_are_written_from_the_table():
    readme = (CHECKOUT / "deploy/README.md").read_text()
    assert readme == with_table(readme), "python3 manage.py settings --write"
    example = (CHECKOUT / ".env.example").read_text()
    assert example == environment.dotenv(), "python3 manage.py settings --write"
    for name in environment.VARIABLES:
        assert f"| `{name}` |" in readme


def test_the_example_can_be_used_as_it_is():
    example = (CHECKOUT / ".env.example").read_text()
    values = dict(
        line[1:].split("=", 1) for line in example.splitlines() if re.match(rf"#{NAME}=", line)
    )
    assert set(values) == set(environment.VARIABLES)
    read = environment.read_all(values)
    assert read["SLAYER_LEASE_S"] == 30
    assert read["SLAYER_ALLOWED_HOSTS"] == ["league.example"]


def test_values_are_read_as_what_they_are():
    read = environment.read_all(
        {
            "SLAYER_LEASE_S": " 40 ",
            "SLAYER_HTTPS": "yes",
            "SLAYER_SMTP_TLS": "0",
            "SLAYER_ALLOWED_HOSTS": "a.example, b.example,",
            "REDIS_URL": "unix:///run/valkey.sock?db=1",
        }
    )
    assert (read["SLAYER_LEASE_S"], read["SLAYER_RENEW_S"]) == (40, 5)
    assert (read["SLAYER_HTTPS"], read["SLAYER_SMTP_TLS"], read["SLAYER_DEBUG"]) == (1, 0, 0)
    assert read["SLAYER_ALLOWED_HOSTS"] == ["a.example", "b.example"]
    assert read["DATABASE_URL"] == "postgresql://slayer@localhost/slayer"


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("SLAYER_LEASE_S", "soon", "a whole number of 1 or more"),
        ("SLAYER_LEASE_S", "0", "a whole number of 1 or more"),
        ("SLAYER_SMTP_PORT", "70000", "a whole number from 1 to 65535"),
        ("SLAYER_DEBUG", "maybe", "1 or 0"),
        ("SLAYER_MIN_TIER", "gvisor", "one of landlock, ns, ns+cgroup"),
        ("SLAYER_LOG_FORMAT", "xml", "one of plain, json"),
        ("SLAYER_RATE_USER", "many", "300/min"),
        ("SLAYER_TRUSTED_ORIGINS", "league.example", "https://league.example"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(name, value, right):
    with pytest.raises(environment.WrongValues) as caught:
        environment.read_all({name: value})
    message = str(caught.value)
    assert message.startswith(f"{name} must be ")
    assert right in message
    assert message.endswith(f"not {value!r}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://slayer:hunter2@db/slayer"),
        ("DATABASE_URL", "postgresql://slayer:hunter2@db"),
        ("DATABASE_URL", "postgresql://slayer:hunter2@db:x/slayer"),
        ("REDIS_URL", "amqp://:hunter2@broker"),
    ],
)
def test_a_wrong_address_does_not_tell_its_password(name, value):
    with pytest.raises(environment.WrongValues) as caught:
        environment.read_all({name: value})
    assert name in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_all_wrong_values_are_told_at_once():
    with pytest.raises(environment.WrongValues) as caught:
        environment.read_all({"SLAYER_LEASE_S": "x", "SLAYER_HTTPS": "x"})
    assert len(str(caught.value).splitlines()) == 2


def test_a_lease_outlives_a_lost_renewal():
    assert environment.read_all({"SLAYER_LEASE_S": "10", "SLAYER_RENEW_S": "5"})
    with pytest.raises(environment.WrongValues, match="SLAYER_RENEW_S must be at most half"):
        environment.read_all({"SLAYER_LEASE_S": "9", "SLAYER_RENEW_S": "5"})


def test_a_misspelt_variable_is_noticed():
    found = environment.unknown({"SLAYER_LEASES_S": "3", "SLAYER_RUN": "/x", "HOME": "/"})
    assert found == {"SLAYER_LEASES_S": "SLAYER_LEASE_S"}


def test_tiers_are_those_of_the_sandbox():
    assert tiers.TIERS[1:] == environment.TIERS


def manage(*arguments, **variables):
    return subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", *arguments],
        env={**os.environ, "SLAYER_NO_VENV": "1", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_command_with_a_wrong_value_says_so_without_a_traceback():
    done = manage("workers", SLAYER_LEASE_S="soon")
    assert done.returncode == 1
    assert done.stderr == (
        "manage.py workers: SLAYER_LEASE_S must be a whole number of 1 or more, not 'soon'\n"
    )


def test_the_settings_that_hold_are_shown_without_secrets(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("SLAYER_LEASE_S", "44")
    monkeypatch.setenv("SLAYER_LEASES_S", "3")
    out, err = StringIO(), StringIO()
    call_command("settings", stdout=out, stderr=err)
    assert re.search(r"SLAYER_LEASE_S +44\n", out.getvalue())
    assert "hunter2" not in out.getvalue() + err.getvalue()
    assert "SLAYER_LEASES_S is read by nothing: SLAYER_LEASE_S?" in err.getvalue()
