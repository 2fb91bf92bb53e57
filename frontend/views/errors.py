"""Pages for what cannot be shown: they say why."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404
from django.views.defaults import server_error as plain_server_error


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: with the reason where a view gave one."""
    known = exception.args and not isinstance(exception, Resolver404)
    reason = str(exception.args[0]) if known else f"No page has the address {request.path}."
    return render(request, "404.html", {"reason": reason}, status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: with the reason where a view gave one."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def bad_request(request: HttpRequest, reason: str) -> HttpResponse:
    """400: with the reason."""
    return render(request, "400.html", {"reason": reason}, status=400)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 of a form without its token: an old page, or one of another site."""
    text = "This form is too old or came from elsewhere. Go back, reload the page, send it again."
    return render(request, "403.html", {"reason": text}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a page that needs nothing that may be broken."""
    return plain_server_error(request)
