"""CPU of a ladder match through the whole path: message, claim, plays, check, storing, ratings.

    python3 -m tests.bench.bench_pipeline --matches 20 --players 3 6

Needs DATABASE_URL and REDIS_URL; works in a test database of its own. The bots take the first legal
action, so that hardly anything of it is theirs. The floor is the same plays by the referee in the
same sandbox, and their replays, in one process without service. All numbers are CPU time of whole
process trees: worker with its bots, database server, broker.
"""

# Django must be set up before anything of the service is imported.
# ruff: noqa: E402
import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
os.environ.setdefault("SLAYER_DEBUG", "1")
django.setup()

import redis
from celery import current_app
from django.conf import settings
from django.core.files.storage import storages
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext, override_settings

from bots.submissions import package_of
from engine import games, replay
from engine.clock import TimeControl
from engine.referee import SeatProgram, play
from engine.sandbox import isolated, workspace
from tests.faults.conftest import Processes, until
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tournaments import dispatch, duplicate, ladders, workers
from tournaments.models import Match

TICK = os.sysconf("SC_CLK_TCK")


def tree(pid):
    """CPU seconds of a process, of its children that live, and of those it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICK + sum(tree(child) for child in children)


def servers():
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0])
    postgres = int((folder / "postmaster.pid").read_text().split()[0])
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        return postgres, client.info("server")["process_id"]


def floor(bots, matches):
    """CPU seconds a match of the plays alone."""
    game = games.get("deca-slayer")
    before = own_cpu()
    with isolated() as sandbox, workspace() as folder:
        programs = []
        for bot in bots:
            package = package_of(bot)
            programs.append(SeatProgram(package.unpack(folder / str(bot.pk)), package.sha256))
        for number in range(matches):
            for rotation in range(len(bots)):
                result = play(
                    game,
                    players=len(bots),
                    options={},
                    seed=f"{number:064x}",
                    rotation=rotation,
                    seats=[programs[i] for i in duplicate.seats(len(bots), rotation)],
                    time=TimeControl(),
                    sandbox=sandbox,
                )
                replay.dumps(result.record)
    return (own_cpu() - before) / matches


def own_cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def through_the_service(processes, ladder, bots, matches, worker):
    postgres, broker = servers()
    pids = {"worker and bots": worker.pid, "database": postgres, "broker": broker}
    before = {name: tree(pid) for name, pid in pids.items()}
    begun = time.monotonic()
    made = [ladder_match(ladder, bots).pk for _ in range(matches)]
    done = Match.objects.filter(pk__in=made, state="finished")
    until(lambda: done.count() == matches, within_s=600, step=lambda: time.sleep(0.5))
    wall = time.monotonic() - begun
    return {name: (tree(pid) - before[name]) / matches for name, pid in pids.items()}, wall


def finishing(ladder, bots):
    """Statements and milliseconds of one report."""
    with transaction.atomic():  # the worker must not take it first
        claim = claimed(ladder_match(ladder, bots), workers.live().first())
    result = report(claim)
    begun = time.process_time()
    with CaptureQueriesContext(connection) as queries:
        assert dispatch.finish(**ids(claim), result=result).verdict == "accepted"
    return len(queries), 1000 * (time.process_time() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--players", type=int, nargs="+", default=[3, 6])
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="slayer-bench-"))
    files = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(folder / "files")},
    }
    database = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = "slayer_bench"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    processes = Processes(folder, settings.REDIS_URL)
    try:
        with override_settings(STORAGES={**settings.STORAGES, "default": files}):
            assert storages["default"].location == str(folder / "files")
            current_app.control.purge()
            ladder = ladders.open_ladder("deca-slayer")
            bots = [entrant() for _ in range(max(options.players))]
            worker = processes.worker("bench")
            for players in options.players:
                table = bots[:players]
                through_the_service(processes, ladder, table, 2, worker)  # warm
                base = floor(table, options.matches)
                parts, wall = through_the_service(processes, ladder, table, options.matches, worker)
                total = sum(parts.values())
                statements, finish_ms = finishing(ladder, table)
                print(
                    f"{players} players, {players} plays a match: "
                    f"{1000 * total:.0f} ms CPU ("
                    + ", ".join(f"{name} {1000 * value:.0f}" for name, value in parts.items())
                    + f"), plays alone {1000 * base:.0f} ms, ratio {total / base:.2f}; "
                    f"{options.matches / wall:.2f} matches/s; "
                    f"finish: {statements} statements, {finish_ms:.1f} ms CPU"
                )
    finally:
        processes.end()
        connection.creation.destroy_test_db(database, verbosity=0)


if __name__ == "__main__":
    main()
