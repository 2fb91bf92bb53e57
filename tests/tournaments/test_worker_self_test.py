"""A worker whose sandbox holds no more ends; one that has no time to try it goes on."""

import logging

import pytest

from engine.sandbox import CannotIsolate, DoesNotHold
from tests.tournaments.conftest import make_worker
from tournaments import runner, worker_process, workers

# A worker closes its connection after each use.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]


@pytest.fixture
def this(monkeypatch):
    worker = make_worker("this@here", tier="ns")
    monkeypatch.setattr(worker_process, "_worker", worker)
    monkeypatch.setattr(runner, "_all_stop", bytearray(1))
    return worker


def test_a_sandbox_that_does_not_hold_ends_the_worker(this, monkeypatch, caplog):
    asked = []

    def does_not_hold(**how):
        asked.append(how)
        raise DoesNotHold("it can make sockets")

    monkeypatch.setattr(worker_process, "isolated", does_not_hold)
    with pytest.raises(SystemExit) as end:
        worker_process._try_sandbox_again()
    assert end.value.code == 78
    assert asked == [{"minimum": "ns", "name": "ns"}]
    this.refresh_from_db()
    assert (this.tier, this.problem) == ("none", "it can make sockets")
    assert not workers.live().exists()
    assert runner._stopping()
    assert "it can make sockets" in caplog.text


def test_a_machine_that_is_too_busy_for_a_trial_goes_on(this, monkeypatch, caplog):
    def busy(**_):
        raise CannotIsolate("too much to do")

    monkeypatch.setattr(worker_process, "isolated", busy)
    with caplog.at_level(logging.WARNING):
        worker_process._try_sandbox_again()
    this.refresh_from_db()
    assert this.tier == "ns"
    assert workers.live().exists()
    assert "too much to do" in caplog.text


def test_the_real_sandbox_is_tried(this):
    worker_process._try_sandbox_again()
    this.refresh_from_db()
    assert this.tier == "ns"
