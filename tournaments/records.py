"""What a bot's finished matches say of it: results by seat, and its failures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from bots.models import Bot, Submission
from engine.places import place_points
from tournaments.models import Contestant, Match, Play

MATCHES = 300
"""As many of its latest matches are looked at."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """Plays of a bot in one seat of tables of one size; points are the mean, 1/2 is average."""

    players: int
    seat: int
    plays: int
    points: float


@dataclass(frozen=True, slots=True)
class SeatFailure:
    """A play in which the bot failed."""

    match: int
    rotation: int
    seat: int
    version: int
    decision: int
    reason: str
    message: str


def versions(**owner: object) -> list[int]:
    """The ids of the versions of a bot (`bot=…`) or player (`bot__player=…`).

    Whoever looks for their matches names them, so that a single one's are read in order from an
    index; through the bot the database has to gather and sort them all.
    """
    return list(Submission.objects.filter(**owner).order_by("id").values_list("id", flat=True))


def matches_of(rows: QuerySet[Match], submissions: Sequence[int]) -> QuerySet[Match]:
    """Those of the matches in which one of the submissions plays, each once; to order by id."""
    # A check's match has its version in several seats.
    return rows.filter(contestants__submission__in=submissions).distinct("id")


def _plays(bot: Bot) -> Iterator[tuple[Play, int, int]]:
    """Its latest plays, each with its seat and the number of the version that sat there."""
    mine = {
        (row.match_id, row.number): row.submission.number
        for row in Contestant.objects.filter(
            submission__in=versions(bot=bot), match__state=Match.State.FINISHED
        )
        .exclude(match__kind=Match.Kind.QUALIFICATION)
        .select_related("submission")
        .order_by("-match_id")[:MATCHES]
    }
    matches = {match for match, _ in mine}
    for play in Play.objects.filter(match__in=matches).order_by("-match_id", "rotation"):
        for seat, contestant in enumerate(play.seats):
            version = mine.get((play.match_id, contestant))
            if version is not None:
                yield play, seat, version


def by_seat(bot: Bot) -> list[SeatRecord]:
    """Its results by table size and seat."""
    found: dict[tuple[int, int], list[float]] = {}
    for play, seat, _ in _plays(bot):
        points = float(place_points(play.places)[seat])
        found.setdefault((len(play.seats), seat), []).append(points)
    return [
        SeatRecord(players, seat, len(points), sum(points) / len(points))
        for (players, seat), points in sorted(found.items())
    ]


def failures(bot: Bot) -> list[SeatFailure]:
    """The plays in which it failed, the latest first."""
    return [
        SeatFailure(
            match=play.match_id,
            rotation=play.rotation,
            seat=seat,
            version=version,
            decision=failure["decision"],
            reason=failure["reason"],
            message=failure.get("message", ""),
        )
        for play, seat, version in _plays(bot)
        for failure in play.failures
        if failure["seat"] == seat
    ]
