"""Signing up, tokens, players, notices."""

from django.contrib.auth import authenticate
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.serializers.accounts import (
    MadeTokenSerializer,
    MemberSerializer,
    MeSerializer,
    NewTokenSerializer,
    NoticeSerializer,
    PlayerSerializer,
    SignUpSerializer,
    TokenSerializer,
)
from bots import accounts
from bots.faults import NotAllowed
from bots.limits import take
from bots.models import Notice, Player, Token, User


class SignUp(APIView):
    """Make an account and a player of its own. Then make a token with e-mail and password."""

    @extend_schema(request=SignUpSerializer, responses={201: PlayerSerializer})
    def post(self, request: Request) -> Response:
        form = SignUpSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        _, player = accounts.sign_up(**form.validated_data)
        return Response(PlayerSerializer(player).data, status=status.HTTP_201_CREATED)


class Me(APIView):
    """Who the token belongs to."""

    scopes = {"get": Token.Scope.READ}

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        user = request.user
        assert isinstance(user, User)
        return Response(
            MeSerializer(user, context={"unread": user.notices.filter(read_at=None).count()}).data
        )


class TokenViewSet(
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.DestroyModelMixin,
    viewsets.GenericViewSet[Token],
):
    """The caller's tokens. DELETE revokes one."""

    queryset = Token.objects.none()
    serializer_class = TokenSerializer
    scopes = {
        "list": Token.Scope.READ,
        "retrieve": Token.Scope.READ,
        "destroy": Token.Scope.READ,
    }

    def get_queryset(self) -> QuerySet[Token]:
        return Token.objects.filter(user=self.request.user.pk)

    def perform_destroy(self, instance: Token) -> None:
        caller = self.request.auth
        if isinstance(caller, Token) and caller != instance and "admin" not in caller.scopes:
            raise NotAllowed("A key revokes itself; others need the scope 'admin' or a browser.")
        accounts.revoke_token(instance)

    @extend_schema(request=NewTokenSerializer, responses={201: MadeTokenSerializer})
    def create(self, request: Request) -> Response:
        """Make a token: with e-mail and password, or as a caller with the scope `admin`."""
        form = NewTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        email, password = data.pop("email", None), data.pop("password", None)
        user: object
        if email or password:
            take("log-in", email or "", times=10, seconds=600)
            user = authenticate(request._request, username=email or "", password=password or "")
            if user is None:
                raise AuthenticationFailed("This e-mail address and password do not fit together.")
        elif isinstance(request.auth, Token) and "admin" not in request.auth.scopes:
            raise NotAllowed("A token is made with e-mail and password, or with the scope 'admin'.")
        elif request.user.is_authenticated:
            user = request.user
        else:
            raise NotAuthenticated("Send email and password along.")
        assert isinstance(user, User)
        token, key = accounts.make_token(user=user, **data)
        token.key = key  # type: ignore[attr-defined]
        return Response(MadeTokenSerializer(token).data, status=status.HTTP_201_CREATED)


class PlayerViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Player]
):
    """Players: people, teams, and the house."""

    queryset = Player.objects.all()
    serializer_class = PlayerSerializer
    lookup_field = "handle"
    scopes = {"members": Token.Scope.READ}
    ordering = "id"

    @extend_schema(responses=MemberSerializer(many=True))
    @action(detail=True, pagination_class=None, filter_backends=[])
    def members(self, request: Request, handle: str) -> Response:
        """Who belongs to the player; its members see this."""
        player = self.get_object()
        if not accounts.may_manage(request.user, player):
            raise NotAllowed("Only members see who the members are.")
        rows = player.memberships.select_related("user").order_by("id")
        return Response(MemberSerializer(rows, many=True).data)


class NoticeViewSet(mixins.ListModelMixin, viewsets.GenericViewSet[Notice]):
    """What the caller should know, newest first."""

    queryset = Notice.objects.none()
    serializer_class = NoticeSerializer
    scopes = {"list": Token.Scope.READ, "read": Token.Scope.READ}

    def get_queryset(self) -> QuerySet[Notice]:
        return Notice.objects.filter(user=self.request.user.pk)

    @extend_schema(request=None, responses=NoticeSerializer)
    @action(detail=True, methods=["post"])
    def read(self, request: Request, pk: str) -> Response:
        """Mark a notice as read."""
        notice = self.get_object()
        if notice.read_at is None:
            notice.read_at = timezone.now()
            notice.save(update_fields=["read_at"])
        return Response(NoticeSerializer(notice).data)
