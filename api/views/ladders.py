"""Ladders, ratings and the ledger behind them."""

from decimal import Decimal

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api import ladder_table
from api.serializers.ladders import (
    LadderDetailSerializer,
    LadderSerializer,
    RatingChangeSerializer,
    RatingSerializer,
    WaitingSerializer,
)
from api.throttling import PerAddress
from tournaments import ladders, records
from tournaments.models import Ladder, RatingChange
from tournaments.page_memory import ladder_of


class LadderViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Ladder]
):
    """The public rating lists: one open ladder a game."""

    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    lookup_field = "slug"
    filterset_fields = ["game", "open"]

    @extend_schema(responses=LadderDetailSerializer)
    def retrieve(self, request: Request, slug: str) -> Response:
        """One ladder, with how long its bots wait for a match."""
        ladder = self.get_object()
        waiting = ladders.waiting_lately(ladder)
        return Response(LadderSerializer(ladder).data | WaitingSerializer(waiting).data)

    @extend_schema(
        responses=RatingSerializer(many=True),
        parameters=[
            OpenApiParameter("player", str, description="Handle of the owner"),
            OpenApiParameter("bot", int, description="Id of the bot"),
        ],
    )
    @action(detail=True, filterset_fields=[], filter_backends=[])
    def ratings(self, request: Request, slug: str) -> HttpResponseBase:
        """The table: active versions by ordinal, best first."""
        return ladder_table.answer(request._request, self.get_object())


_with_key = LadderViewSet.as_view({"get": "ratings"})


def ratings(request: HttpRequest, slug: str) -> HttpResponseBase:
    """`LadderViewSet.ratings` for whoever comes without a key, which is almost everybody.

    What is remembered costs less to send than to count, so it is outside of the limits.
    """
    if request.method in ("GET", "HEAD") and "HTTP_AUTHORIZATION" not in request.META:
        ladder = ladder_of(slug)
        if ladder is not None:
            found = ladder_table.remembered(request, ladder)
            if found is not None:
                return found
            nobody = settings.SESSION_COOKIE_NAME not in request.COOKIES
            if nobody and PerAddress().allow_request(Request(request), APIView()):
                return ladder_table.answer(request, ladder)
    return _with_key(request, slug=slug)


class RatingChangeFilter(filters.FilterSet):  # type: ignore[misc]
    ladder = filters.CharFilter(method="of_ladder")
    bot = filters.NumberFilter(method="of_bot")

    class Meta:
        model = RatingChange
        fields = ["ladder", "generation", "submission", "bot", "match", "kind"]

    # By ids, so that the database knows how many they are.

    def of_ladder(
        self, rows: QuerySet[RatingChange], name: str, slug: str
    ) -> QuerySet[RatingChange]:
        return rows.filter(ladder__in=list(Ladder.objects.filter(slug=slug)))

    def of_bot(
        self, rows: QuerySet[RatingChange], name: str, bot: Decimal
    ) -> QuerySet[RatingChange]:
        return rows.filter(submission__in=records.versions(bot=bot))


class RatingChangeViewSet(mixins.ListModelMixin, viewsets.GenericViewSet[RatingChange]):
    """The ledger: every change of every rating, newest first. Ratings are its fold."""

    queryset = RatingChange.objects.select_related("ladder")
    serializer_class = RatingChangeSerializer
    filterset_class = RatingChangeFilter
    ordering = "-id"
