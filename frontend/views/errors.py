"""Pages for what cannot be shown: they say why."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404


def not_found(request: HttpRequest, exception: Http404) -> HttpResponse:
    """404: with the reason where a view gave one."""
    known = exception.args and not isinstance(exception, Resolver404)
    reason = str(exception.args[0]) if known else f"No page has the address {request.path}."
    return render(request, "404.html", {"reason": reason}, status=404)


def forbidden(request: HttpRequest, exception: PermissionDenied) -> HttpResponse:
    """403: with the reason where a view gave one."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)
