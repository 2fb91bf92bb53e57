"""What Celery and Django leave behind and nobody takes away."""

import logging
from datetime import timedelta
from importlib import import_module
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models.functions import Now

from tournaments.dispatch.messages import BROKER_AWAY
from tournaments.models import Worker

logger = logging.getLogger(__name__)
GONE_DAYS = 7
IDLE_S = 24 * 3600
# Kombu's names in Redis: who listens to broadcasts, and the lists for answers to them.
_LISTENERS = "_kombu.binding.celery.pidbox"
_ANSWERS = "*.reply.celery.pidbox"
_SEPARATOR = b"\x06\x16"


def sweep() -> None:
    """Remove sessions that have ended, and what killed workers left in the broker."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    try:
        listeners, answers = sweep_broker()
    except BROKER_AWAY as error:
        logger.warning("The broker could not be swept: %s", error)
        return
    if listeners or answers:
        logger.info("Removed %d dead listeners and %d old answers", listeners, answers)


def sweep_broker() -> tuple[int, int]:
    """How many listeners of workers that are long gone, and lists of answers, were removed.

    A worker that is killed stays registered for broadcasts, and each broadcast is written to a
    list that nobody reads. Messages about matches are never touched.
    """
    gone = set(
        Worker.objects.filter(seen_at__lt=Now() - timedelta(days=GONE_DAYS)).values_list(
            "name", flat=True
        )
    )
    with current_app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        client = channel.client
        listeners = 0
        for member in client.smembers(_LISTENERS):
            queue = bytes(member).rpartition(_SEPARATOR)[2].decode(errors="replace")
            if queue.removesuffix(".celery.pidbox") in gone:
                listeners += client.srem(_LISTENERS, member)
                client.delete(queue)
        answers = 0
        for key in client.scan_iter(_ANSWERS, count=1000):
            idle = client.object("idletime", key)
            if idle is not None and idle > IDLE_S:
                answers += client.delete(key)
    return listeners, answers
