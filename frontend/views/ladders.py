"""The front page, and the ladders one click away from it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from bots.models import Membership
from engine import games
from tournaments import ladders
from tournaments.models import Bracket, Ladder, Match

TOP = 5
PAGE = 100


def home(request: HttpRequest) -> HttpResponse:
    """Every open ladder's best, running brackets, the latest matches."""
    shown = []
    for game in games.all():
        ladder = ladders.open_of(game.name)
        if ladder is not None:
            rows = ladders.table(ladder)
            shown.append({"game": game, "ladder": ladder, "top": rows[:TOP], "count": rows.count()})
    latest = Match.objects.filter(state=Match.State.FINISHED).exclude(kind=Match.Kind.QUALIFICATION)
    return render(
        request,
        "frontend/home.html",
        {
            "ladders": shown,
            "brackets": Bracket.objects.order_by("-id")[:6],
            "matches": latest.prefetch_related("contestants__submission__bot__player")[:8],
        },
    )


def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """The table: rank and range, mu with its interval, ordinal, matches."""
    found = get_object_or_404(Ladder, slug=slug)
    places = ladders.places(found)
    number = request.GET.get("page", "1")
    page = min(max(int(number), 1), 10_000) if number.isdecimal() and len(number) < 6 else 1
    # The places are computed for the whole table anyway, so its pages can be numbered.
    rows = list(ladders.table(found)[(page - 1) * PAGE : page * PAGE])
    mine: set[int] = set()
    if request.user.is_authenticated:
        mine = set(Membership.objects.filter(user=request.user.pk).values_list("player", flat=True))
    return render(
        request,
        "frontend/ladder.html",
        {
            "ladder": found,
            "game": games.get(found.game, found.edition),
            "rows": [
                {
                    "rating": row,
                    "place": places.get(row.pk),
                    "low": row.mu - 2 * row.sigma,
                    "high": row.mu + 2 * row.sigma,
                    "mine": row.submission.bot.player_id in mine,
                }
                for row in rows
            ],
            "waiting": ladders.waiting(found),
            "page": page,
            "more": len(rows) == PAGE,
        },
    )
