"""What watches the service from outside: `/healthz`, `/readyz`, `/metrics`.

They answer before hosts and sessions are looked at: a probe knows the machine's address only.
"""

import hmac
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from ipaddress import ip_address

from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from deploy import metrics
from deploy.asking import NoAnswer, ask_broker, ask_database
from tournaments import dispatch

CHECKS = ("database", "migrations", "broker", "reaper", "waiting")
FRESH_S = 1.0
"""So long an answer is given again: whoever asks without end costs no more than that."""


@dataclass(frozen=True)
class Check:
    """One thing that must be well; `detail` says what is not, or how well it is."""

    name: str
    ok: bool
    detail: str


def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers requests. It asks nothing of anybody."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """Whether the service can do its work; 503 with what it lacks.

    `?exclude=NAME`, as often as wished, leaves a check out of the judgement: a web process behind a
    balancer should not be taken out for what a reaper did not do.
    """
    excluded = set(request.GET.getlist("exclude"))
    unknown = sorted(excluded - set(CHECKS))
    if unknown:
        return JsonResponse(
            {"error": f"there is no check {unknown[0]!r}; there is {', '.join(CHECKS)}"},
            status=400,
        )
    checks = recent_checks()
    failed = [check.name for check in checks if not check.ok and check.name not in excluded]
    body = {
        "ready": not failed,
        "failed": failed,
        "checks": {check.name: asdict(check) for check in checks},
    }
    return JsonResponse(body, status=503 if failed else 200)


def metrics_page(request: HttpRequest) -> HttpResponse:
    """Everything that is counted, for Prometheus; for this machine, or whoever has the token."""
    if not _may_read_metrics(request):
        return HttpResponse(
            "Metrics are for this machine, or with `Authorization: Bearer` and "
            "SLAYER_METRICS_TOKEN.\n",
            status=403,
            content_type="text/plain",
        )
    return HttpResponse(metrics.text(), content_type=metrics.CONTENT_TYPE)


def _may_read_metrics(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    if token:
        scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            shown.strip().encode(), token.encode()
        )
    # A proxy on this machine would make everybody look local.
    if settings.REST_FRAMEWORK["NUM_PROXIES"] or any(
        name in request.headers for name in ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via")
    ):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics_page, name="metrics"),
]
_VIEWS = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics_page}


class Probes:
    """Middleware that answers the probes, whatever name of the site they use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = _VIEWS.get(request.path)
        if view is None:
            return self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        response = view(request)
        response.headers["Cache-Control"] = "no-store"
        return response


_lock = threading.Lock()
_recent: tuple[float, list[Check]] = (float("-inf"), [])


def recent_checks() -> list[Check]:
    """All checks, of this moment or of the last second; any number of callers cost one round."""
    global _recent
    with _lock:
        if time.monotonic() - _recent[0] > FRESH_S:
            checks = list(all_checks())
            _recent = (time.monotonic(), checks)
        return _recent[1]


def all_checks() -> Iterable[Check]:
    """Ask database and broker once each, and judge the answers."""
    try:
        clock, applied, waits = ask_database(
            [
                "SELECT extract(epoch FROM clock_timestamp())",
                "SELECT app, name FROM django_migrations",
                # Not ORDER BY … LIMIT 1, for which a planner may walk through all matches.
                "SELECT extract(epoch FROM max(clock_timestamp() - created_at)) "
                "FROM tournaments_match WHERE state = 'queued'",
            ]
        )
    except NoAnswer as error:
        yield Check("database", False, f"PostgreSQL {error}")
        yield Check("migrations", False, "not known: the database does not answer")
        yield Check("waiting", False, "not known: the database does not answer")
        now = None
    else:
        yield Check("database", True, "answers")
        yield _migrations({(row[0] or "", row[1] or "") for row in applied})
        yield _waiting(float(waits[0][0] or 0))
        now = datetime.fromtimestamp(float(clock[0][0] or 0), UTC)
    try:
        info = ask_broker()
    except NoAnswer as error:
        yield Check("broker", False, f"the broker {error}")
        yield Check("reaper", False, "not known: the broker does not answer")
    else:
        yield Check("broker", True, f"answers ({info.get('used_memory_human', '?')} used)")
        yield _reaper(now)


@lru_cache(maxsize=1)
def migrations_of_this_version() -> frozenset[tuple[str, str]]:
    """(app, name) of all migrations that this checkout has."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset((app, name) for app, name in loader.disk_migrations or {})


def _migrations(applied: Collection[tuple[str, str]]) -> Check:
    missing = sorted(migrations_of_this_version() - set(applied))
    if missing:
        names = ", ".join(f"{app}.{name}" for app, name in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        return Check("migrations", False, f"not applied: {names}{more}; run manage.py migrate")
    return Check("migrations", True, f"all {len(migrations_of_this_version())} applied")


def _waiting(oldest_s: float) -> Check:
    detail = f"the oldest waiting match has waited {oldest_s:.0f} s"
    ok = oldest_s <= settings.WAITING_S
    return Check("waiting", ok, detail if ok else f"{detail}, over {settings.WAITING_S} s")


def reaper_late_s() -> float:
    """A reaper that has not run for so long has stopped."""
    return max(60.0, 6.0 * settings.REAP_S)


def _reaper(now: datetime | None) -> Check:
    last = dispatch.last_reap()
    if last is None:
        return Check("reaper", False, "no run is known: beat or the housekeeper does not work")
    if now is None:
        return Check("reaper", False, "not known: the database's clock does not answer")
    ago = max(timedelta(), now - last).total_seconds()
    ok = ago <= reaper_late_s()
    return Check(
        "reaper",
        ok,
        f"ran {ago:.0f} s ago" + ("" if ok else ": beat or the housekeeper does not work"),
    )
