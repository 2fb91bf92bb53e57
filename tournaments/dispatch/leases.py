"""Attempts: a worker leases a match, keeps the lease alive, and gives it up or loses it.

Every change is one conditional statement that says what it expects, so any number of workers and
reapers may act at once. The times of leases are the database's clock alone.
"""

import hashlib
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now

from bots.accounts import record_act
from bots.faults import Conflict
from bots.models import Bot, Submission, User
from engine.clock import BACKSTOP_EXTRA_MS, BACKSTOP_FACTOR, TimeControl
from tournaments.dispatch.messages import announce, publish
from tournaments.models import Attempt, Contestant, Match, Worker

logger = logging.getLogger(__name__)
# Not its log and the like: those are its owner's.
SUBMISSION_FIELDS = ("package", "filename", "sha256", "language", "entry", "rewrite")
# What a worker needs of a match.
_PLAYED = (
    "kind", "state", "game", "edition", "players", "options", "time_control", "rotations",
    "languages", "attempt",
)  # fmt: skip
# Unpacking, starting a sandbox, storing: all that is not a bot's thinking.
_MACHINE_S = 30


@dataclass(frozen=True)
class Claim:
    """A leased attempt; `submissions` are by contestant. It holds the secret seed: never log it."""

    match: Match
    number: int
    token: UUID
    submissions: list[Submission]


def claim(*, match_id: int, attempt: int, worker: Worker) -> Claim | None:
    """Lease this attempt at a match to the worker.

    None when there is nothing to do: the message is late or repeated, or somebody else has it. Also
    None when the worker is paused or cannot run one of the bots; the match is then sent again.
    """
    found = claim_all(wanted=[(match_id, attempt)], worker=worker)
    return found[0] if found else None


def claim_all(*, wanted: Sequence[tuple[int, int]], worker: Worker) -> list[Claim]:
    """Lease each of these attempts (match, number) that `claim` would, with a token of its own."""
    numbers = dict(wanted)
    with transaction.atomic():
        # In the order of their ids, so that no two who want several wait for each other.
        free = (
            Match.objects.only(*_PLAYED)
            .select_for_update(skip_locked=True, no_key=True)
            .filter(pk__in=numbers, state=Match.State.QUEUED)
            .order_by("pk")
        )
        matches = {match.pk: match for match in free if match.attempt == numbers[match.pk]}
        if not matches:
            return []
        worker = Worker.objects.get(pk=worker.pk)
        refused = [pk for pk, match in matches.items() if not _may_play(worker, match)]
        if refused:
            # Without a date the reaper takes the message for lost and sends it again.
            Match.objects.filter(pk__in=refused).update(published_at=None)
        ours = [matches[pk] for pk in numbers if pk in matches and pk not in refused]
        if not ours:
            return []
        keys = {match.pk: secrets.token_hex(16) for match in ours}
        tokens = {match.pk: uuid4() for match in ours}
        _lease_all(ours, keys, tokens, worker)
    # Only now, when the claims are there for all to see, does the database give the seeds.
    seeds = _claimed_seeds([(match.pk, match.attempt, keys[match.pk]) for match in ours])
    submissions = _submissions(list(keys))
    claims = []
    for match in ours:
        seed = seeds[match.pk]
        if seed is not None:  # else the match was taken away at once
            match.state, match.seed = Match.State.RUNNING, seed
            claims.append(Claim(match, match.attempt, tokens[match.pk], submissions[match.pk]))
    return claims


# One statement, whatever their number: by the ORM it would be two with as many values as rows.
_LEASE = """
WITH given AS (
    SELECT * FROM json_to_recordset(%s::json)
        AS x (match bigint, number integer, token uuid, seed_key text, progress_limit_s integer)
), leased AS (
    INSERT INTO tournaments_attempt (
        match_id, number, token, seed_key, progress_limit_s, worker_id, tier, python, lease_until,
        state, outcome, play, decision, progress_at, started_at, result_sha256
    )
    SELECT match, number, token, seed_key, progress_limit_s, %s, %s, %s,
        statement_timestamp() + make_interval(secs => %s),
        'running', '', 0, 0, statement_timestamp(), statement_timestamp(), ''
    FROM given
)
UPDATE tournaments_match m
SET state = 'running', started_at = COALESCE(m.started_at, statement_timestamp())
FROM given g WHERE m.id = g.match
"""


def _lease_all(
    matches: Sequence[Match], keys: Mapping[int, str], tokens: Mapping[int, UUID], worker: Worker
) -> None:
    """Write the attempts at matches whose rows are locked."""
    rows = [
        {
            "match": match.pk,
            "number": match.attempt,
            "token": tokens[match.pk],
            "seed_key": hashlib.sha256(keys[match.pk].encode()).hexdigest(),
            "progress_limit_s": progress_limit_s(TimeControl(**match.time_control), match.players),
        }
        for match in matches
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            _LEASE,
            [
                msgspec.json.encode(rows).decode(),
                worker.pk, worker.tier, worker.python, settings.LEASE_S,
            ],
        )  # fmt: skip


def _without_seed() -> QuerySet[Match]:
    """Matches without what a worker's database role must not read: see database_role.py."""
    return Match.objects.defer("seed")


def _claimed_seeds(claims: Sequence[tuple[int, int, str]]) -> dict[int, str | None]:
    """The seeds of matches by what opens them: (match, attempt, key)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT match, tournaments_claimed_seed(match, attempt, key) "
            "FROM unnest(%s::bigint[], %s::integer[], %s::text[]) AS x (match, attempt, key)",
            [list(column) for column in zip(*claims, strict=True)],
        )
        return dict(cursor.fetchall())


def _submissions(matches: Sequence[int]) -> dict[int, list[Submission]]:
    """Matches' submissions by contestant, with what playing and rating need of them alone."""
    found: dict[int, list[Submission]] = {match: [] for match in matches}
    known: dict[int, Submission] = {}
    for match, pk, bot, game, *values in (
        Contestant.objects.filter(match__in=found)
        .order_by("match_id", "number")
        .values_list(
            "match", "submission", "submission__bot", "submission__bot__game",
            *(f"submission__{name}" for name in SUBMISSION_FIELDS),
        )
    ):  # fmt: skip
        if pk not in known:  # the same bots are in many of them
            known[pk] = Submission.from_db(
                "default", ("id", "bot_id", *SUBMISSION_FIELDS), (pk, bot, *values)
            )
            known[pk].bot = Bot.from_db("default", ("id", "game"), (bot, game))
        found[match].append(known[pk])
    return found


def _may_play(worker: Worker, match: Match) -> bool:
    return (
        not (worker.paused or worker.draining)
        and worker.tier != "none"
        and set(match.languages) <= set(worker.languages)
    )


def _lease() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_S)


def progress_limit_s(time: TimeControl, players: int) -> int:
    """Seconds without a new decision after which an attempt has stopped.

    The wall backstop of the slowest request is 3 × its CPU limit + 1 s. All bots are started
    before the first decision, one after the other.
    """
    start_ms = players * (BACKSTOP_FACTOR * time.start_ms + BACKSTOP_EXTRA_MS)
    decision_ms = BACKSTOP_FACTOR * (time.move_ms + time.bank_ms) + BACKSTOP_EXTRA_MS
    return ceil(max(start_ms, decision_ms) / 1000) + _MACHINE_S


def renew(*, match_id: int, attempt: int, token: UUID, play: int, decision: int) -> bool:
    """Extend the lease and report progress; False means that the attempt is no longer yours."""
    return bool(
        Attempt.objects.filter(
            match=match_id, number=attempt, token=token, state=Attempt.State.RUNNING
        ).update(
            lease_until=_lease(),
            # The conditions see the values before this update.
            progress_at=Case(
                When(Q(play=play, decision=decision), then=F("progress_at")), default=Now()
            ),
            play=play,
            decision=decision,
        )
    )


def fail(*, match_id: int, attempt: int, token: UUID, reason: str) -> bool:
    """The worker, the sandbox or the machine failed: nobody loses, the match is played again."""
    return end_attempt(
        match_id, attempt, state=Attempt.State.FAILED, outcome=reason, failures=1, token=token
    )


def hand_back(
    *, match_id: int, attempt: int, token: UUID, reason: str = "the worker was shut down"
) -> bool:
    """The worker gives its match to another one; this counts as nobody's failure."""
    return end_attempt(
        match_id, attempt, state=Attempt.State.RETURNED, outcome=reason, failures=0, token=token
    )


def end_attempt(
    match_id: int,
    attempt: int,
    *,
    state: str,
    outcome: str,
    failures: int,
    token: UUID | None = None,
) -> bool:
    """End a running attempt without a result, and queue the next one or void the match.

    `failures` is how many infrastructure failures it counts as. False when the attempt is not the
    match's running one, or does not have this token.
    """
    with transaction.atomic():
        match = _locked(match_id)
        if match is None or match.state != Match.State.RUNNING or match.attempt != attempt:
            return False
        ours = Q(match=match, number=attempt, state=Attempt.State.RUNNING)
        if token is not None:
            ours &= Q(token=token)
        if not Attempt.objects.filter(ours).update(state=state, outcome=outcome, ended_at=Now()):
            return False
        match.infrastructure_failures += failures
        if match.infrastructure_failures >= settings.INFRASTRUCTURE_FAILURES:
            _void(
                match,
                f"No contest: {match.infrastructure_failures} attempts failed, and no bot was at "
                f"fault. The last one: {outcome}",
            )
        else:
            _queue_again(match)
            if failures:
                announce(match.pk)
    ids = {"match": match_id, "attempt": attempt}
    logger.info("Attempt %d at match %d: %s (%s)", attempt, match_id, state, outcome, extra=ids)
    return True


def void(*, match: Match, reason: str, user: User | None) -> bool:
    """Declare a match no contest, whatever its state; False if it is void already.

    A finished rated match stays in the ledger; it is left out of the ladder's next generation.
    """
    with transaction.atomic():
        found = _locked(match.pk)
        if found is None or found.state == Match.State.VOID:
            return False
        _cancel(found, reason)
        _void(found, reason)
        record_act(user=user, verb="void", target=f"match {match.pk}", reason=reason)
    return True


def requeue(*, match: Match, reason: str, user: User | None) -> None:
    """Take a match from the worker that has it and queue it again, or send its message again.

    Conflict for a match that is over: its seed is public, so it is replaced by a new one.
    """
    with transaction.atomic():
        found = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        if found.is_over:
            raise Conflict(
                f"Match {match.pk} is {found.state} and its deal is public: it cannot be played "
                "again. Make a new match"
            )
        _cancel(found, reason)
        _queue_again(found)
        record_act(user=user, verb="requeue", target=f"match {match.pk}", reason=reason)


def _locked(match_id: int) -> Match | None:
    return _without_seed().select_for_update(no_key=True).filter(pk=match_id).first()


def _cancel(match: Match, reason: str) -> None:
    Attempt.objects.filter(match=match, state=Attempt.State.RUNNING).update(
        state=Attempt.State.CANCELLED, outcome=reason, ended_at=Now()
    )


def _queue_again(match: Match) -> None:
    """Queue the next attempt at a match whose row is locked."""
    if match.state == Match.State.RUNNING:
        match.state = Match.State.QUEUED
        match.attempt += 1
    Match.objects.filter(pk=match.pk).update(
        state=match.state,
        attempt=match.attempt,
        infrastructure_failures=match.infrastructure_failures,
        published_at=Now(),
    )
    publish(match)


def _void(match: Match, reason: str) -> None:
    """Make a match void whose row is locked."""
    match.state = Match.State.VOID
    match.void_reason = reason
    Match.objects.filter(pk=match.pk).update(
        state=match.state,
        void_reason=reason,
        infrastructure_failures=match.infrastructure_failures,
        ended_at=Coalesce("ended_at", Now()),
    )
    announce(match.pk)
