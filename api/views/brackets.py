"""Brackets: organisers make and start them, owners enter their bots, everybody reads."""

from typing import Any

from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.brackets import (
    BracketSerializer,
    EntrySerializer,
    NewBracketSerializer,
    NewEntrySerializer,
    ReasonSerializer,
    RoundSerializer,
    StandingSerializer,
)
from api.views.bots import user_of
from bots.faults import UserFault
from bots.models import Bot, Token
from tournaments import brackets, lifecycle
from tournaments.models import Bracket, Round

ENTRY = OpenApiParameter("entry", int, OpenApiParameter.PATH)


class BracketFilter(filters.FilterSet):  # type: ignore[misc]
    class Meta:
        model = Bracket
        fields = ["game", "state"]


class BracketViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Bracket]
):
    """Tournaments of one game."""

    queryset = Bracket.objects.prefetch_related("stages")
    serializer_class = BracketSerializer
    filterset_class = BracketFilter
    lookup_field = "slug"
    scopes = {
        "create": Token.Scope.ORGANISE,
        "enter": Token.Scope.SUBMIT,
        "withdraw": Token.Scope.SUBMIT,
        "start": Token.Scope.ORGANISE,
        "pause": Token.Scope.ORGANISE,
        "resume": Token.Scope.ORGANISE,
    }

    def _shown(self) -> Response:
        return Response(BracketSerializer(self.get_object()).data)

    @extend_schema(request=NewBracketSerializer, responses={201: BracketSerializer})
    def create(self, request: Request) -> Response:
        """Make a bracket, open for entries."""
        form = NewBracketSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bracket = brackets.create_bracket(organiser=user_of(request), **form.validated_data)
        return Response(BracketSerializer(bracket).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=EntrySerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def entries(self, request: Request, slug: str) -> Response:
        """Who takes part."""
        rows = self.get_object().entries.select_related("bot__player", "submission")
        return Response(EntrySerializer(rows.order_by("id"), many=True).data)

    @extend_schema(request=NewEntrySerializer, responses={201: EntrySerializer})
    @entries.mapping.post
    def enter(self, request: Request, slug: str) -> Response:
        """Enter a bot with its active version."""
        form = NewEntrySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bot = Bot.objects.filter(pk=form.validated_data["bot"]).first()
        if bot is None:
            raise UserFault(f"There is no bot {form.validated_data['bot']}", field="bot")
        entry = brackets.enter(
            bracket=self.get_object(),
            bot=bot,
            user=user_of(request),
            seeding=form.validated_data["seeding"] if user_of(request).is_staff else None,
        )
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ReasonSerializer, responses={204: None}, parameters=[ENTRY])
    @action(detail=True, methods=["post"], url_path=r"entries/(?P<entry>[0-9]{1,18})/withdraw")
    def withdraw(self, request: Request, slug: str, entry: str) -> Response:
        """Take an entry out."""
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = self.get_object().entries.select_related("bot__player").filter(pk=int(entry)).first()
        if row is None:
            raise NotFound(f"The bracket {slug} has no entry {entry}.")
        brackets.withdraw(entry=row, user=user_of(request), reason=form.validated_data["reason"])
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Close the entries and draw the first round."""
        lifecycle.start(bracket=self.get_object(), user=user_of(request))
        return self._shown()

    @extend_schema(request=ReasonSerializer, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Draw and close nothing until it is resumed."""
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        lifecycle.pause(
            bracket=self.get_object(),
            user=user_of(request),
            reason=form.validated_data["reason"],
        )
        return self._shown()

    @extend_schema(request=None, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on with a paused bracket."""
        lifecycle.resume(bracket=self.get_object(), user=user_of(request))
        return self._shown()

    @extend_schema(responses=RoundSerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def rounds(self, request: Request, slug: str) -> Response:
        """All rounds with their tables, draw seeds and what the drawing had to give up."""
        rows = (
            Round.objects.filter(stage__bracket=self.get_object())
            .select_related("stage")
            .prefetch_related("tables__seats__submission__bot__player", "tables__matches")
        )
        return Response(RoundSerializer(rows, many=True).data)

    @extend_schema(responses=StandingSerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def standings(self, request: Request, slug: str) -> Response:
        """The table with each tie-break's value; provisional until the bracket is finished."""
        bracket = self.get_object()
        entries = {
            entry.pk: entry for entry in bracket.entries.select_related("bot__player", "submission")
        }
        rows: list[dict[str, Any]] = []
        for row in lifecycle.standings_of(bracket.stages.get()):
            rows.append(
                {
                    "rank": row.rank,
                    "entry": entries[row.entrant],
                    "points": float(row.points),
                    "played": row.played,
                    "byes": row.byes,
                    "withdrawn": row.withdrawn,
                    "tie_breaks": {
                        name: None if value is None else float(value)
                        for name, value in row.tie_breaks.items()
                    },
                }
            )
        return Response(StandingSerializer(rows, many=True).data)
