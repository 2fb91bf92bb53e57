"""Matches as the API shows them. Until a match is over its seed stays out."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from rest_framework import serializers

from api.serializers.bots import SubmissionRefSerializer
from bots.models import Submission
from engine.faults import escape
from engine.record import SeatLog
from tournaments.models import Attempt, Contestant, Match, Play, Worker


class ContestantSerializer(serializers.ModelSerializer[Contestant]):
    submission = SubmissionRefSerializer()

    class Meta:
        model = Contestant
        fields = ["number", "submission", "place", "place_points", "margin", "failures"]


class PlaySerializer(serializers.ModelSerializer[Play]):
    """Lists are by seat."""

    class Meta:
        model = Play
        fields = [
            "rotation", "seats", "scores", "places", "failures", "cpu_ms", "decisions",
            "play_hash", "replay_size",
        ]  # fmt: skip


class AttemptSerializer(serializers.ModelSerializer[Attempt]):
    worker = serializers.CharField(source="worker.name")

    class Meta:
        model = Attempt
        fields = [
            "number", "state", "worker", "tier", "python", "play", "decision",
            "started_at", "ended_at", "outcome",
        ]  # fmt: skip


class MatchSerializer(serializers.ModelSerializer[Match]):
    ladder = serializers.CharField(source="ladder.slug", allow_null=True, default=None)
    contestants = ContestantSerializer(many=True)

    class Meta:
        model = Match
        fields = [
            "id", "kind", "state", "game", "edition", "players", "options", "time_control",
            "rotations", "rated", "ladder", "table", "deal", "commitment", "created_at",
            "started_at", "ended_at", "void_reason", "contestants",
        ]  # fmt: skip


class MatchDetailSerializer(MatchSerializer):
    seed = serializers.SerializerMethodField(
        help_text="Null until the match is final or void; its SHA-256 is the commitment"
    )
    plays = PlaySerializer(many=True)
    attempts = AttemptSerializer(many=True)

    class Meta(MatchSerializer.Meta):
        fields = [*MatchSerializer.Meta.fields, "seed", "plays", "attempts"]

    def get_seed(self, match: Match) -> str | None:
        return match.seed if match.is_over else None


class NewTestSerializer(serializers.Serializer[Any]):
    submission = serializers.PrimaryKeyRelatedField(
        queryset=Submission.objects.select_related("bot__player"),
        help_text="The version to test, of a bot of yours; it sits first",
    )
    opponents = serializers.ListField(
        child=serializers.CharField(max_length=120),
        max_length=16,
        help_text="player/bot for an active version, such as house/greedy; player/bot/v3 for a "
        "version of a bot of yours",
    )
    options = serializers.DictField(
        required=False, help_text="Of the game; what is left out has its default"
    )
    rotations = serializers.IntegerField(
        min_value=0, max_value=16, default=0, help_text="Plays of the deal; 0: one in each seat"
    )


class SeatLogSerializer(serializers.Serializer[Any]):
    """What one bot left in one play; for its owner only. Control bytes are escaped."""

    seat = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.JSONField(), help_text="[decision, text]")
    asked = serializers.ListField(
        child=serializers.JSONField(),
        help_text="[decision, CPU ms, wall ms] of each request; decision null for `start`",
    )
    sent = serializers.CharField(help_text="First bytes of the last line sent to it")
    received = serializers.CharField(help_text="First bytes of the last line received from it")
    stderr = serializers.CharField()
    stderr_cut = serializers.BooleanField(help_text="It wrote more than was kept")
    exit_code = serializers.IntegerField(allow_null=True)
    signal = serializers.IntegerField(allow_null=True)
    cpu_ms = serializers.FloatField()
    peak_memory_bytes = serializers.IntegerField(allow_null=True)

    def to_representation(self, log: SeatLog) -> dict[str, Any]:
        raw = {name: escape(getattr(log, name)) for name in ("sent", "received", "stderr")}
        return super().to_representation(SimpleNamespace(**asdict(log) | raw))


class WorkerSerializer(serializers.ModelSerializer[Worker]):
    class Meta:
        model = Worker
        fields = [
            "name", "version", "python", "languages", "tier", "problem", "started_at", "seen_at",
            "paused", "pause_reason",
        ]  # fmt: skip
