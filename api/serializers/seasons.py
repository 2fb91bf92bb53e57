"""Seasons as the API shows them."""

from typing import Any

from rest_framework import serializers

from api.serializers.brackets import EntrantSerializer, ReasonSerializer
from tournaments.models import Division, MatchDay, Season, SeasonEntry

RULES_HELP = "See the documentation on organising; what is left out takes its default"


class MatchDaySerializer(serializers.ModelSerializer[MatchDay]):
    class Meta:
        model = MatchDay
        fields = ["number", "starts_at", "deadline"]


class DivisionSerializer(serializers.ModelSerializer[Division]):
    bracket = serializers.CharField(source="bracket.slug", allow_null=True, default=None)
    playoff = serializers.CharField(
        source="playoff.slug", allow_null=True, default=None,
        help_text="At the border to the next lower division",
    )  # fmt: skip

    class Meta:
        model = Division
        fields = ["level", "name", "bracket", "playoff"]


class SeasonSerializer(serializers.ModelSerializer[Season]):
    previous = serializers.CharField(source="previous.slug", allow_null=True, default=None)
    match_days = MatchDaySerializer(many=True)
    divisions = DivisionSerializer(many=True)

    class Meta:
        model = Season
        fields = [
            "slug", "title", "game", "edition", "options", "time_control", "rated", "number",
            "previous", "rules", "state", "starts_at", "created_at", "started_at", "ended_at",
            "match_days", "divisions",
        ]  # fmt: skip


class NewSeasonSerializer(serializers.Serializer[Season]):
    slug = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    rules = serializers.DictField(required=False, default=dict, help_text=RULES_HELP)
    options = serializers.DictField(required=False, default=dict)
    time_control = serializers.DictField(
        required=False, default=dict, help_text="start_ms, move_ms, bank_ms"
    )
    rated = serializers.BooleanField(default=True)
    starts_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="It starts by itself then"
    )


class NextSeasonSerializer(serializers.Serializer[Season]):
    slug = serializers.CharField()
    title = serializers.CharField()
    rules = serializers.DictField(required=False, default=dict, help_text="Only what changes")
    starts_at = serializers.DateTimeField(required=False, allow_null=True, default=None)


class SeasonEntrySerializer(EntrantSerializer, serializers.ModelSerializer[SeasonEntry]):
    division = serializers.IntegerField(source="division.level", allow_null=True, default=None)

    class Meta:
        model = SeasonEntry
        fields = [
            "id", "player", "bot", "bot_id", "version", "division", "rating_mu", "rating_sigma",
            "first_day", "withdrawn_at", "withdrawn_reason", "disqualified", "dropped", "place",
            "points", "outcome",
        ]  # fmt: skip


class NewSeasonEntrySerializer(serializers.Serializer[SeasonEntry]):
    bot = serializers.IntegerField(help_text="The bot's id")


class PostponeSerializer(ReasonSerializer):
    starts_at = serializers.DateTimeField(required=False, allow_null=True, default=None)
    deadline = serializers.DateTimeField(required=False, allow_null=True, default=None)


class SeasonStandingSerializer(serializers.Serializer[Any]):
    rank = serializers.IntegerField()
    player = serializers.CharField()
    bot = serializers.CharField()
    points = serializers.FloatField(help_text="Mean of its tables")
    played = serializers.IntegerField()
    byes = serializers.IntegerField()
    withdrawn = serializers.BooleanField()
    tie_breaks = serializers.DictField(child=serializers.FloatField(allow_null=True))
    zone = serializers.CharField(
        help_text="champion, promoted, playoff, stays, relegated or withdrawn; provisional until "
        "the season is finished"
    )
    outcome = serializers.CharField(help_text="What it came to; empty until it is finished")


class DivisionTableSerializer(serializers.Serializer[Any]):
    level = serializers.IntegerField()
    name = serializers.CharField()
    bracket = serializers.CharField(allow_null=True)
    playoff = serializers.CharField(allow_null=True)
    standings = SeasonStandingSerializer(many=True)
