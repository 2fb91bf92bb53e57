"""Accounts as the API shows them."""

from rest_framework import serializers

from bots.models import Membership, Notice, Player, Token, User


class PlayerSerializer(serializers.ModelSerializer[Player]):
    class Meta:
        model = Player
        fields = ["handle", "name", "house", "created_at"]
        read_only_fields = ["house", "created_at"]


class MemberSerializer(serializers.ModelSerializer[Membership]):
    email = serializers.EmailField(source="user.email")

    class Meta:
        model = Membership
        fields = ["email", "role"]


class SignUpSerializer(serializers.Serializer[User]):
    email = serializers.EmailField()
    password = serializers.CharField(write_only=True, trim_whitespace=False)
    handle = serializers.CharField(help_text="Lower-case letters, digits, hyphens; never changes")
    name = serializers.CharField(required=False, default="", help_text="Shown beside the handle")


class MeSerializer(serializers.Serializer[User]):
    email = serializers.EmailField()
    is_organiser = serializers.BooleanField(source="is_staff")
    players = PlayerSerializer(many=True)
    unread_notices = serializers.SerializerMethodField()

    def get_unread_notices(self, user: User) -> int:
        return int(self.context["unread"])


class TokenSerializer(serializers.ModelSerializer[Token]):
    class Meta:
        model = Token
        fields = [
            "id", "name", "prefix", "scopes",
            "created_at", "expires_at", "last_used_at", "revoked_at",
        ]  # fmt: skip


class NewTokenSerializer(serializers.Serializer[Token]):
    """E-mail and password are needed by callers without a token that has the scope `admin`."""

    name = serializers.CharField(help_text="To tell it from others")
    scopes = serializers.ListField(child=serializers.CharField(), allow_empty=False)
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None)
    email = serializers.EmailField(required=False, write_only=True)
    password = serializers.CharField(required=False, write_only=True, trim_whitespace=False)


class MadeTokenSerializer(TokenSerializer):
    key = serializers.CharField(help_text="Shown this once only")

    class Meta(TokenSerializer.Meta):
        fields = ["key", *TokenSerializer.Meta.fields]


class NoticeSerializer(serializers.ModelSerializer[Notice]):
    class Meta:
        model = Notice
        fields = ["id", "kind", "text", "url", "created_at", "read_at"]
