"""Sending to a broker that is there, and to one that is not."""

import socket
import time

import pytest
from celery import Celery

from deploy.celery import app
from tournaments.dispatch import messages


@pytest.fixture
def sender(monkeypatch):
    """Messages go by the service's settings, but for shorter times, to the broker at an address."""

    def use(port):
        options = app.conf.broker_transport_options
        assert 0 < options["socket_connect_timeout"] <= options["socket_timeout"] <= 5
        made = Celery("sender", broker=f"redis://127.0.0.1:{port}/0", set_as_current=False)
        made.conf.broker_transport_options = {**options, "socket_timeout": 0.3}
        monkeypatch.setattr(messages, "current_app", made)
        return made

    return use


def test_a_broker_that_hangs_keeps_nobody_waiting(sender, caplog):
    with socket.create_server(("127.0.0.1", 0)) as silent, sender(silent.getsockname()[1]):
        begun = time.monotonic()
        assert messages.send(messages.MATCH_OVER, 1) is False
        assert time.monotonic() - begun < 1.5  # two tries of 0.3 s
    assert "Could not send" in caplog.text


def test_a_broker_that_is_not_there_keeps_nobody_waiting(sender, caplog):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with sender(port):
        assert messages.send(messages.MATCH_OVER, 1) is False
    assert "Could not send" in caplog.text
