"""Errors that no view handles: JSON for programs, pages for people."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from api.problems import TYPE, problem
from frontend.views import errors


def _wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _json(status: int, detail: str) -> JsonResponse:
    return JsonResponse(problem(status, detail), status=status, content_type=TYPE)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: a request that no view got to see, such as one that is too large."""
    reason = str(exception) or "The request cannot be read."
    if _wants_json(request):
        return _json(400, reason)
    return errors.bad_request(request, reason)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    if _wants_json(request):
        return _json(403, str(exception))
    return errors.forbidden(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    if _wants_json(request):
        return _json(404, f"There is nothing at {request.path}; /api/v1/docs/ lists what there is.")
    return errors.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: the log has it; nothing of it is told."""
    if _wants_json(request):
        return _json(500, "The fault is ours, and it was logged. Nothing was half done.")
    return errors.server_error(request)
