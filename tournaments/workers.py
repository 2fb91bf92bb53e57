"""The machines that play matches: who they are, what they can run, and whether they take work."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bots.accounts import record_act
from bots.models import User
from tournaments.models import Attempt, Contestant, Worker

SEEN_EVERY_S = 5
LIVES_S = 60
NO_TIER = "none"
# A worker with so many failed attempts within an hour, not all with one bot, is paused.
_FAILURES = 5


@dataclass(frozen=True)
class Description:
    """What a worker says of itself: see the fields of the model of the same names."""

    version: str
    python: str
    languages: Collection[str]
    slots: int
    tier: str
    problem: str = ""


def register(name: str, description: Description) -> Worker:
    """Note a worker that starts. A pause outlives a restart."""
    values = {
        "version": description.version,
        "python": description.python,
        "languages": sorted(description.languages),
        "slots": description.slots,
        "tier": description.tier,
        "problem": description.problem,
        "started_at": Now(),
        "seen_at": Now(),
    }
    worker, _ = Worker.objects.update_or_create(name=name, defaults=values)
    worker.refresh_from_db()
    return worker


def seen(worker_id: int) -> bool:
    """Note that a worker lives; whether it is paused."""
    Worker.objects.filter(pk=worker_id).update(seen_at=Now())
    return Worker.objects.filter(pk=worker_id, paused=True).exists()


def cannot_isolate(worker_id: int, problem: str) -> None:
    """Note that a worker's sandbox holds no more: it gets no match from now on."""
    Worker.objects.filter(pk=worker_id).update(tier=NO_TIER, problem=problem)


def live() -> QuerySet[Worker]:
    """The workers that were seen within the last minute and take work."""
    return Worker.objects.filter(
        seen_at__gt=Now() - timedelta(seconds=LIVES_S), paused=False
    ).exclude(tier=NO_TIER)


def pause(*, worker: Worker, reason: str, user: User | None) -> bool:
    """Let a worker take no new match; what it plays it may end. False if it was paused before."""
    with transaction.atomic():
        done = Worker.objects.filter(pk=worker.pk, paused=False).update(
            paused=True, pause_reason=reason
        )
        if done:
            record_act(user=user, verb="pause", target=f"worker {worker.name}", reason=reason)
    return bool(done)


def resume(*, worker: Worker, reason: str, user: User | None) -> bool:
    """Let a paused worker take matches again."""
    with transaction.atomic():
        done = Worker.objects.filter(pk=worker.pk, paused=True).update(
            paused=False, pause_reason=""
        )
        if done:
            record_act(user=user, verb="resume", target=f"worker {worker.name}", reason=reason)
    return bool(done)


def pause_failing(worker: Worker) -> bool:
    """Pause a worker on which attempts fail with many different bots: then it is the machine.

    Lost attempts do not count: a machine that is gone takes no work anyway.
    """
    failed = list(
        Attempt.objects.filter(
            worker=worker,
            state=Attempt.State.FAILED,
            ended_at__gt=Now() - timedelta(hours=1),
        ).values_list("match", flat=True)
    )
    if len(failed) < _FAILURES:
        return False
    bots: dict[int, set[int]] = {}
    for match, submission in Contestant.objects.filter(match__in=failed).values_list(
        "match", "submission"
    ):
        bots.setdefault(match, set()).add(submission)
    if set.intersection(*bots.values()):
        return False  # one bot was in all of them: it is judged, not the machine
    return pause(
        worker=worker, reason=f"{len(failed)} attempts failed here within an hour", user=None
    )
