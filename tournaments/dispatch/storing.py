"""What results change, written by one statement for any number of them.

By the ORM it is a statement for each table, and each of those as long as its rows are many. What it
writes is absolute, and written for those attempts alone that are still running under their token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from django.db import connection

from tournaments.duplicate import ContestantResult

# Matches are locked first and in the order of their ids, so that no two writers wait for each
# other. All that moves attempts holds the lock of their match.
_STORE = """
WITH given AS (
    SELECT * FROM json_to_recordset(%(attempts)s::json)
        AS x (id bigint, match bigint, number integer, token uuid, sha256 text, archive text)
), locked AS MATERIALIZED (
    SELECT m.id FROM tournaments_match m JOIN given g ON g.match = m.id
    WHERE m.state = 'running' AND m.attempt = g.number
    ORDER BY m.id FOR NO KEY UPDATE OF m
), ended AS (
    UPDATE tournaments_attempt a
    SET state = 'finished', ended_at = statement_timestamp(), result_sha256 = g.sha256
    FROM given g JOIN locked l ON l.id = g.match
    WHERE a.id = g.id AND a.token = g.token AND a.state = 'running'
    RETURNING a.match_id
), over AS (
    UPDATE tournaments_match m
    SET state = 'finished', ended_at = statement_timestamp(), archive = g.archive
    FROM ended e JOIN given g ON g.match = e.match_id WHERE m.id = e.match_id
    RETURNING m.id
), placed AS (
    UPDATE tournaments_contestant c
    SET place = x.place, place_points = x.points, margin = x.margin, failures = x.failures
    FROM json_to_recordset(%(contestants)s::json) AS x (
        match bigint, number smallint, place smallint, points float8, margin float8,
        failures smallint
    ) JOIN ended e ON e.match_id = x.match
    WHERE c.match_id = x.match AND c.number = x.number
), played AS (
    INSERT INTO tournaments_play (
        match_id, rotation, seats, scores, places, failures, cpu_ms, decisions, play_hash,
        replay_size
    )
    SELECT x.match, x.rotation, x.seats, x.scores, x.places, x.failures, x.cpu_ms, x.decisions,
        x.play_hash, x.replay_size
    FROM json_to_recordset(%(plays)s::json) AS x (
        match bigint, rotation smallint, seats jsonb, scores jsonb, places jsonb, failures jsonb,
        cpu_ms jsonb, decisions integer, play_hash text, replay_size integer
    ) JOIN ended e ON e.match_id = x.match
)
SELECT id FROM over
"""


@dataclass
class Rows:
    """What the result of one attempt is as rows; contestants by number, plays by their columns."""

    attempt: int
    match: int
    number: int
    token: UUID
    sha256: str
    contestants: Sequence[ContestantResult]
    plays: Sequence[dict[str, Any]]
    archive: str = ""


def store(results: Sequence[Rows]) -> set[int]:
    """Write results in the caller's transaction; the ids of the matches whose attempt still ran."""
    values = {
        "attempts": [
            {
                "id": rows.attempt,
                "match": rows.match,
                "number": rows.number,
                "token": rows.token,
                "sha256": rows.sha256,
                "archive": rows.archive,
            }
            for rows in results
        ],
        "contestants": [
            {
                "match": rows.match,
                "number": number,
                "place": result.place,
                "points": float(result.points),
                "margin": float(result.margin),
                "failures": result.failures,
            }
            for rows in results
            for number, result in enumerate(rows.contestants)
        ],
        "plays": [play for rows in results for play in rows.plays],
    }
    encoded = {name: msgspec.json.encode(rows).decode() for name, rows in values.items()}
    with connection.cursor() as cursor:
        cursor.execute(_STORE, encoded)
        return {match for (match,) in cursor.fetchall()}
