"""How often something may be tried, such as guessing a password.

Counts lie in the cache. Without its server everybody is let through: a limit protects the service
and must not be what stops it.
"""

import hashlib
import logging

from django.core.cache import cache
from redis.exceptions import RedisError

from bots.faults import UserFault

logger = logging.getLogger(__name__)


class TooOften(UserFault):
    """Tried too often; the message says when to come back."""

    status = 429


def take(what: str, who: str, *, times: int, seconds: int) -> None:
    """Count one more try; TooOften when there were `times` of them within `seconds`."""
    key = f"limit:{what}:{hashlib.sha256(who.casefold().encode()).hexdigest()}"
    try:
        cache.add(key, 0, timeout=seconds)
        tried = cache.incr(key)
    except ValueError:  # it ran out between the two
        return
    except RedisError as error:
        logger.warning("No limit on %s: the cache does not answer (%s)", what, error)
        return
    if tried > times:
        raise TooOften(f"Too many tries. Wait {seconds // 60 or 1} minutes, then try again.")
