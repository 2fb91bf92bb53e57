"""What a user should know."""

from django.db import models

from bots.models.user import User


class Notice(models.Model):
    """One message to one user, such as "rejected", "suspended" or "round drawn"."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40)
    text = models.TextField()
    url = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mail_due = models.BooleanField(
        default=False, db_default=False, help_text="Still to be sent by e-mail"
    )

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="notice_mail_due", condition=models.Q(mail_due=True))
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
