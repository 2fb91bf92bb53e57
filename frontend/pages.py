"""Long lists in pages that stay quick: the next page starts after the last row shown."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)
PAGE = 50


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Rows of a page, newest first, and the address of the next one ('' at the end)."""

    rows: list[Row]
    next: str


def newest_first(request: HttpRequest, rows: QuerySet[Row], size: int = PAGE) -> Page[Row]:
    """The page that `?before=` names; rows are ordered by falling id."""
    before = request.GET.get("before", "")
    if before.isdecimal() and len(before) < 18:
        rows = rows.filter(pk__lt=int(before))
    found = list(rows.order_by("-pk")[: size + 1])
    if len(found) <= size:
        return Page(found, "")
    query = request.GET.copy()
    query["before"] = str(found[size - 1].pk)
    return Page(found[:size], f"?{query.urlencode()}")
