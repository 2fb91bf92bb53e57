"""Messages to the workers. A row is always written first: a lost or repeated message does no harm.

A message carries ids only, never anything of a match: of one, or of several that may be played one
after the other.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from tournaments import tracing
from tournaments.models import Match

logger = logging.getLogger(__name__)

PLAY = "tournaments.tasks.play"
MATCH_OVER = "tournaments.tasks.match_over"
QUEUE = "match"
REQUEST_HEADER = "slayer_request"
# The broker keeps one list for each of these and empties the first before it looks at the next.
_LANES = ((30, 0), (20, 3), (10, 6))
_LAST_LANE = 9
# Whoever sends must not hang while the broker is away: the reaper sends again.
_RETRY = {"max_retries": 1, "interval_start": 0.0, "interval_step": 0.1, "interval_max": 0.1}
BROKER_AWAY = (OperationalError, RedisError, OSError)


def send(task: str, *args: int, priority: int = _LAST_LANE) -> bool:
    """Send a task to its queue; False, with a line in the log, when the broker is away."""
    try:
        current_app.send_task(
            task,
            args=args,
            priority=priority,
            headers=_headers(),
            retry=True,
            retry_policy=_RETRY,
        )
    except BROKER_AWAY as error:
        logger.warning("Could not send %s%r: %s", task, args, error)
        return False
    return True


def _headers() -> dict[str, object]:
    """Which request a message follows from, for the log of who takes it."""
    request = tracing.current().get("request")
    return {} if request is None else {REQUEST_HEADER: request}


def send_play(wanted: Sequence[tuple[int, int]], *, lane: int = _LAST_LANE) -> bool:
    """Send one message about attempts (match, number): some worker plays all of them, or passes on
    what it cannot play at once."""
    return send(PLAY, *(number for pair in wanted for number in pair), priority=lane)


def publish(match: Match) -> None:
    """Tell the workers about the match's current attempt, once the transaction is committed."""
    lane = next((lane for least, lane in _LANES if match.priority >= least), _LAST_LANE)
    transaction.on_commit(partial(_published, (match.pk, match.attempt), lane), robust=True)


_gathered: ContextVar[list[tuple[int, int]] | None] = ContextVar("gathered", default=None)


def _published(attempt: tuple[int, int], lane: int) -> None:
    gathered = _gathered.get()
    # What is wanted sooner gets a message of its own, for whoever is free first.
    if gathered is None or lane != _LAST_LANE:
        send_play([attempt], lane=lane)
    else:
        gathered.append(attempt)


@contextmanager
def together() -> Iterator[None]:
    """Ladder matches whose transaction is committed in this block share messages."""
    token = _gathered.set([])
    try:
        yield
    finally:
        gathered = _gathered.get() or []
        _gathered.reset(token)
        size = settings.MATCHES_PER_MESSAGE
        for start in range(0, len(gathered), size):
            send_play(gathered[start : start + size])


def announce(match_id: int) -> None:
    """Tell housekeeping, once the transaction is committed, that something may follow from a match:
    it is over, or an attempt at it failed. `outcomes.match_over` finds out what."""
    transaction.on_commit(partial(send, MATCH_OVER, match_id), robust=True)


def waiting() -> int | None:
    """How many messages about matches wait in the broker; None when it is away."""
    try:
        with current_app.connection_for_read() as connection:
            channel: Any = connection.default_channel
            return int(channel.queue_declare(QUEUE).message_count)
    except BROKER_AWAY as error:
        logger.warning("Could not ask the broker: %s", error)
        return None
