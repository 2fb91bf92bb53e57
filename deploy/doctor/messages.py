"""The broker, and what Celery must be told so that no match is lost or played twice."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from deploy.asking import NoAnswer, ask_broker, broker
from deploy.doctor.finding import Finding, fail, ok, warn
from deploy.health import reaper_late_s
from tournaments import dispatch

BROKER, CELERY = "broker", "celery"


def look_at_broker() -> Iterator[Finding]:
    """Version, memory and what happens when it is full, persistence, role, clock."""
    try:
        info = ask_broker(within_s=5)
    except NoAnswer as error:
        yield fail(
            BROKER,
            f"it {error}",
            "look whether it runs and is reached at the address in REDIS_URL. Nothing is lost "
            "meanwhile: messages are sent again from the rows",
        )
        return
    product = "Valkey" if "valkey_version" in info else "Redis"
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    if product == "Redis" and tuple(map(int, version.split(".")[:2])) < (6, 2):
        yield fail(BROKER, f"{product} {version}", "Redis 6.2 or Valkey is needed")
    else:
        yield ok(BROKER, f"{product} {version} answers; {info.get('used_memory_human')} used")
    if info.get("redis_mode") == "cluster":
        yield fail(BROKER, "it is a cluster", "Celery needs a single server, with replicas at most")
    if info.get("role") == "slave":
        yield fail(BROKER, "it is a replica and takes nothing", "name the primary in REDIS_URL")
    yield from _memory(info)
    if not info.get("aof_enabled"):
        yield ok(BROKER, "keeps nothing for sure: messages are sent again from the rows")
    yield from _clock()


def _memory(info: dict[str, Any]) -> Iterator[Finding]:
    policy, most = str(info.get("maxmemory_policy")), int(info.get("maxmemory", 0))
    if policy != "noeviction":
        yield warn(
            BROKER,
            f"maxmemory-policy is {policy}: when it is full it throws messages away",
            "set it to noeviction: then who sends is told, and sends again later",
        )
    used = int(info.get("used_memory", 0))
    if most and used > 0.8 * most:
        yield warn(
            BROKER,
            f"{100 * used // most} % of its memory are in use",
            "raise maxmemory; the queue is shallow, so something else may lie in it",
        )
    elif policy == "noeviction":
        yield ok(BROKER, f"maxmemory-policy is noeviction, maxmemory {most or 'not limited'}")


def _clock() -> Iterator[Finding]:
    before = time.time()
    with broker(5) as client:
        seconds, micro = client.time()
    apart = max(seconds + micro / 1e6 - time.time(), before - seconds - micro / 1e6, 0.0)
    if apart > 1:
        yield warn(
            BROKER,
            f"its clock and this machine's are {apart:.1f} s apart",
            "ticks of beat that came too late are dropped: let both follow the same time server",
        )


def look_at_celery() -> Iterator[Finding]:
    """The settings on which exactly-once rests, and whether beat and housekeeping are at work."""
    from deploy.celery import app

    conf = app.conf
    transport = conf.broker_transport_options or {}
    hard_limit = settings.ATTEMPT_HARD_LIMIT_S
    wrong = False
    for name, value, right, meaning in (
        ("task_acks_late", conf.task_acks_late, True, "a killed worker's message is lost"),
        (
            "task_reject_on_worker_lost",
            conf.task_reject_on_worker_lost,
            True,
            "the message of a killed pool process is lost",
        ),
        (
            "worker_prefetch_multiplier",
            conf.worker_prefetch_multiplier,
            1,
            "a worker holds messages that others could play",
        ),
        ("task_ignore_result", conf.task_ignore_result, True, "results pile up in the broker"),
        (
            "worker_redirect_stdouts",
            conf.worker_redirect_stdouts,
            False,
            "what libraries print is taken for log lines",
        ),
        (
            "worker_hijack_root_logger",
            conf.worker_hijack_root_logger,
            False,
            "Celery throws our log format away",
        ),
    ):
        if value != right:
            wrong = True
            yield fail(CELERY, f"{name} is {value!r}: {meaning}", f"it must be {right!r}")
    visible = int(transport.get("visibility_timeout", 3600))
    if visible <= hard_limit:
        wrong = True
        yield fail(
            CELERY,
            f"the broker's visibility timeout is {visible} s, an attempt may take {hard_limit} s: "
            "long matches are delivered twice",
            "set it above: it must never decide, the leases do",
        )
    if not conf.get("CELERY_DB_REUSE_MAX"):
        wrong = True
        yield warn(
            CELERY,
            "CELERY_DB_REUSE_MAX is not set: each task opens a database connection",
            "set it as in deploy/celery.py",
        )
    if not wrong:
        yield ok(CELERY, "acknowledges late, prefetches nothing, keeps no results")
    last = dispatch.last_reap()
    if last is None:
        yield warn(
            CELERY,
            "no run of the reaper is known",
            "start beat and the housekeeper (a broker that was started anew has forgotten it)",
        )
    else:
        ago = (datetime.now(UTC) - last).total_seconds()
        if ago > reaper_late_s():
            yield fail(
                CELERY,
                f"the reaper ran {ago:.0f} s ago: lost matches stay lost",
                "look at the logs of beat and of the housekeeper",
            )
        else:
            yield ok(
                CELERY, f"beat and the housekeeper work: the reaper ran {max(0, ago):.0f} s ago"
            )
