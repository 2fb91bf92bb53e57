"""What waits and what runs, as the metrics and the organiser's page show it.

Each of these reads rows of the queue or of running attempts alone, through partial indexes: their
cost follows what waits now, never what was ever played.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, F, Max, Min
from django.db.models.functions import Now

from tournaments.dispatch import PRIORITY
from tournaments.models import Attempt, Match

_LANES = sorted(((priority, str(kind)) for kind, priority in PRIORITY.items()), reverse=True)


def lane(priority: int) -> str:
    """The lane of a priority: the kind of match that has it, or the next lower one."""
    return next((name for least, name in _LANES if priority >= least), _LANES[-1][1])


@dataclass(slots=True)
class Lane:
    """Matches that wait in one lane, and for how long the one made first has waited."""

    name: str
    matches: int = 0
    oldest: int | None = None
    oldest_s: float = 0.0


def lanes() -> list[Lane]:
    """The queue by lane, the first to be served first."""
    found = {name: Lane(name) for _, name in _LANES}
    rows = (
        Match.objects.filter(state=Match.State.QUEUED)
        .order_by("-priority")
        .values("priority")
        .annotate(matches=Count("id"), oldest=Min("id"))
    )
    for row in rows:
        at = found[lane(row["priority"])]
        at.matches += row["matches"]
        at.oldest = min(at.oldest or row["oldest"], row["oldest"])
    made = {
        pk: wait.total_seconds()
        for pk, wait in Match.objects.filter(
            pk__in=[each.oldest for each in found.values() if each.oldest]
        )
        .annotate(wait=Now() - F("created_at"))
        .values_list("id", "wait")
    }
    for at in found.values():
        at.oldest_s = max(0.0, made.get(at.oldest, 0.0)) if at.oldest else 0.0
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Running:
    """Running attempts: how many, and the greatest ages among them, in seconds."""

    attempts: int
    oldest_s: float
    renewed_s: float
    """Since the lease that was renewed longest ago."""
    progress_s: float
    """Since the last decision of the one that has made none for longest."""


def running() -> Running:
    """What is being played now."""
    lease = timedelta(seconds=settings.LEASE_S)
    row = Attempt.objects.filter(state=Attempt.State.RUNNING).aggregate(
        attempts=Count("id"),
        oldest=Max(Now() - F("started_at")),
        renewed=Max(Now() - F("lease_until") + lease),
        progress=Max(Now() - F("progress_at")),
    )

    def seconds(age: timedelta | None) -> float:
        return max(0.0, age.total_seconds()) if age is not None else 0.0

    return Running(
        row["attempts"], seconds(row["oldest"]), seconds(row["renewed"]), seconds(row["progress"])
    )
