"""Counts that are kept, so that nobody has to count a million rows to know them."""

from django.db import models


class Tally(models.Model):
    """One count (it only grows) or figure of the moment, by its name and labels."""

    name = models.CharField(max_length=40)
    labels = models.JSONField(default=dict)
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="tally_unique")]
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.name}{self.labels}: {self.value}"


class Tallied(models.Model):
    """How far the counts go; one row. What ended before `until` is counted, the rest is not."""

    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"counted until {self.until}"
