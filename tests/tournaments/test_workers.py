from datetime import timedelta

import pytest
from django.utils import timezone

from bots.models import Act
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import claimed, entrant, ids, ladder_match
from tournaments import dispatch, outcomes, workers
from tournaments.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def test_a_worker_registers_and_says_that_it_lives():
    worker = make_worker("one@here", slots=4)
    assert (worker.name, worker.slots, worker.languages) == ("one@here", 4, ["python"])
    assert list(workers.live()) == [worker]
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    assert not workers.live().exists()
    assert workers.seen(worker.pk) is False
    assert workers.live().exists()


def test_a_pause_outlives_a_restart():
    worker = make_worker("one@here")
    assert workers.pause(worker=worker, reason="repairs", user=None)
    assert not workers.pause(worker=worker, reason="again", user=None)
    again = make_worker("one@here", slots=1)
    assert (again.pk, again.paused, again.pause_reason) == (worker.pk, True, "repairs")
    assert workers.seen(worker.pk) is True
    assert not workers.live().exists()
    assert workers.resume(worker=worker, reason="repaired", user=None)
    assert workers.live().exists()
    assert list(Act.objects.order_by("id").values_list("verb", "reason")) == [
        ("pause", "repairs"),
        ("resume", "repaired"),
    ]


def fail_often(ladder, worker, tables):
    for table in tables:
        match = ladder_match(ladder, table)
        dispatch.fail(**ids(claimed(match, worker)), reason="no memory")
        outcomes.match_over(match)
        match.refresh_from_db()
    worker.refresh_from_db()


def test_a_worker_that_fails_with_many_bots_is_paused(ladder, worker):
    bots = [entrant() for _ in range(6)]
    tables = [bots[:3], bots[3:], bots[1:4], bots[:3]]
    fail_often(ladder, worker, tables)
    assert not worker.paused
    fail_often(ladder, worker, [bots[3:]])
    assert worker.paused
    assert "5 attempts failed" in worker.pause_reason


def test_a_worker_that_fails_with_one_bot_only_goes_on(ladder, worker):
    bots = [entrant() for _ in range(5)]
    fail_often(ladder, worker, [[bots[0], *bots[i : i + 2]] for i in (1, 2, 3, 1, 2, 3)])
    assert not worker.paused
