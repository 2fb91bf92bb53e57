"""Matches, their plays and replays, and the workers that play them."""

from decimal import Decimal

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.matches import (
    MatchDetailSerializer,
    MatchSerializer,
    NewTestSerializer,
    SeatLogSerializer,
    WorkerSerializer,
)
from api.views.bots import user_of
from bots import accounts
from bots.faults import Conflict, NotAllowed
from bots.models import Token
from bots.sending import send_bytes
from engine import replay
from tournaments import archive, records, trials
from tournaments.models import Ladder, Match, Play, Worker

ROTATION = OpenApiParameter("rotation", int, OpenApiParameter.PATH, description="Play, from 0")
SEAT = OpenApiParameter("seat", int, OpenApiParameter.PATH, description="Seat, from 0")


class MatchFilter(filters.FilterSet):  # type: ignore[misc]
    ladder = filters.CharFilter(method="of_ladder")
    bot = filters.NumberFilter(method="of_bot")
    submission = filters.NumberFilter(method="of_submission")
    player = filters.CharFilter(method="of_player")
    bracket = filters.CharFilter(field_name="table__round__stage__bracket__slug")

    class Meta:
        model = Match
        fields = ["game", "kind", "state", "rated", "table"]

    def of_ladder(self, rows: QuerySet[Match], name: str, slug: str) -> QuerySet[Match]:
        # By its id, so that the database knows how many they are.
        return rows.filter(ladder__in=list(Ladder.objects.filter(slug=slug)))

    def of_bot(self, rows: QuerySet[Match], name: str, bot: Decimal) -> QuerySet[Match]:
        return records.matches_of(rows, records.versions(bot=bot))

    def of_submission(self, rows: QuerySet[Match], name: str, pk: Decimal) -> QuerySet[Match]:
        return records.matches_of(rows, records.versions(pk=pk))

    def of_player(self, rows: QuerySet[Match], name: str, handle: str) -> QuerySet[Match]:
        return records.matches_of(rows, records.versions(bot__player__handle=handle))


class MatchViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Match]
):
    """Matches: one deal, played once for each rotation of the seats."""

    queryset = Match.objects.select_related("ladder").prefetch_related(
        "contestants__submission__bot__player"
    )
    serializer_class = MatchSerializer
    filterset_class = MatchFilter
    scopes = {"log": Token.Scope.READ, "create": Token.Scope.PLAY}

    @extend_schema(request=NewTestSerializer, responses={201: MatchDetailSerializer})
    def create(self, request: Request) -> Response:
        """Play a test match of a version of yours: unrated, against opponents of your choice."""
        form = NewTestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        match = trials.play_test(user=user_of(request), **form.validated_data)
        shown = MatchDetailSerializer(self.get_queryset().get(pk=match.pk))
        return Response(shown.data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=MatchDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One match with its plays and attempts; its seed once it is final or void."""
        return Response(MatchDetailSerializer(self.get_object()).data)

    def _play(self, rotation: str) -> Play:
        match = self.get_object()
        play = match.plays.filter(rotation=int(rotation)).first()
        if play is None:
            if not match.is_over:
                raise Conflict(
                    f"Match {match.pk} is {match.state}; its replays are shown when all of its "
                    f"plays are over."
                )
            raise NotFound(f"Match {match.pk} has no play {rotation}.")
        return play

    @extend_schema(parameters=[ROTATION], responses={200: OpenApiResponse(OpenApiTypes.BINARY)})
    @action(detail=True, url_path=r"plays/(?P<rotation>[0-9]{1,3})/replay")
    def replay(self, request: Request, pk: str, rotation: str) -> HttpResponseBase:
        """The replay file; `python3 -m engine verify FILE` plays it again."""
        play = self._play(rotation)
        return send_bytes(archive.replay(play), filename=f"match-{pk}-play-{rotation}.replay")

    @extend_schema(parameters=[ROTATION], responses=OpenApiTypes.OBJECT)
    @action(detail=True, url_path=r"plays/(?P<rotation>[0-9]{1,3})/record")
    def record(self, request: Request, pk: str, rotation: str) -> Response:
        """The same as JSON: deal, actions, CPU time of each, failures, scores, places."""
        return Response(replay.loads(archive.replay(self._play(rotation))).to_dict())

    @extend_schema(parameters=[ROTATION, SEAT], responses=SeatLogSerializer)
    @action(detail=True, url_path=r"plays/(?P<rotation>[0-9]{1,3})/seats/(?P<seat>[0-9]{1,2})/log")
    def log(self, request: Request, pk: str, rotation: str, seat: str) -> Response:
        """What the owner's own bot left in a play: notes, stderr, what it failed with."""
        play = self._play(rotation)
        submission = archive.whose(play, int(seat))
        if submission is None:
            raise NotFound(f"Play {rotation} of match {pk} has no seat {seat}.")
        if not accounts.may_manage(request.user, submission.bot.player):
            raise NotAllowed("A bot's notes and stderr are for its owner only.")
        return Response(SeatLogSerializer(archive.log(play, int(seat))).data)


class WorkerViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Worker]
):
    """The machines that play matches, for the organiser."""

    queryset = Worker.objects.all()
    serializer_class = WorkerSerializer
    scopes = {"list": Token.Scope.ORGANISE, "retrieve": Token.Scope.ORGANISE}
