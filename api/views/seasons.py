"""Seasons: organisers make and run them, owners enter their bots, everybody reads."""

import json

from django.http import HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.brackets import ForecastSerializer, ManyEntriesSerializer, ReasonSerializer
from api.serializers.seasons import (
    DivisionTableSerializer,
    NewSeasonEntrySerializer,
    NewSeasonSerializer,
    NextSeasonSerializer,
    PostponeSerializer,
    SeasonEntrySerializer,
    SeasonSerializer,
)
from api.views.bots import bot_asked, user_of
from api.views.bracket_acts import ENTRY, reason_of
from api.views.brackets import entrants_sent
from api.views.files import FileView, sent
from bots.models import Token
from tournaments import forecast as forecasts
from tournaments import seasons
from tournaments.interchange import drafts, sheets
from tournaments.interchange.season_documents import season_document
from tournaments.models import Season, SeasonEntry

DAY = OpenApiParameter("day", int, OpenApiParameter.PATH)


class SeasonFilter(filters.FilterSet):  # type: ignore[misc]
    class Meta:
        model = Season
        fields = ["game", "state"]


class SeasonViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Season]
):
    """Leagues of one game: divisions, match days, promotion and relegation."""

    queryset = Season.objects.select_related("previous").prefetch_related(
        "match_days", "divisions__bracket", "divisions__playoff"
    )
    serializer_class = SeasonSerializer
    filterset_class = SeasonFilter
    lookup_field = "slug"
    scopes = {
        "create": Token.Scope.ORGANISE,
        "enter": Token.Scope.SUBMIT,
        "enter_many": Token.Scope.ORGANISE,
        "withdraw": Token.Scope.SUBMIT,
        "disqualify": Token.Scope.ORGANISE,
        "start": Token.Scope.ORGANISE,
        "postpone": Token.Scope.ORGANISE,
        "roll_over": Token.Scope.ORGANISE,
    }

    def _entry(self, pk: str) -> SeasonEntry:
        season = self.get_object()
        rows = season.entries.select_related("bot__player", "season")
        row = rows.filter(pk=int(pk)).first()
        if row is None:
            raise NotFound(f"The season {season.slug} has no entry {pk}.")
        return row

    def _entries(self) -> Response:
        rows = self.get_object().entries.select_related("bot__player", "submission", "division")
        return Response(SeasonEntrySerializer(rows.order_by("id"), many=True).data)

    @extend_schema(request=NewSeasonSerializer, responses={201: SeasonSerializer})
    def create(self, request: Request) -> Response:
        """Make a season, open for entries."""
        form = NewSeasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        season = seasons.create_season(organiser=user_of(request), **form.validated_data)
        return Response(SeasonSerializer(season).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=SeasonEntrySerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def entries(self, request: Request, slug: str) -> Response:
        """Who takes part."""
        return self._entries()

    @extend_schema(request=NewSeasonEntrySerializer, responses={201: SeasonEntrySerializer})
    @entries.mapping.post
    def enter(self, request: Request, slug: str) -> Response:
        """Enter a bot with its active version; once the season runs, as a late entrant."""
        form = NewSeasonEntrySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bot = bot_asked(form.validated_data["bot"])
        entry = seasons.enter_season(season=self.get_object(), bot=bot, user=user_of(request))
        return Response(SeasonEntrySerializer(entry).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ManyEntriesSerializer, responses={201: SeasonEntrySerializer(many=True)})
    @action(detail=True, methods=["post"], url_path="entries/many", pagination_class=None,
            filter_backends=[])  # fmt: skip
    def enter_many(self, request: Request, slug: str) -> Response:
        """Enter a whole list, or nobody: each row that is wrong is reported."""
        drafts.enter_season_many(
            season=self.get_object(), entrants=entrants_sent(request), user=user_of(request)
        )
        shown = self._entries()
        shown.status_code = status.HTTP_201_CREATED
        return shown

    @extend_schema(request=ReasonSerializer, responses={204: None}, parameters=[ENTRY])
    @action(detail=True, methods=["post"], url_path=r"entries/(?P<entry>[0-9]{1,18})/withdraw")
    def withdraw(self, request: Request, slug: str, entry: str) -> Response:
        """Take an entry out; its owners and organisers may."""
        reason = reason_of(request)
        seasons.withdraw(entry=self._entry(entry), user=user_of(request), reason=reason)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=ReasonSerializer, responses={204: None}, parameters=[ENTRY])
    @action(detail=True, methods=["post"], url_path=r"entries/(?P<entry>[0-9]{1,18})/disqualify")
    def disqualify(self, request: Request, slug: str, entry: str) -> Response:
        """Take an entry out at once: its open tables go on without it."""
        reason = reason_of(request)
        seasons.disqualify(entry=self._entry(entry), user=user_of(request), reason=reason)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=SeasonSerializer)
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Close the entries, make the divisions and draw the first match day."""
        seasons.start_season(season=self.get_object(), user=user_of(request))
        return Response(SeasonSerializer(self.get_object()).data)

    @extend_schema(request=PostponeSerializer, responses=SeasonSerializer, parameters=[DAY])
    @action(detail=True, methods=["post"], url_path=r"match-days/(?P<day>[0-9]{1,4})/postpone")
    def postpone(self, request: Request, slug: str, day: str) -> Response:
        """Give a match day another start or deadline."""
        form = PostponeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = self.get_object().match_days.filter(number=int(day)).first()
        if row is None:
            raise NotFound(f"The season {slug} has no match day {day}.")
        seasons.postpone(match_day=row, user=user_of(request), **form.validated_data)
        return Response(SeasonSerializer(self.get_object()).data)

    @extend_schema(request=NextSeasonSerializer, responses={201: SeasonSerializer})
    @action(detail=True, methods=["post"], url_path="roll-over")
    def roll_over(self, request: Request, slug: str) -> Response:
        """Make the next season of a finished one, with everybody who was in it."""
        form = NextSeasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        following = seasons.roll_over(
            season=self.get_object(), user=user_of(request), **form.validated_data
        )
        return Response(SeasonSerializer(following).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=ForecastSerializer)
    @action(detail=True, pagination_class=None, filter_backends=[])
    def forecast(self, request: Request, slug: str) -> Response:
        """How many matches it takes, how much computing, and how long on the present workers."""
        return Response(ForecastSerializer(forecasts.forecast_season(self.get_object())).data)

    @extend_schema(responses=DivisionTableSerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def standings(self, request: Request, slug: str) -> Response:
        """The tables of all divisions, with who would go up or down if it ended now."""
        rows = season_document(self.get_object())["divisions"]
        return Response(DivisionTableSerializer(rows, many=True).data)


def _season(slug: str) -> Season:
    found = Season.objects.select_related("previous").filter(slug=slug).first()
    if found is None:
        raise NotFound(f"There is no season {slug}.")
    return found


class SeasonJson(FileView):
    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Everything of a season; its schema is at /api/v1/schemas/season-1.json."""
        text = json.dumps(season_document(_season(slug)), ensure_ascii=False, indent=1)
        return sent(text, f"{slug}.json", "application/json")


class SeasonCsv(FileView):
    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The tables of all divisions."""
        text = sheets.season_sheet(season_document(_season(slug)))
        return sent(text, f"{slug}-standings.csv", "text/csv")
