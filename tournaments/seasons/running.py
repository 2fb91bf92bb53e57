"""A season on its way: its divisions, its play-offs, and what it came to."""

import logging
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Player, User
from tournaments import dispatch, ladders, leagues
from tournaments.models import Bracket, MatchDay, Rating, Season, SeasonEntry
from tournaments.seasons.borders import (
    gone_from,
    open_division,
    open_play_offs,
    play_offs_of,
    tables_of,
    winner_of,
)
from tournaments.seasons.rules import match_days

logger = logging.getLogger(__name__)
State = Season.State


def check_organiser(user: User | None, season: Season) -> None:
    """NotAllowed unless the user organises; user None is the service itself."""
    if user is not None and not user.is_staff:
        raise NotAllowed(f"Only an organiser may change the season {season.slug!r}")


@transaction.atomic
def start_season(*, season: Season, user: User | None, reason: str = "") -> None:
    """Close the entries, make the divisions and draw the first match day.

    Who was in the season before plays in the division that it has earned; newcomers follow, in the
    order of their ladder ratings (unrated ones last, as they entered). Raises Conflict, UserFault
    or NotAllowed.
    """
    check_organiser(user, season)
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if season.state != State.ENTRY:
        raise Conflict(f"{season.slug} is {season.state} already")
    entries = _ordered(season)
    rules = season.rules
    if len(entries) < rules["min_size"]:
        raise Conflict(
            f"{season.slug} has {len(entries)} entries; it needs at least {rules['min_size']}"
        )
    sizes = leagues.division_sizes(
        len(entries), rules["division_size"], least=rules["min_size"], most=rules["divisions"]
    )
    now = dispatch.database_now()
    season.state, season.started_at = State.RUNNING, now
    season.save(update_fields=["state", "started_at"])
    MatchDay.objects.bulk_create(
        MatchDay(season=season, number=number, starts_at=start, deadline=deadline)
        for number, (start, deadline) in enumerate(
            match_days(rules, max(now, season.starts_at or now)), 1
        )
    )
    by_pk = {entry.pk: entry for entry in entries}
    for level, pks in enumerate(leagues.divide(list(by_pk), sizes), 1):
        open_division(season, level, [by_pk[pk] for pk in pks])
    accounts.record_act(user=user, verb="start", target=f"season {season.slug}", reason=reason)
    _notify(season, "season-started", f"{season.title} has started.")


def _ordered(season: Season) -> list[SeasonEntry]:
    """The entries, strongest first, with their present ratings."""
    entries = list(season.entries.select_related("submission", "bot__active").order_by("id"))
    versions = {entry.pk: entry.submission or entry.bot.active for entry in entries}
    ladder = ladders.open_of(season.game)
    ratings = {
        rating.submission_id: rating
        for rating in Rating.objects.filter(
            ladder=ladder,
            generation=ladder.generation if ladder else 0,
            submission__in=[version.pk for version in versions.values() if version],
        )
    }
    ordinals: dict[int, float] = {}
    for entry in entries:
        version = versions[entry.pk]
        rating = ratings.get(version.pk) if version else None
        if rating is not None:
            entry.rating_mu, entry.rating_sigma = rating.mu, rating.sigma
            ordinals[entry.pk] = rating.mu - 3 * rating.sigma
    SeasonEntry.objects.bulk_update(entries, ["rating_mu", "rating_sigma"])
    old = [entry for entry in entries if entry.level is not None]
    new = [entry for entry in entries if entry.level is None]
    return [
        # They were entered strongest first.
        *sorted(old, key=lambda entry: (entry.level or 0, entry.pk)),
        *sorted(new, key=lambda entry: (-ordinals.get(entry.pk, float("-inf")), entry.pk)),
    ]


# ------------------------------------------------------------------ from one state to the next


def advance() -> None:
    """Take every season as far as it goes now; one that breaks stops no other."""
    for pk in Season.objects.exclude(state=State.FINISHED).values_list("pk", flat=True):
        try:
            advance_season(pk)
        except Exception:
            logger.exception("Season %d could not be advanced", pk)


@transaction.atomic
def advance_season(pk: int) -> None:
    """Start a season that is due, or go on when all its brackets are finished."""
    season = Season.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=pk).first()
    if season is None or season.state == State.FINISHED:
        return
    if season.state == State.ENTRY:
        if season.starts_at is not None and season.starts_at <= dispatch.database_now():
            _start_when_due(season)
        return
    if season.brackets.exclude(state=Bracket.State.FINISHED).exists():
        return
    if season.state == State.RUNNING and season.rules["playoff"] and open_play_offs(season):
        season.state = State.PLAYOFF
        season.save(update_fields=["state"])
        return
    _finish(season)


def _start_when_due(season: Season) -> None:
    try:
        with transaction.atomic():
            start_season(season=season, user=None, reason="it was due")
    except (Conflict, UserFault) as error:
        # Not tried again every few seconds: the organiser starts it when that is mended.
        Season.objects.filter(pk=season.pk).update(starts_at=None)
        if season.organiser is not None:
            accounts.notify_users(
                season.organiser,
                kind="season-stuck",
                text=f"{season.title} could not start by itself: {error}",
                url=f"/seasons/{season.slug}/",
            )


def _finish(season: Season) -> None:
    tables = tables_of(season)
    gone = gone_from(tables)
    won = {
        number: (off, winner_of(division.playoff, [off.holder, *off.challengers]))
        for number, ((division, _), off) in enumerate(
            zip(tables, play_offs_of(tables), strict=True)
        )
        if off is not None and division.playoff is not None
    }
    found = leagues.outcomes(
        [[line.entry.pk for line in lines] for _, lines in tables],
        up=season.rules["up"],
        withdrawn=gone,
        won=won,
    )
    for _, lines in tables:
        for place, line in enumerate(lines, 1):
            line.entry.place = place
            line.entry.points = float(line.row.points)
            line.entry.outcome = found[line.entry.pk]
        SeasonEntry.objects.bulk_update(
            [line.entry for line in lines], ["place", "points", "outcome"]
        )
    season.state, season.ended_at = State.FINISHED, timezone.now()
    season.save(update_fields=["state", "ended_at"])
    _notify(season, "season-finished", f"{season.title} is finished.")


def _notify(season: Season, kind: str, text: str) -> None:
    accounts.notify(
        *Player.objects.filter(bots__season_entries__season=season).distinct(),
        kind=kind,
        text=text,
        url=f"/seasons/{season.slug}/",
    )


@transaction.atomic
def postpone(
    *,
    match_day: MatchDay,
    user: User | None,
    starts_at: datetime | None = None,
    deadline: datetime | None = None,
    reason: str,
) -> None:
    """Give a match day another start or deadline (what is None stays); its open rounds follow.

    Raises UserFault, Conflict or NotAllowed.
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=match_day.season_id)
    check_organiser(user, season)
    day = MatchDay.objects.select_for_update(no_key=True).get(pk=match_day.pk)
    if starts_at is not None and day.rounds.exists():
        raise Conflict(f"Match day {day.number} is drawn already")
    before = (day.starts_at, day.deadline)
    day.starts_at, day.deadline = starts_at or day.starts_at, deadline or day.deadline
    if day.deadline is not None and day.deadline <= max(day.starts_at, timezone.now()):
        raise UserFault(
            f"The deadline of match day {day.number} must be after its start, and to come",
            field="deadline",
        )
    day.save(update_fields=["starts_at", "deadline"])
    day.rounds.filter(closed_at=None).update(deadline=day.deadline)
    accounts.record_act(
        user=user,
        verb="postpone",
        target=f"match day {day.number} of season {season.slug}",
        reason=f"{reason} ({before[0]:%Y-%m-%d %H:%M} → {day.starts_at:%Y-%m-%d %H:%M} UTC)",
    )
