"""Brackets: rounds, tables, standings with their tie-breaks."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from frontend.pages import newest_first
from tournaments import lifecycle
from tournaments.models import Bracket, Entry, Round
from tournaments.standings import TIE_BREAKS


def brackets(request: HttpRequest) -> HttpResponse:
    """All brackets, newest first."""
    page = newest_first(request, Bracket.objects.prefetch_related("stages"))
    return render(request, "frontend/brackets.html", {"page": page})


def _given_up(reasons: list[dict[str, Any]], entries: dict[int, Entry]) -> list[str]:
    """What the drawing of a round had to give up, in sentences: whom it met, and why."""
    met: dict[str, list[str]] = {}
    for reason in reasons:
        bots = [str(entries[pk].bot) for pk in reason.get("entries", ()) if pk in entries]
        met.setdefault(reason["text"], []).append(" and ".join(bots))
    return [
        f"{'; '.join(filter(None, who))}: {why}." if any(who) else f"{why}."
        for why, who in met.items()
    ]


def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """One bracket: its rules, standings and rounds."""
    found = get_object_or_404(Bracket, slug=slug)
    stage = found.stages.get()
    entries = {
        entry.pk: entry
        for entry in found.entries.select_related("bot__player", "submission__bot__player")
    }
    rounds = (
        Round.objects.filter(stage=stage)
        .order_by("-number")
        .prefetch_related("tables__seats__entry__bot__player", "tables__matches")
    )
    return render(
        request,
        "frontend/bracket.html",
        {
            "bracket": found,
            "stage": stage,
            "entries": list(entries.values()),
            "standings": [
                {"row": row, "entry": entries[row.entrant], "ties": list(row.tie_breaks.values())}
                for row in lifecycle.standings_of(stage)
            ],
            "ties": [TIE_BREAKS[name].title for name in stage.rules["tie_breaks"]],
            "rounds": [(each, _given_up(each.reasons, entries)) for each in rounds],
        },
    )
