"""What a call may do: reading what is public needs nothing, all else a scope."""

from typing import TYPE_CHECKING

from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from bots.models import Token

if TYPE_CHECKING:  # REST framework loads this module while it loads its views
    from rest_framework.views import APIView

STAFF_SCOPES = (Token.Scope.ORGANISE, Token.Scope.ADMIN)


def has_scope(request: Request, scope: str) -> bool:
    """Whether the caller's key has the scope, and its user the right behind it.

    A session (a person in a browser) has all scopes; no key exceeds its user's rights.
    """
    if not request.user.is_authenticated:
        return False
    if scope in STAFF_SCOPES and not request.user.is_staff:
        return False
    token = request.auth
    return not isinstance(token, Token) or scope in token.scopes or "admin" in token.scopes


class ByScope(BasePermission):
    """Each view says which scope an action needs, in `scopes`; an action without one is public."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        action = getattr(view, "action", None) or (request.method or "").lower()
        scope = getattr(view, "scopes", {}).get(action)
        if scope is None or has_scope(request, scope):
            return True
        if not request.user.is_authenticated:
            raise NotAuthenticated(f"This needs a token with the scope '{scope}'.")
        if scope in STAFF_SCOPES and not request.user.is_staff:
            raise PermissionDenied("Only an organiser may do this.")
        scopes = request.auth.scopes if isinstance(request.auth, Token) else []
        raise PermissionDenied(
            f"This key has the scopes {', '.join(scopes)}; this needs '{scope}'."
        )
