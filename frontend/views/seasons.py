"""Seasons: divisions with who goes up and down, the calendar of match days, the seasons beside."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from frontend import rules
from frontend.pages import newest_first
from frontend.views.brackets import ROWS, acts_in_words, cost_of, own_bots
from tournaments.interchange.season_documents import Tables, acts_of, tables_of, zones_of
from tournaments.models import Round, Season

ZONES = {
    "champion": ("★", "champion"),
    "promoted": ("▲", "goes up"),
    "playoff": ("⇅", "play-off"),
    "relegated": ("▼", "goes down"),
    "withdrawn": ("✕", "has left"),
}
"""Sign and words of each zone; who stays has none."""


def seasons(request: HttpRequest) -> HttpResponse:
    """All seasons, newest first."""
    page = newest_first(request, Season.objects.all())
    return render(request, "frontend/seasons.html", {"page": page})


def season(request: HttpRequest, slug: str) -> HttpResponse:
    """One season."""
    found = get_object_or_404(Season.objects.select_related("previous"), slug=slug)
    tables = tables_of(found)
    zones = zones_of(found, tables)
    divisions = _divisions(tables, zones, own_bots(request))
    shown = {line["zone"] for _, lines in divisions for line in lines}
    first = divisions[0][1][0] if divisions and divisions[0][1] else None
    return render(
        request,
        "frontend/season.html",
        {
            "season": found,
            "following": Season.objects.filter(previous=found).first(),
            "rules": rules.in_words(found.rules),
            "ties": rules.tie_breaks(found.rules),
            "divisions": divisions,
            "final": found.state == Season.State.FINISHED,
            "champion": first["entry"] if first and first["zone"] == "champion" else None,
            "legend": [ZONES[zone] for zone in ZONES if zone in shown],
            "forecast": cost_of(request, found),
            "days": _days(found),
            "entries": found.entries.select_related("bot__player").order_by("id")
            if found.state == Season.State.ENTRY
            else (),
            "acts": acts_in_words(acts_of(found)[-ROWS:], f"season {found.slug}"),
        },
    )


def _divisions(
    tables: Tables, zones: dict[int, str], mine: set[int]
) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Each division with the lines of its table."""
    return [
        (
            division,
            [
                {
                    "row": line.row,
                    "entry": line.entry,
                    "ties": list(line.row.tie_breaks.values()),
                    "me": line.entry.bot_id in mine,
                    "zone": zones[line.entry.pk],
                    "sign": ZONES.get(zones[line.entry.pk], ("", ""))[0],
                    "zone_title": ZONES.get(zones[line.entry.pk], ("", ""))[1],
                }
                for line in lines
            ],
        )
        for division, lines in tables
    ]


def _days(found: Season) -> list[dict[str, Any]]:
    """The calendar: each match day with its rounds, one of each division that has drawn it."""
    rounds: dict[int, list[Round]] = {}
    for round_ in Round.objects.filter(match_day__season=found).select_related(
        "stage__bracket__division"
    ):
        rounds.setdefault(round_.match_day_id or 0, []).append(round_)
    days = []
    for day in found.match_days.order_by("number"):
        drawn = sorted(rounds.get(day.pk, []), key=lambda each: each.stage.bracket.division.level)
        over = bool(drawn) and all(round_.closed_at for round_ in drawn)
        days.append(
            {
                "day": day,
                "rounds": drawn,
                "state": "finished" if over else "running" if drawn else "to come",
            }
        )
    return days
