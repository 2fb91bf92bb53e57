"""Headers that keep a page to what this site serves."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

SELF = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
# The API's page is Swagger UI, which starts from a script inside the page.
API_PAGE = f"{SELF}; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"


class ContentSecurityPolicy:
    """Scripts, styles and forms come from and go to this site alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = API_PAGE if request.path == "/api/v1/docs/" else SELF
        response.headers.setdefault("Content-Security-Policy", policy)
        return response


def refuse_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """No address has a NUL character, and the database takes none."""

    def answer(request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path or "\0" in query or "%00" in query:
            raise BadRequest("The address holds a NUL character.")
        return get_response(request)

    return answer
