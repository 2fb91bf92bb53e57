"""What the service costs a match beside playing it, against the same work as plain Celery tasks.

    python3 -m tests.bench.bench_pipeline                       the tiny game, and Deca Slayer
    python3 -m tests.bench.bench_pipeline --games sealed-bids --matches 2000 --seats 4

The players are trivial and in the worker's process. On servers of its own, which write as safely as
an installation's. CPU is that of the workers, the database and the broker, as /proc counts it. The
floor is the same plays and the encoding of what is kept of them, in the worker's processes too. The
peer is one task for each match with Celery's default handling of connections: see pipeline_app.py.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from deploy import children
from tests.bench import throw_away

TICK = os.sysconf("SC_CLK_TCK")
ROOT = Path(__file__).parent.parent.parent


def tree(pid):
    """CPU seconds of a process, of its children that live, and of those it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICK + sum(tree(child) for child in children)


def until(condition, within_s=100):
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=["sealed-bids", "deca-slayer"])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--rotations", type=int, default=1)
    parser.add_argument("--together", type=int, default=100, help="matches that share a message")
    parser.add_argument("--workers", type=int, default=2, help="processes of the worker")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if throw_away.needed():
        os.environ["SLAYER_MATCHES_PER_MESSAGE"] = str(options.together)
        sys.exit(throw_away.run("tests.bench.bench_pipeline", lasting=True))
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    bench = Bench(options)
    try:
        bench.start()
        for game in options.games:
            bench.run(game)
        bench.latency()
    finally:
        bench.end()


def servers():
    """The process ids of the database's server and the broker's."""
    import redis
    from django.conf import settings
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    stat = Path(f"/proc/{backend}/stat").read_text().rsplit(")", 1)[1].split()
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        return int(stat[1]), client.info("server")["process_id"]


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="slayer-bench-"))
        self.processes = {}

    def start(self):
        from tests.bench import trivial

        trivial.register()
        self.servers = dict(zip(("database", "broker"), servers(), strict=True))
        self.worker("ours", "match")
        self.worker("peer", "peer", BENCH_PEER="1")

    def worker(self, name, queue, **environment):
        log = self.folder / f"{name}.log"
        command = [sys.executable, "-m", "celery", "-A", "tests.bench.pipeline_app:app", "worker"]
        command += ["-Q", queue, "-c", str(self.options.workers), "-n", f"{name}@bench"]
        command += ["--without-gossip", "--without-mingle", "-l", "INFO"]
        with log.open("wb") as output:
            self.processes[name] = children.spawn(
                command,
                cwd=ROOT,
                env={**os.environ, **environment},
                output=output,
                when_orphaned=signal.SIGTERM,
            )
        process = self.processes[name]
        until(lambda: f"{name}@bench ready" in log.read_text() or process.poll() is not None, 90)
        assert process.poll() is None, log.read_text()[-3000:]

    def end(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(20)

    def run(self, game):
        from engine import games

        rules = games.get(game)
        seats = min(max(self.options.seats, rules.min_players), rules.max_players)
        count = self.options.matches if game == "sealed-bids" else self.options.matches // 10
        ladder, bots = self.ladder(rules, 60)
        self.timed(
            "ours", ladder, bots, seats, max(200, count // 5)
        )  # each process learns its pace
        self.timed("peer", ladder, bots, seats, 20)
        figures = []
        for _ in range(self.options.repeat):
            floor = self.floor(rules, seats, min(count, 300))
            ours = self.timed("ours", ladder, bots, seats, count)
            peer = self.timed("peer", ladder, bots, seats, max(30, count // 10))
            assert peer["sessions"] >= peer["count"], "the peer kept its connection: no peer at all"
            figures.append((floor, ours, peer))
            print(f"  floor {1e6 * floor:.0f} us; ours {show(ours)}; peer {show(peer)}", flush=True)

        def middle(value):
            return statistics.median(value(*figure) for figure in figures)

        print(
            f"{game}, {seats} seats, {self.options.rotations} plays, {self.options.together} to a "
            f"message, {self.options.workers} processes: "
            f"{middle(lambda floor, ours, peer: ours['rate'] / peer['rate']):.1f} x the matches "
            f"per second of the peer (by CPU "
            f"{middle(lambda floor, ours, peer: peer['cpu'] / ours['cpu']):.1f} x); CPU of a match "
            f"{middle(lambda floor, ours, peer: ours['cpu'] / floor):.2f} x the floor, the peer's "
            f"{middle(lambda floor, ours, peer: peer['cpu'] / floor):.1f} x",
            flush=True,
        )

    def ladder(self, rules, count):
        """An open ladder of a game, and its bots."""
        from bots.models import Bot, Player, Submission
        from engine.clock import TimeControl
        from tournaments.models import Ladder, Rating

        ladder = Ladder.objects.create(
            slug=f"{rules.name}-bench",
            game=rules.name,
            edition=rules.edition,
            options=rules.check_options(None, rules.min_players),
            time_control=TimeControl().to_dict(),
        )
        bots = []
        for number in range(count):
            handle = f"{rules.name}-{number}"
            player = Player.objects.create(handle=handle, name=handle)
            bot = Bot.objects.create(player=player, game=rules.name, name="bot")
            version = Submission.objects.create(
                bot=bot, number=1, package="x", filename="x", size=1, language="python",
                sha256=f"{number:064x}", entry="main.py", state="qualified",
            )  # fmt: skip
            Bot.objects.filter(pk=bot.pk).update(active=version)
            Rating.objects.create(ladder=ladder, submission=version, mu=25.0, sigma=25 / 3)
            bots.append(version)
        return ladder, bots

    def matches(self, ladder, bots, seats, count):
        """Queued matches of which nobody has been told."""
        from tournaments import dispatch
        from tournaments.dispatch import messages

        with mock.patch.object(messages, "send"), mock.patch.object(messages, "send_play"):
            return [
                dispatch.make_match(
                    kind="ladder",
                    game=ladder.game,
                    submissions=[
                        bots[(number * 7 + seat * 11) % len(bots)] for seat in range(seats)
                    ],
                    rated=True,
                    ladder=ladder,
                    rotations=self.options.rotations,
                ).pk
                for number in range(count)
            ]

    def floor(self, rules, seats, count):
        """CPU seconds a match of playing and encoding alone, in all processes of a worker."""
        import redis
        from celery import current_app
        from django.conf import settings

        client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=120)
        for _ in range(self.options.workers):
            current_app.send_task(
                "bench.floor",
                args=[rules.name, seats, self.options.rotations, count],
                queue="match",
            )
        found = [client.blpop("bench:floors", 100) for _ in range(self.options.workers)]
        return statistics.mean(float(value) for _, value in found)

    def timed(self, who, ladder, bots, seats, count):
        """Let a worker play matches; what a match took."""
        from celery import current_app
        from django.db import connection

        from tournaments.dispatch import messages
        from tournaments.models import Match

        made = self.matches(ladder, bots, seats, count)
        pids = {"workers": self.processes[who].pid, **self.servers}
        before = {name: tree(pid) for name, pid in pids.items()}
        sessions = self.sessions()
        begun = time.monotonic()
        if who == "ours":
            size = self.options.together
            for at in range(0, count, size):
                messages.send_play([(pk, 1) for pk in made[at : at + size]])
        else:
            for pk in made:
                current_app.send_task("peer.play", args=[pk], queue="peer")
        last = Match.objects.filter(pk__in=made[-200:], state__in=["queued", "running"])
        until(lambda: not last.exists())
        assert not Match.objects.filter(state="void").exists(), self.folder
        until(lambda: not Match.objects.filter(pk__in=made).exclude(state="finished").exists())
        wall = time.monotonic() - begun
        parts = {name: (tree(pid) - before[name]) / count for name, pid in pids.items()}
        connection.close()
        time.sleep(0.3)
        return {
            "rate": count / wall,
            "cpu": sum(parts.values()),
            "parts": parts,
            "sessions": self.sessions() - sessions,
            "count": count,
        }

    def sessions(self):
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
            )
            return cursor.fetchone()[0]

    def latency(self):
        """Milliseconds from sending to a task's start, and to a bare loop's on the same broker."""
        import redis
        from celery import current_app
        from django.conf import settings

        client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=120)
        loop = subprocess.Popen([sys.executable, "-c", LOOP, settings.REDIS_URL])
        found = {"celery": [], "loop": []}
        try:
            for number in range(-10, 200):
                for name in found:
                    if name == "celery":
                        current_app.send_task("bench.start", args=[time.time()], queue="match")
                    else:
                        client.lpush("bench:jobs", repr(time.time()))
                    _, value = client.blpop("bench:starts", 30)
                    if number >= 0:
                        found[name].append(1000 * float(value))
                    time.sleep(0.02)
        finally:
            loop.kill()
            loop.wait()
        p50 = {name: statistics.median(values) for name, values in found.items()}
        p95 = {name: statistics.quantiles(values, n=20)[-1] for name, values in found.items()}
        print(
            f"publish to start: p50 {p50['celery']:.2f} ms, p95 {p95['celery']:.2f} ms; "
            f"BLMOVE loop {p50['loop']:.2f} and {p95['loop']:.2f} ms; "
            f"ratios {p50['celery'] / p50['loop']:.1f} and {p95['celery'] / p95['loop']:.1f}"
        )


LOOP = """
import redis, sys, time
client = redis.Redis.from_url(sys.argv[1])
while True:
    value = client.blmove("bench:jobs", "bench:taken", 30, "RIGHT", "LEFT")
    if value is not None:
        now = time.time()
        client.lrem("bench:taken", 1, value)
        client.rpush("bench:starts", now - float(value))
"""


def show(figure):
    parts = ", ".join(f"{name} {1e6 * value:.0f}" for name, value in figure["parts"].items())
    return (
        f"{figure['rate']:.0f}/s, {1e6 * figure['cpu']:.0f} us ({parts}), "
        f"{figure['sessions']} sessions for {figure['count']} matches"
    )


if __name__ == "__main__":
    main()
