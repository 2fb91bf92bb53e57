"""Errors as problem JSON (RFC 9457): what was wrong, where, and what would be right."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from bots.faults import UserFault

TYPE = "application/problem+json"


def problem(
    status: int, detail: str, *, errors: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """The body: `errors` name the fields that are wrong, each with what it must be."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _sendable(detail),
    }
    if errors:
        body["errors"] = [
            {name: _sendable(text) for name, text in error.items()} for error in errors
        ]
    return body


def _sendable(text: str) -> str:
    """Text that quotes a request may hold half of a surrogate pair, which no UTF-8 can."""
    return text.encode("utf-8", "backslashreplace").decode()


def _errors(detail: Any, field: str = "") -> list[dict[str, str]]:
    """Flatten DRF's nested error details into (field, message)."""
    if isinstance(detail, dict):
        return [
            error
            for key, value in detail.items()
            for error in _errors(
                value, field if key == "non_field_errors" else f"{field}.{key}".strip(".")
            )
        ]
    if isinstance(detail, list):
        return [
            error
            for index, value in enumerate(detail)
            for error in _errors(
                value, f"{field}.{index}" if isinstance(value, dict | list) else field
            )
        ]
    return [{"field": field, "message": str(detail)}]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler; anything unexpected stays a 500 of the server."""
    headers: dict[str, str] = {}
    if isinstance(error, UserFault):
        status = error.status
        errors = error.errors
        if errors is None and error.field:
            errors = [{"field": error.field, "message": error.message}]
        body = problem(status, error.message, errors=errors)
    elif isinstance(error, RecursionError):
        status = 400
        body = problem(status, "The JSON is nested too deeply.")
    elif isinstance(error, Http404):
        status = 404
        body = problem(status, str(error) or "There is nothing at this address.")
    elif isinstance(error, PermissionDenied):
        status = 403
        body = problem(status, str(error) or "You may not do this.")
    elif isinstance(error, exceptions.ValidationError):
        status = error.status_code
        errors = _errors(error.detail)
        detail = "; ".join(
            f"{e['field']}: {e['message']}" if e["field"] else e["message"] for e in errors
        )
        body = problem(status, detail, errors=errors)
    elif isinstance(error, exceptions.APIException):
        status = error.status_code
        body = problem(status, str(error.detail))
        if auth_header := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = auth_header
        if wait := getattr(error, "wait", None):
            headers["Retry-After"] = str(int(wait) + 1)
    else:
        return None
    set_rollback()
    return Response(body, status=status, headers=headers, content_type=TYPE)
