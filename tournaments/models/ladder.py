"""Ladders, ratings, and the ledger that the ratings are a fold of."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, GeneratedField

from bots.models import Submission


class Ladder(models.Model):
    """The public rating list of one game in one edition, with fixed options and time control."""

    slug = models.SlugField(max_length=60, unique=True)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    time_control = models.JSONField(help_text="start_ms, move_ms, bank_ms")
    rotations = models.PositiveSmallIntegerField(
        default=0, help_text="Plays of each deal; 0 means one for each seat"
    )
    open = models.BooleanField(default=True, help_text="Matches are made for it")
    generation = models.PositiveIntegerField(default=1, help_text="The generation that is shown")
    seq = models.PositiveBigIntegerField(default=0, help_text="Last seq given out in the ledger")
    version = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="Grows with every change of the table"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game"], condition=models.Q(open=True), name="ladder_open_once_a_game"
            )
        ]
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Generation(models.Model):
    """A fold of a ladder's history that may differ from the live one by what it leaves out.

    Generation 1 is the live one of a new ladder and has no row here.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="generations")
    number = models.PositiveIntegerField()
    without = ArrayField(
        models.BigIntegerField(), default=list, help_text="Submissions that it leaves out"
    )
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ladder", "number"], name="generation_unique")
        ]
        ordering = ["ladder", "number"]

    def __str__(self) -> str:
        return f"{self.ladder} generation {self.number}"


class Rating(models.Model):
    """mu, sigma and matches of one submission on one ladder, in one generation."""

    ladder = models.ForeignKey(
        Ladder, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    generation = models.PositiveIntegerField(default=1)
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    ordinal = GeneratedField(
        expression=F("mu") - 3 * F("sigma"), output_field=models.FloatField(), db_persist=True
    )
    matches = models.PositiveIntegerField(default=0)
    played_at = models.DateTimeField(
        null=True, blank=True, help_text="When its last rated match here ended"
    )
    listed = models.BooleanField(
        default=True, help_text="On the table: the active version of its bot"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["ladder", "generation", "submission"], name="rating_unique"
            )
        ]
        indexes = [
            # All that a page of the table shows, so that it is read from the index alone.
            models.Index(
                fields=["ladder", "generation", "-ordinal", "id"],
                name="rating_listed",
                include=["mu", "sigma", "matches", "submission"],
                condition=models.Q(listed=True),
            )
        ]

    @property
    def spread(self) -> float:
        """Half of the interval that is shown: mu ± 2 sigma."""
        return 2 * self.sigma

    def __str__(self) -> str:
        return f"{self.submission} on {self.ladder}: {self.mu:.2f} ± {2 * self.sigma:.2f}"


class RatingChange(models.Model):
    """One row of the append-only ledger. `seq` is given under the ladder's lock."""

    class Kind(models.TextChoices):
        ENTER = "enter", "a version enters with its starting values"
        MATCH = "match", "a rated match was finished"

    ladder = models.ForeignKey(
        Ladder, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    generation = models.PositiveIntegerField(default=1)
    seq = models.PositiveBigIntegerField(help_text="Shared by all rows of one match")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    match = models.ForeignKey(
        "Match",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="changes",
        db_index=False,
    )
    parent = models.ForeignKey(
        Submission,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="From whose rating, then its mu_before and sigma_before, an entering one starts",
    )
    place = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="In the match; 1 is best"
    )
    mu_before = models.FloatField(null=True, blank=True)
    sigma_before = models.FloatField(null=True, blank=True)
    mu = models.FloatField(help_text="After")
    sigma = models.FloatField(help_text="After")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["ladder", "generation", "seq", "submission"], name="change_unique"
            ),
            models.UniqueConstraint(
                fields=["match", "ladder", "generation", "submission"],
                condition=models.Q(match__isnull=False),
                name="change_once_a_match",
            ),
        ]
        indexes = [
            models.Index(fields=["submission", "-id"], name="change_latest"),
            models.Index(fields=["ladder", "-id"], name="change_of_ladder"),
            models.Index(
                fields=["parent"],
                name="change_of_parent",
                condition=models.Q(parent__isnull=False),
            ),
        ]
        ordering = ["ladder", "generation", "seq", "submission"]

    def __str__(self) -> str:
        return f"{self.ladder} #{self.seq} {self.submission}"
