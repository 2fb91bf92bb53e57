"""Playing a claimed match: every rotation of its deal in the isolated sandbox, under a live lease.

Bots are bound to the thread that starts them, so the plays run in the calling thread and the lease
is renewed from another one, which has a database connection of its own.
"""

import logging
import mmap
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from bots.submissions import package_of
from engine import games
from engine.clock import TimeControl
from engine.referee import SeatProgram
from engine.referee import play as play_one
from engine.sandbox import CannotIsolate, MachineFailure, Sandbox, isolated, workspace
from tournaments import dispatch, duplicate, tracing
from tournaments.dispatch import Claim, MatchResult, Outcome
from tournaments.models import Worker

logger = logging.getLogger(__name__)
_LOOK_EVERY_S = 0.2
# A result is kept so long while the database or the storage does not take it.
KEEP_S = 300.0
_LONGEST_PAUSE_S = 5.0

DATABASE_AWAY = (OperationalError, InterfaceError)

# One byte that a worker shares with the processes it forks: it is set when they must stop.
_all_stop = mmap.mmap(-1, 1)
_this_stops = threading.Event()


def stop_playing() -> None:
    """Let every play of this process and of those it forked end, and hand its match back."""
    _all_stop[0] = 1


def _stopping() -> bool:
    return bool(_all_stop[0]) or _this_stops.is_set()


class _Abandoned(Exception):
    """The play is given up: the attempt is not ours any more, or this process must stop."""


def sandbox(name: str | None = None) -> Sandbox:
    """This process's sandbox, of the back end that its worker has registered, or the best one.

    CannotIsolate says what the machine lacks.
    """
    global _sandbox
    if _sandbox is None or name not in (None, _sandbox.name):
        close_sandbox()
        _sandbox = isolated(minimum=settings.MIN_TIER, name=name)
    return _sandbox


_sandbox: Sandbox | None = None


def close_sandbox() -> None:
    """Begin anew with the next play, in case it is the sandbox that is broken."""
    global _sandbox
    old, _sandbox = _sandbox, None
    if old is not None:
        old.close()


def play(*, match_id: int, attempt: int, worker: Worker) -> Outcome | None:
    """Claim an attempt, play it, and report. None when there was nothing to play or report."""
    claim = _claim(match_id, attempt, worker)
    if claim is None:
        return None
    with (
        tracing.about(match=match_id, attempt=attempt, worker=worker.name),
        _terminable(),
    ):
        return _play(claim, worker.tier)


def _claim(match_id: int, attempt: int, worker: Worker) -> Claim | None:
    """Claim, and wait meanwhile for a database that is away.

    A worker that gave up would use up one message after the other for nothing.
    """
    for pause_s in _pauses():
        try:
            return dispatch.claim(match_id=match_id, attempt=attempt, worker=worker)
        except DATABASE_AWAY as error:
            if _stopping():
                raise
            logger.warning("Could not claim match %d: %s", match_id, error)
            close_old_connections()
            _wait(pause_s)
    raise AssertionError


def _pauses() -> Iterator[float]:
    """Seconds to wait before each next try, without end; not the same for all workers."""
    pause_s = 0.25
    while True:
        yield pause_s * random.uniform(0.75, 1.25)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


def _wait(pause_s: float) -> None:
    """Wait, but not longer than this process is wanted."""
    until = time.monotonic() + pause_s
    while not _stopping() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK_EVERY_S))


def _play(claim: Claim, back_end: str) -> Outcome | None:
    lease = _Lease(claim)
    lease.start()
    outcome: Outcome | None = None
    failure = ""
    try:
        outcome = _report(claim, _all_plays(claim, lease, back_end), lease)
    except _Abandoned:
        pass
    except (MachineFailure, CannotIsolate) as error:
        failure = str(error)
        close_sandbox()
    except dispatch.NotStored as error:
        failure = f"the plays could not be stored: {error}"
    except Exception as error:
        # A mistake of ours: it must not become a bot's loss either.
        logger.exception("Attempt %d at match %d failed", claim.number, claim.match.pk)
        failure = f"{type(error).__name__} in the worker"
    finally:
        lease.stop()
    if outcome is None and not lease.gone:
        _give_up(claim, failure)
    return outcome


def _give_up(claim: Claim, failure: str) -> None:
    """Say that the attempt ends without a result; what cannot be said the reaper finds out."""
    try:
        if failure:
            dispatch.fail(**_ids(claim), reason=failure)
        else:
            dispatch.hand_back(**_ids(claim))
    except DATABASE_AWAY as error:
        logger.warning("Could not give match %d back: %s", claim.match.pk, error)
        close_old_connections()


def _ids(claim: Claim) -> dict[str, Any]:
    return {"match_id": claim.match.pk, "attempt": claim.number, "token": claim.token}


def _all_plays(claim: Claim, lease: "_Lease", back_end: str) -> MatchResult:
    match = claim.match
    with workspace() as folder:
        programs = _unpack(claim, folder)
        plays = []
        for rotation in range(match.rotations):
            lease.begin(rotation)
            plays.append(
                play_one(
                    games.get(match.game, match.edition),
                    players=match.players,
                    options=match.options,
                    seed=match.seed,
                    rotation=rotation,
                    seats=[programs[i] for i in duplicate.seats(match.players, rotation)],
                    time=TimeControl.from_dict(match.time_control),
                    sandbox=sandbox(back_end),
                    progress=lease.progress,
                )
            )
    return MatchResult([submission.sha256 for submission in claim.submissions], plays)


def _unpack(claim: Claim, folder: Path) -> list[SeatProgram]:
    """Every contestant's program; copies share one folder, which no bot can write to."""
    programs: dict[int, SeatProgram] = {}
    for submission in claim.submissions:
        if submission.pk not in programs:
            package = package_of(submission)
            program = package.unpack(folder / str(submission.pk))
            programs[submission.pk] = SeatProgram(program, package.sha256)
    return [programs[submission.pk] for submission in claim.submissions]


def _report(claim: Claim, result: MatchResult, lease: "_Lease") -> Outcome | None:
    """Report the result; None when the attempt is not ours any more.

    While the database or the storage is away the result is kept, under a live lease, and reported
    again. Whether an earlier report came through does not matter: the same result counts once.
    Raises what the last try raised.
    """
    until = time.monotonic() + KEEP_S
    for tried, pause_s in enumerate(_pauses(), start=1):
        lease.reporting(tried)
        try:
            return dispatch.finish(**_ids(claim), result=result)
        except (*DATABASE_AWAY, dispatch.NotStored) as error:
            logger.warning("Could not report match %d: %s", claim.match.pk, error)
            close_old_connections()
            if time.monotonic() > until or (_stopping() and tried > 1):
                raise
        _wait(pause_s)
        if lease.gone:
            return None
    raise AssertionError


class _Lease(threading.Thread):
    """Renews the lease of an attempt and hands it back when the worker stops."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(name=f"lease-{claim.match.pk}", daemon=True)
        self.gone = False
        """The attempt is not ours any more."""
        self._claim = claim
        self._at = (0, 0)
        self._played = False
        self._done = threading.Event()
        self._about = tracing.current()  # a thread begins without

    def begin(self, rotation: int) -> None:
        """A play begins."""
        self._at = (rotation, 0)
        self.progress(0)

    def progress(self, applied: int) -> None:
        """So many actions have been applied; gives the play up when it must not go on."""
        self._at = (self._at[0], applied)
        if self.gone or _stopping():
            raise _Abandoned

    def reporting(self, tried: int) -> None:
        """All is played; the result is being reported for the time given, which is progress."""
        self._played = True
        self._at = (self._claim.match.rotations, tried)

    def stop(self) -> None:
        """End the renewing."""
        self._done.set()
        self.join()

    def run(self) -> None:
        with tracing.about(**self._about):
            self._renew()

    def _renew(self) -> None:
        renew_at = time.monotonic() + settings.RENEW_S
        try:
            while not self.gone and not self._done.wait(_LOOK_EVERY_S):
                try:
                    if _stopping() and not self._played:
                        # The bot that thinks just now may think for long: others can begin.
                        dispatch.hand_back(**_ids(self._claim))
                        self.gone = True
                    elif time.monotonic() >= renew_at:
                        renew_at = time.monotonic() + settings.RENEW_S
                        rotation, applied = self._at
                        self.gone = not dispatch.renew(
                            **_ids(self._claim), play=rotation, decision=applied
                        )
                except DATABASE_AWAY as error:
                    logger.warning("Could not renew a lease: %s", error)
                    close_old_connections()
        finally:
            connections.close_all()


@contextmanager
def _terminable() -> Iterator[None]:
    """On SIGTERM the match is handed back before the process ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        _this_stops.set()

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if _this_stops.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
