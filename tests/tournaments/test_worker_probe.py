"""`manage.py workers --check`: the probe of a worker's container."""

import socket
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tournaments import dispatch, workers
from tournaments.models import Worker

pytestmark = pytest.mark.django_db
HOST = socket.gethostname()


def check(*name):
    out = StringIO()
    call_command("workers", "--check", *name, stdout=out)
    return out.getvalue()


def register(name, tier="ns", problem=""):
    return workers.register(name, workers.Description("1", "3.11", ["python"], 1, tier, problem))


def test_a_worker_that_lives_is_well_also_when_it_was_told_to_rest():
    worker = register(f"w@{HOST}")
    assert "plays 1 at once" in check()
    workers.drain(worker=worker, reason="x", user=None)
    assert check() == f"w@{HOST}: drained\n"
    workers.pause(worker=worker, reason="x", user=None)
    workers.resume(worker=worker, reason="x", user=None)
    assert "plays 1 at once" in check(f"w@{HOST}")


@pytest.mark.parametrize("told", ["", "drain"])
def test_a_worker_that_is_gone_is_not(told):
    worker = register(f"w@{HOST}")
    if told:
        workers.drain(worker=worker, reason="x", user=None)
    Worker.objects.update(seen_at=dispatch.database_now() - timedelta(minutes=2))
    with pytest.raises(CommandError, match=f"w@{HOST}"):
        check()


def test_a_worker_that_cannot_isolate_is_not():
    register(f"w@{HOST}", "none", "no namespaces")
    with pytest.raises(CommandError, match="no namespaces"):
        check()


def test_no_worker_is_not_well_either():
    register("w@elsewhere")
    with pytest.raises(CommandError, match="no worker of this machine"):
        check()
    assert "plays 1 at once" in check("w@elsewhere")
