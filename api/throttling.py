"""Limits on calls. They protect the service, so they must never be what stops it."""

import logging
from typing import TYPE_CHECKING

from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, UserRateThrottle

if TYPE_CHECKING:  # REST framework loads this module while it loads its views
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)


class OpenWhenBroken:
    """Without its counter's server a limit lets everybody through."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        try:
            return bool(super().allow_request(request, view))  # type: ignore[misc]
        except RedisError as error:
            logger.warning("No call limits: the cache does not answer (%s)", error)
            return True


class PerAddress(OpenWhenBroken, AnonRateThrottle):
    """For callers without a token."""


class PerUser(OpenWhenBroken, UserRateThrottle):
    """For callers with one."""
