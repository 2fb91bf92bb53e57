"""The doctor sees what is wrong, says what to do, and works when servers are away."""

import json
import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from deploy import doctor
from deploy.celery import app
from deploy.doctor import Finding, Level, machine
from deploy.doctor import database as of_database
from deploy.doctor import messages as of_messages
from deploy.installation import CHECKOUT
from tournaments import dispatch, workers
from tournaments.dispatch import reaper
from tournaments.models import Worker


def levels(part):
    return {finding.level for finding in doctor.examine([part])}


def bad(part):
    """What is not well, with what helps."""
    found = [each for each in doctor.examine([part]) if each.level is not Level.OK]
    assert all(each.help for each in found)
    return {each.what: each.level for each in found}


@pytest.fixture
def own_broker(settings, redis_url):
    settings.REDIS_URL = redis_url
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": redis_url}}


@pytest.mark.django_db(transaction=True)
class TestServers:
    def test_a_database_that_answers(self):
        found = {each.what.split()[0]: each.level for each in doctor.examine(["database"])}
        assert found["PostgreSQL"] is found["its"] is found["all"] is Level.OK

    def test_migrations(self):
        recorder = MigrationRecorder(connection)
        recorder.record_applied("bots", "9999_of_tomorrow")
        try:
            assert any("9999_of_tomorrow" in what for what in bad("database"))
        finally:
            recorder.record_unapplied("bots", "9999_of_tomorrow")
        recorder.record_unapplied("bots", "0001_initial")
        try:
            found = bad("database")
        finally:
            recorder.record_applied("bots", "0001_initial")
        assert found["1 migrations are not applied, bots.0001_initial first"] is Level.FAIL

    def test_a_database_that_is_away(self, monkeypatch):
        monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
        assert bad("database") == {"PostgreSQL has no socket: it does not run": Level.FAIL}
        assert list(bad("workers").values()) == [Level.WARN]

    def test_a_broker_that_is_away(self, settings):
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        assert bad("broker") == {"it refused the connection": Level.FAIL}

    def test_a_broker_that_is_well(self, own_broker):
        assert levels("broker") == {Level.OK}

    def test_workers(self, own_broker):
        assert bad("workers") == {"none lives: no match is played": Level.FAIL}
        description = workers.Description("0.0.9", "3.11", ["python"], 2, "ns")
        worker = workers.register("w1@a", description)
        workers.seen(worker.pk, clock=dispatch.database_now().timestamp() - 60)
        workers.register("w2@a", workers.Description("1", "", [], 1, "none", "no namespaces"))
        workers.pause(worker=workers.register("w3@a", description), reason="noise", user=None)
        found = bad("workers")
        assert found["w2@a cannot work: no namespaces"] is Level.WARN
        assert found["w3@a is paused: noise"] is Level.WARN
        assert any("workers of 0.0.9" in what for what in found)
        assert any(what.startswith("the clock of w1@a is -") for what in found)
        assert Level.FAIL not in found.values()
        assert Worker.objects.count() == 3


@pytest.mark.django_db
class TestCelery:
    def test_the_settings_are_right(self, own_broker):
        dispatch.reap()
        assert bad("celery") == {}

    @pytest.mark.parametrize(
        ("name", "value"),
        [("task_acks_late", False), ("worker_prefetch_multiplier", 4)],
    )
    def test_a_setting_that_loses_matches_is_seen(self, own_broker, name, value):
        dispatch.reap()
        before = app.conf[name]
        app.conf[name] = value
        try:
            [(what, level)] = bad("celery").items()
        finally:
            app.conf[name] = before
        assert (level, what.startswith(f"{name} is {value}")) == (Level.FAIL, True)

    def test_a_visibility_timeout_below_the_longest_attempt_is_seen(self, own_broker):
        dispatch.reap()
        transport = app.conf.broker_transport_options
        app.conf.broker_transport_options = {**transport, "visibility_timeout": 3600}
        try:
            [what] = bad("celery")
        finally:
            app.conf.broker_transport_options = transport
        assert "3600 s, an attempt may take 7200 s" in what

    def test_a_reaper_that_has_stopped_is_seen(self, own_broker):
        late = dispatch.database_now() - timedelta(hours=1)
        cache.set(reaper._LAST_RUN, late, timeout=None)
        assert list(bad("celery").values()) == [Level.FAIL]


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("fsync", "off", "FAIL"),
        ("synchronous_commit", "off", "warn"),
        ("default_transaction_isolation", "serializable", "FAIL"),
        ("fsync", "on", "ok"),
    ],
)
def test_settings_of_a_database_that_lose_results_are_seen(name, value, level):
    right = {key: wanted for key, (wanted, _, _) in of_database._SETTINGS.items()}
    [finding] = of_database._settings(list({**right, name: value}.values()))
    assert finding.level == level
    assert finding.what.startswith(name)


class TestMachine:
    def test_room(self, monkeypatch, tmp_path):
        real = os.statvfs(tmp_path)

        def disk(parts, inodes):
            values = list(real)
            values[2:8] = [1000_000, parts * 10_000, parts * 10_000, 1000, inodes, inodes]
            values[1] = 2**20
            monkeypatch.setattr(machine.os, "statvfs", lambda _: os.statvfs_result(values))
            return [each.level for each in machine._room("data", tmp_path, tmp_path)]

        assert disk(50, 500) == [Level.OK]
        assert disk(5, 500) == [Level.WARN]
        assert disk(1, 500) == [Level.FAIL]
        assert disk(50, 50) == [Level.OK, Level.WARN]
        assert disk(50, 5) == [Level.OK, Level.FAIL]

    def test_a_storage_that_takes_nothing(self, settings, tmp_path):
        place = tmp_path / "file"
        place.write_text("in the way")
        storage = "django.core.files.storage.FileSystemStorage"
        settings.STORAGES = {
            **settings.STORAGES,
            "default": {"BACKEND": storage, "OPTIONS": {"location": str(place)}},
        }
        assert list(bad("storage").values()) == [Level.FAIL]
        settings.STORAGES = {
            **settings.STORAGES,
            "default": {"BACKEND": storage, "OPTIONS": {"location": str(tmp_path / "new")}},
        }
        assert levels("storage") == {Level.OK}
        assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]

    def test_packages_of_another_version_are_seen(self, monkeypatch):
        assert bad("python") == {}
        real = machine.version
        monkeypatch.setattr(
            machine, "version", lambda name: "5.7.0" if name == "celery" else real(name)
        )
        [what] = bad("python")
        assert what.startswith("celery is 5.7.0, and ")

    @pytest.mark.parametrize(
        ("before", "theirs", "after", "level"),
        [(10, 10.5, 11, "ok"), (10, 13, 11, "warn"), (10, 8, 11, "warn"), (10, 60, 11, "FAIL")],
    )
    def test_clocks_are_compared_by_both_ends_of_the_question(self, before, theirs, after, level):
        assert of_database._clock(theirs, before, after).level == level

    @pytest.mark.parametrize(
        ("info", "level"),
        [
            ({"maxmemory_policy": "noeviction", "maxmemory": 0}, ["ok"]),
            ({"maxmemory_policy": "allkeys-lru", "maxmemory": 0}, ["warn"]),
            ({"maxmemory_policy": "noeviction", "maxmemory": 100, "used_memory": 90}, ["warn"]),
        ],
    )
    def test_memory_of_the_broker(self, info, level):
        assert [each.level for each in of_messages._memory(info)] == level


def test_a_look_that_breaks_does_not_hide_the_others(monkeypatch):
    def breaks():
        raise RuntimeError("oh")
        yield

    monkeypatch.setitem(doctor.LOOKS, "disk", breaks)
    monkeypatch.setitem(doctor.LOOKS, "storage", lambda: iter([Finding(Level.OK, "s", "well")]))
    first, second = doctor.examine(["disk", "storage"])
    assert (first.level, first.what) == (Level.FAIL, "could not be looked at: RuntimeError: oh")
    assert second.level is Level.OK


def test_the_command_works_with_both_servers_away(tmp_path):
    done = subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", "doctor", "--json",
         "python", "database", "broker", "celery", "workers"],
        env={
            **os.environ, "SLAYER_NO_VENV": "1", "SLAYER_DATA_DIR": str(tmp_path),
            "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
            "REDIS_URL": "redis://127.0.0.1:1/0", "SECRET_KEY": "x" * 50,
            "SLAYER_ALLOWED_HOSTS": "league.example",
        },
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    failed = {each["part"]: each["what"] for each in found if each["level"] == "FAIL"}
    assert failed == {
        "database": "PostgreSQL refused the connection",
        "broker": "it refused the connection",
    }
    assert "Traceback" not in done.stderr
