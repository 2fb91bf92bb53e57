"""Brackets as the API shows them."""

from typing import Any

from rest_framework import serializers

from api.serializers.bots import SubmissionRefSerializer
from tournaments.models import Bracket, Entry, Round, Stage, Table, TableSeat

RULES_HELP = (
    "The rules of its format; see the documentation on organising. What is left out takes its "
    "default; the bracket shows all of them"
)


class StageSerializer(serializers.ModelSerializer[Stage]):
    field = serializers.ListField(
        child=serializers.IntegerField(), help_text="Entries by seed, the strongest first"
    )
    groups = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))

    class Meta:
        model = Stage
        fields = [
            "number", "format", "rules", "draw_seed", "field", "groups", "started_at", "ended_at"
        ]  # fmt: skip


class BracketSerializer(serializers.ModelSerializer[Bracket]):
    stages = StageSerializer(many=True)
    season = serializers.CharField(source="season.slug", allow_null=True, default=None)

    class Meta:
        model = Bracket
        fields = [
            "slug", "title", "game", "edition", "options", "time_control", "rated",
            "follow_active", "state", "pause_reason", "season", "created_at", "started_at",
            "ended_at", "stages",
        ]  # fmt: skip


class NewStageSerializer(serializers.Serializer[Stage]):
    format = serializers.ChoiceField(choices=Stage.Format.choices)
    rules = serializers.DictField(required=False, default=dict, help_text=RULES_HELP)


class NewBracketSerializer(serializers.Serializer[Bracket]):
    slug = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    stages = NewStageSerializer(
        many=True, required=False, help_text="Played one after the other; or give one as format"
    )
    format = serializers.ChoiceField(
        choices=Stage.Format.choices, required=False, help_text="Of a bracket with one stage"
    )
    rules = serializers.DictField(required=False, help_text=RULES_HELP)
    options = serializers.DictField(required=False, default=dict)
    time_control = serializers.DictField(
        required=False, default=dict, help_text="start_ms, move_ms, bank_ms"
    )
    rated = serializers.BooleanField(default=True)
    follow_active = serializers.BooleanField(default=False)


class EntrantSerializer(serializers.Serializer[Any]):
    """Which bot an entry is of, and in which version."""

    bot = serializers.CharField(source="bot.name")
    bot_id = serializers.IntegerField()
    player = serializers.CharField(source="bot.player.handle")
    version = serializers.IntegerField(
        source="submission.number", allow_null=True, default=None,
        help_text="The pinned version; null when the entry follows the active one",
    )  # fmt: skip


class EntrySerializer(EntrantSerializer, serializers.ModelSerializer[Entry]):
    class Meta:
        model = Entry
        fields = [
            "id", "player", "bot", "bot_id", "version", "seeding", "withdrawn_at",
            "withdrawn_reason", "disqualified", "dropped", "first_round",
        ]  # fmt: skip


class NewEntrySerializer(serializers.Serializer[Entry]):
    bot = serializers.IntegerField(help_text="The bot's id")
    seeding = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=100_000
    )


class ManyEntriesSerializer(serializers.Serializer[Entry]):
    entries = serializers.JSONField(
        required=False,
        help_text='A list of "player/bot", of bots\' ids, or of objects with bot (and player) and '
        "seeding",
    )
    file = serializers.FileField(
        required=False, help_text="The same as a .csv, .json (also a bracket's export) or .trf file"
    )


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(help_text="It is logged, and everybody sees it")


class ExtendSerializer(ReasonSerializer):
    deadline = serializers.DateTimeField(help_text="With its zone, as 2027-01-31T18:00:00Z")


class ReseedSerializer(ReasonSerializer):
    order = serializers.ListField(
        child=serializers.IntegerField(), help_text="All entries' ids, the strongest first"
    )


class RulesSerializer(ReasonSerializer):
    stage = serializers.IntegerField(min_value=1, default=1)
    rules = serializers.DictField(help_text="Only those that change")


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
        fields = [
            "number", "name", "group", "go_on", "deals", "bye", "left_out", "note", "closed_at",
            "seats", "matches",
        ]  # fmt: skip

    def get_matches(self, table: Table) -> list[int]:
        return sorted(match.pk for match in table.matches.all())


class RoundSerializer(serializers.ModelSerializer[Round]):
    stage = serializers.IntegerField(source="stage.number")
    tables = TableSerializer(many=True)

    class Meta:
        model = Round
        fields = [
            "stage", "number", "draw_seed", "drawn_from", "reasons", "drawn_at", "deadline",
            "closed_at", "tables",
        ]  # fmt: skip


class StandingSerializer(serializers.Serializer[Any]):
    rank = serializers.IntegerField(help_text="Ties that no tie-break parts share it")
    group = serializers.IntegerField(help_text="Of a stage of groups; otherwise 0")
    entry = EntrySerializer()
    points = serializers.FloatField(
        help_text="Swiss: sum over the rounds; round robin: mean a table; knock-out: tables from "
        "which it went on"
    )
    played = serializers.IntegerField()
    byes = serializers.IntegerField()
    withdrawn = serializers.BooleanField()
    tie_breaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="Each tie-break's value, in the order of the rules; null where not applicable",
    )


class ForecastSerializer(serializers.Serializer[Any]):
    matches = serializers.IntegerField(help_text="At most")
    plays = serializers.IntegerField(help_text="At most")
    cpu_s = serializers.FloatField(
        allow_null=True, help_text="CPU seconds of the bots; null where nothing is known"
    )
    wall_s = serializers.FloatField(
        allow_null=True, help_text="Seconds on the workers that live; null where nothing is known"
    )
    workers = serializers.IntegerField()
    slots = serializers.IntegerField(help_text="Matches that they play at once")
    basis = serializers.CharField(help_text="What the numbers rest on")
