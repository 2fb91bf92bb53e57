"""Ladders, ratings and the ledger behind them."""

from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.pagination import Pages
from api.serializers.ladders import (
    LadderDetailSerializer,
    LadderSerializer,
    RatingChangeSerializer,
    RatingSerializer,
    WaitingSerializer,
)
from tournaments import ladders
from tournaments.models import Ladder, RatingChange


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
        waiting = ladders.waiting(ladder)
        return Response(LadderSerializer(ladder).data | WaitingSerializer(waiting).data)

    @extend_schema(
        responses=RatingSerializer(many=True),
        parameters=[
            OpenApiParameter("player", str, description="Handle of the owner"),
            OpenApiParameter("bot", int, description="Id of the bot"),
        ],
    )
    @action(detail=True, filterset_fields=[], filter_backends=[])
    def ratings(self, request: Request, slug: str) -> Response:
        """The table: active versions by ordinal, best first."""
        ladder = self.get_object()
        rows = ladders.table(ladder)
        if handle := request.query_params.get("player"):
            rows = rows.filter(submission__bot__player__handle=handle)
        if bot := request.query_params.get("bot"):
            rows = rows.filter(submission__bot=get_object_or_404_id(bot))
        pages = Pages()
        pages.ordering = ("-ordinal", "id")
        page = pages.paginate_queryset(rows, request, self)
        context = {"request": request, "places": ladders.places(ladder)}
        rated = RatingSerializer(page, many=True, context=context)
        return pages.get_paginated_response(rated.data)


def get_object_or_404_id(value: str) -> int:
    """An id from a query; what is no number matches nothing."""
    return int(value) if value.isdecimal() and len(value) < 18 else 0


class RatingChangeFilter(filters.FilterSet):  # type: ignore[misc]
    ladder = filters.CharFilter(field_name="ladder__slug")
    bot = filters.NumberFilter(field_name="submission__bot")

    class Meta:
        model = RatingChange
        fields = ["ladder", "generation", "submission", "bot", "match", "kind"]


class RatingChangeViewSet(mixins.ListModelMixin, viewsets.GenericViewSet[RatingChange]):
    """The ledger: every change of every rating, newest first. Ratings are its fold."""

    queryset = RatingChange.objects.select_related("ladder")
    serializer_class = RatingChangeSerializer
    filterset_class = RatingChangeFilter
    ordering = "-id"
