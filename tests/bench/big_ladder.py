"""A ladder with as many bots, matches and ledger rows as are wanted, made by COPY in minutes.

Every match has four seats and one play, is finished and rated, and the ledger folds to the ratings:
the numbers are those of the service's own update. There are no files behind it. Matches are among
bots of like strength; a few bots play far more than others, and some have not played yet.
"""

import io
import json
import random
from datetime import UTC, datetime, timedelta
from itertools import count

from django.db import connection, transaction

from bots.models import Bot, Player, Submission
from engine import games
from engine.clock import TimeControl
from tournaments import ladders, rating
from tournaments.models import (
    Attempt,
    Contestant,
    Ladder,
    Match,
    Play,
    Rating,
    RatingChange,
    Worker,
)

GAME = "deca-slayer"
SEATS = 4
NEWCOMERS = 0.02
BUSY = 5
"""So many bots are in a twentieth of all matches."""
START = datetime(2026, 1, 1, tzinfo=UTC)
ROWS_AT_ONCE = 100_000


class Copy:
    """Rows of one model on their way into its table; what is not given has the field's default."""

    def __init__(self, model, *names):
        fields = [f for f in model._meta.concrete_fields if not getattr(f, "generated", False)]
        given = [f for f in fields if f.name in names]
        assert len(given) == len(names), set(names) - {f.name for f in given}
        self._order = [names.index(f.name) for f in given]
        rest = [f for f in fields if f.name not in names and not f.has_db_default()]
        self._tail = "".join(f"\t{_text(_default(f))}" for f in rest) + "\n"
        columns = ", ".join(f'"{f.column}"' for f in [*given, *rest])
        self._table = model._meta.db_table
        self._sql = f'COPY "{self._table}" ({columns}) FROM STDIN'
        self._buffer = io.StringIO()
        self._rows = 0

    def row(self, *values):
        self._buffer.write("\t".join([_text(values[i]) for i in self._order]) + self._tail)
        self._rows += 1
        if self._rows == ROWS_AT_ONCE:
            self.flush()

    def flush(self):
        with connection.cursor() as cursor, cursor.copy(self._sql) as copy:
            copy.write(self._buffer.getvalue())
        self._buffer, self._rows = io.StringIO(), 0


def _default(field):
    if field.null:
        return None
    value = field.get_default()
    return json.dumps(value) if isinstance(value, dict | list) and field.name != "scopes" else value


def _text(value):
    if value is None:
        return "\\N"
    if value is True or value is False:
        return "t" if value else "f"
    return repr(value) if type(value) is float else str(value)


def generate(*, bots, matches, seed="big ladder", say=lambda text: None):
    """Fill an empty, migrated database; returns the ladder."""
    random_ = random.Random(f"{seed} {bots} {matches}")
    ladder = ladders.open_ladder(GAME)
    with transaction.atomic(), connection.cursor() as cursor:
        # Rows are right by construction; checking each reference takes half of the time.
        cursor.execute("SET LOCAL session_replication_role = replica")
        say(f"{bots} bots")
        _bots(bots)
        say(f"{matches} matches")
        last = _matches(ladder, bots, matches, random_)
        Ladder.objects.filter(pk=ladder.pk).update(seq=last, version=last)
        for model in (Player, Bot, Submission, Match, Contestant, Play, Attempt, Rating,
                      RatingChange):  # fmt: skip
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), (SELECT max(id) FROM "
                f'"{model._meta.db_table}"))',
                [model._meta.db_table],
            )
    with connection.cursor() as cursor:
        say("VACUUM ANALYZE")
        cursor.execute("VACUUM (ANALYZE)")
    ladder.refresh_from_db()
    return ladder


def _bots(bots):
    players = Copy(Player, "id", "handle", "name", "created_at")
    rows = Copy(Bot, "id", "player", "game", "name", "active", "active_since", "created_at")
    versions = Copy(
        Submission, "id", "bot", "number", "package", "filename", "size", "sha256", "language",
        "entry", "state", "uploaded_at", "checked_at",
    )  # fmt: skip
    for bot in range(1, bots + 1):
        at = START - timedelta(minutes=bot)
        players.row(bot, f"player-{bot}", f"Player {bot}", at)
        rows.row(bot, bot, GAME, f"bot-{bot}", bot, at, at)
        versions.row(
            bot, bot, 1, f"packages/{bot}.zip", "bot.zip", 1000, f"{bot:064x}", "python",
            "main.py", "qualified", at, at,
        )  # fmt: skip
    for copy in (players, rows, versions):
        copy.flush()


def _matches(ladder, bots, matches, random_):
    """All that was played, and the ratings that it came to; the last seq."""
    game = games.get(GAME)
    options = json.dumps(ladder.options)
    time = json.dumps(TimeControl().to_dict())
    worker = Worker.objects.create(
        name="generated@nowhere", version="1", python="", tier="ns", started_at=START,
        seen_at=START,
    )  # fmt: skip
    match_rows = Copy(
        Match, "id", "kind", "state", "game", "edition", "players", "options", "time_control",
        "rotations", "seed", "commitment", "rated", "ladder", "languages", "created_at",
        "started_at", "ended_at", "published_at", "archive",
    )  # fmt: skip
    contestants = Copy(
        Contestant, "id", "match", "number", "submission", "place", "place_points", "margin"
    )
    plays = Copy(
        Play, "id", "match", "rotation", "seats", "scores", "places", "cpu_ms", "decisions",
        "play_hash", "replay_size",
    )  # fmt: skip
    attempts = Copy(
        Attempt, "id", "match", "number", "state", "token", "worker", "tier", "lease_until",
        "progress_at", "progress_limit_s", "started_at", "ended_at",
    )  # fmt: skip
    changes = Copy(
        RatingChange, "ladder", "id", "seq", "kind", "submission", "match", "place", "mu_before",
        "sigma_before", "mu", "sigma", "created_at",
    )  # fmt: skip
    copies = (match_rows, contestants, plays, attempts, changes)
    values = dict.fromkeys(range(1, bots + 1), rating.START)
    played = dict.fromkeys(values, 0)
    played_at = dict.fromkeys(values)
    change = count(1)
    for bot in values:
        start = rating.START
        changes.row(
            ladder.pk, next(change), bot, "enter", bot, None, None, None, None, start.mu,
            start.sigma, START,
        )  # fmt: skip
    active = int(bots * (1 - NEWCOMERS))
    window = max(3 * SEATS, active // 500)
    contestant = count(1)
    for match in range(1, matches + 1):
        # Numbers stand for strength: bot 1 is the strongest.
        least = random_.randint(1, max(1, active - window))
        table = random_.sample(range(least, min(active, least + window) + 1), SEATS)
        if random_.random() < 1 / 20:
            table[0] = next(bot for bot in random_.sample(range(1, BUSY + 5), 5 + SEATS - 1)
                            if bot not in table)  # fmt: skip
        shown = sorted(range(SEATS), key=lambda i: table[i] / active + random_.gauss(0, 0.2))
        places = [1 + shown.index(i) for i in range(SEATS)]
        after = rating.update([values[bot] for bot in table], places)
        at = START + timedelta(seconds=5 * match)
        match_rows.row(
            match, "ladder", "finished", GAME, game.edition, SEATS, options, time, 1,
            f"{match:064x}", f"{match:064x}", True, ladder.pk, '["python"]', at, at, at, at,
            f"matches/{match // 1000}/{match}-1-0.slym",
        )  # fmt: skip
        plays.row(
            match, match, 0, "[0, 1, 2, 3]", json.dumps([100 - 7 * place for place in places]),
            json.dumps(places), "[12.5, 9.25, 14.0, 11.5]", 140, f"{match:064x}",
            250,
        )  # fmt: skip
        attempts.row(
            match, match, 1, "finished", f"00000000-0000-4000-8000-{match:012d}", worker.pk, "ns",
            at, at, 60, at, at,
        )  # fmt: skip
        order = sorted(zip(table, places, after, strict=True))
        for number, (bot, place) in enumerate(zip(table, places, strict=True)):
            contestants.row(
                next(contestant), match, number, bot, place, (SEATS - place) / (SEATS - 1),
                10.0 * (2.5 - place),
            )  # fmt: skip
        for bot, place, new in order:
            old, values[bot] = values[bot], new
            played[bot] += 1
            played_at[bot] = at
            changes.row(
                ladder.pk, next(change), bots + match, "match", bot, match, place, old.mu,
                old.sigma, new.mu, new.sigma, at,
            )  # fmt: skip
    ratings = Copy(Rating, "ladder", "submission", "id", "mu", "sigma", "matches", "played_at")
    for bot, value in values.items():
        ratings.row(ladder.pk, bot, bot, value.mu, value.sigma, played[bot], played_at[bot])
    for copy in (*copies, ratings):
        copy.flush()
    return bots + matches
