"""The ladder scheduler: keeps the queue about two rounds deep for the workers that live."""

import secrets
from collections import Counter
from datetime import timedelta
from itertools import combinations
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from bots.models import Submission
from engine import games
from engine.clock import TimeControl
from tournaments import ladders, workers
from tournaments.belonging import owners
from tournaments.dispatch import make_match
from tournaments.dispatch.messages import together
from tournaments.models import Contestant, Ladder, Match, Rating
from tournaments.scheduling import Candidate, choose_tables

# Any number, the same in every process: two schedulers never run at once.
_LOCK = 0x534C4144
ROUNDS = 2
WITHOUT_WORKERS = 2
"""Matches that wait while no worker lives, so that one that starts finds work."""
TICK_S = 5
_MEMORY = 1000
"""Matches that count as recent, for who met whom and which table sizes were played."""


def schedule() -> int:
    """Make the ladder matches that are missing; how many. Does nothing while another one runs."""
    with together(), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
            if not cursor.fetchone()[0]:
                return 0
        # A ladder on which too few play for a table leaves its share to the others.
        open_ladders = [each for each in ladders.open_all() if each.open and _can_play(each)]
        if not open_ladders:
            return 0
        living = list(workers.live())
        share = -(-_depth(sum(worker.slots for worker in living)) // len(open_ladders))
        languages = [frozenset(worker.languages) for worker in living]
        return sum(_fill(ladder, share, languages) for ladder in open_ladders)


def _depth(slots: int) -> int:
    """How many ladder matches should wait: two rounds, or what is played between two ticks if
    matches are that short."""
    if not slots:
        return WITHOUT_WORKERS
    recent = Match.objects.filter(
        kind=Match.Kind.LADDER, ended_at__gt=Now() - timedelta(seconds=2 * TICK_S)
    )
    return max(ROUNDS * slots, recent.count())


def _fill(ladder: Ladder, depth: int, languages: list[frozenset[str]]) -> int:
    queued = Match.objects.filter(
        ladder=ladder, kind=Match.Kind.LADDER, state=Match.State.QUEUED
    ).count()
    if queued >= depth:
        return 0
    game = games.get(ladder.game, ladder.edition)
    submissions, candidates = _candidates(ladder)
    met, sizes_played = _recent(ladder)
    tables = choose_tables(
        candidates,
        sizes=range(game.min_players, game.max_players + 1),
        tables=depth - queued,
        bound_s=ladders.waiting(ladder).bound_s,
        seed=secrets.token_hex(32),
        met=met,
        sizes_played=sizes_played,
        worker_languages=languages,
    )
    for table in tables:
        make_match(
            kind=Match.Kind.LADDER,
            game=ladder.game,
            edition=ladder.edition,
            submissions=[submissions[each] for each in table],
            options=ladder.options,
            time_control=TimeControl.from_dict(ladder.time_control),
            rated=True,
            ladder=ladder,
            rotations=ladder.rotations,
        )
    return len(tables)


def _playing(ladder: Ladder) -> QuerySet[Rating]:
    """The ratings of the submissions that may be drawn."""
    return ladders.table(ladder).filter(
        submission__state=Submission.State.QUALIFIED,
        submission__bot__active=F("submission"),
    )


def _can_play(ladder: Ladder) -> bool:
    game = games.get(ladder.game, ladder.edition)
    return _playing(ladder).count() >= game.min_players


def _candidates(ladder: Ladder) -> tuple[dict[int, Submission], list[Candidate]]:
    """The submissions that may be drawn, by id, and what the choice needs to know of each."""
    rows: list[Any] = list(  # ratings, with `waits` beside
        _playing(ladder).annotate(waits=Now() - ladders.waits_since())
    )
    under_way = Counter(
        Contestant.objects.filter(
            match__ladder=ladder, match__state__in=ladders.UNFINISHED
        ).values_list("submission", flat=True)
    )
    submissions = {row.submission_id: row.submission for row in rows}
    keys = owners(submissions.values())
    return submissions, [
        Candidate(
            id=row.submission_id,
            owners=keys[row.submission_id],
            mu=row.mu,
            sigma=row.sigma,
            matches=row.matches + under_way[row.submission_id],
            waiting_s=0.0 if under_way[row.submission_id] else max(0.0, row.waits.total_seconds()),
            house=row.submission.bot.player.house,
            language=row.submission.language,
        )
        for row in rows
    ]


def _recent(ladder: Ladder) -> tuple[Counter[tuple[int, int]], Counter[int]]:
    """Meetings of two submissions and matches by number of seats, among the last matches."""
    recent = dict(
        Match.objects.filter(ladder=ladder)
        .exclude(state=Match.State.VOID)
        .order_by("-id")
        .values_list("id", "players")[:_MEMORY]
    )
    tables: dict[int, list[int]] = {}
    for match, submission in Contestant.objects.filter(match__in=recent).values_list(
        "match", "submission"
    ):
        tables.setdefault(match, []).append(submission)
    met = Counter(pair for seats in tables.values() for pair in combinations(sorted(seats), 2))
    return met, Counter(recent.values())
