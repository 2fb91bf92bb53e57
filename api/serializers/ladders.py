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
    """mu ± 2 sigma is the interval shown; the table is ordered by ordinal = mu − 3 sigma."""

    rank = serializers.SerializerMethodField(help_text="Place by ordinal; 1 is best")
    rank_best = serializers.SerializerMethodField(help_text="Best place that the intervals allow")
    rank_worst = serializers.SerializerMethodField(help_text="Worst place they allow")
    submission = SubmissionRefSerializer()
    low = serializers.SerializerMethodField(help_text="mu − 2 sigma")
    high = serializers.SerializerMethodField(help_text="mu + 2 sigma")

    class Meta:
        model = Rating
        fields = [
            "rank", "rank_best", "rank_worst", "submission", "mu", "sigma", "ordinal", "low",
            "high", "matches",
        ]  # fmt: skip

    def _place(self, rating: Rating) -> ladders.Place | None:
        # None for a rating that came onto the table after the places were counted.
        place: ladders.Place | None = self.context["places"].get(rating.pk)
        return place

    def get_rank(self, rating: Rating) -> int | None:
        place = self._place(rating)
        return place.place if place else None

    def get_rank_best(self, rating: Rating) -> int | None:
        place = self._place(rating)
        return place.best if place else None

    def get_rank_worst(self, rating: Rating) -> int | None:
        place = self._place(rating)
        return place.worst if place else None

    def get_low(self, rating: Rating) -> float:
        return rating.mu - 2 * rating.sigma

    def get_high(self, rating: Rating) -> float:
        return rating.mu + 2 * rating.sigma


class RatingChangeSerializer(serializers.ModelSerializer[RatingChange]):
    ladder = serializers.CharField(source="ladder.slug")
    submission = serializers.PrimaryKeyRelatedField[Submission](read_only=True)

    class Meta:
        model = RatingChange
        fields = [
            "ladder", "generation", "seq", "kind", "submission", "match", "place",
            "mu_before", "sigma_before", "mu", "sigma", "created_at",
        ]  # fmt: skip
