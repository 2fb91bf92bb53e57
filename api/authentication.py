"""Who is calling: a token in the Authorization header."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from bots.accounts import token_for
from bots.models import Token, User


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`. A wrong key is refused, also where none is needed."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The header must read 'Authorization: Bearer <key>'.")
        try:
            token = token_for(words[1].decode("ascii"))
        except UnicodeDecodeError:
            token = None
        if token is None:
            raise AuthenticationFailed("This key is unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the API page describes it."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
