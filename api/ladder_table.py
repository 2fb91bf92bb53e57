"""The table of a ladder as JSON: the page that is asked for most.

Its rows are tuples of one statement, encoded without serializers, and a page that was made is sent
again until the table changes. `RatingSerializer` describes a row to readers; a test holds the two
together.
"""

import re
from urllib.parse import urlencode

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from tournaments import pictures, table_pages
from tournaments.models import Ladder
from tournaments.page_memory import Kept, PageMemory
from tournaments.pictures import Picture
from tournaments.table_pages import Cut, Row

SIZE, MOST = 50, 200
_memory = PageMemory(512)


class SubmissionRef(msgspec.Struct):
    id: int
    player: str
    bot: str
    bot_id: int
    number: int


class Rated(msgspec.Struct):
    rank: int
    rank_best: int
    rank_worst: int
    submission: SubmissionRef
    mu: float
    sigma: float
    ordinal: float
    low: float
    high: float
    matches: int


class Table(msgspec.Struct):
    next: str | None
    previous: str | None
    results: list[Rated]


def remembered(request: HttpRequest, ladder: Ladder) -> HttpResponseBase | None:
    """The answer, if this process has it already; it is the same for every caller."""
    kept = _memory.get(ladder, _address(request))
    return None if kept is None else _send(request, kept)


def answer(request: HttpRequest, ladder: Ladder) -> HttpResponseBase:
    """A page of the table, made now. Http404 for a cursor that no page has given out."""
    query = request.GET
    size = _number(query.get("limit"), SIZE, MOST) or SIZE
    picture = pictures.picture(ladder)
    player, bot = query.get("player"), query.get("bot")
    if player or bot:
        of = _number(bot, 0, 2**62) if bot else None
        page = table_pages.of_bots(ladder, bot=of, handle=player or None, size=MOST)
    else:
        page = table_pages.page(ladder, cut=_cut(query.get("cursor")), size=size)
    table = Table(
        _link(request, page.next),
        _link(request, page.previous),
        [_rated(row, picture) for row in page.rows],
    )
    body = msgspec.json.encode(table)
    return _send(request, _memory.keep(ladder, picture, body, _address(request)))


def _address(request: HttpRequest) -> str:
    """What a page depends on beside the ladder: its links repeat the address."""
    return f"{request.scheme}://{request.get_host()}{request.get_full_path()}"


def _rated(row: Row, picture: Picture) -> Rated:
    place = picture.place(row.mu, row.sigma, row.ordinal)
    return Rated(
        place.place,
        place.best,
        place.worst,
        SubmissionRef(row.submission, row.handle, row.name, row.bot, row.number),
        row.mu,
        row.sigma,
        row.ordinal,
        row.mu - 2 * row.sigma,
        row.mu + 2 * row.sigma,
        row.matches,
    )


def _cut(text: str | None) -> Cut | None:
    try:
        return Cut.parse(text) if text else None
    except ValueError:
        raise Http404("This cursor is not one that a page gave out.") from None


def _number(text: str | None, otherwise: int, most: int) -> int:
    return min(int(text), most) if text and re.fullmatch("[0-9]{1,18}", text) else otherwise


def _link(request: HttpRequest, cut: Cut | None) -> str | None:
    if cut is None:
        return None
    query = {**request.GET.dict(), "cursor": str(cut)}
    return f"{request.build_absolute_uri(request.path)}?{urlencode(query)}"


def _send(request: HttpRequest, kept: Kept) -> HttpResponseBase:
    response = HttpResponse(kept.body, content_type="application/json")
    response["ETag"] = kept.etag
    # Whoever keeps it asks each time whether it is still right.
    response["Cache-Control"] = "public, no-cache"
    if "HTTP_IF_NONE_MATCH" not in request.META:
        return response
    return get_conditional_response(request, etag=kept.etag, response=response) or response
