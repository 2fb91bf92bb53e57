"""A worker's part of a match, in the real sandbox."""

import logging
import threading
import time

import pytest
from django.db import connection, connections

from engine import replay
from engine.sandbox import CannotIsolate, MachineFailure
from engine.verify import verify
from tests.builders import FIRST, make_bot, make_submission
from tests.tournaments.rows import entrant, ladder_match
from tournaments import archive, dispatch, runner
from tournaments.models import Attempt, Match, Play

# The thread that renews a lease sees only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]

SLOW = FIRST.replace("answer = {", "import time; time.sleep(0.05); answer = {")


def play(match, worker):
    outcome = runner.play(match_id=match.pk, attempt=match.attempt, worker=worker)
    match.refresh_from_db()
    return outcome


@pytest.fixture
def slow_match(ladder, worker):
    bots = [make_submission(make_bot(), source=SLOW) for _ in range(3)]
    return ladder_match(ladder, bots, rotations=1)


@pytest.fixture(autouse=True)
def _not_stopping(monkeypatch):
    monkeypatch.setattr(runner, "_all_stop", bytearray(1))
    runner._this_stops.clear()


def test_a_match_is_played_in_every_rotation_and_kept(ladder, worker, caplog):
    bots = [entrant() for _ in range(3)]
    match = ladder_match(ladder, bots)
    with caplog.at_level(logging.DEBUG):
        assert play(match, worker).verdict == "accepted"
    assert match.state == "finished"
    for play_row in Play.objects.order_by("rotation"):
        record = replay.loads(archive.replay(play_row))
        verify(record)
        assert record.isolation == worker.tier
        assert record.packages == [bots[i].sha256 for i in play_row.seats]
    # All sat in every seat, and none of them learned of the deal by playing it before.
    assert sorted(zip(*[p.seats for p in Play.objects.all()], strict=True)) == [
        (0, 2, 1),
        (1, 0, 2),
        (2, 1, 0),
    ]
    assert match.seed not in caplog.text


def test_there_is_nothing_to_play_twice(ladder, worker):
    match = ladder_match(ladder, [entrant() for _ in range(3)], rotations=1)
    assert play(match, worker).verdict == "accepted"
    assert play(match, worker) is None
    assert Attempt.objects.count() == 1


def test_the_lease_is_renewed_with_progress_while_bots_play(slow_match, worker, settings):
    settings.RENEW_S = 0.3
    seen = []
    done = threading.Event()

    def watch():
        while not done.wait(0.1):
            # When all is played the tries to report are counted.
            playing = Attempt.objects.filter(play=0)
            seen.extend(playing.values_list("lease_until", "decision"))
        connection.close()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        assert play(slow_match, worker).verdict == "accepted"
    finally:
        done.set()
        watcher.join()
    leases = [lease for lease, _ in seen]
    decisions = [decision for _, decision in seen]
    assert len(set(leases)) >= 5
    assert leases == sorted(leases)
    assert decisions == sorted(decisions)
    assert decisions[-1] > 30


def later(seconds, call):
    def run():
        time.sleep(seconds)
        try:
            call()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_match_that_is_taken_away_is_left_and_not_reported(slow_match, worker, settings):
    settings.RENEW_S = 0.2
    begun = time.monotonic()
    other = later(1, lambda: dispatch.requeue(match=slow_match, reason="it hangs", user=None))
    assert play(slow_match, worker) is None
    other.join()
    assert time.monotonic() - begun < 4  # a whole play takes five seconds and more
    assert (slow_match.state, slow_match.attempt) == ("queued", 2)
    assert Attempt.objects.get().state == "cancelled"
    assert not Play.objects.exists()


def test_a_worker_that_stops_hands_its_match_back_at_once(slow_match, worker):
    begun = time.monotonic()
    other = later(1, runner.stop_playing)
    assert play(slow_match, worker) is None
    other.join()
    assert time.monotonic() - begun < 3
    assert (slow_match.state, slow_match.attempt) == ("queued", 2)
    assert slow_match.infrastructure_failures == 0
    assert Attempt.objects.get().state == "returned"


def test_a_database_that_breaks_off_costs_nobody_the_match(slow_match, worker, settings):
    settings.RENEW_S = 0.2

    def break_off():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    other = later(1, break_off)
    assert play(slow_match, worker).verdict == "accepted"
    other.join()
    assert slow_match.attempts.get().state == "finished"


def test_what_a_stopping_worker_still_takes_goes_back_too(slow_match, worker):
    runner.stop_playing()
    assert play(slow_match, worker) is None
    assert (slow_match.state, slow_match.attempt) == ("queued", 2)


@pytest.mark.parametrize(
    "failure", [CannotIsolate("user namespaces are off"), MachineFailure("no more processes")]
)
def test_a_machine_that_fails_is_nobodys_loss(ladder, worker, monkeypatch, failure):
    def broken(**_):
        raise failure

    runner.close_sandbox()
    monkeypatch.setattr(runner, "isolated", broken)
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    assert play(match, worker) is None
    assert (match.state, match.attempt, match.infrastructure_failures) == ("queued", 2, 1)
    assert Attempt.objects.get().outcome == str(failure)
    monkeypatch.undo()
    assert play(Match.objects.get(pk=match.pk), worker).verdict == "accepted"


def test_a_package_that_was_damaged_in_storage_is_nobodys_loss(ladder, worker, files, caplog):
    bots = [entrant() for _ in range(3)]
    (files / bots[1].package.name).write_bytes(b"something else")
    match = ladder_match(ladder, bots)
    assert play(match, worker) is None
    assert (match.state, match.infrastructure_failures) == ("queued", 1)
    assert "does not have its SHA-256" in caplog.text
    assert not match.contestants.exclude(failures=0).exists()


def test_a_result_is_kept_while_the_storage_is_full(ladder, worker, files):
    bots = [entrant() for _ in range(3)]
    (files / "matches").write_text("in the way of the folder")
    match = ladder_match(ladder, bots, rotations=1)
    other = later(2, (files / "matches").unlink)
    assert play(match, worker).verdict == "accepted"
    other.join()
    assert (match.attempt, match.infrastructure_failures) == (1, 0)


def test_a_storage_that_stays_full_is_nobodys_loss(ladder, worker, files, monkeypatch):
    monkeypatch.setattr(runner, "KEEP_S", 1)
    bots = [entrant() for _ in range(3)]
    (files / "matches").write_text("in the way of the folder")
    match = ladder_match(ladder, bots, rotations=1)
    assert play(match, worker) is None
    assert (match.state, match.infrastructure_failures) == ("queued", 1)
    assert "could not be stored" in Attempt.objects.get().outcome
    (files / "matches").unlink()
    assert play(match, worker).verdict == "accepted"
