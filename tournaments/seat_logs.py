"""What only a bot's owner may read of a play: notes, stderr, and what was said to it last.

All of a match lie in one file: see `engine.log_file`. Whoever calls has checked the rights.
"""

from bots.models import Submission
from engine import log_file
from engine.record import SeatLog
from tournaments.models import Contestant, Play


def whose(play: Play, seat: int) -> Submission | None:
    """The version that sat there; None where the table has no such seat."""
    if not 0 <= seat < len(play.seats):
        return None
    return (
        Contestant.objects.select_related("submission__bot__player")
        .get(match=play.match_id, number=play.seats[seat])
        .submission
    )


def read(play: Play, seat: int) -> SeatLog:
    """The log of a seat that there is."""
    with play.match.logs.open("rb") as file:
        return log_file.read(file.read(), play.rotation, seat)
