"""Keys to the API. Only a hash is kept; the key itself is shown once."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from bots.models.user import User


class Token(models.Model):
    """A key with scopes, which never exceeds its user's rights."""

    class Scope(models.TextChoices):
        READ = "read", "own private things"
        SUBMIT = "submit", "bots, submissions, activation"
        PLAY = "play", "test matches"
        ORGANISE = "organise", "brackets"
        ADMIN = "admin", "everything its user may do"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(
        max_length=12, help_text="First characters of the key, to tell keys apart"
    )
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"
