"""Processes are killed, stopped, frozen: nothing is lost, nobody loses, nothing counts twice."""

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.db import connection

from bots import accounts
from tests.builders import make_player
from tests.faults import process_tree
from tests.faults.installation import BEATS, RATES, STORES, WORKERS, until
from tests.faults.invariants import assert_nothing_lost_or_doubled
from tournaments import brackets, dispatch, entrants
from tournaments.models import Attempt, Match

pytestmark = [pytest.mark.faults, pytest.mark.db]


def current(match):
    return Match.objects.get(pk=match.pk)


def finished(*matches):
    return not Match.objects.filter(pk__in=[m.pk for m in matches]).exclude(state="finished")


def states(match):
    return [attempt.state for attempt in match.attempts.order_by("number")]


def in_play(installation, new_match, number=1):
    """Matches that so many workers are playing just now, by worker; and all matches made for it."""
    made = [new_match() for _ in range(number)]

    def playing():
        open_matches = {m.pk: m for m in made if current(m).state != "finished"}
        while len(open_matches) < number:  # it was over before we looked
            made.append(new_match())
            open_matches[made[-1].pk] = made[-1]
        found = {}
        for attempt in Attempt.objects.filter(match__in=open_matches, state="running"):
            name = attempt.worker.name.split("@")[0]
            if _bots(installation, name) >= attempt.match.players:
                found[name] = open_matches[attempt.match_id]
        return found if len(found) >= number else None

    return until(playing), made


def _bots(installation, worker):
    """How many bots play under a worker."""
    launchers = process_tree.launchers_of(installation.pid(worker))
    return sum(len(process_tree.children_of(launcher)) for launcher in launchers)


def test_a_killed_worker_costs_nobody_the_match(installation, new_match):
    playing, made = in_play(installation, new_match)
    [(victim, match)] = playing.items()
    installation.kill(victim)
    installation.start(victim)
    until(lambda: finished(*made))
    assert states(match)[0] == "lost"
    assert_nothing_lost_or_doubled(installation, made)


def test_a_killed_parent_of_a_pool_leaves_nothing_behind(installation, new_match):
    playing, made = in_play(installation, new_match)
    [victim] = playing
    os.kill(installation.pid(victim), signal.SIGKILL)  # its pool process can still end the match
    until(lambda: not installation.runs(victim))
    until(lambda: finished(*made))
    assert_nothing_lost_or_doubled(installation, made)


def test_a_killed_pool_process_costs_nobody_the_match(installation, new_match):
    playing, made = in_play(installation, new_match)
    [(victim, match)] = playing.items()
    [child] = process_tree.children_of(installation.pid(victim))
    os.kill(child, signal.SIGKILL)
    until(lambda: finished(*made))
    assert installation.runs(victim)
    assert states(match)[0] == "lost"
    assert_nothing_lost_or_doubled(installation, made)


def test_a_killed_launcher_is_no_bots_failure(installation, new_match):
    playing, made = in_play(installation, new_match)
    [(victim, match)] = playing.items()
    [launcher] = process_tree.launchers_of(installation.pid(victim))
    os.kill(launcher, signal.SIGKILL)  # all bots of the play end with it
    until(lambda: finished(*made))
    assert states(match)[0] == "failed"
    assert_nothing_lost_or_doubled(installation, made)
    # The worker has made itself a new one.
    again = [new_match() for _ in WORKERS]
    until(lambda: finished(*again))
    assert_nothing_lost_or_doubled(installation, again)


@pytest.mark.parametrize("whole_group", [False, True], ids=["the worker", "its process group"])
def test_a_worker_that_is_told_to_stop_hands_its_match_back(installation, new_match, whole_group):
    playing, made = in_play(installation, new_match)
    [(stopping, match)] = playing.items()
    told = os.killpg if whole_group else os.kill  # service managers do the one or the other
    told(installation.pid(stopping), signal.SIGTERM)
    until(lambda: match.attempts.exclude(state="running"))
    attempt = match.attempts.get(number=1)
    assert (attempt.state, attempt.outcome) == ("returned", "the worker was shut down")
    # At once: its lease had been good for longer.
    assert attempt.ended_at < attempt.lease_until
    until(lambda: not installation.runs(stopping))
    until(lambda: finished(*made))
    assert_nothing_lost_or_doubled(installation, made)


def test_without_any_beat_lost_matches_wait_for_the_next(installation, new_match):
    playing, made = in_play(installation, new_match)
    [(victim, match)] = playing.items()
    for beat in BEATS:
        installation.kill(beat)
    installation.kill(victim)
    until(lambda: match.attempts.filter(lease_until__lt=dispatch.database_now()))
    installation.start(BEATS[0])
    installation.start(victim)
    until(lambda: finished(*made))
    assert states(match)[0] == "lost"
    assert_nothing_lost_or_doubled(installation, made)


def test_of_two_lost_matches_each_is_queued_once_by_all_the_reapers(installation, new_match):
    victims, made = in_play(installation, new_match, len(WORKERS))
    for victim in victims:
        installation.kill(victim)
    over = threading.Event()

    def reap_all_the_time():
        try:
            while not over.is_set():
                dispatch.reap()
        finally:
            connection.close()

    # Beside the two of housekeeping, which two beats drive.
    reapers = [threading.Thread(target=reap_all_the_time) for _ in range(2)]
    for reaper in reapers:
        reaper.start()
    try:
        for victim in victims:
            installation.start(victim)
        until(lambda: finished(*made))
    finally:
        over.set()
        for reaper in reapers:
            reaper.join()
    for match in victims.values():
        assert states(match)[0] == "lost"
        assert current(match).infrastructure_failures == states(match).count("lost")
    assert_nothing_lost_or_doubled(installation, made)


def test_a_worker_frozen_past_its_lease_does_no_harm_when_it_goes_on(installation, new_match):
    playing, made = in_play(installation, new_match)
    [(victim, match)] = playing.items()
    frozen = process_tree.freeze(installation.pid(victim))
    until(lambda: finished(*made))
    process_tree.thaw(frozen)
    assert states(match)[0] == "lost"
    # What it still believes to play or to have played is refused; it goes on with new matches.
    again = [new_match() for _ in range(3)]
    until(lambda: finished(*again))
    assert_nothing_lost_or_doubled(installation, [*made, *again])


def test_a_result_on_its_way_when_the_lease_was_lost_is_refused(installation, new_match):
    installation.database.hold_at(STORES)
    match = new_match()
    until(installation.database.held)  # its worker is reporting, and not one byte arrives
    first = match.attempts.get(state="running")
    victim = first.worker.name.split("@")[0]
    frozen = process_tree.freeze(installation.pid(victim))
    until(lambda: finished(match))
    installation.database.release()
    process_tree.thaw(frozen)
    first.refresh_from_db()
    assert (first.state, first.result_sha256) == ("lost", "")
    again = [new_match() for _ in range(2)]
    until(lambda: finished(*again))
    assert_nothing_lost_or_doubled(installation, [match, *again])


def test_a_worker_frozen_with_the_ladders_lock_keeps_nobody_else_waiting(installation, new_match):
    installation.database.hold_at(RATES)
    match = new_match()
    until(installation.database.held)
    victim = match.attempts.get(state="running").worker.name.split("@")[0]
    frozen = process_tree.freeze(installation.pid(victim))
    others = [new_match() for _ in range(2)]
    begun = time.monotonic()
    until(lambda: finished(match, *others))
    print(f"the others' results were stored {time.monotonic() - begun:.1f} s after the freeze")
    process_tree.thaw(frozen)
    installation.database.release()
    assert_nothing_lost_or_doubled(installation, [match, *others])


def test_a_killed_web_process_loses_no_match_that_it_made(installation, table):
    bracket = brackets.create_bracket(
        slug=f"web-{time.time_ns()}",
        title="Web",
        game="deca-slayer",
        format="round-robin",
        rules={"table_size": 3},
        organiser=None,
    )
    for version in table:
        entrants.activate(submission=version, user=None)
        brackets.enter(bracket=bracket, bot=version.bot, user=None)
        entrants.deactivate(bot=version.bot, user=None)
    organiser, _ = make_player()
    organiser.is_staff = True
    organiser.save()
    _, key = accounts.make_token(user=organiser, name="web", scopes=["organise"])
    address = f"{installation.url}/api/v1/brackets/{bracket.slug}/"

    def call(path="", data=None):
        request = Request(address + path, data, {"Authorization": f"Bearer {key}"})
        with urlopen(request, timeout=90) as answer:
            return json.load(answer)

    assert call()["state"] == "draft"
    # It has committed the round, and is about to tell the workers.
    installation.broker.hold_at(b"tournaments.tasks.play")
    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(call, "start/", b"")
        until(installation.broker.held)
        installation.kill("web")
        assert isinstance(started.exception(90), OSError)  # the organiser knows nothing
    installation.broker.drop_held()
    matches = list(Match.objects.filter(table__round__stage__bracket=bracket))
    assert matches
    installation.start("web")
    with pytest.raises(HTTPError, match="409"):
        call("start/", b"")  # it has been started
    until(lambda: call()["state"] == "finished")
    assert len(matches) == Match.objects.filter(table__round__stage__bracket=bracket).count()
    assert_nothing_lost_or_doubled(installation, matches)
