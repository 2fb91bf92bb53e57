"""Where ratings stand on a table: by a picture of the whole table that each process remembers.

Counting who is above a rating takes as long as the table; in a picture of it, three sorted lists of
numbers, it is a look-up. A picture of a small table is made anew whenever the table has changed. A
great one costs something, so it may be older than the table: by at most a second for each ten
thousand bots. A rank is then what it was so long ago.
"""

import threading
import time
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from django.db import connection

from tournaments.models import Ladder

_SMALL = 2000
_BOTS_A_SECOND = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rating stands on the table: its place, and the ranks that it may well hold."""

    place: int
    best: int
    worst: int


def may_be_old_s(bots: int) -> float:
    """Seconds that what is known of a whole table of so many bots may be older than it."""
    return 0.0 if bots <= _SMALL else bots / _BOTS_A_SECOND


@dataclass(frozen=True, slots=True)
class Picture:
    """All ordinals and interval ends of a table, each sorted."""

    state: tuple[int, int, int]
    """The ladder's generation, seq and version that it shows."""
    made_at: float
    """By `time.monotonic`."""
    ordinals: "array[float]"
    lows: "array[float]"
    highs: "array[float]"

    @property
    def size(self) -> int:
        """Bots on the table."""
        return len(self.ordinals)

    @property
    def good_until(self) -> float:
        """Until when it may be shown although the table has changed."""
        return self.made_at + may_be_old_s(self.size)

    def place(self, mu: float, sigma: float, ordinal: float) -> Place:
        """Where such a rating stands; equal ordinals share a place. See `rating.rank_ranges`."""
        size = self.size
        return Place(
            1 + size - bisect_right(self.ordinals, ordinal),
            1 + size - bisect_right(self.lows, mu + 2 * sigma),
            size - bisect_left(self.highs, mu - 2 * sigma),
        )


_pictures: dict[int, Picture] = {}
_making: dict[int, threading.Lock] = {}


def state_of(ladder: Ladder) -> tuple[int, int, int]:
    """What changes with every change of a ladder's table."""
    return ladder.generation, ladder.seq, ladder.version


def picture(ladder: Ladder) -> Picture:
    """The ladder's table as it is, or as it was not long ago: see above."""
    known = _pictures.get(ladder.pk)
    if known is not None and _will_do(known, ladder):
        return known
    lock = _making.setdefault(ladder.pk, threading.Lock())
    # While another thread makes a new one the old one will do, but not one of other bots.
    if known is not None and known.state[0] == ladder.generation and may_be_old_s(known.size):
        if not lock.acquire(blocking=False):
            return known
    else:
        lock.acquire()
    try:
        made = _pictures.get(ladder.pk)
        if made is None or made is known or not _will_do(made, ladder):
            made = _pictures[ladder.pk] = _make(ladder)
        return made
    finally:
        lock.release()


def _will_do(known: Picture, ladder: Ladder) -> bool:
    if known.state == state_of(ladder):
        return True
    return known.state[0] == ladder.generation and time.monotonic() < known.good_until


def _make(ladder: Ladder) -> Picture:
    # By mu and sigma the ends of the intervals are those that pages show, to the last bit.
    at = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ordinal, mu, sigma FROM tournaments_rating "
            "WHERE ladder_id = %s AND generation = %s AND listed",
            [ladder.pk, ladder.generation],
        )
        rows = cursor.fetchall()
    return Picture(
        state_of(ladder),
        at,
        array("d", sorted(ordinal for ordinal, _, _ in rows)),
        array("d", sorted(mu - 2 * sigma for _, mu, sigma in rows)),
        array("d", sorted(mu + 2 * sigma for _, mu, sigma in rows)),
    )
