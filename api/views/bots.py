"""Bots and their submissions."""

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api.serializers.bots import (
    BotSerializer,
    OwnSubmissionSerializer,
    SubmissionSerializer,
    UploadSerializer,
)
from bots import accounts, submissions
from bots.faults import NotAllowed, UserFault
from bots.models import Bot, Player, Submission, Token, User
from bots.sending import send
from tournaments import entrants


class BotFilter(filters.FilterSet):  # type: ignore[misc]
    player = filters.CharFilter(field_name="player__handle")
    active = filters.BooleanFilter(field_name="active", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Bot
        fields = ["game", "player", "active", "name"]


def user_of(request: Request) -> User:
    """The caller; views reach this only behind a scope."""
    assert isinstance(request.user, User)
    return request.user


def bot_asked(pk: int) -> Bot:
    """The bot of an id in a request's body; UserFault when there is none."""
    bot = Bot.objects.filter(pk=pk).first()
    if bot is None:
        raise UserFault(f"There is no bot {pk}", field="bot")
    return bot


def reads_as_owner(request: Request, submission: Submission) -> bool:
    """Whether the caller belongs to the owner, with a key that may read private things."""
    token = request.auth
    may_read = not isinstance(token, Token) or {"read", "admin"} & set(token.scopes)
    return bool(may_read) and accounts.may_manage(request.user, submission.bot.player)


def serializer_for(request: Request, submission: Submission) -> type[SubmissionSerializer]:
    """What this caller is shown of a version."""
    return OwnSubmissionSerializer if reads_as_owner(request, submission) else SubmissionSerializer


class BotViewSet(
    mixins.CreateModelMixin,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    viewsets.GenericViewSet[Bot],
):
    """Named contenders, each in one game."""

    queryset = Bot.objects.select_related("player", "active__bot__player")
    serializer_class = BotSerializer
    filterset_class = BotFilter
    scopes = {
        "create": Token.Scope.SUBMIT,
        "upload": Token.Scope.SUBMIT,
        "deactivate": Token.Scope.SUBMIT,
    }

    @extend_schema(request=BotSerializer, responses={201: BotSerializer})
    def create(self, request: Request) -> Response:
        """Make a bot for one of the caller's players."""
        form = BotSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        handle = data["player"]["handle"]
        player = Player.objects.filter(handle=handle).first()
        if player is None:
            raise UserFault(f"There is no player {handle!r}", field="player")
        bot = submissions.create_bot(
            player=player, game=data["game"], name=data["name"], user=user_of(request)
        )
        return Response(BotSerializer(bot).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        request={"multipart/form-data": UploadSerializer}, responses={201: OwnSubmissionSerializer}
    )
    @action(detail=True, methods=["post"], parser_classes=[MultiPartParser])
    def upload(self, request: Request, pk: str) -> Response:
        """Upload a version. It is checked at once, then plays its qualification."""
        bot = self.get_object()
        submissions.check_may_manage(user_of(request), bot.player)
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        file = data["package"]
        submissions.check_size(file.size)
        submission = submissions.upload(
            bot=bot,
            data=file.read(),
            filename=file.name,
            user=user_of(request),
            rewrite=data["rewrite"],
            activate=data["activate"],
        )
        shown = serializer_for(request, submission)
        return Response(shown(submission).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=BotSerializer)
    @action(detail=True, methods=["post"])
    def deactivate(self, request: Request, pk: str) -> Response:
        """Take the bot out of play."""
        bot = self.get_object()
        entrants.deactivate(bot=bot, user=user_of(request))
        return Response(BotSerializer(self.get_object()).data)


class SubmissionFilter(filters.FilterSet):  # type: ignore[misc]
    player = filters.CharFilter(field_name="bot__player__handle")
    game = filters.CharFilter(field_name="bot__game")

    class Meta:
        model = Submission
        fields = ["bot", "player", "game", "state"]


class SubmissionViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Submission]
):
    """Uploaded versions. The reason, the log and the package are for their owner."""

    queryset = Submission.objects.select_related("bot__player")
    serializer_class = SubmissionSerializer
    filterset_class = SubmissionFilter
    scopes = {"activate": Token.Scope.SUBMIT, "package": Token.Scope.READ}

    def get_queryset(self) -> QuerySet[Submission]:
        # The list leaves out what only an owner's single view shows.
        queryset = super().get_queryset()
        return queryset.defer("log", "reason") if self.action == "list" else queryset

    @extend_schema(responses=OwnSubmissionSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One version; its owner's key with the scope `read` also sees reason and log."""
        submission = self.get_object()
        return Response(serializer_for(request, submission)(submission).data)

    @extend_schema(request=None, responses=OwnSubmissionSerializer)
    @action(detail=True, methods=["post"])
    def activate(self, request: Request, pk: str) -> Response:
        """Make it the bot's active version; an older one may be activated again."""
        entrants.activate(submission=self.get_object(), user=user_of(request))
        submission = self.get_object()
        return Response(serializer_for(request, submission)(submission).data)

    @extend_schema(responses={200: OpenApiResponse(OpenApiTypes.BINARY)})
    @action(detail=True)
    def package(self, request: Request, pk: str) -> HttpResponseBase:
        """The package as it was uploaded."""
        submission = self.get_object()
        if not reads_as_owner(request, submission):
            raise NotAllowed("A package is for its owner only.")
        suffix = ".py" if submission.filename.lower().endswith(".py") else ".zip"
        return send(
            submission.package,
            filename=f"{submission.bot.name}-v{submission.number}{suffix}",
        )
