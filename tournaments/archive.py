"""What is kept of the plays of a match: replays for everybody, and logs for the bots' owners.

All of a match lie in one file: see `engine.match_file`. Whoever calls has checked the rights.
"""

from bots.models import Submission
from engine import match_file
from engine.record import SeatLog
from tournaments.models import Contestant, Match, Play


def replay(play: Play) -> bytes:
    """The replay of a play; ValueError or OSError where it cannot be had."""
    return match_file.read_replay(_read(play.match), play.rotation)


def whose(play: Play, seat: int) -> Submission | None:
    """The version that sat there; None where the table has no such seat."""
    if not 0 <= seat < len(play.seats):
        return None
    return (
        Contestant.objects.select_related("submission__bot__player")
        .get(match=play.match_id, number=play.seats[seat])
        .submission
    )


def log(play: Play, seat: int) -> SeatLog:
    """Notes, stderr, and what was said last: of a seat that there is, for its owner only."""
    return match_file.read_log(_read(play.match), play.rotation, seat)


def _read(match: Match) -> bytes:
    with match.archive.open("rb") as file:
        return bytes(file.read())
