"""What probes and Prometheus are told, with everything well and with each part away."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from prometheus_client.parser import text_string_to_metric_families

from deploy import asking, health, metrics
from deploy.servers.programs import choose_redis
from tests.tournaments.rows import entrant, ladder_match
from tournaments import dispatch, ladders, tallying, workers
from tournaments.dispatch import reaper
from tournaments.models import Match, Worker

TOKEN = "0123456789abcdef"


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(health, "_recent", (float("-inf"), []))
    monkeypatch.setattr(health, "FRESH_S", 0.0)


@pytest.fixture
def own_broker(settings, redis_url):
    settings.REDIS_URL = redis_url
    settings.CACHES = {
        "default": {**settings.CACHES["default"], "LOCATION": redis_url},
    }


def ready(client, query=""):
    response = client.get(f"/readyz{query}")
    return response.status_code, response.json()


def test_a_process_that_lives_says_so_and_asks_nobody(client):
    # No database fixture: a query would fail this test.
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response["Cache-Control"] == "no-store"


def test_probes_know_no_name_of_the_site(client):
    assert client.get("/healthz", headers={"host": "10.1.2.3:8000"}).status_code == 200
    assert client.get("/docs/", headers={"host": "10.1.2.3:8000"}).status_code == 400


def test_probes_are_only_read(client):
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db(transaction=True)
class TestReady:
    @pytest.fixture(autouse=True)
    def _servers(self, own_broker):
        dispatch.reap()

    def test_everything_is_well(self, client):
        status, body = ready(client)
        assert (status, body["ready"], body["failed"]) == (200, True, [])
        assert set(body["checks"]) == set(health.CHECKS)
        assert all(check["ok"] for check in body["checks"].values())

    def test_a_migration_that_is_missing_is_named(self, client):
        recorder = MigrationRecorder(connection)
        recorder.record_unapplied("tournaments", "0001_initial")
        try:
            status, body = ready(client)
        finally:
            recorder.record_applied("tournaments", "0001_initial")
        assert (status, body["failed"]) == (503, ["migrations"])
        assert "tournaments.0001_initial" in body["checks"]["migrations"]["detail"]

    def test_a_reaper_that_has_stopped_is_noticed(self, client, settings):
        late = dispatch.database_now() - timedelta(seconds=health.reaper_late_s() + 5)
        cache.set(reaper._LAST_RUN, late, timeout=None)
        status, body = ready(client)
        assert (status, body["failed"]) == (503, ["reaper"])
        cache.delete(reaper._LAST_RUN)
        assert ready(client)[1]["failed"] == ["reaper"]

    def test_a_match_that_nobody_takes_is_noticed(self, client, settings):
        match = ladder_match(ladders.open_ladder("deca-slayer"), [entrant() for _ in range(3)])
        assert ready(client)[0] == 200
        settings.WAITING_S = 60
        Match.objects.filter(pk=match.pk).update(
            created_at=dispatch.database_now() - timedelta(seconds=90)
        )
        status, body = ready(client)
        assert (status, body["failed"]) == (503, ["waiting"])
        assert "over 60 s" in body["checks"]["waiting"]["detail"]

    def test_a_check_can_be_left_out_of_the_judgement(self, client):
        cache.delete(reaper._LAST_RUN)
        status, body = ready(client, "?exclude=reaper&exclude=waiting")
        assert (status, body["failed"]) == (200, [])
        assert not body["checks"]["reaper"]["ok"]
        assert ready(client, "?exclude=reapr")[0] == 400

    def test_a_database_that_is_away_is_told_without_its_address(self, client, monkeypatch):
        monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
        status, body = ready(client)
        assert (status, body["failed"]) == (503, ["database", "migrations", "waiting", "reaper"])
        assert "nowhere" not in json.dumps(body)
        assert client.get("/healthz").status_code == 200

    def test_a_broker_that_is_away_is_told(self, client, settings):
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        settings.CACHES = {
            "default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
        }
        status, body = ready(client)
        assert (status, body["failed"]) == (503, ["broker", "reaper"])
        assert "refused" in body["checks"]["broker"]["detail"]

    def test_many_who_ask_at_once_cost_one_round(self, client, monkeypatch):
        monkeypatch.setattr(health, "FRESH_S", 60.0)
        rounds = []
        monkeypatch.setattr(health, "all_checks", lambda: rounds.append(1) or [])
        threads = [threading.Thread(target=health.recent_checks) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert rounds == [1]


def silent_server():
    """Takes connections and says nothing, as a frozen server does."""
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]


@pytest.mark.django_db
def test_a_database_that_answers_nothing_holds_nobody_up(monkeypatch):
    server, port = silent_server()
    with server:
        monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        monkeypatch.setitem(connection.settings_dict, "PORT", str(port))
        begun = time.monotonic()
        with pytest.raises(asking.NoAnswer, match="did not answer within 2 s"):
            asking.ask_database(["SELECT 1"])
        assert time.monotonic() - begun < 20


@pytest.mark.django_db
def test_a_query_that_takes_too_long_is_given_up():
    with pytest.raises(asking.NoAnswer, match="did not answer"):
        asking.ask_database(["SELECT 1", "SELECT pg_sleep(60)"], within_s=0.5)


@pytest.mark.django_db
def test_answers_come_as_text():
    assert asking.ask_database(["SELECT 1, NULL", "VALUES ('a'), ('b')"]) == [
        [["1", None]],
        [["a"], ["b"]],
    ]
    with pytest.raises(asking.NoAnswer, match="no_such_table"):
        asking.ask_database(["SELECT * FROM no_such_table"])


def test_a_broker_that_is_frozen_holds_nobody_up(settings, tmp_path):
    path = f"/tmp/slayer-health-{os.getpid()}.sock"
    command = [str(choose_redis().path), "--port", "0", "--unixsocket", path, "--save", ""]
    process = subprocess.Popen([*command, "--dir", str(tmp_path)], stdout=subprocess.DEVNULL)
    try:
        settings.REDIS_URL = f"unix://{path}"
        deadline = time.monotonic() + 20
        while not os.path.exists(path):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert "redis_version" in asking.ask_broker()
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(asking.NoAnswer, match="did not answer"):
            asking.ask_broker(within_s=0.5)
    finally:
        process.kill()
        process.wait()
        if os.path.exists(path):
            os.unlink(path)


@pytest.mark.django_db(transaction=True)
class TestMetrics:
    @pytest.fixture(autouse=True)
    def _servers(self, own_broker):
        pass

    def samples(self, client, **how):
        response = client.get("/metrics", **how)
        assert response.status_code == 200, response.content
        assert response["Content-Type"].startswith("text/plain; version=0.0.4")
        families = text_string_to_metric_families(response.content.decode())
        return {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }

    def test_figures_of_a_service_at_work(self, client):
        ladder = ladders.open_ladder("deca-slayer")
        for state in ("finished", "finished", "void"):
            match = ladder_match(ladder, [entrant() for _ in range(3)])
            Match.objects.filter(pk=match.pk).update(
                state=state, ended_at=dispatch.database_now() - timedelta(seconds=30)
            )
        ladder_match(ladder, [entrant() for _ in range(3)])
        worker = workers.register(
            "w1@a", workers.Description("1.2", "3.11", ["python"], 3, "ns+cgroup")
        )
        workers.seen(worker.pk, clock=dispatch.database_now().timestamp() + 7)
        gone = workers.register("w0@b", workers.Description("1.2", "3.11", [], 1, "ns"))
        Worker.objects.filter(pk=gone.pk).update(
            seen_at=dispatch.database_now() - timedelta(days=1)
        )
        dispatch.reap()
        tallying.tally()
        tallying.note_waits()
        found = self.samples(client)
        game, kind = ("game", "deca-slayer"), ("kind", "ladder")
        assert found["slayer_matches_total", game, kind, ("outcome", "finished")] == 2
        assert found["slayer_matches_total", game, kind, ("outcome", "void")] == 1
        assert found["slayer_matches_void",] == 1
        assert found["slayer_queue_matches", ("lane", "ladder")] == 1
        assert found["slayer_queue_matches", ("lane", "bracket")] == 0
        assert 0 <= found["slayer_queue_oldest_seconds", ("lane", "ladder")] < 300
        assert found["slayer_up", ("part", "database")] == 1
        assert found["slayer_up", ("part", "broker")] == 1
        here = ("state", "live"), ("tier", "ns+cgroup"), ("version", "1.2")
        assert found["slayer_workers", *here] == 1
        assert [name for name, *_ in found].count("slayer_workers") == 1
        assert found["slayer_worker_slots",] == 3
        assert found["slayer_worker_clock_offset_seconds",] == pytest.approx(7, abs=3)
        assert found["slayer_ladder_wait_bound_seconds", ("ladder", ladder.slug)] >= 600
        assert abs(found["slayer_reaper_last_run_timestamp_seconds",] - time.time()) < 300
        assert found["slayer_attempts_running",] == 0

    def test_what_cannot_be_asked_is_not_made_up(self, client, monkeypatch):
        monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
        found = self.samples(client)
        assert found["slayer_up", ("part", "database")] == 0
        assert not [name for name, *_ in found if name.startswith("slayer_queue")]

    def test_without_a_token_this_machine_alone_reads(self, client, settings):
        assert client.get("/metrics").status_code == 200
        for address in ("10.0.0.7", "", "2001:db8::1"):
            assert client.get("/metrics", REMOTE_ADDR=address).status_code == 403
        assert client.get("/metrics", REMOTE_ADDR="::1").status_code == 200
        # Behind a proxy on this machine everybody seems to be here.
        proxied = {"X-Forwarded-For": "203.0.113.9"}
        assert client.get("/metrics", headers=proxied).status_code == 403
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
        assert client.get("/metrics").status_code == 403

    def test_with_a_token_who_has_it_reads(self, client, settings):
        settings.METRICS_TOKEN = TOKEN
        assert client.get("/metrics").status_code == 403
        for shown in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer é"):
            assert client.get("/metrics", headers={"Authorization": shown}).status_code == 403
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/metrics", headers=right, REMOTE_ADDR="10.0.0.7").status_code == 200

    def test_a_figure_costs_the_same_however_many_matches_there_are(
        self, client, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(20):
            metrics.text()
