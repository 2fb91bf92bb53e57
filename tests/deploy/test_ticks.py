"""Beat's ticks: sent on time, and left out while too many wait."""

import pytest
import redis
from celery import current_app

from deploy.ticks import MOST_WAITING, QUEUE, Ticks

pytestmark = pytest.mark.db


@pytest.fixture
def broker(redis_url):
    before = current_app.conf.broker_url
    _send_to(redis_url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host="))
    with redis.Redis.from_url(redis_url) as client:
        yield client
    _send_to(before)


def _send_to(url):
    current_app.conf.broker_url = url
    current_app.amqp._producer_pool = None  # made for the broker before
    current_app._pool = None


def test_ticks_that_nobody_takes_are_not_piled_up(broker, tmp_path):
    beat = Ticks(app=current_app, schedule_filename=str(tmp_path / "schedule"))
    try:
        entry = beat.schedule["reap"]
        for _ in range(MOST_WAITING + 20):
            beat.apply_entry(entry, producer=beat.producer)
        assert broker.llen(QUEUE) == MOST_WAITING
        broker.delete(QUEUE)
        beat.apply_entry(entry, producer=beat.producer)
        assert broker.llen(QUEUE) == 1
        # By whose clock should it expire? One that is ahead would never run any.
        assert b'"expires": null' in broker.lindex(QUEUE, 0)
    finally:
        beat.close()


def test_beat_takes_this_scheduler():
    assert current_app.conf.beat_scheduler == "deploy.ticks:Ticks"
