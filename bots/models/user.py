"""People who log in."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower

TAKEN = "This e-mail address has an account already."


class UserManager(BaseUserManager["User"]):
    """Makes users by e-mail address; there is no user name beside it."""

    def _create(self, email: str, password: str | None, **fields: Any) -> "User":
        if not email:
            raise ValueError("A user needs an e-mail address")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self._create(email, password, **fields)

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self._create(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractUser):
    """Somebody who logs in, by e-mail address (unique without case)."""

    username = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address", unique=True, error_messages={"unique": TAKEN})

    notices_by_mail = models.BooleanField(
        default=False, db_default=False, help_text="Send new notices by e-mail too"
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()  # type: ignore[misc,assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="user_email_unique",
                violation_error_message=TAKEN,
            )
        ]

    def __str__(self) -> str:
        return self.email
