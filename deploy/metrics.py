"""`/metrics`: the figures of the whole service, worked out when they are asked for.

They come from the database, so each web process gives the same ones and none has to gather what
others have counted. What would need a long look is counted by `tournaments/tallying.py`; the rest
reads the queue, the running attempts and the workers, never what was ever played.
"""

import logging
import platform
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import Error
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bots.models import Submission
from deploy.asking import NoAnswer, ask_broker, ask_database
from tournaments import dispatch, queueing, tallying, workers
from tournaments.models import Match, Tally, Worker
from tournaments.worker_process import checkout_version

logger = logging.getLogger(__name__)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class Counted:
    """A count or figure that is kept: its metric, its meaning, labels, and the unit's size."""

    metric: str
    text: str
    labels: tuple[str, ...]
    counter: bool = True
    scale: float = 1.0


KEPT = {
    "matches": Counted(
        "slayer_matches", "Matches that ended", ("game", "kind", "outcome")
    ),
    "attempts": Counted(
        "slayer_attempts", "Attempts that ended without a result", ("outcome",)
    ),
    "plays": Counted("slayer_plays", "Plays of finished matches", ("game",)),
    "decisions": Counted("slayer_decisions", "Decisions in them", ("game",)),
    "bot_cpu_ms": Counted(
        "slayer_bot_cpu_seconds", "CPU of the bots in them", ("game",), scale=0.001
    ),
    "bot_failures": Counted(
        "slayer_bot_failures", "Failures of bots in them", ("game", "reason")
    ),
    "ladder_longest_wait_s": Counted(
        "slayer_ladder_longest_wait_seconds",
        "How long the bot that waits longest has waited",
        ("ladder",),
        counter=False,
    ),
    "ladder_wait_bound_s": Counted(
        "slayer_ladder_wait_bound_seconds", "What none should wait", ("ladder",), counter=False
    ),
    "ladder_bots": Counted("slayer_ladder_bots", "Active bots", ("ladder",), counter=False),
}  # fmt: skip


def text() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Service())
    return generate_latest(registry)


class _Service(Collector):
    def collect(self) -> Iterator[Metric]:
        begun = time.perf_counter()
        up = GaugeMetricFamily("slayer_up", "Whether it answers within 2 s", labels=["part"])
        database = _answers(lambda: ask_database(["SELECT 1"]))
        up.add_metric(["database"], database)
        up.add_metric(["broker"], _answers(ask_broker))
        yield up
        yield _info()
        if database:
            try:
                yield from list(_all())
            except Error as error:
                logger.warning("Metrics are not whole: %s", error)
        yield _gauge("slayer_scrape_seconds", "What it took", time.perf_counter() - begun)


def _answers(ask: object) -> float:
    try:
        ask()  # type: ignore[operator]
    except NoAnswer:
        return 0.0
    return 1.0


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(name, description, value=value)


def _info() -> Metric:
    info = GaugeMetricFamily(
        "slayer_build_info", "The version that answers", labels=["version", "python"]
    )
    info.add_metric([checkout_version(), platform.python_version()], 1)
    return info


def _all() -> Iterator[Metric]:
    yield from _queue()
    yield from _running()
    yield from _workers()
    yield from _kept()
    yield _gauge("slayer_matches_void", "Matches without a contest", _count_void())
    suspended = Submission.objects.filter(state=Submission.State.SUSPENDED).count()
    yield _gauge("slayer_versions_suspended", "Versions of bots that are suspended", suspended)
    unchecked = Submission.objects.filter(
        state__in=[Submission.State.UPLOADED, Submission.State.CHECKING]
    ).count()
    yield _gauge("slayer_versions_unchecked", "Versions that wait for their check", unchecked)
    last = dispatch.last_reap()
    if last is not None:
        yield _gauge(
            "slayer_reaper_last_run_timestamp_seconds", "When the reaper ran", last.timestamp()
        )
    until = tallying.tallied_until()
    if until is not None:
        yield _gauge(
            "slayer_counted_until_timestamp_seconds",
            "Up to when the counts are whole",
            until.timestamp(),
        )


def _count_void() -> int:
    return Match.objects.filter(state=Match.State.VOID).count()


def _queue() -> Iterator[Metric]:
    matches = GaugeMetricFamily("slayer_queue_matches", "Matches that wait", labels=["lane"])
    oldest = GaugeMetricFamily(
        "slayer_queue_oldest_seconds", "Since the oldest of them was made", labels=["lane"]
    )
    for lane in queueing.lanes():
        matches.add_metric([lane.name], lane.matches)
        oldest.add_metric([lane.name], lane.oldest_s)
    yield matches
    yield oldest


def _running() -> Iterator[Metric]:
    now = queueing.running()
    yield _gauge("slayer_attempts_running", "Attempts that are being played", now.attempts)
    yield _gauge("slayer_attempt_oldest_seconds", "Age of the oldest of them", now.oldest_s)
    yield _gauge(
        "slayer_lease_age_seconds", "Since the lease renewed longest ago was", now.renewed_s
    )
    yield _gauge(
        "slayer_progress_age_seconds", "Since the last decision of the slowest", now.progress_s
    )


def _workers() -> Iterator[Metric]:
    conditions = workers.conditions()
    found = list(Worker.objects.all())
    states = GaugeMetricFamily(
        "slayer_workers",
        "Workers by what they are at, how they isolate bots, and version",
        labels=["state", "tier", "version"],
    )
    here = Counter(
        (conditions[worker.pk].value, worker.tier, worker.version)
        for worker in found
        # Names of machines that are gone pile up; they are in the database.
        if conditions[worker.pk] is not workers.Condition.GONE
    )
    for labels, count in sorted(here.items()):
        states.add_metric(list(labels), count)
    yield states
    live = [worker for worker in found if conditions[worker.pk] is workers.Condition.LIVE]
    slots = sum(worker.slots for worker in live)
    yield _gauge("slayer_worker_slots", "Matches that live workers can play at once", slots)
    apart = max((abs(worker.clock_offset_s or 0.0) for worker in live), default=0.0)
    yield _gauge(
        "slayer_worker_clock_offset_seconds",
        "How far a live worker's clock is from the database's, at most",
        apart,
    )


def _kept() -> Iterator[Metric]:
    families: dict[str, Metric] = {}
    for name, kept in KEPT.items():
        make = CounterMetricFamily if kept.counter else GaugeMetricFamily
        families[name] = make(kept.metric, kept.text, labels=kept.labels)
    for row in Tally.objects.order_by("name", "id"):
        if row.name in KEPT:
            kept = KEPT[row.name]
            labels = [str(row.labels.get(label, "")) for label in kept.labels]
            families[row.name].add_metric(labels, row.value * kept.scale)  # type: ignore[attr-defined]
    yield from families.values()
