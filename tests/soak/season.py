"""A season of matches while something breaks every few seconds.

    python3 -m tests.soak.season --matches 500 --seed 1

The house's cheap bots play a round robin of tables and the ladder, in the sandbox, on a whole
installation of its own: PostgreSQL, Valkey, three workers, housekeeping, two beats, web. A script
breaks processes, servers, links and the disk. At the end every match must have ended exactly once,
and no bot may be the worse for it; exit status 1 otherwise. What is broken, and when, follows from
the seed; what it meets does not.
"""

import argparse
import os
import sys
import time
from collections import Counter

from tests.faults.installation import EVERYBODY, Installation, until
from tests.soak.throwaway import throw_away

WORKERS = ("one", "two", "three")
LEASE_S = 8
SETTINGS = {
    "SLAYER_LEASE_S": str(LEASE_S),
    "SLAYER_RENEW_S": "2",
    "SLAYER_REAP_S": "2",
    "SLAYER_REPUBLISH_S": "6",
}
GAME = "deca-slayer"
PLAYERS = 9
DEALS = 4


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.soak.season")
    parser.add_argument("--matches", type=int, default=500, help="at least so many (500)")
    parser.add_argument("--seed", type=int, default=1, help="of what is broken when (1)")
    parser.add_argument("--every", type=float, default=4.0, help="seconds between faults (4)")
    parser.add_argument("--minutes", type=float, default=30.0, help="give up after so many (30)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    arguments = parser.parse_args()
    with throw_away(SETTINGS, keep=arguments.keep) as installation:
        _season(installation, arguments)
    return 0


def _season(installation: Installation, arguments: argparse.Namespace) -> None:
    from django.db import connection

    from tests.faults.invariants import OVER, assert_nothing_lost_or_doubled
    from tests.soak.breaking import Breaker
    from tournaments.models import Attempt, Bracket, Match

    bracket = _make_season()
    everybody = (*EVERYBODY, *(name for name in WORKERS if name not in EVERYBODY))
    installation.complete(everybody)
    breaker = Breaker(
        installation,
        arguments.seed,
        workers=WORKERS,
        every_s=(0.5 * arguments.every, 1.5 * arguments.every),
        lease_s=LEASE_S,
    )
    started = time.monotonic()
    resumed: Counter[str] = Counter()
    shown = 0.0
    ending = False
    while True:
        breaker.step(breaking=not ending)
        time.sleep(0.1)
        over = _asked(lambda: Match.objects.filter(state__in=OVER).count())
        if over is None:
            continue
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"  {shown - started:4.0f} s: {over} matches over, "
                  f"{breaker.counts.total()} faults", flush=True)  # fmt: skip
        resumed.update(_asked(_resume_paused) or {})
        bracket_over = _asked(lambda: Bracket.objects.get(pk=bracket.pk).state != "running")
        if not ending and over >= arguments.matches and bracket_over:
            ending = True
            breaker.mend_all()
            _end_ladder()
            installation.complete(everybody)
        if ending and not Match.objects.exclude(state__in=OVER).exists():
            break
        if time.monotonic() - started > 60 * arguments.minutes:
            print("Not over in time.")
            break
    wall_s = time.monotonic() - started
    for name in everybody:
        if installation.runs(name):
            installation.stop(name)
    connection.close()
    matches = list(Match.objects.all())
    print(f"\nSeed {arguments.seed}, a fault every {arguments.every:g} s on average:")
    for name, number in sorted(breaker.counts.items()):
        print(f"  {number:4} × {name}")
    print(f"  {breaker.counts.total():4} faults in {wall_s:.0f} s")
    for name, number in sorted(resumed.items()):
        print(f"  {number:4} × worker paused by the service and resumed by the script: {name}")
    tally = assert_nothing_lost_or_doubled(installation, matches, void=True)
    _assert_bracket_whole(bracket.pk)
    left = _assert_files_swept(installation)
    longest = max(
        (attempt.ended_at - attempt.match.created_at).total_seconds()
        for attempt in Attempt.objects.filter(state="finished").select_related("match")
    )
    print(
        f"  {tally.finished} matches finished once, {tally.void} void (no contest), "
        f"{tally.plays} plays kept\n"
        f"  attempts: {', '.join(f'{n} {state}' for state, n in sorted(tally.attempts.items()))}\n"
        f"  slowest match from made to finished: {longest:.0f} s\n"
        f"  orphaned files swept: {left}\n"
        f"  lost 0, double 0, false forfeits 0, ledger equal bit for bit, processes left over 0"
    )


def _asked(question):
    """The answer of the database, or None while it is away."""
    from django.db import InterfaceError, OperationalError, connection

    try:
        return question()
    except (InterfaceError, OperationalError):
        connection.close()
        return None


def _make_season():
    from bots import accounts, submissions
    from engine.house import house_package
    from tournaments import brackets, entrants, ladders, lifecycle
    from tournaments.models import Ladder

    ladder = ladders.open_ladder(GAME)
    Ladder.objects.filter(pk=ladder.pk).update(rotations=1)
    bots = []
    for number in range(PLAYERS):
        _, player = accounts.sign_up(
            email=f"p{number}@example.org", password="correct horse battery", handle=f"p{number}"
        )
        bot = submissions.create_bot(player=player, game=GAME, name=f"bot-{number}", user=None)
        package = ("random", 0.0) if number % 3 == 0 else ("greedy", 0.1 * number)
        version = submissions.upload(
            bot=bot,
            data=house_package(GAME, package[0], random_share=package[1]),
            filename="bot.zip",
            user=None,
        )
        # Their check would be matches like all others.
        assert submissions.start_check(version)
        assert submissions.qualify(version, log="")
        entrants.activate(submission=version, user=None)
        bots.append(bot)
    bracket = brackets.create_bracket(
        slug="soak", title="Soak", game=GAME, format="round-robin",
        rules={"table_size": 3, "deals": DEALS}, organiser=None,
    )  # fmt: skip
    for bot in bots:
        brackets.enter(bracket=bracket, bot=bot, user=None)
    lifecycle.start(bracket=bracket, user=None)
    return bracket


def _resume_paused() -> dict[str, int]:
    """What the person on call would do who has mended the machine."""
    from tournaments import workers
    from tournaments.models import Worker

    return {
        worker.name: 1
        for worker in Worker.objects.filter(paused=True)
        if workers.resume(worker=worker, reason="mended", user=None)
    }


def _end_ladder() -> None:
    """Nobody is drawn any more; what is queued is still played."""
    from bots.models import Bot
    from tournaments import entrants

    for bot in Bot.objects.all():
        until(lambda bot=bot: entrants.deactivate(bot=bot, user=None) is None)


def _assert_bracket_whole(pk: int) -> None:
    """Every table has as many finished matches as it has deals: voids have been replaced."""
    from tournaments.models import Bracket, Match, Table

    assert Bracket.objects.get(pk=pk).state == "finished"
    tables = Table.objects.filter(round__stage__bracket=pk)
    for table in tables:
        deals = Match.objects.filter(table=table, state="finished").values_list("deal", flat=True)
        assert sorted(deals) == list(range(1, DEALS + 1)), f"{table}: deals {sorted(deals)}"


def _assert_files_swept(installation: Installation) -> int:
    """Files that no row refers to go with the next sweep, and no others; how many they were."""
    from tournaments import dispatch
    from tournaments.dispatch.files import ARCHIVES
    from tournaments.models import Match

    long_ago = time.time() - 24 * 3600
    archives = installation.files / ARCHIVES
    for path in archives.rglob("*"):
        if path.is_file():
            os.utime(path, (long_ago, long_ago))
    removed = dispatch.sweep()
    there = {
        str(path.relative_to(installation.files)) for path in archives.rglob("*") if path.is_file()
    }
    assert there == {*Match.objects.exclude(archive="").values_list("archive", flat=True)}
    return removed


if __name__ == "__main__":
    sys.exit(main())
