"""Bots and submissions as the API shows them."""

from rest_framework import serializers

from bots.models import Bot, Submission


class SubmissionRefSerializer(serializers.ModelSerializer[Submission]):
    """Enough to say which version of which bot."""

    player = serializers.CharField(source="bot.player.handle")
    bot = serializers.CharField(source="bot.name")
    bot_id = serializers.IntegerField()

    class Meta:
        model = Submission
        fields = ["id", "player", "bot", "bot_id", "number"]


class BotSerializer(serializers.ModelSerializer[Bot]):
    player = serializers.CharField(source="player.handle", help_text="The owner's handle")
    active = SubmissionRefSerializer(read_only=True, allow_null=True)

    class Meta:
        model = Bot
        fields = ["id", "player", "game", "name", "active", "active_since", "created_at"]
        read_only_fields = ["active_since", "created_at"]


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """What everybody may know of a version."""

    player = serializers.CharField(source="bot.player.handle")
    bot = serializers.CharField(source="bot.name")
    bot_id = serializers.IntegerField()
    game = serializers.CharField(source="bot.game")
    is_active = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields = [
            "id", "player", "bot", "bot_id", "game", "number", "state", "is_active", "language",
            "version", "size", "sha256", "rewrite", "uploaded_at", "checked_at",
        ]  # fmt: skip

    def get_is_active(self, submission: Submission) -> bool:
        return submission.bot.active_id == submission.pk


class OwnSubmissionSerializer(SubmissionSerializer):
    """What its owner sees besides."""

    class Meta(SubmissionSerializer.Meta):
        fields = [
            *SubmissionSerializer.Meta.fields,
            "entry", "filename", "activate", "reason", "log",
        ]  # fmt: skip


class UploadSerializer(serializers.Serializer[Submission]):
    package = serializers.FileField(help_text="A zip with bot.toml at its root, or one .py file")
    rewrite = serializers.BooleanField(
        default=False, help_text="A new approach: its rating starts less sure than an update's"
    )
    activate = serializers.BooleanField(
        default=False, help_text="Make it the active version as soon as it qualifies"
    )
