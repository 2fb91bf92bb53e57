"""Brackets as the API shows them."""

from typing import Any

from rest_framework import serializers

from api.serializers.bots import SubmissionRefSerializer
from tournaments.models import Bracket, Entry, Round, Stage, Table, TableSeat


class StageSerializer(serializers.ModelSerializer[Stage]):
    class Meta:
        model = Stage
        fields = ["number", "format", "rules", "started_at", "ended_at"]


class BracketSerializer(serializers.ModelSerializer[Bracket]):
    stages = StageSerializer(many=True)

    class Meta:
        model = Bracket
        fields = [
            "slug", "title", "game", "edition", "options", "time_control", "rated",
            "follow_active", "state", "pause_reason", "created_at", "started_at", "ended_at",
            "stages",
        ]  # fmt: skip


class NewBracketSerializer(serializers.Serializer[Bracket]):
    slug = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    format = serializers.ChoiceField(choices=Stage.Format.choices)
    rules = serializers.DictField(
        help_text="table_size, min_size, deals, rounds (Swiss), round_minutes, tie_breaks"
    )
    options = serializers.DictField(required=False, default=dict)
    time_control = serializers.DictField(
        required=False, default=dict, help_text="start_ms, move_ms, bank_ms"
    )
    rated = serializers.BooleanField(default=True)
    follow_active = serializers.BooleanField(default=False)


class EntrySerializer(serializers.ModelSerializer[Entry]):
    bot = serializers.CharField(source="bot.name")
    bot_id = serializers.IntegerField()
    player = serializers.CharField(source="bot.player.handle")
    version = serializers.IntegerField(
        source="submission.number", allow_null=True, default=None,
        help_text="The pinned version; null when the entry follows the active one",
    )  # fmt: skip

    class Meta:
        model = Entry
        fields = [
            "id", "player", "bot", "bot_id", "version", "seeding", "withdrawn_at",
            "withdrawn_reason",
        ]  # fmt: skip


class NewEntrySerializer(serializers.Serializer[Entry]):
    bot = serializers.IntegerField(help_text="The bot's id")
    seeding = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=100_000
    )


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(help_text="It is logged")


class TableSeatSerializer(serializers.ModelSerializer[TableSeat]):
    entry = serializers.IntegerField(source="entry_id")
    submission = SubmissionRefSerializer(allow_null=True)

    class Meta:
        model = TableSeat
        fields = ["number", "entry", "submission", "points", "margin", "place", "failures"]


class TableSerializer(serializers.ModelSerializer[Table]):
    seats = TableSeatSerializer(many=True)
    matches = serializers.SerializerMethodField()

    class Meta:
        model = Table
        fields = ["number", "deals", "bye", "left_out", "note", "closed_at", "seats", "matches"]

    def get_matches(self, table: Table) -> list[int]:
        return sorted(match.pk for match in table.matches.all())


class RoundSerializer(serializers.ModelSerializer[Round]):
    stage = serializers.IntegerField(source="stage.number")
    tables = TableSerializer(many=True)

    class Meta:
        model = Round
        fields = [
            "stage", "number", "draw_seed", "reasons", "drawn_at", "deadline", "closed_at",
            "tables",
        ]  # fmt: skip


class StandingSerializer(serializers.Serializer[Any]):
    rank = serializers.IntegerField(help_text="Ties that no tie-break parts share it")
    entry = EntrySerializer()
    points = serializers.FloatField(
        help_text="Swiss: sum over the rounds; round robin: mean a table"
    )
    played = serializers.IntegerField()
    byes = serializers.IntegerField()
    withdrawn = serializers.BooleanField()
    tie_breaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="Each tie-break's value, in the order of the rules; null where not applicable",
    )
