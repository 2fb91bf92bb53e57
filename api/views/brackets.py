"""Brackets: organisers make and run them, owners enter their bots, everybody reads."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.brackets import (
    BracketSerializer,
    EntrySerializer,
    ManyEntriesSerializer,
    NewBracketSerializer,
    NewEntrySerializer,
    ReasonSerializer,
    RoundSerializer,
    StandingSerializer,
)
from api.views.bots import bot_asked, user_of
from api.views.bracket_acts import ENTRY, BracketActs, reason_of, whole
from bots.faults import UserFault
from bots.models import Token
from tournaments import brackets
from tournaments.interchange import drafts
from tournaments.interchange.documents import standing_rows
from tournaments.interchange.entrants import Entrant, entrants_of, kind_of, read_entrants
from tournaments.models import Bracket, Entry, Round

STAGE = OpenApiParameter("stage", int, description="Its number; the present one if left out")
ROUND = OpenApiParameter("round", int, description="Only this round of the stage")


class BracketFilter(filters.FilterSet):  # type: ignore[misc]
    season = filters.CharFilter(field_name="season__slug")

    class Meta:
        model = Bracket
        fields = ["game", "state"]


class BracketViewSet(
    BracketActs,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    viewsets.GenericViewSet[Bracket],
):
    """Tournaments of one game."""

    queryset = Bracket.objects.select_related("season").prefetch_related("stages")
    serializer_class = BracketSerializer
    filterset_class = BracketFilter
    lookup_field = "slug"
    scopes = {
        "create": Token.Scope.ORGANISE,
        "import_document": Token.Scope.ORGANISE,
        "enter": Token.Scope.SUBMIT,
        "enter_many": Token.Scope.ORGANISE,
        "withdraw": Token.Scope.SUBMIT,
        **BracketActs.acts,
    }

    @extend_schema(request=NewBracketSerializer, responses={201: BracketSerializer})
    def create(self, request: Request) -> Response:
        """Make a bracket, open for entries."""
        form = NewBracketSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bracket = brackets.create_bracket(organiser=user_of(request), **form.validated_data)
        return Response(BracketSerializer(bracket).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        request={"application/json": {"type": "object"}},
        responses={201: BracketSerializer},
        parameters=[
            OpenApiParameter("slug", str, description="Instead of the document's"),
            OpenApiParameter("title", str, description="Instead of the document's"),
        ],
    )
    @action(detail=False, methods=["post"], url_path="import")
    def import_document(self, request: Request) -> Response:
        """Make a fresh draft from an exported document: its setting and who had entered."""
        bracket = drafts.draft_from(
            document=request.data,
            user=user_of(request),
            slug=request.query_params.get("slug"),
            title=request.query_params.get("title"),
        )
        return Response(BracketSerializer(bracket).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=EntrySerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def entries(self, request: Request, slug: str) -> Response:
        """Who takes part."""
        return Response(EntrySerializer(_entries(self.get_object()), many=True).data)

    @extend_schema(request=NewEntrySerializer, responses={201: EntrySerializer})
    @entries.mapping.post
    def enter(self, request: Request, slug: str) -> Response:
        """Enter a bot with its active version."""
        form = NewEntrySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bot = bot_asked(form.validated_data["bot"])
        entry = brackets.enter(
            bracket=self.get_object(),
            bot=bot,
            user=user_of(request),
            seeding=form.validated_data["seeding"] if user_of(request).is_staff else None,
        )
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ManyEntriesSerializer, responses={201: EntrySerializer(many=True)})
    @action(detail=True, methods=["post"], url_path="entries/many", pagination_class=None,
            filter_backends=[])  # fmt: skip
    def enter_many(self, request: Request, slug: str) -> Response:
        """Enter a whole list, or nobody: each row that is wrong is reported."""
        bracket = self.get_object()
        drafts.enter_many(bracket=bracket, entrants=entrants_sent(request), user=user_of(request))
        return Response(
            EntrySerializer(_entries(bracket), many=True).data, status=status.HTTP_201_CREATED
        )

    @extend_schema(request=ReasonSerializer, responses={204: None}, parameters=[ENTRY])
    @action(detail=True, methods=["post"], url_path=r"entries/(?P<entry>[0-9]{1,18})/withdraw")
    def withdraw(self, request: Request, slug: str, entry: str) -> Response:
        """Take an entry out; its owners and organisers may."""
        brackets.withdraw(entry=self.entry(entry), user=user_of(request), reason=reason_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=RoundSerializer(many=True), parameters=[STAGE, ROUND])
    @action(detail=True, pagination_class=None, filter_backends=[])
    def rounds(self, request: Request, slug: str) -> Response:
        """The rounds with their tables, draw seeds and what the drawing had to give up."""
        rows = Round.objects.filter(stage__bracket=self.get_object())
        for name, field in (("stage", "stage__number"), ("round", "number")):
            if name in request.query_params:
                rows = rows.filter(**{field: whole(request.query_params[name], name)})
        rows = rows.select_related("stage").prefetch_related(
            "tables__seats__submission__bot__player", "tables__matches"
        )
        return Response(RoundSerializer(rows, many=True).data)

    @extend_schema(responses=StandingSerializer(many=True), parameters=[STAGE])
    @action(detail=True, pagination_class=None, filter_backends=[])
    def standings(self, request: Request, slug: str) -> Response:
        """The table with each tie-break's value; provisional until the stage is over."""
        bracket = self.get_object()
        stages = bracket.stages.order_by("number")
        if "stage" in request.query_params:
            stage = self.stage(request.query_params["stage"])
        else:
            stage = stages.filter(started_at__isnull=False).last() or stages[0]
        entries = {entry.pk: entry for entry in _entries(bracket)}
        rows: list[dict[str, Any]] = [
            {**row, "entry": entries[row["entry"]]}
            for row in standing_rows(stage)
            if row["entry"] in entries
        ]
        return Response(StandingSerializer(rows, many=True).data)


def _entries(bracket: Bracket) -> QuerySet[Entry]:
    return bracket.entries.select_related("bot__player", "submission").order_by("id")


def entrants_sent(request: Request) -> list[Entrant]:
    """The list of a request: a value, or a file."""
    form = ManyEntriesSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    file, values = form.validated_data.get("file"), form.validated_data.get("entries")
    if (file is None) == (values is None):
        raise UserFault("Send a list as entries, or a file", field="entries")
    return entrants_of(values) if file is None else read_entrants(file.read(), kind_of(file.name))
