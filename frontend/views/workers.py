"""The organiser's page of workers: what each does, what waits, what failed and who is to blame."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from bots.models import Act, User
from tournaments import blame, dispatch, failures, queueing
from tournaments import workers as machines
from tournaments.models import Attempt, Worker

# Names of machines that are gone pile up; after so many days only `?all=1` shows them.
_SHOWN_DAYS = 7
_ACTS = {"pause": machines.pause, "drain": machines.drain, "resume": machines.resume}
_DONE = {
    "pause": "is paused: it takes no new match until it is let go on",
    "drain": "drains: it ends what it plays, and may then be switched off",
    "resume": "takes matches again",
}
_LATEST = 30


def _organiser(request: HttpRequest) -> User:
    user = request.user
    if not isinstance(user, User) or not user.is_staff:
        raise PermissionDenied("This page is for organisers.")
    return user


@login_required
def workers(request: HttpRequest) -> HttpResponse:
    """The machines, the queue, and the failures of a day; for organisers."""
    user = _organiser(request)
    failed = failures.lately()
    judged = failures.as_failures(failed)
    played = failures.played(
        {each.submission_id for attempt in failed for each in attempt.match.contestants.all()}
    )
    rows, hidden = _rows("all" in request.GET)
    reaped = dispatch.last_reap()
    return render(
        request,
        "frontend/workers.html",
        {
            "rows": rows,
            "hidden": hidden,
            "may_act": user.has_perm("tournaments.change_worker"),
            "lanes": queueing.lanes(),
            "running": queueing.running(),
            "reaped": reaped,
            "by_worker": blame.judge_workers(judged, played),
            "by_bot": [
                each for each in blame.judge_bots(judged, played) if each.failures >= blame.ENOUGH
            ][:_LATEST],
            "failed": failed[:_LATEST],
            "failed_count": len(failed),
            "tries": settings.INFRASTRUCTURE_FAILURES,
            "most": failures.MOST,
            "sample": failures.SAMPLE,
            "acts": Act.objects.filter(verb__in=_ACTS, target__startswith="worker ")
            .select_related("user")
            .order_by("-id")[:10],
        },
    )


def _rows(everything: bool) -> tuple[list[dict[str, Any]], int]:
    found: QuerySet[Worker] = Worker.objects.order_by("name")
    shown = found
    if not everything:
        since = timezone.now() - timedelta(days=_SHOWN_DAYS)
        shown = found.filter(seen_at__gt=since)
    conditions = machines.conditions()
    shares = failures.shares()
    playing: dict[int, list[Attempt]] = {}
    for attempt in Attempt.objects.filter(state=Attempt.State.RUNNING).order_by("started_at"):
        playing.setdefault(attempt.worker_id, []).append(attempt)
    rows = [
        {
            "worker": worker,
            "condition": conditions[worker.pk],
            "attempts": playing.get(worker.pk, []),
            "share": shares.get(worker.pk),
            # A second apart is nothing to leases, but makes logs hard to read.
            "clock": worker.clock_offset_s
            if worker.clock_offset_s is not None and abs(worker.clock_offset_s) >= 1
            else None,
        }
        for worker in shown
    ]
    return rows, found.count() - len(rows)


@login_required
@require_POST
def act(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """Pause a worker, drain it, or let it go on; the reason is logged."""
    user = _organiser(request)
    if not user.has_perm("tournaments.change_worker"):
        raise PermissionDenied("You may look at workers, not change them.")
    if verb not in _ACTS:
        raise Http404(f"A worker can be told to {', '.join(_ACTS)}, not to {verb}.")
    worker = get_object_or_404(Worker, pk=pk)
    reason = request.POST.get("reason", "").strip()[:500]
    if not reason:
        messages.error(request, f"Say why {worker.name} should {verb}: it is logged.")
    elif _ACTS[verb](worker=worker, reason=reason, user=user):
        messages.success(request, f"{worker.name} {_DONE[verb]}.")
    else:
        messages.info(request, f"{worker.name} was told so before.")
    return redirect("workers")
