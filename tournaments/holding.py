"""Matches that a process has claimed: their leases are renewed while it plays them in turn."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from tournaments import dispatch, tracing
from tournaments.dispatch import Claim

logger = logging.getLogger(__name__)
DATABASE_AWAY = (OperationalError, InterfaceError)
LOOK_EVERY_S = 0.2
# Between decisions the playing thread renews; if it does not come to that, another one does, which
# needs a database session of its own.
_GRACE_S = 1.0


class Abandoned(Exception):
    """The play is given up: the attempt is not ours any more, or this process must stop."""


class Held:
    """One claimed match: how far it is, and whether it is still ours."""

    def __init__(self, claim: Claim, holding: "Holding") -> None:
        self.claim = claim
        self.gone = False
        """The attempt is not ours any more: it has been reported, given back or taken away."""
        self.at = (0, 0)
        self.played = False
        self._holding = holding
        self._reporting = False

    @property
    def ids(self) -> dict[str, Any]:
        """What says to the dispatcher which attempt this is."""
        claim = self.claim
        return {"match_id": claim.match.pk, "attempt": claim.number, "token": claim.token}

    def about(self) -> dict[str, int]:
        """What log lines say of it."""
        return {"match": self.claim.match.pk, "attempt": self.claim.number}

    def begin(self, rotation: int) -> None:
        """A play begins."""
        self.at = (rotation, 0)
        self.progress(0)

    def progress(self, applied: int) -> None:
        """So many actions have been applied; gives the play up when it must not go on."""
        self.at = (self.at[0], applied)
        self._holding.renew_if_due(0.0)
        if self.gone or self._holding.stopping():
            raise Abandoned

    def all_played(self) -> None:
        """Its result is here, and waits for those that are reported with it."""
        self.played = True
        self.at = (self.claim.match.rotations, 0)

    def reporting(self, tried: int) -> None:
        """The result is being reported for the time given, which is progress."""
        self._reporting = True
        self.at = (self.claim.match.rotations, tried)

    def renew(self) -> None:
        """Extend the lease, or find out that there is none any more."""
        if self.gone:
            return
        if self.played and not self._reporting:
            self.at = (self.at[0], self.at[1] + 1)  # it waits for others, and is not stuck
        play, decision = self.at
        self.gone = not dispatch.renew(**self.ids, play=play, decision=decision)

    def hand_back(self) -> None:
        """Give the match to another worker."""
        dispatch.hand_back(**self.ids)
        self.gone = True


class Holding(threading.Thread):
    """Holds the leases of matches; a context manager.

    When `stopping` says so, it hands back at once what is not played: a bot that thinks just now
    may think for long, and others can begin.
    """

    def __init__(self, claims: Sequence[Claim], stopping: Callable[[], bool]) -> None:
        super().__init__(name=f"lease-{claims[0].match.pk}", daemon=True)
        self.all = [Held(claim, self) for claim in claims]
        self.stopping = stopping
        self._renew_at = time.monotonic() + settings.RENEW_S
        self._renewing = threading.Lock()
        self._done = threading.Event()
        self._about = tracing.current()  # a thread begins without

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self.join()

    def renew_if_due(self, late_s: float) -> None:
        """Renew all leases if that has been due for so long and nobody is at it."""
        if time.monotonic() < self._renew_at + late_s or not self._renewing.acquire(blocking=False):
            return
        try:
            self._renew_at = time.monotonic() + settings.RENEW_S
            for held in self.all:
                with tracing.about(**held.about()):
                    held.renew()
        except DATABASE_AWAY as error:
            logger.warning("Could not renew a lease: %s", error)
            close_old_connections()
        finally:
            self._renewing.release()

    def run(self) -> None:
        with tracing.about(**self._about):
            try:
                while not self._done.wait(LOOK_EVERY_S):
                    if self.stopping():
                        self._hand_back()
                    self.renew_if_due(min(_GRACE_S, settings.RENEW_S / 2))
            finally:
                connections.close_all()

    def _hand_back(self) -> None:
        try:
            for held in self.all:
                if not (held.gone or held.played):
                    held.hand_back()
        except DATABASE_AWAY as error:
            logger.warning("Could not hand a match back: %s", error)
            close_old_connections()
