"""Every request has an id: in its log lines, in the messages it sends, and in its answer."""

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from tournaments import tracing

logger = logging.getLogger(__name__)
HEADER = "X-Request-ID"
# What a proxy in front has given may be kept; anything else is no id.
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")
QUIET = ("/healthz", "/readyz", "/metrics", "/static/")


class RequestLog:
    """Gives each request its id, and writes one line when it has been answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        number = given if _ID.match(given) else uuid4().hex
        begun = time.perf_counter()
        with tracing.about(request=number):
            response = self.get_response(request)
            response[HEADER] = number
            level = logging.DEBUG if request.path.startswith(QUIET) else logging.INFO
            path, status = _path(request), response.status_code
            ms = round((time.perf_counter() - begun) * 1000, 1)
            logger.log(
                level,
                "%s %s %d in %.0f ms",
                request.method,
                path,
                status,
                ms,
                extra={
                    "method": request.method,
                    "path": path,
                    "status": status,
                    "ms": ms,
                    "address": request.META.get("REMOTE_ADDR", ""),
                },
            )
        return response


def _path(request: HttpRequest) -> str:
    """The path without its query; a key that stands in an address is not written down."""
    match = request.resolver_match
    if match is not None and "token" in match.kwargs:
        return f"/{match.route}"
    return request.path
