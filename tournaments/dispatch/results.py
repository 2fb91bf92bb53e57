"""The end of a match by its result: checked by playing it again, and stored exactly once.

Every ending of bots comes this way, whatever they did; only a failure of the machine does not.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Submission
from engine import replay
from engine.chance import commitment
from engine.clock import TimeControl
from engine.record import Record, play_hash
from engine.referee import PlayResult
from engine.verify import Mismatch, verify
from tournaments import duplicate, ledger
from tournaments.dispatch.files import Written
from tournaments.dispatch.leases import end_attempt, submissions_of
from tournaments.dispatch.messages import announce
from tournaments.models import Attempt, Contestant, Match, Play, SeatFile

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MatchResult:
    """What a worker reports: absolute, never an increment.

    `packages`: SHA-256 of each contestant's package; `plays`: one for each rotation, in order.
    """

    packages: Sequence[str]
    plays: Sequence[PlayResult]


class Verdict(StrEnum):
    """What became of a report."""

    ACCEPTED = "accepted"
    REPEATED = "repeated"
    """The same result had been accepted before: a success without effect."""
    REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """The verdict on a report, and why it was refused."""

    verdict: Verdict
    reason: str = ""


class _Refused(Exception):
    """The report cannot be accepted; the message says why."""


class _Ended(Exception):
    """The attempt has ended since it was looked at."""


def finish(*, match_id: int, attempt: int, token: UUID, result: MatchResult) -> Outcome:
    """Accept the result of an attempt, once.

    It becomes visible together with its plays and all that it changes in the ratings, or not at
    all. The same result again is accepted without effect. A stale token, another result, or one
    that the engine does not confirm is refused and logged; in the last case the attempt counts as
    the worker's failure. Raises NotStored when the storage takes no files, and what the database
    raises when it is away; the report may then be repeated.
    """
    try:
        return _finish(match_id, attempt, token, result)
    except _Refused as error:
        logger.warning("Refused a result of attempt %d at match %d: %s", attempt, match_id, error)
        return Outcome(Verdict.REFUSED, str(error))


def _finish(match_id: int, number: int, token: UUID, result: MatchResult) -> Outcome:
    attempt = (
        Attempt.objects.select_related("match")
        .defer("match__seed")
        .filter(match=match_id, number=number, token=token)
        .first()
    )
    if attempt is None:
        raise _Refused("no attempt has this number and token")
    replays = [replay.dumps(play.record) for play in result.plays]
    digest = _digest(result.packages, replays)
    if attempt.state != Attempt.State.RUNNING:
        return _repeated(attempt, digest)
    match = attempt.match
    submissions = submissions_of(match)
    try:
        _check(match, attempt.tier, submissions, result)
    except _Refused as error:
        end_attempt(
            match_id,
            number,
            state=Attempt.State.FAILED,
            outcome=f"its result was refused: {error}",
            failures=1,
            token=token,
        )
        raise
    files = Written(match_id, number)
    in_doubt = False
    try:
        plays = [
            _play(match, rotation, play.record, data, [log.cpu_ms for log in play.logs], files)
            for rotation, (play, data) in enumerate(zip(result.plays, replays, strict=True))
        ]
        seat_files = _seat_files(plays, submissions, result, files)
        with transaction.atomic():
            _store(attempt, digest, submissions, plays, seat_files)
            in_doubt = True
    except _Ended:
        files.remove()
        attempt.refresh_from_db()
        return _repeated(attempt, digest)
    except BaseException:
        # When the answer to the commit is lost, it may well have taken place.
        if not in_doubt:
            files.remove()
        raise
    return Outcome(Verdict.ACCEPTED)


def _digest(packages: Sequence[str], replays: Sequence[bytes]) -> str:
    """What tells two reports apart: every byte that is kept of the plays."""
    digest = hashlib.sha256("".join(packages).encode())
    for data in replays:
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()


def _repeated(attempt: Attempt, digest: str) -> Outcome:
    """The verdict on a report about an attempt that has ended."""
    if attempt.state != Attempt.State.FINISHED:
        raise _Refused(f"the attempt is {attempt.state}; its match has gone to another one")
    if attempt.result_sha256 != digest:
        raise _Refused("another result of this attempt was accepted before")
    return Outcome(Verdict.REPEATED)


def _check(match: Match, tier: str, submissions: Sequence[Submission], result: MatchResult) -> None:
    """Refuse what is not a result of this match, or cannot have happened."""
    right = [submission.sha256 for submission in submissions]
    if list(result.packages) != right:
        raise _Refused("its packages are not those of the match's submissions")
    if len(result.plays) != match.rotations:
        raise _Refused(f"it has {len(result.plays)} plays; the match has {match.rotations}")
    for rotation, play in enumerate(result.plays):
        record = play.record
        seats = duplicate.seats(match.players, rotation)
        expected = {
            "game": match.game,
            "edition": match.edition,
            "players": match.players,
            "options": match.options,
            "packages": [right[contestant] for contestant in seats],
            "rotation": rotation,
            "time": TimeControl(**match.time_control),
            "isolation": tier,
        }
        for name, value in expected.items():
            if getattr(record, name) != value:
                # The values stay out of the message: the seed is secret while the match goes on.
                raise _Refused(f"play {rotation}: its {name} is not the match's")
        if commitment(record.seed) != match.commitment:
            raise _Refused(f"play {rotation}: its seed is not the match's")
        if [log.seat for log in play.logs] != list(range(match.players)):
            raise _Refused(f"play {rotation}: it needs the log of each seat, in order")
        try:
            verify(record)
        except Mismatch as error:
            raise _Refused(f"play {rotation}: {error.where} is not what the rules give") from None


def _play(
    match: Match,
    rotation: int,
    record: Record,
    data: bytes,
    cpu_ms: Sequence[float],
    files: Written,
) -> Play:
    return Play(
        match=match,
        rotation=rotation,
        seats=duplicate.seats(match.players, rotation),
        scores=record.scores,
        places=record.places,
        failures=[
            {"seat": failure.seat, "decision": failure.decision, "reason": failure.reason}
            for failure in record.failures
        ],
        cpu_ms=[round(value, 1) for value in cpu_ms],
        decisions=len(record.actions),
        play_hash=play_hash(record),
        replay=files.replay(rotation, data),
        replay_size=len(data),
    )


def _seat_files(
    plays: Sequence[Play],
    submissions: Sequence[Submission],
    result: MatchResult,
    files: Written,
) -> list[SeatFile]:
    return [
        SeatFile(
            play=play,
            seat=log.seat,
            submission=submissions[play.seats[log.seat]],
            file=files.seat(play.rotation, log.seat, log.to_bytes()),
        )
        for play, played in zip(plays, result.plays, strict=True)
        for log in played.logs
    ]


def _store(
    attempt: Attempt,
    digest: str,
    submissions: Sequence[Submission],
    plays: Sequence[Play],
    seat_files: Sequence[SeatFile],
) -> None:
    """Everything that a result changes, in the caller's transaction."""
    match = attempt.match
    # The match's row is taken first, as everywhere, so that no two writers wait for each other.
    taken = Match.objects.filter(
        pk=match.pk, state=Match.State.RUNNING, attempt=attempt.number
    ).update(state=Match.State.FINISHED, ended_at=Now())
    if not taken or not Attempt.objects.filter(
        pk=attempt.pk, token=attempt.token, state=Attempt.State.RUNNING
    ).update(state=Attempt.State.FINISHED, ended_at=Now(), result_sha256=digest):
        raise _Ended
    results = duplicate.result(
        match.players,
        [
            duplicate.PlayOutcome(
                play.seats, play.scores, play.places, [each["seat"] for each in play.failures]
            )
            for play in plays
        ],
    )
    contestants = [
        Contestant(
            match=match,
            number=number,
            submission=submissions[number],
            place=result.place,
            place_points=float(result.points),
            margin=float(result.margin),
            failures=result.failures,
        )
        for number, result in enumerate(results)
    ]
    Contestant.objects.bulk_create(
        contestants,
        update_conflicts=True,
        unique_fields=["match", "number"],
        update_fields=["place", "place_points", "margin", "failures"],
    )
    Play.objects.bulk_create(plays)
    SeatFile.objects.bulk_create(seat_files)
    if match.rated:
        ledger.apply(match, contestants)
    if match.kind != Match.Kind.LADDER or any(result.failures for result in results):
        announce(match)
