"""A season as one JSON document, and what its tables come to if it ended now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from bots.models import Act
from engine import games
from tournaments import leagues, seasons
from tournaments.interchange.documents import plain_row, time_text, times
from tournaments.models import Division, Season, SeasonEntry
from tournaments.seasons.rules import playoff_seats

SEASON, VERSION = "slayer-league-season", 1
PLAYOFF = "playoff"

Tables = list[tuple[Division, list[seasons.Line]]]


def tables_of(season: Season) -> Tables:
    """The divisions with their tables, the highest first."""
    divisions = season.divisions.select_related("bracket__season", "playoff").order_by("level")
    return [(division, seasons.standings_of(division)) for division in divisions]


def zones_of(season: Season, tables: Tables) -> dict[int, str]:
    """By season entry what its place means: an outcome, or "playoff".

    While it runs it is provisional: what would come of it if the season ended with these tables.
    """
    entries = {line.entry.pk: line.entry for _, lines in tables for line in lines}
    if season.state == Season.State.FINISHED:
        return {pk: entry.outcome for pk, entry in entries.items()}
    ordered = [[line.entry.pk for line in lines] for _, lines in tables]
    gone = {pk for pk, entry in entries.items() if entry.withdrawn_at is not None}
    up = season.rules["up"]
    found: dict[int, str] = {
        pk: str(outcome) for pk, outcome in leagues.outcomes(ordered, up=up, withdrawn=gone).items()
    }
    if season.rules["playoff"]:
        seats = playoff_seats(games.get(season.game, season.edition))
        for off in leagues.play_offs(ordered, up=up, seats=seats, withdrawn=gone):
            if off is not None:
                found |= dict.fromkeys((off.holder, *off.challengers), PLAYOFF)
    return found


def season_document(season: Season) -> dict[str, Any]:
    """Everything of a season that its page shows; rounds are in its brackets' documents."""
    tables = tables_of(season)
    zones = zones_of(season, tables)
    following = Season.objects.filter(previous=season).first()
    return {
        "format": SEASON,
        "version": VERSION,
        "exported_at": time_text(timezone.now()),
        "season": {
            **{
                name: getattr(season, name)
                for name in (
                    "slug", "title", "game", "edition", "options", "time_control", "rated",
                    "number", "state", "rules",
                )
            },
            "previous": season.previous.slug if season.previous else None,
            "next": following.slug if following else None,
            **times(season, "starts_at", "created_at", "started_at", "ended_at"),
        },
        "match_days": [
            {"number": day.number, **times(day, "starts_at", "deadline")}
            for day in season.match_days.order_by("number")
        ],
        "entries": [
            _entry(entry)
            for entry in season.entries.select_related("bot__player", "submission").order_by("id")
        ],
        "divisions": [
            {
                "level": division.level,
                "name": division.name,
                "bracket": division.bracket.slug if division.bracket else None,
                "playoff": division.playoff.slug if division.playoff else None,
                "standings": _standings(lines, zones),
            }
            for division, lines in tables
        ],
        "acts": [
            {
                "at": time_text(act.created_at), "verb": act.verb, "on": act.target,
                "reason": act.reason,
            }
            for act in acts_of(season)
        ],
    }  # fmt: skip


def acts_of(season: Season) -> list[Act]:
    """What was done to a season, its match days and entries, oldest first."""
    return list(Act.objects.filter(target__endswith=f"season {season.slug}").order_by("id"))


def _entry(entry: SeasonEntry) -> dict[str, Any]:
    return {
        "player": entry.bot.player.handle,
        "bot": entry.bot.name,
        "bot_id": entry.bot_id,
        "version": entry.submission.number if entry.submission else None,
        "rating_mu": entry.rating_mu,
        "rating_sigma": entry.rating_sigma,
        "first_day": entry.first_day,
        "withdrawn_at": time_text(entry.withdrawn_at),
        "withdrawn_reason": entry.withdrawn_reason,
        "disqualified": entry.disqualified,
        "dropped": entry.dropped,
        "place": entry.place,
        "outcome": entry.outcome,
    }


def _standings(lines: Sequence[seasons.Line], zones: dict[int, str]) -> list[dict[str, Any]]:
    return [
        {
            **plain_row(line.row),
            "player": line.entry.bot.player.handle,
            "bot": line.entry.bot.name,
            "zone": zones[line.entry.pk],
            "outcome": line.entry.outcome,
        }
        for line in lines
    ]
