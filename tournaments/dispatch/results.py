"""The end of a match by its result: checked by playing it again, and stored exactly once.

Every ending of bots comes this way, whatever they did; only a failure of the machine does not.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from engine import match_file, replay
from engine.chance import commitment
from engine.clock import TimeControl
from engine.record import play_hash
from engine.referee import PlayResult
from engine.verify import Mismatch, verify
from tournaments import duplicate, ledger
from tournaments.dispatch.files import Written, stored_together
from tournaments.dispatch.leases import end_attempt
from tournaments.dispatch.messages import announce
from tournaments.dispatch.storing import Rows, store
from tournaments.models import Attempt, Contestant, Match

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
    versions = _versions([each.match_id for each in found if each is not None])
    in_doubt = False
    try:
        for place, (report, attempt) in enumerate(zip(reports, found, strict=True)):
            try:
                if attempt is None:
                    raise _Refused("no attempt has this number and token")
                ready = _prepare(report, attempt, versions[attempt.match_id])
                if isinstance(ready, Outcome):
                    outcomes[place] = ready
                else:
                    prepared[place] = ready
            except _Refused as error:
                outcomes[place] = _refused(report, error)
        with stored_together():
            for ready in prepared.values():
                ready.write()
        if prepared:
            with transaction.atomic():
                taken = _store(list(prepared.values()))
                in_doubt = True
            in_doubt = False
    except BaseException:
        # When the answer to the commit is lost, it may well have taken place.
        if not in_doubt:
            for ready in prepared.values():
                ready.file.remove()
        raise
    for place, ready in prepared.items():
        if ready.attempt.match_id in taken:
            outcomes[place] = Outcome(Verdict.ACCEPTED)
        else:  # it has ended since it was looked at
            ready.file.remove()
            [attempt] = _attempts([reports[place]])
            try:
                outcomes[place] = _repeated(attempt or ready.attempt, ready.rows.sha256)
            except _Refused as error:
                outcomes[place] = _refused(reports[place], error)
    return [outcomes[place] for place in range(len(reports))]


def _refused(report: Report, error: _Refused) -> Outcome:
    logger.warning(
        "Refused a result of attempt %d at match %d: %s", report.attempt, report.match_id, error
    )
    return Outcome(Verdict.REFUSED, str(error))


class _Attempt(NamedTuple):
    """The attempt that a report is about, and what its match is."""

    id: int
    match_id: int
    number: int
    token: UUID
    state: str
    tier: str
    result_sha256: str
    kind: str
    rated: bool
    ladder_id: int | None
    game: str
    edition: str
    players: int
    options: dict[str, Any]
    rotations: int
    time_control: dict[str, int]
    commitment: str


_OF_THE_ATTEMPT = {"id", "match_id", "number", "token", "state", "tier", "result_sha256"}
_COLUMNS = [name if name in _OF_THE_ATTEMPT else f"match__{name}" for name in _Attempt._fields]


def _attempts(reports: Sequence[Report]) -> list[_Attempt | None]:
    """The attempts that reports are about."""
    rows = Attempt.objects.filter(match__in={report.match_id for report in reports})
    found = {
        (row.match_id, row.number, row.token): row
        for row in map(_Attempt._make, rows.values_list(*_COLUMNS))
    }
    return [found.get((each.match_id, each.attempt, each.token)) for each in reports]


class _Version(NamedTuple):
    """A contestant's submission: its id, and the SHA-256 of its package."""

    id: int
    sha256: str


def _versions(matches: Sequence[int]) -> dict[int, list[_Version]]:
    """The versions of each match, by contestant."""
    found: dict[int, list[_Version]] = {match: [] for match in matches}
    rows = Contestant.objects.filter(match__in=matches).order_by("match_id", "number")
    for match, version, sha256 in rows.values_list("match", "submission", "submission__sha256"):
        found[match].append(_Version(version, sha256))
    return found


@dataclass
class _Prepared:
    """A result that was found right, on its way into storage and database."""

    attempt: _Attempt
    versions: list[_Version]
    result: MatchResult
    replays: list[bytes]
    file: Written
    rows: Rows

    def write(self) -> None:
        """Write its file, and note where it is."""
        logs = [play.logs for play in self.result.plays]
        self.rows.archive = self.file.write(match_file.dumps(self.replays, logs))

    def finished(self) -> ledger.Finished:
        """What the ledger is told of a rated match."""
        assert self.attempt.ladder_id is not None
        places = [result.place for result in self.rows.contestants]
        return ledger.Finished(
            self.attempt.match_id,
            self.attempt.ladder_id,
            [(version.id, place) for version, place in zip(self.versions, places, strict=True)],
        )


def _prepare(report: Report, attempt: _Attempt, versions: list[_Version]) -> _Prepared | Outcome:
    """Look at a result; an outcome if it is known already. _Refused if it is not right."""
    result = report.result
    replays = [replay.dumps(play.record) for play in result.plays]
    sha256 = _digest(result.packages, replays)
    if attempt.state != Attempt.State.RUNNING:
        return _repeated(attempt, sha256)
    try:
        _check(attempt, versions, result)
    except _Refused as error:
        end_attempt(
            attempt.match_id,
            attempt.number,
            state=Attempt.State.FAILED,
            outcome=f"its result was refused: {error}",
            failures=1,
            token=attempt.token,
        )
        raise
    contestants = duplicate.result(
        attempt.players,
        [
            duplicate.PlayOutcome(
                duplicate.seats(attempt.players, rotation),
                play.record.scores,
                play.record.places,
                [failure.seat for failure in play.record.failures],
            )
            for rotation, play in enumerate(result.plays)
        ],
    )
    return _Prepared(
        attempt,
        versions,
        result,
        replays,
        Written(attempt.match_id, attempt.number),
        Rows(
            attempt=attempt.id,
            match=attempt.match_id,
            number=attempt.number,
            token=attempt.token,
            sha256=sha256,
            contestants=contestants,
            plays=[
                _play(attempt, rotation, play, len(data))
                for rotation, (play, data) in enumerate(zip(result.plays, replays, strict=True))
            ],
        ),
    )


def _store(results: Sequence[_Prepared]) -> set[int]:
    """Everything that results change, in the caller's transaction; the matches that they end."""
    taken = store([ready.rows for ready in results])
    over = [ready for ready in results if ready.attempt.match_id in taken]
    ledger.apply(ready.finished() for ready in over if ready.attempt.rated)
    for ready in over:
        failed = any(contestant.failures for contestant in ready.rows.contestants)
        if failed or ready.attempt.kind != Match.Kind.LADDER:
            announce(ready.attempt.match_id)
    return taken


def _digest(packages: Sequence[str], replays: Sequence[bytes]) -> str:
    """What tells two reports apart: every byte that is kept of the plays."""
    digest = hashlib.sha256("".join(packages).encode())
    for data in replays:
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()


def _repeated(attempt: _Attempt, digest: str) -> Outcome:
    """The verdict on a report about an attempt that has ended."""
    if attempt.state != Attempt.State.FINISHED:
        raise _Refused(f"the attempt is {attempt.state}; its match has gone to another one")
    if attempt.result_sha256 != digest:
        raise _Refused("another result of this attempt was accepted before")
    return Outcome(Verdict.REPEATED)


def _check(match: _Attempt, versions: Sequence[_Version], result: MatchResult) -> None:
    """Refuse what is not a result of this match, or cannot have happened."""
    right = [version.sha256 for version in versions]
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
            "isolation": match.tier,
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


def _play(match: _Attempt, rotation: int, play: PlayResult, size: int) -> dict[str, Any]:
    """A play by its columns; `size` is its replay's, in bytes."""
    record = play.record
    return {
        "match": match.match_id,
        "rotation": rotation,
        "seats": duplicate.seats(match.players, rotation),
        "scores": record.scores,
        "places": record.places,
        "failures": [
            {"seat": failure.seat, "decision": failure.decision, "reason": failure.reason}
            for failure in record.failures
        ],
        "cpu_ms": [round(log.cpu_ms, 1) for log in play.logs],
        "decisions": len(record.actions),
        "play_hash": play_hash(record),
        "replay_size": size,
    }
