"""Players, bots, uploads, and the log of a check."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from bots import accounts, submissions
from bots.faults import UserFault
from bots.models import Bot, Player, Submission
from engine import games
from engine.house import house_names
from frontend import plots
from frontend.forms import BotForm, TestForm, UploadForm, attempt
from frontend.views.accounts import user_of
from tournaments import entrants, records, trials
from tournaments.models import Match, Rating, RatingChange

LATEST = 20
CHANGES = 1000


def player(request: HttpRequest, handle: str) -> HttpResponse:
    """A player and its bots."""
    found = get_object_or_404(Player, handle=handle)
    bots = list(found.bots.select_related("player", "active").order_by("game", "name"))
    ratings = {
        rating.submission_id: rating
        for rating in Rating.objects.filter(
            submission__in=[bot.active_id for bot in bots if bot.active_id],
            listed=True,
            ladder__open=True,
        ).select_related("ladder")
    }
    return render(
        request,
        "frontend/player.html",
        {
            "player": found,
            "bots": [(bot, ratings.get(bot.active_id or 0)) for bot in bots],
            "mine": accounts.may_manage(request.user, found),
        },
    )


def bot(request: HttpRequest, pk: int) -> HttpResponse:
    """A bot: its versions, its rating's history, results by seat, failures, latest matches."""
    found = get_object_or_404(Bot.objects.select_related("player", "active"), pk=pk)
    versions = records.versions(bot=found)
    newest = RatingChange.objects.filter(
        submission__in=versions, ladder__open=True, generation=F("ladder__generation")
    ).order_by("-id")[: CHANGES + 1]
    history = sorted(newest, key=lambda change: change.seq)
    rating = (
        Rating.objects.filter(submission=found.active_id, ladder__open=True, listed=True)
        .select_related("ladder")
        .first()
    )
    latest = records.matches_of(Match.objects.order_by("-id"), versions).prefetch_related(
        "contestants__submission__bot__player"
    )[:LATEST]
    return render(
        request,
        "frontend/bot.html",
        {
            "bot": found,
            "mine": accounts.may_manage(request.user, found.player),
            "versions": found.submissions.order_by("-number"),
            "rating": rating,
            "plot": plots.rating_history(history[-CHANGES:], whole=len(history) <= CHANGES),
            **_by_seat(records.by_seat(found)),
            "failures": records.failures(found)[:LATEST],
            "matches": latest,
        },
    )


def _by_seat(rows: list[records.SeatRecord]) -> dict[str, Any]:
    """Results as a table: a line for each table size, a column for each seat."""
    found = {(row.players, row.seat): row for row in rows}
    sizes = sorted({row.players for row in rows})
    seats = range(max(sizes, default=0))
    return {
        "seats": seats,
        "by_seat": [(size, [found.get((size, seat)) for seat in seats]) for size in sizes],
    }


@login_required
def new_bot(request: HttpRequest) -> HttpResponse:
    """Make a bot; the upload comes next."""
    user = user_of(request)
    form = BotForm(user.players.all(), request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: submissions.create_bot(user=user, **form.cleaned_data))
        if made is not None:
            return redirect("upload", pk=made.pk)
    return render(request, "frontend/new_bot.html", {"form": form})


def own_bot(request: HttpRequest, pk: int) -> Bot:
    """A bot of the user's; PermissionDenied for anybody else's."""
    found = get_object_or_404(Bot.objects.select_related("player"), pk=pk)
    if not accounts.may_manage(request.user, found.player):
        raise PermissionDenied(f"Only members of the player {found.player.handle!r} may do this.")
    return found


@login_required
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """Upload a version; its check can then be watched."""
    found = own_bot(request, pk)
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["package"]

        def send() -> Submission:
            submissions.check_size(file.size)
            return submissions.upload(
                bot=found,
                data=file.read(),
                filename=file.name,
                user=user_of(request),
                activate=form.cleaned_data["activate"],
                rewrite=form.cleaned_data["rewrite"],
            )

        made = attempt(form, send)
        if made is not None:
            return redirect("submission", pk=made.pk)
    return render(request, "frontend/upload.html", {"form": form, "bot": found})


def submission(request: HttpRequest, pk: int) -> HttpResponse:
    """A version: its state, and for its owner the reason and the log of its check, live."""
    found = get_object_or_404(
        Submission.objects.select_related("bot__player", "bot__active"), pk=pk
    )
    mine = accounts.may_manage(request.user, found.bot.player)
    pending = found.state in (Submission.State.UPLOADED, Submission.State.CHECKING)
    context = {
        "submission": found,
        "mine": mine,
        "pending": pending,
        "matches": found.qualification.order_by("id") if mine else [],
    }
    part = request.headers.get("X-Part") == "check"
    return render(
        request, "frontend/parts/check.html" if part else "frontend/submission.html", context
    )


@login_required
def test_match(request: HttpRequest, pk: int) -> HttpResponse:
    """Play a version in an unrated match against opponents of its owner's choice."""
    found = get_object_or_404(Submission.objects.select_related("bot__player"), pk=pk)
    own_bot(request, found.bot_id)
    game = games.get(found.bot.game)
    house = house_names(game.name)
    seats = [f"house/{house[seat % len(house)]}" for seat in range(game.min_players - 1)]
    form = TestForm(request.POST or None, initial={"opponents": ", ".join(seats)})
    if request.method == "POST" and form.is_valid():
        asked = form.cleaned_data
        made = attempt(
            form,
            lambda: trials.play_test(
                submission=found,
                opponents=asked["opponents"],
                rotations=0 if asked["every_seat"] else 1,
                user=user_of(request),
            ),
        )
        if made is not None:
            return redirect("match", pk=made.pk)
    return render(
        request, "frontend/test_match.html", {"form": form, "submission": found, "game": game}
    )


@require_POST
@login_required
def activate(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a version the active one; an older one may be activated again."""
    found = get_object_or_404(Submission.objects.select_related("bot__player"), pk=pk)
    own_bot(request, found.bot_id)
    try:
        entrants.activate(submission=found, user=user_of(request))
        messages.success(request, f"v{found.number} is active.")
    except UserFault as fault:
        messages.error(request, fault.message)
    return redirect("bot", pk=found.bot_id)


@require_POST
@login_required
def deactivate(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a bot out of play."""
    found = own_bot(request, pk)
    try:
        entrants.deactivate(bot=found, user=user_of(request))
        messages.success(request, "The bot plays no more until a version is activated.")
    except UserFault as fault:
        messages.error(request, fault.message)
    return redirect("bot", pk=found.pk)
