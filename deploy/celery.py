"""The Celery application: `celery -A deploy.celery:app worker|beat`."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")

import logging.config

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings


def every(seconds: float, task: str) -> dict[str, Any]:
    """A tick of beat."""
    return {"task": f"tournaments.tasks.{task}", "schedule": float(seconds)}


if not settings.TESTING:
    logging.captureWarnings(True)  # they are lines of the log as well

app = Celery("slayer")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    # Our own rows hold the results; kept result objects raise when the broker is lost.
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
    worker_max_tasks_per_child=500,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a worker outlasts any failure of the broker
    broker_transport_options={
        # Above the hard limit of an attempt: recovery is the reaper's, never the broker's.
        "visibility_timeout": 3 * 3600,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_keepalive": True,
        # A broker that hangs is away: whoever sends, a page's request too, must not hang with it.
        # What is sent is tried twice.
        "socket_connect_timeout": 3,
        "socket_timeout": 5,
        "health_check_interval": 25,
    },
    # Without this Celery closes the database connection before and after every task.
    task_default_queue="housekeeping",
    task_routes={"tournaments.tasks.play": {"queue": "match"}},
    timezone="UTC",
    beat_schedule={
        "reap": every(settings.REAP_S, "reap"),
        "schedule": every(5, "schedule"),
        "advance": every(5, "advance"),
        "check": every(5, "check_submissions"),
        "mail": every(30, "mail_notices"),
        "tally": every(15, "tally"),
        "waits": every(60, "note_waits"),
        "refold": every(24 * 3600, "check_ledger"),
    },
    beat_max_loop_interval=5,
    beat_scheduler="deploy.ticks:Ticks",
)
app.conf["CELERY_DB_REUSE_MAX"] = 10_000
app.autodiscover_tasks(["tournaments"])


@setup_logging.connect
def _log_as_everybody(**_: Any) -> None:
    """Celery would give its tasks a format of their own."""
    logging.config.dictConfig(settings.LOGGING)
