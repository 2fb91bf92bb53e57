"""Seasons: divisions by level, match days, and who goes up and down."""

from django.db import models

from bots.models import Bot, Submission, User
from bots.models.player import handle_rule
from tournaments.models.bracket import Bracket


class Season(models.Model):
    """A league of one game over some weeks; the next season starts from its divisions."""

    class State(models.TextChoices):
        ENTRY = "entry", "entries are open"
        RUNNING = "running", "match days are played"
        PLAYOFF = "playoff", "play-offs at the borders of divisions"
        FINISHED = "finished"

    slug = models.CharField(max_length=50, unique=True, validators=[handle_rule])
    title = models.CharField(max_length=100)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    time_control = models.JSONField()
    rated = models.BooleanField(default=True)
    number = models.PositiveSmallIntegerField(default=1, help_text="1, 2, … of its league")
    previous = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="next"
    )
    rules = models.JSONField(
        help_text="See `tournaments.seasons.check_rules`; fixed once the season has started"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.ENTRY)
    organiser = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="seasons"
    )
    starts_at = models.DateTimeField(
        null=True, blank=True, help_text="Starts by itself then; null: when the organiser says so"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.slug


class MatchDay(models.Model):
    """One day of the calendar: each division draws its tables of the day when it starts."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="match_days")
    number = models.PositiveSmallIntegerField()
    starts_at = models.DateTimeField()
    deadline = models.DateTimeField(
        null=True, blank=True, help_text="Its rounds close then at the latest"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="match_day_unique")
        ]
        ordering = ["season", "number"]

    def __str__(self) -> str:
        return f"{self.season} match day {self.number}"


class Division(models.Model):
    """Entrants of about the same strength who play each other; level 1 is the highest."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="divisions")
    level = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    bracket = models.OneToOneField(
        Bracket, null=True, blank=True, on_delete=models.PROTECT, related_name="division"
    )
    playoff = models.OneToOneField(
        Bracket,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="playoff_of",
        help_text="Between the border places of this division and the next lower one",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["season", "level"], name="division_level_unique")
        ]
        ordering = ["season", "level"]

    def __str__(self) -> str:
        return f"{self.season} {self.name}"


class SeasonEntry(models.Model):
    """A bot in a season. It pins a submission, or takes the active one at each round's start."""

    class Outcome(models.TextChoices):
        CHAMPION = "champion"
        PROMOTED = "promoted"
        STAYS = "stays"
        RELEGATED = "relegated"
        WITHDRAWN = "withdrawn", "withdrawn or disqualified: it has no place in the next season"

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="season_entries")
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    level = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The division it has earned in the season before"
    )
    division = models.ForeignKey(
        Division, null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    rating_mu = models.FloatField(
        null=True, blank=True, help_text="Its ladder rating when the divisions were made"
    )
    rating_sigma = models.FloatField(null=True, blank=True)
    first_day = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="A late entrant's first match day"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)
    disqualified = models.BooleanField(default=False, db_default=False)
    dropped = models.BooleanField(
        default=False, db_default=False, help_text="All its results count for nobody"
    )
    place = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="In its division, when the season is finished"
    )
    points = models.FloatField(
        null=True, blank=True, help_text="Season points a table, when the season is finished"
    )
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "season entries"
        constraints = [
            models.UniqueConstraint(fields=["season", "bot"], name="season_entry_unique")
        ]
        ordering = ["season", "id"]

    def __str__(self) -> str:
        return f"{self.bot} in {self.season}"
