"""The front page, and the ladders one click away from it."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.cache import get_conditional_response

from bots.models import Membership
from engine import games
from tournaments import ladders, pictures, table_pages
from tournaments.models import Bracket, Ladder, Match
from tournaments.page_memory import PageMemory, ladder_of
from tournaments.pictures import Picture
from tournaments.table_pages import Cut

TOP = 5
PAGE = 100
_memory = PageMemory(128)


def icon(request: HttpRequest) -> HttpResponse:
    """Where browsers look for an icon on pages that name none, such as the organiser's."""
    return redirect(static("frontend/icon.svg"))


def home(request: HttpRequest) -> HttpResponse:
    """Every open ladder's best, running brackets, the latest matches."""
    shown = []
    for game in games.all():
        ladder = ladders.open_of(game.name)
        if ladder is not None:
            rows = ladders.table(ladder)
            count = pictures.picture(ladder).size
            shown.append({"game": game, "ladder": ladder, "top": rows[:TOP], "count": count})
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


def ladder(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The table: rank and range, mu with its interval, ordinal, matches.

    Whoever brings no cookie sees what everybody sees, which may be remembered.
    """
    found = ladder_of(slug)
    if found is None:
        raise Http404(f"There is no ladder {slug!r}.")
    if request.COOKIES:
        return HttpResponse(_table(request, found, pictures.picture(found)))
    at = request.GET.get("at", "")
    kept = _memory.get(found, at)
    if kept is None:
        picture = pictures.picture(found)
        kept = _memory.keep(found, picture, _table(request, found, picture), at)
    response = HttpResponse(kept.body)
    response["ETag"] = kept.etag
    response["Cache-Control"] = "no-cache"
    response["Vary"] = "Cookie"
    return get_conditional_response(request, etag=kept.etag, response=response) or response


def _table(request: HttpRequest, ladder: Ladder, picture: Picture) -> bytes:
    try:
        cut = Cut.parse(request.GET["at"]) if "at" in request.GET else None
    except ValueError:
        cut = None
    page = table_pages.page(ladder, cut=cut, size=PAGE)
    mine: set[int] = set()
    if request.COOKIES and request.user.is_authenticated:
        mine = set(Membership.objects.filter(user=request.user.pk).values_list("player", flat=True))
    rows = [
        {
            "row": row,
            "place": picture.place(row.mu, row.sigma, row.ordinal),
            "low": row.mu - 2 * row.sigma,
            "high": row.mu + 2 * row.sigma,
            "spread": 2 * row.sigma,
            "mine": row.player in mine,
        }
        for row in page.rows
    ]
    context = {
        "ladder": ladder,
        "game": games.get(ladder.game, ladder.edition),
        "rows": rows,
        "page": page,
        "waiting": ladders.waiting_lately(ladder),
    }
    return render(request, "frontend/ladder.html", context).content
