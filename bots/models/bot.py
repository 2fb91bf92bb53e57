"""Bots and their uploaded versions."""

from django.db import models
from django.db.models.functions import Lower

from bots.models.player import Player, handle_rule
from bots.models.user import User


class Bot(models.Model):
    """A named contender in one game. One of its submissions, if any, is active and plays."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="bots")
    game = models.CharField(max_length=40)
    name = models.CharField(max_length=40, validators=[handle_rule])
    active = models.ForeignKey(
        "Submission", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    active_since = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "player",
                "game",
                Lower("name"),
                name="bot_name_unique",
                violation_error_message="This player has a bot of that name in this game already.",
            )
        ]
        indexes = [
            models.Index(
                fields=["game"], name="bot_active_game", condition=models.Q(active__isnull=False)
            )
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.player.handle}/{self.name}"


class Submission(models.Model):
    """An uploaded version of a bot (v1, v2, …); its package never changes."""

    class State(models.TextChoices):
        UPLOADED = "uploaded"
        CHECKING = "checking"
        QUALIFIED = "qualified"
        REJECTED = "rejected"
        SUSPENDED = "suspended"

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(help_text="1, 2, … within the bot")
    package = models.FileField(max_length=200)
    filename = models.CharField(
        max_length=200, help_text="As uploaded; shown, never used as a path"
    )
    size = models.PositiveIntegerField(help_text="Bytes of the package")
    sha256 = models.CharField(max_length=64)
    language = models.CharField(max_length=20)
    entry = models.CharField(max_length=200)
    version = models.CharField(max_length=80, blank=True, help_text="The author's own words")
    rewrite = models.BooleanField(
        default=False, help_text="A new approach: its rating starts less sure than an update's"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.UPLOADED)
    reason = models.TextField(blank=True, help_text="Why it is where it is, for its owner")
    log = models.TextField(blank=True, help_text="The check's log, for its owner")
    activate = models.BooleanField(
        default=False, help_text="Becomes the active version as soon as it qualifies"
    )
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    check_started_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="submission_number_unique")
        ]
        indexes = [
            models.Index(
                fields=["uploaded_at"],
                name="submission_unchecked",
                condition=models.Q(state__in=["uploaded", "checking"]),
            ),
            models.Index(
                fields=["id"],
                name="submission_rejected",
                condition=models.Q(state="rejected"),
            ),
            models.Index(
                fields=["id"],
                name="submission_suspended",
                condition=models.Q(state="suspended"),
            ),
        ]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"
