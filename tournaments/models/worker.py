"""Machines that play matches."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Worker(models.Model):
    """One worker process group, by its Celery host name."""

    name = models.CharField(max_length=120, unique=True)
    version = models.CharField(max_length=40)
    python = models.CharField(max_length=20, help_text="Python that its bots run on; '' if none")
    languages = ArrayField(models.CharField(max_length=20), default=list)
    slots = models.PositiveSmallIntegerField(default=1, help_text="Matches it plays at once")
    tier = models.CharField(max_length=20, help_text="How it isolates bots; 'none' takes no work")
    problem = models.TextField(blank=True, help_text="Why it takes no work")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    paused = models.BooleanField(default=False, help_text="Takes no new work")
    pause_reason = models.TextField(blank=True)
    draining = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Ends what it plays and takes no more, until it is started anew",
    )
    clock_offset_s = models.FloatField(
        null=True, blank=True, help_text="Its clock minus the database's, seconds, when last seen"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
