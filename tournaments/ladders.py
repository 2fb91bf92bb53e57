"""Ladders: opening them, reading their tables, and how long their bots wait."""

import time
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now

from bots.models import Submission
from engine import games
from engine.clock import TimeControl
from tournaments import ledger
from tournaments.models import Contestant, Ladder, Match, Rating
from tournaments.pictures import may_be_old_s
from tournaments.scheduling import waiting_bound_s

UNFINISHED = (Match.State.QUEUED, Match.State.RUNNING)


def open_ladder(game: str) -> Ladder:
    """The open ladder of a game, made if there is none: newest edition, the game's own defaults.

    Versions that are active already enter a game's first ladder at once. A ladder that somebody has
    closed is not opened again; then the closed one is returned.
    """
    rules = games.get(game)
    slug = f"{rules.name}-{rules.edition}"
    with transaction.atomic():
        found = open_of(rules.name)
        if found is not None:
            return found
        ladder, made = Ladder.objects.get_or_create(
            slug=slug,
            defaults={
                "game": rules.name,
                "edition": rules.edition,
                "options": rules.check_options(None, rules.min_players),
                "time_control": TimeControl().to_dict(),
            },
        )
        if made and not Ladder.objects.filter(game=rules.name).exclude(pk=ladder.pk).exists():
            for version in Submission.objects.filter(
                bot__game=rules.name, bot__active=F("pk")
            ).order_by("id"):
                ledger.enter(ladder=ladder, submission=version, parent=None)
    return ladder


def open_all() -> list[Ladder]:
    """The ladders of all games that this installation has, opened where a game has none yet."""
    found = {ladder.game: ladder for ladder in Ladder.objects.filter(open=True)}
    return [found.get(game.name) or open_ladder(game.name) for game in games.all()]


def open_of(game: str) -> Ladder | None:
    """The open ladder of a game, if it has one."""
    return Ladder.objects.filter(game=game, open=True).first()


def table(ladder: Ladder) -> QuerySet[Rating]:
    """The ratings on the ladder's table, the best first."""
    return (
        Rating.objects.filter(ladder=ladder, generation=ladder.generation, listed=True)
        .select_related("submission__bot__player")
        .order_by("-ordinal", "id")
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long bots wait: `longest_s` the one that waits most, `bound_s` what none should."""

    active: int
    seats_per_hour: int
    bound_s: float
    longest_s: float


def waiting(ladder: Ladder) -> Waiting:
    """How long the ladder's bots wait at present, and the bound that the scheduler keeps.

    A bot waits from the end of its last rated match here, or since it was activated, until it is
    in a match again, queued ones included. The house's bots fill tables and wait for nothing.
    """
    others = table(ladder).filter(submission__bot__player__house=False)
    idle = others.exclude(submission__in=busy(ladder)).order_by().annotate(since=waits_since())
    longest = idle.aggregate(longest=Now() - Min("since"))["longest"]
    active, seats = others.count(), seats_started(ladder)
    return Waiting(
        active=active,
        seats_per_hour=seats,
        bound_s=waiting_bound_s(active, seats),
        longest_s=max(0.0, longest.total_seconds()) if longest else 0.0,
    )


_waiting: dict[int, tuple[float, Waiting]] = {}


def waiting_lately(ladder: Ladder) -> Waiting:
    """`waiting`, or on a great ladder what it was not long ago: as old as a picture may be."""
    known = _waiting.get(ladder.pk)
    if known is not None and time.monotonic() < known[0]:
        return known[1]
    found = waiting(ladder)
    _waiting[ladder.pk] = (time.monotonic() + may_be_old_s(found.active), found)
    return found


def waits_since() -> Greatest:
    """Expression over ratings: since when the bot has been waiting."""
    since = F("submission__bot__active_since")
    return Greatest(since, Coalesce("played_at", since))


def busy(ladder: Ladder) -> set[int]:
    """The submissions that are in a queued or running match of the ladder."""
    return set(
        Contestant.objects.filter(match__ladder=ladder, match__state__in=UNFINISHED).values_list(
            "submission", flat=True
        )
    )


def seats_started(ladder: Ladder) -> int:
    """Seats in matches of the ladder that were started within the last hour."""
    hour_ago = Now() - timedelta(hours=1)
    # A match of the last hour has also ended in it, or goes on: both are indexed.
    recent = Q(match__ended_at__gt=hour_ago) | Q(match__state__in=UNFINISHED)
    return Contestant.objects.filter(
        recent, match__ladder=ladder, match__started_at__gt=hour_ago
    ).count()
