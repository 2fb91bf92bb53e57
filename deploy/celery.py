"""The Celery application: `celery -A deploy.celery:app worker|beat`."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")

from celery import Celery
from django.conf import settings

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
    broker_transport_options={
        # Above the hard limit of an attempt: recovery is the reaper's, never the broker's.
        "visibility_timeout": 3 * 3600,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_keepalive": True,
        "health_check_interval": 25,
    },
    # Without this Celery closes the database connection before and after every task.
    task_default_queue="housekeeping",
    task_routes={"tournaments.tasks.play": {"queue": "match"}},
    timezone="UTC",
    beat_schedule={
        "reap": {"task": "tournaments.tasks.reap", "schedule": settings.REAP_S},
        "schedule": {"task": "tournaments.tasks.schedule", "schedule": 5.0},
        "advance": {"task": "tournaments.tasks.advance", "schedule": 5.0},
        "check": {"task": "tournaments.tasks.check_submissions", "schedule": 5.0},
        "refold": {"task": "tournaments.tasks.check_ledger", "schedule": 24 * 3600.0},
    },
    # A stopped beat must not leave a day of work in the queue: a tick that is late is dropped.
    beat_max_loop_interval=5,
)
app.conf["CELERY_DB_REUSE_MAX"] = 10_000
app.autodiscover_tasks(["tournaments"])
