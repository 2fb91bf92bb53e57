"""Matches (duplicate sets), their plays, and the attempts to play them.

Every index is written again whenever a match begins or ends, so none is here that another one or
a constraint begins with: such keys have `db_index=False`.
"""

from django.db import models
from django.db.models.functions import Now

from bots.models import Submission
from tournaments.models.bracket import Table
from tournaments.models.ladder import Ladder
from tournaments.models.worker import Worker


class Match(models.Model):
    """n submissions with ONE deal, played once for each rotation of the seats."""

    class Kind(models.TextChoices):
        LADDER = "ladder"
        BRACKET = "bracket"
        QUALIFICATION = "qualification"
        TEST = "test"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=20)
    players = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    time_control = models.JSONField()
    rotations = models.PositiveSmallIntegerField(help_text="Plays of the deal")
    seed = models.CharField(max_length=64, help_text="Secret until the match is final or void")
    commitment = models.CharField(max_length=64, help_text="SHA-256 of the seed's 32 bytes")
    rated = models.BooleanField(default=False)
    ladder = models.ForeignKey(
        Ladder,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="matches",
        db_index=False,
    )
    table = models.ForeignKey(
        Table,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="matches",
        db_index=False,
    )
    deal = models.PositiveSmallIntegerField(default=1, help_text="1, 2, … within its table")
    checks = models.ForeignKey(
        Submission,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="qualification",
        db_index=False,
        help_text="The submission that this match qualifies",
    )
    languages = models.JSONField(default=list, help_text="What a worker must be able to run")
    priority = models.SmallIntegerField(default=0, help_text="Higher is played first")
    attempt = models.PositiveSmallIntegerField(default=1, help_text="Number of the current attempt")
    infrastructure_failures = models.PositiveSmallIntegerField(default=0)
    void_reason = models.TextField(blank=True)
    archive = models.FileField(
        max_length=200, blank=True, help_text="Its replays, and the log of each seat"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(
        null=True, blank=True, help_text="When the message for the current attempt was last sent"
    )

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rated=False) | models.Q(ladder__isnull=False),
                name="match_rated_has_ladder",
            )
        ]
        indexes = [
            models.Index(
                fields=["-priority", "id"],
                name="match_waiting",
                condition=models.Q(state="queued"),
            ),
            models.Index(fields=["ladder", "-id"], name="match_of_ladder"),
            models.Index(
                fields=["table"],
                name="match_of_table",
                condition=models.Q(table__isnull=False),
            ),
            models.Index(
                fields=["checks"],
                name="match_that_checks",
                condition=models.Q(checks__isnull=False),
            ),
            models.Index(fields=["ended_at"], name="match_ended"),
            models.Index(fields=["id"], name="match_void", condition=models.Q(state="void")),
            models.Index(
                fields=["ladder"],
                name="match_unfinished",
                condition=models.Q(state__in=["queued", "running"]),
            ),
            models.Index(
                fields=["kind", "-id"],
                name="match_of_kind",
                condition=models.Q(kind__in=["bracket", "qualification", "test"]),
            ),
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"match {self.pk}"

    @property
    def is_over(self) -> bool:
        """Final or void: from now on its seed and hidden information are public."""
        return self.state in (self.State.FINISHED, self.State.VOID)


class Contestant(models.Model):
    """One submission in a match. In rotation r contestant i sits at seat (i + r) mod n."""

    match = models.ForeignKey(
        Match, on_delete=models.CASCADE, related_name="contestants", db_index=False
    )
    number = models.PositiveSmallIntegerField(help_text="Its seat in the first play, from 0")
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="contests", db_index=False
    )
    place = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="1 is best; ties share"
    )
    place_points = models.FloatField(
        null=True, blank=True, help_text="Sum over the plays; 1 for first … 0 for last in each"
    )
    margin = models.FloatField(
        null=True, blank=True, help_text="Sum of own score minus the other seats' mean"
    )
    failures = models.PositiveSmallIntegerField(default=0, help_text="Plays in which it failed")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="contestant_number_unique"),
        ]
        indexes = [models.Index(fields=["submission", "-match"], name="contestant_latest")]
        ordering = ["match", "number"]

    def __str__(self) -> str:
        return f"{self.submission} in {self.match}"


class Play(models.Model):
    """One play-through of a match. Lists are by seat."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="plays", db_index=False)
    rotation = models.PositiveSmallIntegerField()
    seats = models.JSONField(help_text="Contestant's number by seat")
    scores = models.JSONField()
    places = models.JSONField()
    failures = models.JSONField(
        default=list, help_text="seat, decision, reason; the rest is in the owner's file"
    )
    cpu_ms = models.JSONField(help_text="CPU of each seat's bot")
    decisions = models.PositiveIntegerField()
    play_hash = models.CharField(max_length=64)
    replay_size = models.PositiveIntegerField(help_text="Bytes")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "rotation"], name="play_rotation_unique")
        ]
        ordering = ["match", "rotation"]

    def __str__(self) -> str:
        return f"play {self.rotation} of {self.match}"


class Attempt(models.Model):
    """One worker's try at a match: a lease with a fencing token."""

    class State(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished", "its result was accepted"
        FAILED = "failed", "the worker, the sandbox or the machine failed"
        LOST = "lost", "its lease ran out"
        RETURNED = "returned", "the worker handed it back"
        CANCELLED = "cancelled", "its match was voided or queued again"

    match = models.ForeignKey(
        Match, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    token = models.UUIDField()
    seed_key = models.CharField(
        max_length=64, blank=True, db_default="", help_text="SHA-256 of what opens the match's seed"
    )
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="attempts")
    tier = models.CharField(max_length=20, help_text="How the worker isolated bots")
    python = models.CharField(max_length=20, blank=True)
    lease_until = models.DateTimeField()
    play = models.PositiveSmallIntegerField(default=0, help_text="Progress: rotation")
    decision = models.PositiveIntegerField(default=0, help_text="Progress: actions applied in it")
    progress_at = models.DateTimeField(help_text="When the progress last grew")
    progress_limit_s = models.PositiveIntegerField(
        help_text="Seconds without a new decision that count as no progress"
    )
    result_sha256 = models.CharField(max_length=64, blank=True)
    outcome = models.TextField(blank=True, help_text="What went wrong, if anything did")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="attempt_number_unique"),
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                name="attempt_running",
                condition=models.Q(state="running"),
            ),
            # Few: an attempt that finishes does so with its match, whose row says when.
            models.Index(
                fields=["ended_at"],
                name="attempt_not_finished",
                condition=models.Q(state__in=["failed", "lost", "returned", "cancelled"]),
            ),
        ]
        ordering = ["match", "number"]

    def __str__(self) -> str:
        return f"attempt {self.number} at {self.match}"
