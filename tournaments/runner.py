"""Playing claimed matches: every rotation of a deal in the isolated sandbox, under a live lease.

Bots are bound to the thread that starts them, so the plays run in the calling thread. Matches that
are over in a moment are claimed and reported several at a time.
"""

import logging
import mmap
import os
import random
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Self

from django.conf import settings
from django.db import close_old_connections

from bots.submissions import package_of
from engine import games
from engine.clock import TimeControl
from engine.referee import SeatProgram
from engine.referee import play as play_one
from engine.sandbox import CannotIsolate, MachineFailure, Sandbox, isolated, workspace
from tournaments import dispatch, duplicate, tracing
from tournaments.dispatch import Claim, MatchResult, Outcome, Report, messages
from tournaments.holding import DATABASE_AWAY, LOOK_EVERY_S, Abandoned, Held, Holding
from tournaments.models import Worker

logger = logging.getLogger(__name__)
# A result is kept so long while the database or the storage does not take it.
KEEP_S = 300.0
_LONGEST_PAUSE_S = 5.0

# So many seconds of playing are worth one claim and one report, and no more.
TOGETHER_S = 0.5

# One byte that a worker shares with the processes it forks: it is set when they must stop.
_all_stop = mmap.mmap(-1, 1)
_this_stops = threading.Event()


def stop_playing() -> None:
    """Let every play of this process and of those it forked end, and hand its match back."""
    _all_stop[0] = 1


def _stopping() -> bool:
    return bool(_all_stop[0]) or _this_stops.is_set()


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
    return play_all([(match_id, attempt)], worker=worker).get(match_id)


def play_message(wanted: Sequence[tuple[int, int]], *, worker: Worker) -> None:
    """Play the attempts (match, number) of a message.

    As many are claimed at once as are played in a moment: that pays where matches are short. The
    others go back into the queue before, so that another worker can begin with them.
    """
    now = wanted[: _pace.how_many()]
    if rest := wanted[len(now) :]:
        messages.send_play(rest)
    play_all(now, worker=worker)


def play_all(wanted: Sequence[tuple[int, int]], *, worker: Worker) -> dict[int, Outcome]:
    """Claim attempts (match, number), play one after the other, and report them together.

    The outcomes by match, of what was played and reported. What takes longer than was thought is
    not waited for: matches that have not begun by then are handed back.
    """
    claims = _claim(wanted, worker)
    if not claims:
        return {}
    with (
        tracing.about(worker=worker.name),
        _terminable(),
        Holding(claims, _stopping) as holding,
    ):
        try:
            return _report_all(_play_all(holding, worker.tier))
        finally:
            for held in holding.all:
                if not held.gone:
                    _give_up(held)


class _Pace:
    """How many matches this process plays in a moment, by the last ones."""

    def __init__(self) -> None:
        self._mean_s: float | None = None

    def how_many(self) -> int:
        return 1 if self._mean_s is None else max(1, int(TOGETHER_S / self._mean_s))

    def took(self, seconds: float) -> None:
        seconds = max(seconds, 1e-4)
        mean_s = seconds if self._mean_s is None else self._mean_s
        self._mean_s = mean_s + 0.3 * (seconds - mean_s)


_pace = _Pace()


def _claim(wanted: Sequence[tuple[int, int]], worker: Worker) -> list[Claim]:
    """Claim, and wait meanwhile for a database that is away.

    A worker that gave up would use up one message after the other for nothing.
    """
    for pause_s in _pauses():
        try:
            return dispatch.claim_all(wanted=wanted, worker=worker)
        except DATABASE_AWAY as error:
            if _stopping():
                raise
            numbers = ", ".join(str(match) for match, _ in wanted)
            logger.warning("Could not claim match %s: %s", numbers, error)
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
        time.sleep(min(left, LOOK_EVERY_S))


Played = list[tuple[Held, MatchResult]]


def _play_all(holding: Holding, back_end: str) -> Played:
    """Play what is held, as long as it goes quickly; what was played to its end."""
    played: Played = []
    until = time.monotonic() + 2 * TOGETHER_S
    with _Programs() as programs:
        for held in holding.all:
            if held is not holding.all[0] and (time.monotonic() > until or _stopping()):
                break
            if held.gone:
                continue
            begun = time.monotonic()
            with tracing.about(**held.about()), _failing(held):
                result = _plays(held, programs.of(held.claim), back_end)
                held.all_played()
                played.append((held, result))
            _pace.took(time.monotonic() - begun)
    return played


@contextmanager
def _failing(held: Held) -> Iterator[None]:
    """What goes wrong with one match is its attempt's failure, and nothing to the others."""
    try:
        yield
        return
    except Abandoned:
        return
    except (MachineFailure, CannotIsolate) as error:
        failure = str(error)
        close_sandbox()
    except dispatch.NotStored as error:
        failure = f"the plays could not be stored: {error}"
    except Exception as error:
        # A mistake of ours: it must not become a bot's loss either.
        logger.exception("Attempt %d at match %d failed", held.claim.number, held.claim.match.pk)
        failure = f"{type(error).__name__} in the worker"
    if not held.gone:
        _give_up(held, failure)


def _give_up(held: Held, failure: str = "") -> None:
    """Say that the attempt ends without a result; what cannot be said the reaper finds out."""
    held.gone = True
    try:
        if failure:
            dispatch.fail(**held.ids, reason=failure)
        elif _stopping():
            dispatch.hand_back(**held.ids)
        else:
            dispatch.hand_back(**held.ids, reason="one before it took longer than was thought")
    except DATABASE_AWAY as error:
        logger.warning("Could not give match %d back: %s", held.claim.match.pk, error)
        close_old_connections()


def _plays(held: Held, programs: Sequence[SeatProgram], back_end: str) -> MatchResult:
    match = held.claim.match
    plays = []
    for rotation in range(match.rotations):
        held.begin(rotation)
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
                progress=held.progress,
            )
        )
    return MatchResult([submission.sha256 for submission in held.claim.submissions], plays)


class _Programs:
    """Versions that are unpacked once for all matches played together; no bot can write there."""

    def __init__(self) -> None:
        self._found: dict[int, SeatProgram] = {}
        self._exit = ExitStack()
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._exit.close()
        except OSError as fault:  # what was played is none the worse for it
            logger.warning("Could not remove %s: %s", self._folder, fault)

    def of(self, claim: Claim) -> list[SeatProgram]:
        """Every contestant's program. The folder is made here, so that a disk that takes no more
        is the failure of an attempt."""
        if self._folder is None:
            self._folder = self._exit.enter_context(workspace())
        for submission in claim.submissions:
            if submission.pk not in self._found:
                package = package_of(submission)
                program = package.unpack(self._folder / str(submission.pk))
                self._found[submission.pk] = SeatProgram(program, package.sha256)
        return [self._found[submission.pk] for submission in claim.submissions]


def _report_all(played: Played) -> dict[int, Outcome]:
    """Report what was played; the outcomes by match, of those that are still ours."""
    if len(played) > 1:
        reports = [Report(**held.ids, result=result) for held, result in played]
        for held, _ in played:
            held.reporting(1)
        try:
            outcomes = dispatch.finish_all(reports)
        except Exception as error:
            # Whatever it is about, it must not cost the others their results.
            logger.warning("Could not report %d matches together: %s", len(played), error)
            close_old_connections()
        else:
            for held, _ in played:
                held.gone = True
            return {
                report.match_id: outcome for report, outcome in zip(reports, outcomes, strict=True)
            }
    found = {}
    for held, result in played:
        with tracing.about(**held.about()), _failing(held):
            outcome = _report(held, result)
            if outcome is not None:
                held.gone = True
                found[held.claim.match.pk] = outcome
    return found


def _report(held: Held, result: MatchResult) -> Outcome | None:
    """Report the result; None when the attempt is not ours any more.

    While the database or the storage is away the result is kept, under a live lease, and reported
    again. Whether an earlier report came through does not matter: the same result counts once.
    Raises what the last try raised.
    """
    until = time.monotonic() + KEEP_S
    for tried, pause_s in enumerate(_pauses(), start=1):
        held.reporting(tried)
        try:
            return dispatch.finish(**held.ids, result=result)
        except (*DATABASE_AWAY, dispatch.NotStored) as error:
            logger.warning("Could not report match %d: %s", held.claim.match.pk, error)
            close_old_connections()
            if time.monotonic() > until or (_stopping() and tried > 1):
                raise
        _wait(pause_s)
        if held.gone:
            return None
    raise AssertionError


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
