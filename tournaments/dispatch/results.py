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

from bots.models import Submission
from engine import replay
from engine.chance import commitment
from engine.clock import TimeControl
from engine.record import play_hash
from engine.referee import PlayResult
from engine.verify import Mismatch, verify
from tournaments import duplicate, ledger
from tournaments.dispatch.files import Written
from tournaments.dispatch.leases import end_attempt, submissions_of_all
from tournaments.dispatch.messages import announce
from tournaments.dispatch.storing import Rows, store
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


@dataclass(frozen=True)
class Report:
    """A result, and the attempt and token under which it is reported."""

    match_id: int
    attempt: int
    token: UUID
    result: MatchResult


def finish(*, match_id: int, attempt: int, token: UUID, result: MatchResult) -> Outcome:
    """Accept the result of an attempt, once.

    It becomes visible together with its plays and all that it changes in the ratings, or not at
    all. The same result again is accepted without effect. A stale token, another result, or one
    that the engine does not confirm is refused and logged; in the last case the attempt counts as
    the worker's failure. Raises NotStored when the storage takes no files, and what the database
    raises when it is away; the report may then be repeated.
    """
    return finish_all([Report(match_id, attempt, token, result)])[0]


def finish_all(reports: Sequence[Report]) -> list[Outcome]:
    """Accept several results, each as `finish` does, in one transaction; the outcomes in order.

    Each has its own lease and token, and whether one is accepted does not depend on the others. But
    when storing raises, none of them is stored that had not been before: report them one by one.
    """
    outcomes: dict[int, Outcome] = {}
    prepared: dict[int, _Prepared] = {}
    found = _attempts(reports)
    submissions = submissions_of_all([attempt.match for attempt in found if attempt is not None])
    in_doubt = False
    try:
        for place, (report, attempt) in enumerate(zip(reports, found, strict=True)):
            try:
                if attempt is None:
                    raise _Refused("no attempt has this number and token")
                ready = _prepare(report, attempt, submissions[attempt.match_id])
                if isinstance(ready, Outcome):
                    outcomes[place] = ready
                else:
                    prepared[place] = ready
                    ready.write()
            except _Refused as error:
                outcomes[place] = _refused(report, error)
        if prepared:
            with transaction.atomic():
                taken = _store(list(prepared.values()))
                in_doubt = True
            in_doubt = False
    except BaseException:
        # When the answer to the commit is lost, it may well have taken place.
        if not in_doubt:
            for ready in prepared.values():
                ready.files.remove()
        raise
    for place, ready in prepared.items():
        if ready.match.pk in taken:
            outcomes[place] = Outcome(Verdict.ACCEPTED)
        else:  # it has ended since it was looked at
            ready.files.remove()
            ready.attempt.refresh_from_db()
            try:
                outcomes[place] = _repeated(ready.attempt, ready.sha256)
            except _Refused as error:
                outcomes[place] = _refused(reports[place], error)
    return [outcomes[place] for place in range(len(reports))]


def _refused(report: Report, error: _Refused) -> Outcome:
    logger.warning(
        "Refused a result of attempt %d at match %d: %s", report.attempt, report.match_id, error
    )
    return Outcome(Verdict.REFUSED, str(error))


def _attempts(reports: Sequence[Report]) -> list[Attempt | None]:
    """The attempts that reports are about, each with its match."""
    rows = (
        Attempt.objects.select_related("match")
        .defer("match__seed")
        .filter(match__in={report.match_id for report in reports})
    )
    found = {(row.match_id, row.number, row.token): row for row in rows}
    return [found.get((each.match_id, each.attempt, each.token)) for each in reports]


@dataclass
class _Prepared:
    """A result that was found right, on its way into storage and database."""

    attempt: Attempt
    submissions: list[Submission]
    result: MatchResult
    replays: list[bytes]
    sha256: str
    files: Written
    rows: Rows

    @property
    def match(self) -> Match:
        return self.attempt.match

    def write(self) -> None:
        """Write its files, and note where they are."""
        self.rows.plays = [
            _play(self.match, rotation, play, data, self.files)
            for rotation, (play, data) in enumerate(
                zip(self.result.plays, self.replays, strict=True)
            )
        ]
        self.rows.seat_files = _seat_files(
            self.rows.plays, self.submissions, self.result, self.files
        )


def _prepare(
    report: Report, attempt: Attempt, submissions: list[Submission]
) -> _Prepared | Outcome:
    """Look at a result; an outcome if it is known already. _Refused if it is not right."""
    result, match = report.result, attempt.match
    replays = [replay.dumps(play.record) for play in result.plays]
    sha256 = _digest(result.packages, replays)
    if attempt.state != Attempt.State.RUNNING:
        return _repeated(attempt, sha256)
    try:
        _check(match, attempt.tier, submissions, result)
    except _Refused as error:
        end_attempt(
            match.pk,
            attempt.number,
            state=Attempt.State.FAILED,
            outcome=f"its result was refused: {error}",
            failures=1,
            token=attempt.token,
        )
        raise
    contestants = duplicate.result(
        match.players,
        [
            duplicate.PlayOutcome(
                duplicate.seats(match.players, rotation),
                play.record.scores,
                play.record.places,
                [failure.seat for failure in play.record.failures],
            )
            for rotation, play in enumerate(result.plays)
        ],
    )
    return _Prepared(
        attempt,
        submissions,
        result,
        replays,
        sha256,
        Written(match.pk, attempt.number),
        Rows(attempt, sha256, contestants),
    )


def _store(results: Sequence[_Prepared]) -> set[int]:
    """Everything that results change, in the caller's transaction; the matches that they end."""
    taken = store([ready.rows for ready in results])
    over = [ready for ready in results if ready.match.pk in taken]
    ledger.apply_all([(ready.match, _contestants(ready)) for ready in over if ready.match.rated])
    for ready in over:
        failed = any(contestant.failures for contestant in ready.rows.contestants)
        if failed or ready.match.kind != Match.Kind.LADDER:
            announce(ready.match)
    return taken


def _contestants(ready: _Prepared) -> list[Contestant]:
    return [
        Contestant(match=ready.match, number=number, submission=submission, place=result.place)
        for number, (submission, result) in enumerate(
            zip(ready.submissions, ready.rows.contestants, strict=True)
        )
    ]


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


def _play(match: Match, rotation: int, play: PlayResult, data: bytes, files: Written) -> Play:
    record = play.record
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
        cpu_ms=[round(log.cpu_ms, 1) for log in play.logs],
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
