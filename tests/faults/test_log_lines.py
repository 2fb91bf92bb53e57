"""The log of a real worker: every line is an object, and says which match it is about."""

import json
import socket

import pytest

from deploy import processes as roles
from tests.faults.conftest import until
from tests.tournaments.rows import entrant, ladder_match
from tournaments import tracing
from tournaments.models import Attempt, Match, Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db, pytest.mark.faults]


def test_a_match_can_be_followed_from_the_request_to_the_worker(processes, ladder, monkeypatch):
    monkeypatch.setenv("SLAYER_LOG_FORMAT", "json")
    worker = processes.start(*roles.worker(1).command, name="one")
    until(lambda: "ready." in processes.log("one"), process=worker)
    with tracing.about(request="request-0001"):
        match = ladder_match(ladder, [entrant() for _ in range(3)])
    until(lambda: Match.objects.get(pk=match.pk).state == "finished", process=worker)
    # A second one fails: one of its packages is not what was uploaded.
    bots = [entrant() for _ in range(3)]
    with open(bots[0].package.path, "ab") as file:
        file.write(b"x")
    broken = ladder_match(ladder, bots)
    until(lambda: Attempt.objects.filter(match=broken, state="failed").exists(), process=worker)
    until(lambda: processes.log("one").count("succeeded in") >= 2)

    lines = [json.loads(line) for line in processes.log("one").splitlines()]
    done = [line for line in lines if "succeeded in" in line["message"]]
    assert done[0]["request"] == "request-0001"
    assert "request" not in done[1]
    task = done[0]["task"]
    assert {line["task_name"] for line in lines if line.get("task") == task} >= {"play"}
    # That it was received is not said: a task would begin so much later.
    assert not [line for line in lines if line["logger"] == "celery.worker.strategy"]
    # It is tried until it is void; this is the first time.
    failure = next(line for line in lines if "error" in line and line.get("match") == broken.pk)
    assert (failure["attempt"], failure["worker"]) == (1, f"worker1@{socket.gethostname()}")
    assert failure["error"].startswith("Traceback")
    assert failure["task"] == done[1]["task"]
    assert abs(Worker.objects.get().clock_offset_s) < 60  # both are of this machine
