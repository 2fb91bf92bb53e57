"""What an organiser does to a bracket: each act is logged with its reason."""

from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.brackets import (
    BracketSerializer,
    ExtendSerializer,
    ForecastSerializer,
    ReasonSerializer,
    ReseedSerializer,
    RulesSerializer,
)
from api.views.bots import user_of
from bots.faults import UserFault
from bots.models import Token
from tournaments import forecast as forecasts
from tournaments import lifecycle
from tournaments.models import Bracket, Entry, Round, Stage, Table

ENTRY = OpenApiParameter("entry", int, OpenApiParameter.PATH)
STAGE = OpenApiParameter("stage", int, OpenApiParameter.PATH)
ROUND = OpenApiParameter("round", int, OpenApiParameter.PATH)
TABLE = OpenApiParameter("table", int, OpenApiParameter.PATH, description="Its number")
IN_ROUND = r"stages/(?P<stage>[0-9]{1,4})/rounds/(?P<round>[0-9]{1,4})"


def whole(text: str, name: str) -> int:
    """A number from an address; UserFault when it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserFault(f"{name} must be a number, not {text[:20]!r}", field=name)
    return int(text)


def reason_of(request: Request) -> str:
    """Why something is done; it is logged."""
    form = ReasonSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    text: str = form.validated_data["reason"]
    return text


class BracketActs(viewsets.GenericViewSet[Bracket]):
    """The acts; `acts` are their scopes."""

    acts = dict.fromkeys(
        (
            "start", "pause", "resume", "reseed", "rules", "disqualify", "extend", "void_table",
        ),
        Token.Scope.ORGANISE,
    )  # fmt: skip

    def shown(self) -> Response:
        return Response(BracketSerializer(self.get_object()).data)

    def entry(self, pk: str) -> Entry:
        bracket = self.get_object()
        row = bracket.entries.select_related("bot__player").filter(pk=int(pk)).first()
        if row is None:
            raise NotFound(f"The bracket {bracket.slug} has no entry {pk}.")
        return row

    def stage(self, number: str) -> Stage:
        bracket = self.get_object()
        row = bracket.stages.filter(number=whole(number, "stage")).first()
        if row is None:
            raise NotFound(f"The bracket {bracket.slug} has no stage {number}.")
        return row

    def round(self, stage: str, number: str) -> Round:
        row = self.stage(stage).rounds.select_related("stage__bracket")
        found = row.filter(number=int(number)).first()
        if found is None:
            raise NotFound(f"Stage {stage} has no round {number}.")
        return found

    @extend_schema(responses=ForecastSerializer)
    @action(detail=True, pagination_class=None, filter_backends=[])
    def forecast(self, request: Request, slug: str) -> Response:
        """How many matches it takes, how much computing, and how long on the present workers."""
        return Response(ForecastSerializer(forecasts.forecast(self.get_object())).data)

    @extend_schema(request=None, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Close the entries and draw the first round."""
        lifecycle.start(bracket=self.get_object(), user=user_of(request))
        return self.shown()

    @extend_schema(request=ReasonSerializer, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Draw and close nothing until it is resumed."""
        lifecycle.pause(bracket=self.get_object(), user=user_of(request), reason=reason_of(request))
        return self.shown()

    @extend_schema(request=None, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on with a paused bracket."""
        lifecycle.resume(bracket=self.get_object(), user=user_of(request))
        return self.shown()

    @extend_schema(request=ReseedSerializer, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def reseed(self, request: Request, slug: str) -> Response:
        """Seed a draft by hand."""
        form = ReseedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        lifecycle.reseed(
            bracket=self.get_object(), user=user_of(request), **_given(form.validated_data)
        )
        return self.shown()

    @extend_schema(request=RulesSerializer, responses=BracketSerializer)
    @action(detail=True, methods=["post"])
    def rules(self, request: Request, slug: str) -> Response:
        """Change rules of a stage; after its draw only those that the draw was not made from."""
        form = RulesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        lifecycle.change_rules(
            stage=self.stage(str(data["stage"])),
            user=user_of(request),
            changes=data["rules"],
            reason=data["reason"],
        )
        return self.shown()

    @extend_schema(request=ReasonSerializer, responses={204: None}, parameters=[ENTRY])
    @action(detail=True, methods=["post"], url_path=r"entries/(?P<entry>[0-9]{1,18})/disqualify")
    def disqualify(self, request: Request, slug: str, entry: str) -> Response:
        """Take an entry out at once: its open tables go on without it, closed ones stand."""
        lifecycle.disqualify(
            entry=self.entry(entry), user=user_of(request), reason=reason_of(request)
        )
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=ExtendSerializer, responses=BracketSerializer, parameters=[STAGE, ROUND])
    @action(detail=True, methods=["post"], url_path=f"{IN_ROUND}/extend")
    def extend(self, request: Request, slug: str, stage: str, round: str) -> Response:
        """Give an open round another deadline."""
        form = ExtendSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        deadline: datetime = form.validated_data["deadline"]
        lifecycle.extend(
            round_=self.round(stage, round),
            user=user_of(request),
            deadline=deadline,
            reason=form.validated_data["reason"],
        )
        return self.shown()

    @extend_schema(
        request=ReasonSerializer, responses=BracketSerializer, parameters=[STAGE, ROUND, TABLE]
    )
    @action(
        detail=True, methods=["post"], url_path=rf"{IN_ROUND}/tables/(?P<table>[0-9]{{1,6}})/void"
    )
    def void_table(
        self, request: Request, slug: str, stage: str, round: str, table: str
    ) -> Response:
        """Take back what happened at a table; in a knock-out it is played again."""
        row: Table | None = self.round(stage, round).tables.filter(number=int(table)).first()
        if row is None:
            raise NotFound(f"Round {round} has no table {table}.")
        lifecycle.void_table(table=row, user=user_of(request), reason=reason_of(request))
        return self.shown()


def _given(data: dict[str, Any]) -> dict[str, Any]:
    return {"order": data["order"], "reason": data["reason"]}
