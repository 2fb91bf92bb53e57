"""The games that can be played."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.serializers.ladders import GameDetailSerializer, GameSerializer
from engine import UnknownGame, games
from engine.contract import Game
from tournaments.models import Ladder


def describe(game: Game, ladder: str | None) -> dict[str, Any]:
    """A game as plain values."""
    return {
        "name": game.name,
        "title": game.title,
        "edition": game.edition,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "options": list(game.options.values()),
        "ladder": ladder,
        "actions": game.actions,
    }


class GameList(APIView):
    """All games, in their newest edition."""

    @extend_schema(operation_id="games_list", responses=GameSerializer(many=True))
    def get(self, request: Request) -> Response:
        slugs = dict(Ladder.objects.filter(open=True).values_list("game", "slug"))
        rows = [describe(game, slugs.get(game.name)) for game in games.all()]
        return Response(GameSerializer(rows, many=True).data)


class GameDetail(APIView):
    """One game, with all its actions."""

    @extend_schema(operation_id="games_retrieve", responses=GameDetailSerializer)
    def get(self, request: Request, name: str) -> Response:
        try:
            game = games.get(name)
        except UnknownGame as error:
            raise NotFound(str(error)) from None
        slug = Ladder.objects.filter(open=True, game=name).values_list("slug", flat=True).first()
        return Response(GameDetailSerializer(describe(game, slug)).data)
