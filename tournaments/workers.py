"""The machines that play matches: who they are, what they can run, and whether they take work."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Extract, Now

from bots.accounts import record_act
from bots.models import User
from tournaments import blame
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
    """Note a worker that starts. A pause outlives a restart; draining was until just this one."""
    values = {
        "version": description.version,
        "python": description.python,
        "languages": sorted(description.languages),
        "slots": description.slots,
        "tier": description.tier,
        "problem": description.problem,
        "draining": False,
        "started_at": Now(),
        "seen_at": Now(),
    }
    worker, _ = Worker.objects.update_or_create(name=name, defaults=values)
    worker.refresh_from_db()
    return worker


def seen(worker_id: int, *, clock: float | None = None) -> bool:
    """Note that a worker lives, and its clock (Unix time); whether it must take no work."""
    noted: dict[str, object] = {"seen_at": Now()}
    if clock is not None:
        noted["clock_offset_s"] = Value(clock) - Extract(Now(), "epoch")
    Worker.objects.filter(pk=worker_id).update(**noted)
    return Worker.objects.filter(Q(paused=True) | Q(draining=True), pk=worker_id).exists()


def cannot_isolate(worker_id: int, problem: str) -> None:
    """Note that a worker's sandbox holds no more: it gets no match from now on."""
    Worker.objects.filter(pk=worker_id).update(tier=NO_TIER, problem=problem)


def live() -> QuerySet[Worker]:
    """The workers that were seen within the last minute and take work."""
    return Worker.objects.filter(
        seen_at__gt=Now() - timedelta(seconds=LIVES_S), paused=False, draining=False
    ).exclude(tier=NO_TIER)


class Condition(StrEnum):
    """What a worker is at, as on-call reads it."""

    LIVE = "live"
    PAUSED = "paused"
    DRAINING = "draining"
    DRAINED = "drained"
    """Ended what it played: it may be switched off."""
    CANNOT_WORK = "cannot work"
    GONE = "gone"


def conditions() -> dict[int, Condition]:
    """The condition of every worker, by id."""
    busy = set(Attempt.objects.filter(state=Attempt.State.RUNNING).values_list("worker", flat=True))
    lives = Q(seen_at__gt=Now() - timedelta(seconds=LIVES_S))
    here = set(Worker.objects.filter(lives).values_list("pk", flat=True))
    return {worker.pk: _condition(worker, here, busy) for worker in Worker.objects.all()}


def _condition(worker: Worker, here: Collection[int], busy: Collection[int]) -> Condition:
    if worker.draining:
        return Condition.DRAINING if worker.pk in busy else Condition.DRAINED
    if worker.tier == NO_TIER:
        return Condition.CANNOT_WORK
    if worker.pk not in here:
        return Condition.GONE
    return Condition.PAUSED if worker.paused else Condition.LIVE


def lives(worker: Worker) -> bool:
    """Whether the worker was seen within the last minute."""
    recent = Worker.objects.filter(seen_at__gt=Now() - timedelta(seconds=LIVES_S))
    return recent.filter(pk=worker.pk).exists()


def pause(*, worker: Worker, reason: str, user: User | None) -> bool:
    """Let a worker take no new match; what it plays it may end. False if it was paused before."""
    with transaction.atomic():
        done = Worker.objects.filter(pk=worker.pk, paused=False).update(
            paused=True, pause_reason=reason
        )
        if done:
            record_act(user=user, verb="pause", target=f"worker {worker.name}", reason=reason)
    return bool(done)


def drain(*, worker: Worker, reason: str, user: User | None) -> bool:
    """Let a worker end what it plays and take no more, so that it can be switched off.

    It plays again when it is started anew. False if it was draining already.
    """
    with transaction.atomic():
        done = Worker.objects.filter(pk=worker.pk, draining=False).update(draining=True)
        if done:
            record_act(user=user, verb="drain", target=f"worker {worker.name}", reason=reason)
    return bool(done)


def resume(*, worker: Worker, reason: str, user: User | None) -> bool:
    """Let a paused or draining worker take matches again."""
    with transaction.atomic():
        done = Worker.objects.filter(Q(paused=True) | Q(draining=True), pk=worker.pk).update(
            paused=False, pause_reason="", draining=False
        )
        if done:
            record_act(user=user, verb="resume", target=f"worker {worker.name}", reason=reason)
    return bool(done)


def _does_well_elsewhere(submission: int, worker: Worker, since: datetime) -> bool:
    """Whether what a bot has played on other workers since then clears it of what fails here."""
    elsewhere = Attempt.objects.exclude(worker=worker).filter(
        match__in=Contestant.objects.filter(submission=submission).values("match"),
        ended_at__gt=since,
    )
    finished = elsewhere.filter(state=Attempt.State.FINISHED).count()
    failed = elsewhere.filter(state=Attempt.State.FAILED).count()
    return blame.clears(finished, max(1, failed))


def pause_failing(worker: Worker) -> bool:
    """Pause a worker on which attempts fail with many different bots: then it is the machine.

    Lost attempts do not count: a machine that is gone takes no work anyway.
    """
    rows = Attempt.objects.filter(
        worker=worker, state=Attempt.State.FAILED, ended_at__gt=Now() - timedelta(hours=1)
    ).values_list("match", "ended_at")
    failed = [match for match, _ in rows]
    if len(failed) < _FAILURES:
        return False
    bots: dict[int, set[int]] = {}
    for match, submission in Contestant.objects.filter(match__in=failed).values_list(
        "match", "submission"
    ):
        bots.setdefault(match, set()).add(submission)
    first = min(ended_at for _, ended_at in rows if ended_at is not None)
    for submission in set.intersection(*bots.values()):
        if not _does_well_elsewhere(submission, worker, first):
            return False  # it was in all of them: it is judged, not the machine
    return pause(
        worker=worker, reason=f"{len(failed)} attempts failed here within an hour", user=None
    )
