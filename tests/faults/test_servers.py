"""Broker, database and storage fail: nothing is lost, nobody loses, nothing counts twice."""

import os
import threading

import pytest

from tests.faults.installation import STORES, WORKERS, disk_full, until
from tests.faults.invariants import assert_nothing_lost_or_doubled
from tests.faults.test_processes import current, finished, in_play, states
from tournaments.dispatch import messages
from tournaments.models import Attempt, Match, Worker

pytestmark = [pytest.mark.faults, pytest.mark.db]
REFUSES_S = 4


# ------------------------------------------------------------------ the broker


def test_a_broker_that_comes_back_empty_loses_no_match(installation, new_match):
    _, running = in_play(installation, new_match)
    waiting = [new_match() for _ in range(4)]
    installation.valkey.kill()
    unsent = new_match()  # its message cannot be sent at all
    assert current(unsent).state == "queued"
    installation.start_valkey()
    until(lambda: finished(*running, *waiting, unsent))
    assert_nothing_lost_or_doubled(installation, [*running, *waiting, unsent])


def test_a_link_to_the_broker_that_is_cut_costs_no_attempt(installation, new_match):
    _, made = in_play(installation, new_match)
    assert installation.broker.cut()
    until(lambda: finished(*made))
    again = [new_match() for _ in WORKERS]
    until(lambda: finished(*again))  # the workers have come back
    assert_nothing_lost_or_doubled(installation, [*made, *again])


def test_a_task_that_is_delivered_three_times_at_once_is_played_once(installation, new_match):
    match = new_match()
    threads = [
        threading.Thread(target=messages.send, args=(messages.PLAY, match.pk, 1)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: finished(match))
    assert messages.send(messages.PLAY, match.pk, 1)  # and once more when it is over
    again = new_match()
    until(lambda: finished(again) and messages.waiting() == 0)
    assert_nothing_lost_or_doubled(installation, [match, again])


# ------------------------------------------------------------------ the database


def test_a_database_that_crashes_costs_nobody_the_match(installation, new_match):
    _, matches = in_play(installation, new_match)
    matches += [new_match() for _ in range(2)]
    installation.postgres.crash()
    installation.start_postgres()
    until(lambda: finished(*matches))
    assert_nothing_lost_or_doubled(installation, matches)


def test_a_database_that_refuses_uses_up_no_message(installation, new_match):
    """Nor does a worker that starts meanwhile take messages without being able to play."""
    playing, made = in_play(installation, new_match)
    [victim] = playing
    installation.database.refuse()
    installation.kill(victim)
    installation.start(victim)
    waiting = [new_match() for _ in range(4)]
    threading.Event().wait(REFUSES_S)
    # Each worker holds one at most, until it can claim it.
    assert messages.waiting() >= len(waiting) - len(WORKERS)
    assert not Attempt.objects.filter(match__in=waiting).exists()
    installation.database.open()
    until(lambda: finished(*made, *waiting))
    assert_nothing_lost_or_doubled(installation, [*made, *waiting])


def test_the_lost_answer_to_a_commit_costs_neither_result_nor_replay(installation, new_match):
    installation.database.lose_answer_after(STORES)
    before = installation.database.lost_answers
    match = new_match()
    until(lambda: finished(match))
    assert installation.database.lost_answers == before + 1
    again = [new_match() for _ in WORKERS]
    until(lambda: finished(*again))
    assert states(match) == ["finished"]
    assert_nothing_lost_or_doubled(installation, [match, *again])


# ------------------------------------------------------------------ the storage


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system that is full")
def test_a_result_is_kept_while_the_disk_is_full(installation, new_match):
    archives = installation.files / "matches"
    archives.mkdir(exist_ok=True, parents=True)
    with disk_full(archives):
        match = new_match()
        # It has played, and has tried to store the replay again and again.
        until(lambda: match.attempts.filter(play=match.rotations, decision__gt=1).exists())
        assert current(match).state == "running"
    until(lambda: finished(match))
    assert not match.attempts.filter(state="failed").exists()
    assert_nothing_lost_or_doubled(installation, [match])
    assert not Worker.objects.filter(paused=True).exists()
    assert Match.objects.get(pk=match.pk).infrastructure_failures == states(match).count("lost")
