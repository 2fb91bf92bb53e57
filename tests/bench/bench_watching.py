"""What watching costs: /metrics, /readyz, the workers' page and a round of counting.

    python3 -m tests.bench.bench_watching [--bots 100000 --matches 1000000] [--plans]

The same on a small and on a big installation, on servers of its own; the ratio tells whether
anything looks at all that was ever played. `--plans` shows how PostgreSQL finds the rows.
"""

import argparse
import os
import sys
import time

from tests.bench import throw_away

SMALL = (1_000, 2_000)
REPEATS = 30


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=100_000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--plans", action="store_true")
    arguments = parser.parse_args()
    if throw_away.needed():
        return throw_away.run("tests.bench.bench_watching", lasting=False)
    import django

    django.setup()
    from django.conf import settings

    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"  # none are collected
    }
    from django.core.management import call_command
    from django.db import connection

    sizes = [SMALL, (arguments.bots, arguments.matches)]
    found = []
    for bots, matches in sizes:
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        call_command("migrate", verbosity=0)
        found.append(measure(bots, matches))
    print(f"\n{'ms, best of ' + str(REPEATS):<28}" + "".join(f"{m:>14,}" for _, m in sizes)
          + f"{'ratio':>9}")  # fmt: skip
    for name in found[0]:
        small, big = (each[name] for each in found)
        print(f"{name:<28}{small:>14.2f}{big:>14.2f}{big / small:>9.2f}")
    if arguments.plans:
        plans()
    return 0


def measure(bots: int, matches: int) -> dict[str, float]:
    """Milliseconds of each thing on an installation of this size, a few matches waiting."""
    from django.test import RequestFactory

    from bots.models import User
    from deploy import health, metrics
    from frontend.views import workers as page
    from tests.bench import big_ladder
    from tournaments import dispatch, tallying
    from tournaments.models import Match

    ladder = big_ladder.generate(bots=bots, matches=matches, say=print)
    # A queue as deep as that of some hundred workers.
    waiting = list(Match.objects.order_by("-id").values_list("id", flat=True)[:500])
    Match.objects.filter(pk__in=waiting).update(state="queued", ended_at=None)
    dispatch.reap()
    first: list[float] = []
    while True:
        begun = time.perf_counter()
        tallying.tally()
        first.append((time.perf_counter() - begun) * 1000)
        until = tallying.tallied_until()
        last = Match.objects.filter(state="finished").latest("ended_at").ended_at
        if until is None or last is None or until > last:
            break
    print(f"{matches} matches counted in {len(first)} rounds, {sum(first) / 1000:.1f} s in all, "
          f"the longest {max(first):.0f} ms; ladder {ladder.slug}")  # fmt: skip
    organiser = User(email="o@example.org", is_staff=True, is_superuser=True, pk=1)
    request = RequestFactory().get("/workers/")
    request.user = organiser
    things = {
        "/metrics": metrics.text,
        "/readyz": lambda: list(health.all_checks()),
        "a round of counting": tallying.tally,
        "waits of bots": tallying.note_waits,
        "the workers' page": lambda: page.workers(request).content,
    }
    result = {}
    for name, thing in things.items():
        thing()
        times = []
        for _ in range(REPEATS):
            begun = time.perf_counter()
            thing()
            times.append((time.perf_counter() - begun) * 1000)
        result[name] = min(times)
    return result


def plans() -> None:
    """EXPLAIN of what would cost most if it looked at everything."""
    from django.db import connection

    from deploy import metrics
    from tournaments import failures, queueing

    with connection.execute_wrapper(_Explain()):
        for thing in (metrics.text, queueing.lanes, failures.lately, failures.shares):
            thing()


class _Explain:
    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        from django.db import connection

        shape = " ".join(sql.split())[:90]
        big = any(name in sql for name in ("tournaments_match", "tournaments_attempt", "bots_sub"))
        if sql.lstrip().startswith(("SELECT", "WITH")) and big and shape not in self._seen:
            self._seen.add(shape)
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {sql}", params)
                print(f"\n{shape} …")
                for (line,) in cursor.fetchall():
                    print(f"    {line}"[:150])
        return execute(sql, params, many, context)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    sys.exit(main())
