"""Attempts that lately failed, and how the workers compare: for the organiser's page."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Count, Prefetch
from django.db.models.functions import Now

from bots.models import Submission
from tournaments.blame import Failure
from tournaments.models import Attempt, Contestant, Match

WITHIN = timedelta(hours=24)
MOST = 1000
"""Failures that are looked at: with more than that nobody needs a finer answer."""
SAMPLE = 2000
"""Finished matches by which workers are compared."""
_BAD = [Attempt.State.FAILED, Attempt.State.LOST]


def lately(most: int = MOST) -> list[Attempt]:
    """Attempts that failed or were lost within a day, newest first, with worker, match and bots."""
    bots = Contestant.objects.select_related("submission__bot__player").order_by("number")
    return list(
        Attempt.objects.filter(state__in=_BAD, ended_at__gt=Now() - WITHIN)
        .select_related("worker", "match")
        .prefetch_related(Prefetch("match__contestants", queryset=bots))
        .order_by("-ended_at", "-id")[:most]
    )


def as_failures(attempts: Sequence[Attempt]) -> list[Failure]:
    """What `blame` judges by."""
    return [
        Failure(
            attempt.worker.name,
            frozenset(str(each.submission) for each in attempt.match.contestants.all()),
        )
        for attempt in attempts
    ]


def played(submissions: Collection[int]) -> dict[str, int]:
    """By bot, how many of the SAMPLE matches that finished last it was in."""
    last = (
        Match.objects.filter(state=Match.State.FINISHED, ended_at__isnull=False)
        .order_by("-ended_at")
        .values("pk")[:SAMPLE]
    )
    counts = dict(
        Contestant.objects.filter(match__in=last, submission__in=submissions)
        .order_by()
        .values("submission")
        .annotate(matches=Count("match", distinct=True))
        .values_list("submission", "matches")
    )
    rows = Submission.objects.filter(pk__in=counts).select_related("bot__player")
    return {str(row): counts[row.pk] for row in rows}


@dataclass(frozen=True)
class Share:
    """A worker's part in the last SAMPLE finished matches.

    `slowness`: CPU for each decision, as a multiple of all workers' for the same games; None where
    it made no decision.
    """

    matches: int
    slowness: float | None


def shares() -> dict[int, Share]:
    """By worker's id, its part in the matches that finished last."""
    with connection.cursor() as cursor:
        cursor.execute(_SHARES, [SAMPLE])
        rows = cursor.fetchall()
    games: dict[str, list[float]] = {}
    for _, game, _, cpu_ms, decisions in rows:
        both = games.setdefault(game, [0.0, 0.0])
        both[0] += cpu_ms
        both[1] += decisions
    matches: dict[int, int] = {}
    expected: dict[int, float] = {}
    used: dict[int, float] = {}
    for worker, game, count, cpu_ms, decisions in rows:
        matches[worker] = matches.get(worker, 0) + count
        all_ms, all_decisions = games[game]
        if all_decisions and all_ms:
            expected[worker] = expected.get(worker, 0.0) + decisions * all_ms / all_decisions
            used[worker] = used.get(worker, 0.0) + cpu_ms
    return {
        worker: Share(count, used[worker] / expected[worker] if expected.get(worker) else None)
        for worker, count in matches.items()
    }


# Each finished match has one finished attempt: the one with its current number. The lateral parts
# are looked up match by match: planners take the whole tables of attempts and plays for small.
_SHARES = """
    WITH last AS (
        SELECT id, game, attempt FROM tournaments_match
        WHERE ended_at IS NOT NULL AND state = 'finished' ORDER BY ended_at DESC LIMIT %s)
    SELECT a.worker_id, last.game, count(*), coalesce(sum(p.cpu_ms), 0),
        coalesce(sum(p.decisions), 0)::float8
    FROM last
    CROSS JOIN LATERAL (
        SELECT worker_id FROM tournaments_attempt
        WHERE match_id = last.id AND number = last.attempt LIMIT 1) a
    CROSS JOIN LATERAL (
        SELECT sum(decisions) AS decisions, sum((
            SELECT sum(value::float8) FROM jsonb_array_elements_text(cpu_ms))) AS cpu_ms
        FROM tournaments_play WHERE match_id = last.id) p
    GROUP BY 1, 2"""
