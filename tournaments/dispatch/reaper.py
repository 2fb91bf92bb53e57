"""The reaper: gives lost attempts to other workers, and sends lost messages again.

Any number of reapers may run at once; each change happens once.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.models import DurationField, ExpressionWrapper, F, Q
from django.db.models.functions import Now
from redis.exceptions import RedisError

from tournaments.dispatch import messages
from tournaments.dispatch.leases import end_attempt
from tournaments.models import Attempt, Match

logger = logging.getLogger(__name__)
_LAST_RUN = "reaper:last-run"
_GRACE = "reaper:grace"


def reap() -> None:
    """One round: end attempts whose worker is gone or stuck, and find matches without a message.

    After a gap between two rounds, in which perhaps nobody could reach the database, the workers
    first get time to renew their leases and to report what they have played meanwhile.
    """
    if not _grace():
        _end_lost()
    _publish_again()
    try:
        cache.set(_LAST_RUN, database_now(), timeout=None)
    except RedisError as error:
        logger.warning("Could not note the reaper's run: %s", error)


def _grace() -> bool:
    """Whether workers still have time after a gap; they get it once and not again for long."""
    last = last_reap()
    now = database_now()
    try:
        if last is not None and now - last > timedelta(seconds=_gap_s()):
            until = now + timedelta(seconds=2 * settings.RENEW_S)
            if cache.add(_GRACE, until, timeout=10 * settings.LEASE_S):
                logger.warning("No reaper has run since %s; leases hold until %s", last, until)
        grace: datetime | None = cache.get(_GRACE)
    except RedisError:
        return False
    return grace is not None and now < grace


def _gap_s() -> float:
    return float(max(settings.LEASE_S / 2, 3.0 * settings.REAP_S))


def last_reap() -> datetime | None:
    """When the reaper last ran, by the database's clock; None if nobody knows."""
    try:
        found: datetime | None = cache.get(_LAST_RUN)
        return found
    except RedisError:
        return None


def database_now() -> datetime:
    """The database's clock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


def _end_lost() -> None:
    stuck_since = ExpressionWrapper(
        F("progress_at") + F("progress_limit_s") * timedelta(seconds=1),
        output_field=DurationField(),
    )
    hard_limit = timedelta(seconds=settings.ATTEMPT_HARD_LIMIT_S)
    running = Attempt.objects.filter(state=Attempt.State.RUNNING).annotate(now=Now())
    lost = running.alias(stuck_since=stuck_since).filter(
        Q(lease_until__lt=Now()) | Q(stuck_since__lt=Now()) | Q(started_at__lt=Now() - hard_limit)
    )
    for attempt in lost:
        if attempt.started_at < attempt.now - hard_limit:
            outcome = "it ran over the hard limit"
        elif attempt.lease_until < attempt.now:
            outcome = "its worker was not heard of any more"
        else:
            outcome = f"no progress after decision {attempt.decision} of play {attempt.play}"
        end_attempt(
            attempt.match_id,
            attempt.number,
            state=Attempt.State.LOST,
            outcome=outcome,
            failures=1,
            token=attempt.token,
        )


def _publish_again() -> None:
    """Send the messages of queued matches again, when fewer wait in the broker than matches do."""
    queued = Match.objects.filter(state=Match.State.QUEUED)
    late = queued.filter(
        Q(published_at=None) | Q(published_at__lt=Now() - timedelta(seconds=settings.REPUBLISH_S))
    )
    if not late.exists():
        return
    waiting = messages.waiting()
    if waiting is None:
        return
    # Never more than are missing, or messages would pile up while no worker takes any.
    missing = queued.count() - waiting * settings.MATCHES_PER_MESSAGE
    for match in late.order_by("-priority", "id")[: max(0, missing)]:
        # Of two reapers one wins this update, and sends.
        seen = Q(published_at=match.published_at)
        if queued.filter(seen, pk=match.pk, attempt=match.attempt).update(published_at=Now()):
            messages.publish(match)
