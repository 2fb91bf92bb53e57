"""What results change, written by one statement for any number of them.

By the ORM it is a statement for each table, and each of those as long as its rows are many. What it
writes is absolute, and written for those attempts alone that are still running under their token.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from django.db import connection

from tournaments.duplicate import ContestantResult
from tournaments.models import Attempt, Play, SeatFile

# Matches are locked first and in the order of their ids, so that no two writers wait for each
# other. All that moves attempts holds the lock of their match.
_STORE = """
WITH given AS (
    SELECT * FROM json_to_recordset(%(attempts)s::json)
        AS x (id bigint, match bigint, number integer, token uuid, sha256 text)
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
    UPDATE tournaments_match m SET state = 'finished', ended_at = statement_timestamp()
    FROM ended e WHERE m.id = e.match_id
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
        replay, replay_size
    )
    SELECT x.match, x.rotation, x.seats, x.scores, x.places, x.failures, x.cpu_ms, x.decisions,
        x.play_hash, x.replay, x.replay_size
    FROM json_to_recordset(%(plays)s::json) AS x (
        match bigint, rotation smallint, seats jsonb, scores jsonb, places jsonb, failures jsonb,
        cpu_ms jsonb, decisions integer, play_hash text, replay text, replay_size integer
    ) JOIN ended e ON e.match_id = x.match
    RETURNING id, match_id, rotation
), logged AS (
    INSERT INTO tournaments_seatfile (play_id, seat, submission_id, file)
    SELECT p.id, x.seat, x.submission, x.file
    FROM json_to_recordset(%(files)s::json) AS x (
        match bigint, rotation smallint, seat smallint, submission bigint, file text
    ) JOIN played p ON p.match_id = x.match AND p.rotation = x.rotation
)
SELECT id FROM over
"""
_PLAY = (
    "rotation", "seats", "scores", "places", "failures", "cpu_ms", "decisions", "play_hash",
    "replay_size",
)  # fmt: skip


@dataclass
class Rows:
    """What the result of one attempt is as rows; contestants by number."""

    attempt: Attempt
    sha256: str
    contestants: Sequence[ContestantResult]
    plays: list[Play] = field(default_factory=list)
    seat_files: list[SeatFile] = field(default_factory=list)


def store(results: Sequence[Rows]) -> set[int]:
    """Write results in the caller's transaction; the ids of the matches whose attempt still ran."""
    values = {
        "attempts": [
            {
                "id": rows.attempt.pk,
                "match": rows.attempt.match_id,
                "number": rows.attempt.number,
                "token": rows.attempt.token,
                "sha256": rows.sha256,
            }
            for rows in results
        ],
        "contestants": [
            {
                "match": rows.attempt.match_id,
                "number": number,
                "place": result.place,
                "points": float(result.points),
                "margin": float(result.margin),
                "failures": result.failures,
            }
            for rows in results
            for number, result in enumerate(rows.contestants)
        ],
        "plays": [
            {name: getattr(play, name) for name in _PLAY}
            | {"match": play.match_id, "replay": play.replay.name}
            for rows in results
            for play in rows.plays
        ],
        "files": [
            {
                "match": file.play.match_id,
                "rotation": file.play.rotation,
                "seat": file.seat,
                "submission": file.submission_id,
                "file": file.file.name,
            }
            for rows in results
            for file in rows.seat_files
        ],
    }
    encoded = {name: msgspec.json.encode(rows).decode() for name, rows in values.items()}
    with connection.cursor() as cursor:
        cursor.execute(_STORE, encoded)
        return {match for (match,) in cursor.fetchall()}
