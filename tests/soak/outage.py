"""The database refuses everybody while matches are played, with the usual settings.

    python3 -m tests.soak.outage --seconds 20

Two workers are in the middle of a match when the refusing begins, and both matches are played to
their end while it lasts. An outage shorter than what is left of a lease costs no attempt: each
result is kept and reported once the database is back. Exit status 1 if anything else happens.
"""

import argparse
import sys
import time

from tests.faults.installation import WORKERS, Installation, until
from tests.soak.throwaway import throw_away

# Eight seconds of a play, and hardly any CPU.
SLOW = """asked = globals().get('asked', 0) + 1
        if asked in (3, 6, 9, 12): import time; time.sleep(2)
        answer = {"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.soak.outage")
    parser.add_argument("--seconds", type=float, default=20.0, help="of the outage (20)")
    parser.add_argument("--times", type=int, default=3, help="outages one after the other (3)")
    arguments = parser.parse_args()
    with throw_away({}) as installation:
        _outages(installation, arguments.seconds, arguments.times)
    return 0


def _outages(installation: Installation, seconds: float, times: int) -> None:
    from tests.builders import FIRST, make_bot, make_submission
    from tests.faults.invariants import assert_nothing_lost_or_doubled
    from tests.tournaments.rows import ladder_match
    from tournaments import ladders
    from tournaments.dispatch import messages
    from tournaments.models import Attempt, Match

    ladder = ladders.open_ladder("deca-slayer")
    bots = [
        make_submission(make_bot(), source=FIRST if number else FIRST.replace("answer = {", SLOW))
        for number in range(3)
    ]
    installation.complete()
    made: list[Match] = []
    for number in range(1, times + 1):
        playing = [ladder_match(ladder, bots, rotations=1) for _ in WORKERS]
        until(
            lambda playing=playing: (
                Attempt.objects.filter(match__in=playing).count() == len(WORKERS)
            )
        )
        time.sleep(1)
        installation.database.refuse()
        begun = time.monotonic()
        waiting = [ladder_match(ladder, bots, rotations=1) for _ in range(4)]
        time.sleep(seconds)
        assert not Attempt.objects.exclude(state="running").filter(match__in=playing).exists()
        # Each worker holds the message of one match that it cannot claim, and no more.
        waits = messages.waiting()
        assert waits is not None
        assert waits >= len(waiting) - len(WORKERS)
        installation.database.open()
        refused_s = time.monotonic() - begun
        made += [*playing, *waiting]
        until(lambda: not Match.objects.exclude(state="finished").exists(), within_s=120)
        print(
            f"Outage {number} of {refused_s:.1f} s: {len(playing)} matches in play and "
            f"{len(waiting)} that waited all finished {time.monotonic() - begun - refused_s:.1f} s "
            "after it",
            flush=True,
        )
    tally = assert_nothing_lost_or_doubled(installation, made)
    print(f"Attempts: {tally.attempts}; plays kept: {tally.plays}")
    assert tally.attempts == {"finished": len(made)}, "an attempt was lost"


if __name__ == "__main__":
    sys.exit(main())
