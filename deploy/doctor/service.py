"""Settings, and the workers beside this machine: versions, clocks, what they are at."""

from collections import Counter
from collections.abc import Iterator

from django.conf import settings

from deploy import environment
from deploy.asking import NoAnswer, ask_database
from deploy.doctor.finding import Finding, fail, ok, warn
from tournaments import queueing, workers
from tournaments.models import Worker
from tournaments.worker_process import checkout_version

SETTINGS, WORKERS = "settings", "workers"
APART_S = 2.0


def look_at_settings() -> Iterator[Finding]:
    """Misspelt variables, and settings that are for development only."""
    wrong = False
    for name, near in environment.unknown().items():
        wrong = True
        yield warn(
            SETTINGS,
            f"{name} is read by nothing",
            f"did you mean {near}?" if near else "`python3 manage.py settings` lists all",
        )
    local = set(settings.ALLOWED_HOSTS) <= {"127.0.0.1", "localhost", "[::1]", "testserver"}
    if settings.DEBUG and not local:
        wrong = True
        yield fail(SETTINGS, "SLAYER_DEBUG is on: errors show the code", "unset SLAYER_DEBUG")
    if "*" in settings.ALLOWED_HOSTS:
        wrong = True
        yield warn(
            SETTINGS,
            "SLAYER_ALLOWED_HOSTS is *: links in mails can be made to lead elsewhere",
            "name the site",
        )
    if not settings.SECRET_KEY:
        wrong = True
        yield fail(SETTINGS, "SECRET_KEY is not set", "set 50 random characters, kept secret")
    elif len(settings.SECRET_KEY) < 40 and not local:
        wrong = True
        yield fail(SETTINGS, "SECRET_KEY is short and could be guessed", "50 random characters")
    if not local and not getattr(settings, "SESSION_COOKIE_SECURE", False):
        wrong = True
        yield warn(
            SETTINGS,
            "log-ins go over HTTP",
            "put a proxy in front that ends TLS, and set SLAYER_HTTPS=1",
        )
    if not wrong:
        yield ok(SETTINGS, "every variable is known, none is for development only")


def look_at_workers() -> Iterator[Finding]:
    """Those that live, those that cannot work, versions and clocks; the queue."""
    try:
        [[[table]]] = ask_database(["SELECT to_regclass('tournaments_worker')"])
    except NoAnswer:
        yield warn(WORKERS, "not known: the database does not answer", "see database")
        return
    if table is None:
        yield warn(WORKERS, "not known: there are no tables yet", "see database")
        return
    conditions = workers.conditions()
    found = {worker.pk: worker for worker in Worker.objects.all()}
    by: dict[workers.Condition, list[Worker]] = {}
    for pk, condition in conditions.items():
        by.setdefault(condition, []).append(found[pk])
    live = by.get(workers.Condition.LIVE, [])
    if live:
        slots = sum(worker.slots for worker in live)
        tiers = Counter(worker.tier for worker in live)
        told = ", ".join(f"{count} × {tier}" for tier, count in sorted(tiers.items()))
        yield ok(WORKERS, f"{len(live)} live, {slots} matches at once ({told})")
    else:
        yield fail(WORKERS, "none lives: no match is played", "start one, or look at their logs")
    for worker in by.get(workers.Condition.CANNOT_WORK, []):
        yield warn(WORKERS, f"{worker.name} cannot work: {worker.problem}", "see its reason")
    for worker in by.get(workers.Condition.PAUSED, []):
        yield warn(
            WORKERS,
            f"{worker.name} is paused: {worker.pause_reason}",
            f"when the reason is gone: `python3 manage.py workers --resume {worker.name}`",
        )
    ours = checkout_version()
    others = sorted({worker.version for worker in live} - {ours})
    if others:
        yield warn(
            WORKERS,
            f"this is version {ours}, and there are workers of {', '.join(others)}",
            "right in the middle of an upgrade; afterwards start them anew",
        )
    for worker in live:
        if abs(worker.clock_offset_s or 0.0) > APART_S:
            yield warn(
                WORKERS,
                f"the clock of {worker.name} is {worker.clock_offset_s:+.1f} s from the database's",
                "let it follow a time server; leases do not suffer, logs do",
            )
    oldest = max((lane.oldest_s for lane in queueing.lanes()), default=0.0)
    if oldest > settings.WAITING_S:
        yield fail(
            WORKERS,
            f"a match has waited for {oldest:.0f} s",
            "start workers, or look whether any can run its languages",
        )
