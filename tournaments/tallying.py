"""Keeping the counts that the metrics show, in windows of time that each row falls into once.

Rows are counted by when they ended. An end is the start of the transaction that wrote it, so a
window reaches up to the oldest transaction that still runs, and not into the last seconds.
"""

import logging
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Min

from tournaments import ladders
from tournaments.models import Ladder, Match, Tallied, Tally

logger = logging.getLogger(__name__)
AT_ONCE = 20_000
"""Matches counted in one round: an installation that begins to count has years behind it."""
SETTLED_S = 5.0
UNSEEN_S = 60.0
"""Transactions of roles that cannot be seen (the workers') are taken for shorter than this."""

# In each, the two times are the window's, and rows are (labels as JSON, value).
_COUNTS = {
    "matches": """
        SELECT jsonb_build_object('game', game, 'kind', kind, 'outcome', state), count(*)
        FROM tournaments_match WHERE ended_at >= %s AND ended_at < %s
        AND state IN ('finished', 'void') GROUP BY 1""",
    "attempts": """
        SELECT jsonb_build_object('outcome', state), count(*)
        FROM tournaments_attempt WHERE ended_at >= %s AND ended_at < %s
        AND state IN ('failed', 'lost', 'returned', 'cancelled') GROUP BY 1""",
    "plays": """
        SELECT jsonb_build_object('game', m.game), count(*)
        FROM tournaments_match m JOIN tournaments_play p ON p.match_id = m.id
        WHERE m.ended_at >= %s AND m.ended_at < %s GROUP BY 1""",
    "decisions": """
        SELECT jsonb_build_object('game', m.game), sum(p.decisions)
        FROM tournaments_match m JOIN tournaments_play p ON p.match_id = m.id
        WHERE m.ended_at >= %s AND m.ended_at < %s GROUP BY 1""",
    "bot_cpu_ms": """
        SELECT jsonb_build_object('game', m.game), sum(
            (SELECT coalesce(sum(value::float8), 0) FROM jsonb_array_elements_text(p.cpu_ms)))
        FROM tournaments_match m JOIN tournaments_play p ON p.match_id = m.id
        WHERE m.ended_at >= %s AND m.ended_at < %s GROUP BY 1""",
    "bot_failures": """
        SELECT jsonb_build_object('game', m.game, 'reason', f->>'reason'), count(*)
        FROM tournaments_match m JOIN tournaments_play p ON p.match_id = m.id,
        jsonb_array_elements(p.failures) f
        WHERE m.ended_at >= %s AND m.ended_at < %s GROUP BY 1""",
}
_ADD = """
    INSERT INTO tournaments_tally (name, labels, value) SELECT %s, labels, value
    FROM ({}) AS counted (labels, value) WHERE value > 0
    ON CONFLICT (name, labels) DO UPDATE SET value = tournaments_tally.value + EXCLUDED.value"""
# Of sessions of other roles PostgreSQL tells who may not look nothing, not even what they are.
_HORIZON = """
    SELECT least(
        clock_timestamp() - make_interval(secs => CASE WHEN EXISTS (
            SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type IS NULL) THEN %s ELSE %s END),
        (SELECT min(xact_start) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend' AND xact_start IS NOT NULL))"""


def tally() -> bool:
    """Count what has ended since the last round.

    Nothing is counted twice, however many do this at once; False when somebody else was at it.
    """
    with transaction.atomic():
        last = _last()
        if last is None:
            return False
        until = _until(last.until)
        if until > last.until:
            with connection.cursor() as cursor:
                for name, rows in _COUNTS.items():
                    cursor.execute(_ADD.format(rows), [name, last.until, until])
            Tallied.objects.filter(pk=last.pk).update(until=until)
    return True


def note_waits() -> None:
    """Note how long bots wait on each open ladder; this looks at all bots of its table."""
    open_ladders = list(Ladder.objects.filter(open=True))
    Tally.objects.filter(name__startswith="ladder_").exclude(
        labels__ladder__in=[ladder.slug for ladder in open_ladders]
    ).delete()
    for ladder in open_ladders:
        waiting = ladders.waiting(ladder)
        _note("ladder_longest_wait_s", {"ladder": ladder.slug}, waiting.longest_s)
        _note("ladder_wait_bound_s", {"ladder": ladder.slug}, waiting.bound_s)
        _note("ladder_bots", {"ladder": ladder.slug}, waiting.active)


def tallied_until() -> datetime | None:
    """Up to when everything that ended is counted; None before the first round."""
    return Tallied.objects.values_list("until", flat=True).first()


def _last() -> Tallied | None:
    """The row that says how far the counts go, locked; None when another round has it."""
    if not Tallied.objects.exists():
        first = Match.objects.aggregate(first=Min("ended_at"))["first"]
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO tournaments_tallied (id, until) "
                "VALUES (1, coalesce(%s, clock_timestamp() - make_interval(secs => %s))) "
                "ON CONFLICT DO NOTHING",
                [first, SETTLED_S],
            )
    return Tallied.objects.select_for_update(skip_locked=True).first()


def _until(since: datetime) -> datetime:
    """Where the window ends that begins at `since`."""
    with connection.cursor() as cursor:
        cursor.execute(_HORIZON, [UNSEEN_S, SETTLED_S])
        horizon: datetime = cursor.fetchone()[0]
    ends = Match.objects.filter(ended_at__gte=since).order_by("ended_at")
    ends_at = ends.values_list("ended_at", flat=True)
    full = ends_at[AT_ONCE : AT_ONCE + 1].first()
    if full == since:
        # Rows that were written in one go have one time, and are counted in one go.
        full = ends_at.filter(ended_at__gt=since).first()
    return horizon if full is None else min(full, horizon)


def _note(name: str, labels: dict[str, str], value: float) -> None:
    Tally.objects.update_or_create(name=name, labels=labels, defaults={"value": value})
