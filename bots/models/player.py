"""Players own bots: a person, a team, or the house."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower

from bots.models.user import User

handle_rule = RegexValidator(
    r"^[a-z0-9](-?[a-z0-9])*\Z",
    "Use lower-case letters, digits and single hyphens between them, such as 'sea-wolf-2'.",
)


def printable(text: str) -> None:
    """Refuse control, direction and other characters that do not print: they could mislead."""
    if not text.isprintable():
        raise ValidationError("Use characters that can be printed, in one line.")


class Player(models.Model):
    """Who owns bots, quotas and organising rights. The handle stands in URLs and never changes."""

    handle = models.CharField(max_length=40, validators=[handle_rule])
    name = models.CharField("display name", max_length=80, validators=[printable])
    house = models.BooleanField(
        default=False, help_text="The house's bots fill tables and never count as an opponent's own"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    members = models.ManyToManyField(User, through="Membership", related_name="players")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("handle"),
                name="player_handle_unique",
                violation_error_message="This handle is taken.",
            )
        ]
        indexes = [models.Index(fields=["handle"], name="player_handle")]
        ordering = ["handle"]

    def __str__(self) -> str:
        return self.handle


class Membership(models.Model):
    """A user's part in a player: owners also change the members."""

    class Role(models.TextChoices):
        OWNER = "owner"
        MEMBER = "member"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.OWNER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "player"], name="membership_unique")]

    def __str__(self) -> str:
        return f"{self.user} in {self.player} ({self.role})"
