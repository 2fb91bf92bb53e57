"""Games, ladders and ratings as the API shows them."""

from rest_framework import serializers

from api.serializers.bots import SubmissionRefSerializer
from bots.models import Submission
from tournaments import ladders
from tournaments.models import Ladder, Rating, RatingChange


class OptionSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    title = serializers.CharField()
    default = serializers.JSONField()
    values = serializers.ListField(child=serializers.JSONField(), allow_null=True)


class GameSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    title = serializers.CharField()
    edition = serializers.CharField()
    min_players = serializers.IntegerField()
    max_players = serializers.IntegerField()
    options = OptionSerializer(many=True)
    ladder = serializers.CharField(allow_null=True, help_text="Slug of its open ladder")


class GameDetailSerializer(GameSerializer):
    actions = serializers.ListField(
        child=serializers.CharField(), help_text="Every action, in the order of its index"
    )


class LadderSerializer(serializers.ModelSerializer[Ladder]):
    class Meta:
        model = Ladder
        fields = [
            "slug", "game", "edition", "options", "time_control", "rotations", "open",
            "generation", "created_at",
        ]  # fmt: skip


class WaitingSerializer(serializers.Serializer[ladders.Waiting]):
    """How long the ladder's bots wait for a match."""

    active = serializers.IntegerField(help_text="Bots on the table")
    seats_per_hour = serializers.IntegerField(help_text="Seats in matches started in the last hour")
    bound_s = serializers.FloatField(help_text="No active bot waits longer than this")
    longest_s = serializers.FloatField(help_text="What the bot that waits longest has waited")


class LadderDetailSerializer(LadderSerializer, WaitingSerializer):
    class Meta(LadderSerializer.Meta):
        fields = [*LadderSerializer.Meta.fields, "active", "seats_per_hour", "bound_s", "longest_s"]


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """mu ± 2 sigma is the interval shown; the table is ordered by ordinal = mu − 3 sigma.

    Only described here: `api/ladder_table.py` makes the rows.
    """

    rank = serializers.IntegerField(
        help_text="Place by ordinal; 1 is best. Among more than 2,000 bots ranks may be older than "
        "the rest, by at most a second for each 10,000 bots"
    )
    rank_best = serializers.IntegerField(help_text="Best place that the intervals allow")
    rank_worst = serializers.IntegerField(help_text="Worst place they allow")
    submission = SubmissionRefSerializer()
    low = serializers.FloatField(help_text="mu − 2 sigma")
    high = serializers.FloatField(help_text="mu + 2 sigma")

    class Meta:
        model = Rating
        fields = [
            "rank", "rank_best", "rank_worst", "submission", "mu", "sigma", "ordinal", "low",
            "high", "matches",
        ]  # fmt: skip


class RatingChangeSerializer(serializers.ModelSerializer[RatingChange]):
    ladder = serializers.CharField(source="ladder.slug")
    submission = serializers.PrimaryKeyRelatedField[Submission](read_only=True)

    class Meta:
        model = RatingChange
        fields = [
            "ladder", "generation", "seq", "kind", "submission", "match", "place",
            "mu_before", "sigma_before", "mu", "sigma", "created_at",
        ]  # fmt: skip
