from dataclasses import dataclass

import pytest
from rest_framework.test import APIClient

from bots import accounts
from bots.models import Player, User
from tests.builders import make_player


@dataclass
class Caller:
    """Somebody with a token, and a client that sends it."""

    user: User
    player: Player
    api: APIClient


def client(user, *scopes) -> APIClient:
    _, key = accounts.make_token(user=user, name="test", scopes=scopes)
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return api


@pytest.fixture
def caller(db):
    """Make callers: `caller("read", "submit")`, `caller("organise", staff=True)`."""

    def make(*scopes: str, staff: bool = False) -> Caller:
        user, player = make_player()
        if staff:
            user.is_staff = True
            user.save()
        return Caller(user, player, client(user, *scopes))

    return make


@pytest.fixture
def visitor(db):
    return APIClient()
