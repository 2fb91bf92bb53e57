"""The log of acts: who did what to what, and why."""

from django.db import models

from bots.models.user import User


class Act(models.Model):
    """One act of an organiser or of the service itself (user null). Never edited or deleted."""

    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    verb = models.CharField(max_length=40)
    target = models.CharField(max_length=120, help_text="Kind and id, such as 'match 17'")
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.verb} {self.target}"
