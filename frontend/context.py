"""What every page's frame shows."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from bots.models import Notice


def site(request: HttpRequest) -> dict[str, object]:
    """The number of unread notices, counted only where a page shows it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "unread_notices": SimpleLazyObject(
            lambda: Notice.objects.filter(user=user.pk, read_at=None).count()
        )
    }
