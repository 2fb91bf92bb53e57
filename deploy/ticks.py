"""Beat's ticks: the periodic tasks, of which no more are sent than somebody takes."""

import logging
from typing import Any

from celery.beat import PersistentScheduler

logger = logging.getLogger(__name__)
QUEUE = "housekeeping"
# A worker that was stopped must not find a day of ticks. They do not expire instead: that would be
# by the worker's clock, and one that is ahead would never run any.
MOST_WAITING = 50


class Ticks(PersistentScheduler):
    """Sends no tick while MOST_WAITING of them wait in the broker."""

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send the tick of an entry that is due, or leave it out."""
        if (waiting := self._waiting()) < MOST_WAITING:
            super().apply_entry(entry, producer=producer)
        else:
            logger.warning("%s is left out: %d ticks wait", entry.name, waiting)

    def _waiting(self) -> int:
        """How many ticks wait; 0 when the broker is away, for sending to it is an error anyway.

        The broker keeps the messages of lower priority, which follow from matches, in other lists.
        """
        try:
            with self.app.connection_or_acquire() as connection:
                return int(connection.default_channel.client.llen(QUEUE))
        except Exception as error:  # beat must not end with its broker
            logger.warning("Could not ask the broker: %s", error)
            return 0
