"""Matches and their plays."""

import signal
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from bots import accounts
from bots.sending import send_bytes
from engine.clock import TimeControl
from frontend.pages import newest_first
from tournaments import archive
from tournaments.models import Match, Play


def matches(request: HttpRequest) -> HttpResponse:
    """All matches but those of checks, newest first."""
    rows = Match.objects.exclude(kind=Match.Kind.QUALIFICATION).prefetch_related(
        "contestants__submission__bot__player"
    )
    state = request.GET.get("state", "")
    if state in Match.State.values:
        rows = rows.filter(state=state)
    return render(
        request,
        "frontend/matches.html",
        {"page": newest_first(request, rows), "state": state, "states": Match.State.values},
    )


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """A match: its duplicate table, plays, attempts, commitment, and its seed once it is over."""
    found = get_object_or_404(
        Match.objects.select_related("ladder", "table__round__stage__bracket"), pk=pk
    )
    contestants = list(
        found.contestants.select_related("submission__bot__player").order_by("number")
    )
    plays = list(found.plays.order_by("rotation"))
    changes = {row.submission_id: row for row in found.changes.all()}
    table: list[dict[str, Any]] = []
    for contestant in contestants:
        cells = []
        for play in plays:
            seat = play.seats.index(contestant.number)
            failed = next((f for f in play.failures if f["seat"] == seat), None)
            cells.append(
                {
                    "rotation": play.rotation,
                    "seat": seat,
                    "score": play.scores[seat],
                    "place": play.places[seat],
                    "failed": failed,
                }
            )
        table.append(
            {
                "contestant": contestant,
                "cells": cells,
                "change": changes.get(contestant.submission_id),
                "mine": accounts.may_manage(request.user, contestant.submission.bot.player),
            }
        )
    if found.state == Match.State.FINISHED:
        table.sort(key=lambda row: (row["contestant"].place, row["contestant"].number))
    return render(
        request,
        "frontend/match.html",
        {
            "match": found,
            "table": table,
            "plays": plays,
            "attempts": found.attempts.select_related("worker").order_by("number"),
            # Only here does the seed leave the database for a page.
            "seed": found.seed if found.is_over else None,
        },
    )


def play_of(pk: int, rotation: int) -> Play:
    """A play of a match that is over; Http404 says why there is none."""
    found = get_object_or_404(Match, pk=pk)
    play = Play.objects.filter(match=found, rotation=rotation).select_related("match").first()
    if play is None:
        raise Http404(
            f"Match {pk} has no play {rotation}."
            if found.is_over
            else f"Match {pk} is {found.state}: its plays are shown when all of them are over."
        )
    return play


def replay_file(request: HttpRequest, pk: int, rotation: int) -> HttpResponseBase:
    """The replay file, as a download."""
    play = play_of(pk, rotation)
    return send_bytes(archive.replay(play), filename=f"match-{pk}-play-{rotation}.replay")


def _signal_name(number: int | None) -> str:
    try:
        return "" if number is None else signal.Signals(number).name
    except ValueError:
        return "unknown here"


@login_required
def seat_log(request: HttpRequest, pk: int, rotation: int, seat: int) -> HttpResponse:
    """What the owner's bot left in a play: notes, stderr, what it failed with."""
    play = play_of(pk, rotation)
    submission = archive.whose(play, seat)
    if submission is None:
        raise Http404(f"Play {rotation} of match {pk} has no seat {seat}.")
    if not accounts.may_manage(request.user, submission.bot.player):
        raise PermissionDenied("A bot's notes and stderr are for its owner only.")
    log = archive.log(play, seat)
    failure = next((f for f in play.failures if f["seat"] == seat), None)
    return render(
        request,
        "frontend/seat_log.html",
        {
            "play": play,
            "seat": seat,
            "log": log,
            "failure": failure,
            "signal_name": _signal_name(log.signal),
            "last": log.asked[-1] if log.asked else None,
            "limit_ms": log.last_limit_ms(TimeControl.from_dict(play.match.time_control)),
            "submission": submission,
            "slowest": sorted(log.asked, key=lambda asked: -asked[1])[:10],
        },
    )
