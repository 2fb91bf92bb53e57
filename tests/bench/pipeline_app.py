"""Celery workers of bench_pipeline: the service's own with trivial players, and a plain peer.

With BENCH_PEER the worker keeps no database connection: Celery's default, which closes it before
and after each task.
"""

# Django must be set up before anything of the service is imported.
# ruff: noqa: E402
import os
import time

import django

import deploy.celery

django.setup()

import msgspec
import redis
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from engine import games, match_file, replay
from engine.clock import TimeControl
from engine.record import play_hash
from engine.referee import SeatProgram, play
from engine.verify import verify
from tests.bench import trivial
from tournaments import duplicate, runner, worker_process, workers
from tournaments.ledger.rows import match_rows
from tournaments.models import Ladder, Match, Play, Rating, RatingChange
from tournaments.rating import RatingValue

app = deploy.celery.app
if os.environ.get("BENCH_PEER"):
    app.conf["CELERY_DB_REUSE_MAX"] = None  # what was set before cannot be deleted

trivial.register()
workers.SEEN_EVERY_S = 600  # each sign of life is a session of the database
runner._sandbox = trivial.InProcess()
runner.package_of = trivial.Package
worker_process._describe = lambda slots: workers.Description(
    version="bench", python="3", languages=("python",), slots=slots, tier=trivial.NAME
)


@app.task(name="peer.play")
def peer_play(match_id):
    """The same work as it is written first: a task for a match, rows by the ORM."""
    match = Match.objects.get(pk=match_id)
    contestants = list(match.contestants.select_related("submission").order_by("number"))
    sandbox = trivial.InProcess()
    rows, outcomes, replays, logs = [], [], [], []
    for rotation in range(match.rotations):
        seats = duplicate.seats(match.players, rotation)
        result = play(
            games.get(match.game, match.edition),
            players=match.players,
            options=match.options,
            seed=match.seed,
            rotation=rotation,
            seats=[trivial.program(contestants[i].submission) for i in seats],
            time=TimeControl.from_dict(match.time_control),
            sandbox=sandbox,
        )
        record = result.record
        verify(record)
        data = replay.dumps(record)
        row = Play(
            match=match,
            rotation=rotation,
            seats=seats,
            scores=record.scores,
            places=record.places,
            cpu_ms=[log.cpu_ms for log in result.logs],
            decisions=len(record.actions),
            play_hash=play_hash(record),
            replay_size=len(data),
        )
        replays.append(data)
        logs.append(result.logs)
        rows.append(row)
        outcomes.append(duplicate.PlayOutcome(seats, record.scores, record.places))
    name = f"matches/{match.pk // 1000}/{match.pk}.slym"
    match.archive = default_storage.save(name, ContentFile(match_file.dumps(replays, logs)))
    with transaction.atomic():
        match.state, match.ended_at = Match.State.FINISHED, timezone.now()
        match.save()
        Play.objects.bulk_create(rows)
        results = duplicate.result(match.players, outcomes)
        for contestant, result in zip(contestants, results, strict=True):
            contestant.place, contestant.margin = result.place, float(result.margin)
            contestant.place_points = float(result.points)
            contestant.save()
        ladder = Ladder.objects.select_for_update().get(pk=match.ladder_id)
        ladder.seq += 1
        ladder.save()
        ratings = {
            rating.submission_id: rating
            for rating in Rating.objects.filter(
                ladder=ladder, submission__in=[each.submission_id for each in contestants]
            )
        }
        changes = match_rows(
            ladder.seq,
            match.pk,
            {pk: RatingValue(rating.mu, rating.sigma) for pk, rating in ratings.items()},
            {each.submission_id: each.place for each in contestants},
        )
        for change in changes:
            rating = ratings[change.submission_id]
            rating.mu, rating.sigma = change.mu, change.sigma
            rating.matches += 1
            rating.played_at = timezone.now()
            rating.save()
        RatingChange.objects.bulk_create(
            RatingChange(ladder=ladder, **msgspec.structs.asdict(change)) for change in changes
        )


@app.task(name="bench.floor")
def floor(game, seats, rotations, count):
    """CPU seconds a match of playing and encoding alone, in a process like those that do it all."""
    rules, sandbox = games.get(game), trivial.InProcess()
    programs = [SeatProgram(trivial.NOWHERE, f"{seat:064x}") for seat in range(seats)]
    options = rules.check_options(None, seats)
    begun = time.process_time()
    for number in range(count):
        for rotation in range(rotations):
            result = play(
                rules,
                players=seats,
                options=options,
                seed=f"{number:064x}",
                rotation=rotation,
                seats=[programs[i] for i in duplicate.seats(seats, rotation)],
                time=TimeControl(),
                sandbox=sandbox,
            )
            replay.dumps(result.record)
            for log in result.logs:
                log.to_bytes()
    _starts().rpush("bench:floors", (time.process_time() - begun) / count)


@app.task(name="bench.start")
def start(sent):
    """How long a message took to its task."""
    _starts().rpush("bench:starts", time.time() - sent)


def _starts():
    global _client
    if _client is None:
        _client = redis.Redis.from_url(settings.REDIS_URL)
    return _client


_client = None
