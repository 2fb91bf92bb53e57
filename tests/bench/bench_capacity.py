"""What one rated ladder match costs: CPU of every process, bytes of database, files and log.

    python3 -m tests.bench.bench_capacity [--matches 10]

On servers of its own. House bots play four to a table, a play for each seat, through a real worker
as the workers' database role, so that everything is on the path. Sizes of tables are taken after
the rows of these matches have been multiplied, since a few pages more or less would hide them.
"""

# Django must be set up before anything of the service is imported.
# ruff: noqa: E402
import argparse
import sys
import time
from pathlib import Path

from tests.bench import throw_away

if __name__ == "__main__" and throw_away.needed():
    sys.exit(throw_away.run("tests.bench.bench_capacity", lasting=True))

import django

django.setup()

import redis
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models import Sum

from bots import submissions
from bots.models import Player
from engine.house import house_package
from tests.bench.bench_pipeline import servers, tree
from tests.faults.conftest import Processes
from tests.tournaments.rows import ladder_match
from tournaments import database_role, entrants, ladders
from tournaments.models import Attempt, Contestant, Match, Play, RatingChange

SEATS = 4
COPIES = 400
FAR = 10**7
# In the order in which rows refer to each other, with what refers within a match.
TABLES = (Match, Attempt, Contestant, Play, RatingChange)


class AsRole(Processes):
    """Workers that have the rights of workers alone."""

    def environment(self):
        given = super().environment()
        host = connection.settings_dict["HOST"]
        name = f"{database_role.DEFAULT_NAME}@/{connection.settings_dict['NAME']}?host={host}"
        return {**given, "DATABASE_URL": f"postgresql://{name}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=10)
    matches = parser.parse_args().matches
    call_command("migrate", verbosity=0)
    database_role.install()
    processes = AsRole(Path(settings.DATA_DIR), settings.REDIS_URL)
    try:
        worker = processes.worker("capacity")
        for game in ("deca-slayer", "slawia", "kunlun"):
            measure(game, matches, worker)
        sizes(3 * (matches + 1))
    finally:
        processes.end()


def enrolled(game):
    """Four versions that play: two of each kind of house bot."""
    found = []
    for number, kind in enumerate(("greedy", "planner", "greedy", "planner")):
        handle = f"{game}-{kind}-{number}"
        player = Player.objects.create(handle=handle, name=handle)
        bot = submissions.create_bot(player=player, game=game, name=kind, user=None)
        data = house_package(game, kind)
        made = submissions.upload(bot=bot, data=data, filename="bot.zip", user=None)
        assert submissions.start_check(made)
        assert submissions.qualify(made, log="")
        entrants.activate(submission=made, user=None)
        found.append(made)
    return found


def measure(game, matches, worker):
    ladder, bots = ladders.open_ladder(game), enrolled(game)
    play(ladder, bots, 1)  # warm
    postgres, broker = servers()
    pids = {"worker": worker.pid, "database": postgres, "broker": broker}
    before = {name: tree(pid) for name, pid in pids.items()}
    log = wal()
    last = Play.objects.latest("id").pk
    begun = time.monotonic()
    making = play(ladder, bots, matches)
    wall = time.monotonic() - begun
    used = {name: 1000 * (tree(pid) - before[name]) / matches for name, pid in pids.items()}
    plays = Play.objects.filter(pk__gt=last)
    bots_ms = sum(sum(each.cpu_ms) for each in plays) / matches
    decisions = plays.aggregate(all=Sum("decisions"))["all"]
    replays = plays.aggregate(all=Sum("replay_size"))["all"] / matches
    archives = [each.archive for each in Match.objects.filter(plays__in=plays).distinct()]
    archive = sum(each.size for each in archives) / matches
    print(
        f"{game}, {SEATS} seats, {SEATS} plays, {decisions / matches:.0f} decisions a match:\n"
        f"  CPU ms: worker {used['worker']:.0f} (of these bots {bots_ms:.0f}), database "
        f"{used['database']:.1f}, broker {used['broker']:.2f}, making it {making:.1f}; "
        f"{matches / wall:.2f} matches/s\n"
        f"  bytes: its file {archive:.0f} (of these replays {replays:.0f}), "
        f"write-ahead log {(wal() - log) / matches:.0f}",
        flush=True,
    )


def play(ladder, bots, matches):
    """Milliseconds of this process that making one of the matches takes."""
    begun = time.process_time()
    made = [ladder_match(ladder, bots, game=ladder.game).pk for _ in range(matches)]
    making = 1000 * (time.process_time() - begun) / matches
    done = Match.objects.filter(pk__in=made, state="finished")
    while done.count() < matches:  # seldom, since it costs the database too
        time.sleep(0.5)
    return making


def wal():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def sizes(matches):
    """Bytes of each table and its indexes for a match, from COPIES times the rows there are."""
    with connection.cursor() as cursor:
        before = {model: total(cursor, model) for model in TABLES}
        cursor.execute("SET session_replication_role = replica")  # no checks of what is copied
        for model in TABLES:
            table = model._meta.db_table
            fields = [f for f in model._meta.concrete_fields if not getattr(f, "generated", False)]
            moved = {"id", "match_id", "play_id", "seq"}
            values = [
                f'"{f.column}" + {FAR}::bigint * n' if f.column in moved else f'"{f.column}"'
                for f in fields
            ]
            names = ", ".join(f'"{f.column}"' for f in fields)
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table}, "
                f"generate_series(1, {COPIES}) n ORDER BY n, id"
            )
        each = {}
        for model in TABLES:
            cursor.execute(f"VACUUM ANALYZE {model._meta.db_table}")
            grown = total(cursor, model) - before[model]
            each[model.__name__] = grown / COPIES / matches
        print(
            "database bytes a match, indexes included: "
            + ", ".join(f"{name} {value:.0f}" for name, value in each.items())
            + f"; together {sum(each.values()):.0f}"
        )
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        print(f"broker: {client.info('memory')['used_memory'] / 2**20:.1f} MiB when it is empty")


def total(cursor, model):
    cursor.execute("SELECT pg_total_relation_size(%s)", [model._meta.db_table])
    return cursor.fetchone()[0]


if __name__ == "__main__":
    main()
