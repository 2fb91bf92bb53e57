"""Celery's tasks: each looks up and calls the function that does it, which works the same without.

Their names are part of deploy/celery.py and of the messages that wait in a broker.
"""

import logging

from celery import shared_task

from bots import mail
from tournaments import (
    dispatch,
    entrants,
    ledger,
    leftovers,
    lifecycle,
    outcomes,
    runner,
    scheduler,
    seasons,
    tallying,
)
from tournaments.models import Ladder, Match
from tournaments.worker_process import this_worker

logger = logging.getLogger(__name__)


@shared_task
def play(*numbers: int) -> None:
    """Play matches, as far as these attempts are still wanted: match, attempt, match, attempt, …"""
    wanted = list(zip(numbers[::2], numbers[1::2], strict=True))
    runner.play_message(wanted, worker=this_worker())


@shared_task
def match_over(match_id: int) -> None:
    """Do what follows from a match that is over, or from an attempt that failed."""
    outcomes.match_over(Match.objects.get(pk=match_id))


@shared_task
def reap() -> None:
    """Find lost attempts and lost messages."""
    dispatch.reap()


@shared_task
def schedule() -> None:
    """Keep the queue of ladder matches filled."""
    scheduler.schedule()


@shared_task
def advance() -> None:
    """Take every bracket and every season its next step."""
    lifecycle.advance()
    seasons.advance()


@shared_task
def check_submissions() -> None:
    """Begin and judge the checks of uploaded versions."""
    entrants.check_submissions()


@shared_task
def mail_notices() -> None:
    """Send the notices that users wish to have by e-mail."""
    mail.send_due()


@shared_task
def tally() -> None:
    """Keep the counts that the metrics show."""
    tallying.tally()


@shared_task
def note_waits() -> None:
    """Note for the metrics how long bots wait."""
    tallying.note_waits()


@shared_task
def check_ledger() -> None:
    """Fold every ladder's ledger and report what differs from the ratings; sweep what is left."""
    for ladder in Ladder.objects.order_by("id"):
        for difference in ledger.check(ladder):
            logger.error("Ladder %s: %s", ladder.slug, difference)
    dispatch.sweep()
    leftovers.sweep()
