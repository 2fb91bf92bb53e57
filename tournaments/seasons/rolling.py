"""The next season: it starts from where the last one ended."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from bots import accounts
from bots.faults import Conflict
from bots.models import User
from tournaments import leagues
from tournaments.models import Season, SeasonEntry
from tournaments.seasons.entering import create_season, enter_season


@transaction.atomic
def roll_over(
    *,
    season: Season,
    user: User | None,
    slug: str,
    title: str,
    rules: Mapping[str, Any] | None = None,
    starts_at: datetime | None = None,
    reason: str = "",
) -> Season:
    """Make the next season of a finished one, open for entries, with everybody who was in it.

    The promoted and relegated have changed places; who has withdrawn, or has no active version now,
    is not in it. rules: what changes of the last season's. Raises UserFault, Conflict, NotAllowed.
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if season.state != Season.State.FINISHED:
        raise Conflict(f"{season.slug} is {season.state}; the next season starts from its end")
    kept = {name: value for name, value in season.rules.items() if name != "calendar"}
    following = create_season(
        slug=slug,
        title=title,
        game=season.game,
        rules={**kept, **(rules or {})},
        organiser=user,
        options=season.options,
        time_control=season.time_control,
        rated=season.rated,
        starts_at=starts_at,
        previous=season,
    )
    accounts.record_act(user=user, verb="roll-over", target=f"season {season.slug}", reason=reason)
    divisions = [
        list(division.entries.order_by("place")) for division in season.divisions.order_by("level")
    ]
    entries = {entry.pk: entry for division in divisions for entry in division}
    for pk, level in leagues.next_levels(
        [[entry.pk for entry in division] for division in divisions],
        {pk: leagues.Outcome(entry.outcome) for pk, entry in entries.items()},
    ):
        _enter_again(following, entries[pk], level)
    return following


def _enter_again(following: Season, entry: SeasonEntry, level: int) -> None:
    if entry.bot.active is not None:
        enter_season(season=following, bot=entry.bot, user=None, level=level)
        return
    accounts.notify(
        entry.bot.player,
        kind="season-left",
        text=f"{entry.bot} has no active version and is not in {following.title}.",
        url=f"/seasons/{following.slug}/",
    )
