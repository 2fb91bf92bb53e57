"""Pages of a list: as quick at the end as at the start, and stable while rows are added."""

from rest_framework.pagination import CursorPagination


class Pages(CursorPagination):
    """`?limit=` rows (50, at most 200), then follow `next`."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"
    ordering: str | tuple[str, ...] = "-id"
