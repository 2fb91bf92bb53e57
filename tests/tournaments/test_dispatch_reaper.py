import time
from datetime import timedelta

import pytest
import redis
from django.core.cache import cache
from django.utils import timezone

from tests.tournaments.rows import claimed, entrant, ids, ladder_match
from tests.tournaments.threads import at_once
from tournaments import dispatch
from tournaments.models import Attempt, Match

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture(autouse=True)
def _no_reaper_has_run():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def match(ladder, worker, broker):
    return ladder_match(ladder, [entrant() for _ in range(3)])


def ago(seconds):
    return timezone.now() - timedelta(seconds=seconds)


def test_a_living_attempt_is_left_alone(match):
    claimed(match)
    dispatch.reap()
    assert Match.objects.get(pk=match.pk).state == "running"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lease_until": ago(1)}, "not heard of"),
        ({"progress_at": ago(100), "progress_limit_s": 90, "decision": 7}, "after decision 7"),
        ({"started_at": ago(2 * 3600 + 1)}, "hard limit"),
    ],
)
def test_a_lost_attempt_is_followed_by_another(match, changes, says):
    claim = claimed(match)
    Attempt.objects.update(**changes)
    dispatch.reap()
    match.refresh_from_db()
    assert (match.state, match.attempt, match.infrastructure_failures) == ("queued", 2, 1)
    attempt = Attempt.objects.get()
    assert attempt.state == "lost"
    assert says in attempt.outcome
    assert not dispatch.renew(**ids(claim), play=0, decision=1)
    assert claimed(match).number == 2


def test_an_attempt_within_its_limits_is_not_lost(match):
    claimed(match)
    Attempt.objects.update(progress_at=ago(80), progress_limit_s=90, started_at=ago(2 * 3600 - 60))
    dispatch.reap()
    assert Attempt.objects.get().state == "running"


def test_three_lost_attempts_are_no_contest(match):
    for _ in range(3):
        match.refresh_from_db()
        claimed(match)
        Attempt.objects.filter(state="running").update(lease_until=ago(1))
        dispatch.reap()
    match.refresh_from_db()
    assert (match.state, match.attempts.count()) == ("void", 3)


@pytest.mark.django_db(transaction=True)
def test_two_reapers_at_once_do_no_harm(match, broker):
    claimed(match)
    Attempt.objects.update(lease_until=ago(1))
    at_once(*[dispatch.reap] * 4)
    match.refresh_from_db()
    assert (match.state, match.attempt, match.infrastructure_failures) == ("queued", 2, 1)
    assert broker() == 2  # the first attempt's message, and the second's


@pytest.mark.django_db(transaction=True)
def test_a_lost_message_is_sent_again_once(match, broker, redis_url):
    assert broker() == 1
    Match.objects.update(published_at=ago(60))
    dispatch.reap()
    assert broker() == 1  # it still waits: nothing is missing
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    at_once(*[dispatch.reap] * 3)
    assert broker() == 1
    dispatch.reap()
    assert broker() == 1


@pytest.mark.django_db(transaction=True)
def test_a_message_on_its_way_is_not_sent_again(match, broker, redis_url):
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()  # a worker has just taken it and is about to claim
    dispatch.reap()
    assert broker() == 0


@pytest.mark.django_db(transaction=True)
def test_a_match_that_a_worker_could_not_take_is_sent_again_at_once(match, broker, redis_url):
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    Match.objects.update(published_at=None)
    dispatch.reap()
    assert broker() == 1


@pytest.mark.django_db(transaction=True)
def test_messages_do_not_pile_up_while_nobody_takes_them(ladder, worker, broker):
    bots = [entrant() for _ in range(3)]
    for _ in range(3):
        ladder_match(ladder, bots)
    for _ in range(5):
        Match.objects.update(published_at=ago(60))
        dispatch.reap()
    assert broker() == 3


def test_after_a_gap_the_workers_first_get_time_to_renew(match, settings):
    settings.RENEW_S = 1
    claim = claimed(match)
    cache.set("reaper:last-run", dispatch.database_now() - timedelta(seconds=60))
    Attempt.objects.update(lease_until=ago(40))  # nobody could renew it
    dispatch.reap()
    dispatch.reap()
    assert dispatch.renew(**ids(claim), play=0, decision=1)
    Attempt.objects.update(lease_until=ago(40))
    time.sleep(2.1)
    dispatch.reap()
    assert Attempt.objects.get().state == "lost"


def test_a_reaper_that_is_always_late_still_reaps(match, settings):
    settings.RENEW_S = 0
    claimed(match)
    cache.set("reaper:last-run", dispatch.database_now() - timedelta(seconds=60))
    dispatch.reap()
    settings.RENEW_S = 5
    cache.set("reaper:last-run", dispatch.database_now() - timedelta(seconds=60))
    Attempt.objects.update(lease_until=ago(1))
    dispatch.reap()
    assert Attempt.objects.get().state == "lost"


def test_the_reaper_says_when_it_ran_last(match):
    before = dispatch.database_now()
    dispatch.reap()
    assert before <= dispatch.last_reap() <= dispatch.database_now()
