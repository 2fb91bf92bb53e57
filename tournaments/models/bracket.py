"""Brackets: stages, entries, rounds and tables."""

from django.db import models

from bots.models import Bot, Submission, User
from bots.models.player import handle_rule


class Bracket(models.Model):
    """A tournament of one game."""

    class State(models.TextChoices):
        DRAFT = "draft", "entries may change"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"

    slug = models.CharField(max_length=60, unique=True, validators=[handle_rule])
    title = models.CharField(max_length=120)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    time_control = models.JSONField()
    rated = models.BooleanField(default=True)
    follow_active = models.BooleanField(
        default=False, help_text="Entries follow the bot's active version instead of a fixed one"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    pause_reason = models.TextField(blank=True)
    organiser = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="brackets"
    )
    season = models.ForeignKey(
        "Season",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="brackets",
        help_text="The season of whose divisions or play-offs it is one",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.slug


class Stage(models.Model):
    """One format with its rules as data; stages run one after the other.

    Rules: see `tournaments.brackets.check_rules`.
    """

    class Format(models.TextChoices):
        ROUND_ROBIN = "round-robin"
        SWISS = "swiss"
        SINGLE_ELIMINATION = "single-elimination"
        DOUBLE_ELIMINATION = "double-elimination"
        GROUPS = "groups"

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField(default=1)
    format = models.CharField(max_length=20, choices=Format.choices)
    rules = models.JSONField(help_text="Fixed once the bracket has started")
    draw_seed = models.CharField(
        max_length=64,
        default="",
        db_default="",
        blank=True,
        help_text="What its own lots are drawn from",
    )
    field = models.JSONField(
        default=list,
        db_default=[],
        help_text="Who plays it: entries by seed, the strongest first; empty until it starts",
    )
    groups = models.JSONField(
        default=list, db_default=[], help_text="Of a stage of groups: the entries of each"
    )
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bracket", "number"], name="stage_unique")]
        ordering = ["bracket", "number"]

    def __str__(self) -> str:
        return f"{self.bracket} stage {self.number}"


class Entry(models.Model):
    """A bot in a bracket. It pins a submission, or follows the active one (submission null)."""

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    seeding = models.PositiveIntegerField(null=True, blank=True, help_text="1 is the strongest")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)
    disqualified = models.BooleanField(
        default=False, db_default=False, help_text="Withdrawn by the organiser, at once"
    )
    dropped = models.BooleanField(
        default=False, db_default=False, help_text="All its results count for nobody"
    )
    first_round = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="A late entrant's first round"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["bracket", "bot"], name="entry_unique")]
        ordering = ["bracket", "id"]

    def __str__(self) -> str:
        return f"{self.bot} in {self.bracket}"


class Round(models.Model):
    """Tables drawn together, in one transaction, from a recorded seed."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    draw_seed = models.CharField(max_length=64)
    drawn_from = models.JSONField(
        default=dict,
        db_default={},
        help_text="What the drawing was made from, beside its seed, the rules and earlier tables",
    )
    reasons = models.JSONField(default=list, help_text="What the drawing had to give up, and why")
    match_day = models.ForeignKey(
        "MatchDay", null=True, blank=True, on_delete=models.PROTECT, related_name="rounds"
    )
    drawn_at = models.DateTimeField()
    deadline = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stage", "number"], name="round_unique")]
        ordering = ["stage", "number"]

    def __str__(self) -> str:
        return f"{self.stage} round {self.number}"


class Table(models.Model):
    """Who sits together in a round. One match for each deal; a table of one entry is a bye."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="tables")
    number = models.PositiveIntegerField()
    name = models.CharField(
        max_length=20,
        default="",
        db_default="",
        blank=True,
        help_text="Its place in a knock-out's plan",
    )
    group = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="1, 2, … in a stage of groups"
    )
    go_on = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many of a knock-out table go on"
    )
    deals = models.PositiveSmallIntegerField(
        default=1, help_text="Matches; with a sequential test at most"
    )
    first_deal = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="Earlier ones do not count: the table is played again"
    )
    bye = models.BooleanField(default=False)
    closed_at = models.DateTimeField(null=True, blank=True)
    left_out = models.BooleanField(default=False, help_text="Counts for nobody")
    note = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "number"], name="table_unique")]
        ordering = ["round", "number"]

    def __str__(self) -> str:
        return f"{self.round} table {self.number}"


class TableSeat(models.Model):
    """An entry at a table, with its result once the table is closed."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField(help_text="Seat in the first play, from 0")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="seats")
    submission = models.ForeignKey(
        Submission,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="What played here",
    )
    points = models.FloatField(
        null=True, blank=True, help_text="Mean place points: 1 for first … 0 for last"
    )
    margin = models.FloatField(null=True, blank=True, help_text="Mean margin a play")
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="table_seat_unique"),
            models.UniqueConstraint(fields=["table", "entry"], name="table_entry_unique"),
        ]
        ordering = ["table", "number"]

    def __str__(self) -> str:
        return f"{self.entry} at {self.table}"
