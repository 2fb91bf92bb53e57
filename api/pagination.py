"""Pages of a list: as quick at the end as at the start, and stable while rows are added."""

from collections.abc import Sequence
from typing import Any

from django.db import DataError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class Pages(CursorPagination):
    """`?limit=` rows (50, at most 200), then follow `next`."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"
    ordering: str | tuple[str, ...] = "-id"

    def paginate_queryset(
        self, queryset: QuerySet[Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, DataError):  # a cursor that no page has given out
            raise NotFound(self.invalid_cursor_message) from None
