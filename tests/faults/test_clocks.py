"""Machines whose clocks are hours apart: all times that count are the database's."""

from pathlib import Path

import pytest

from tests.faults.installation import HOUSEKEEPING, WORKERS, until
from tests.faults.invariants import assert_nothing_lost_or_doubled
from tests.faults.test_processes import finished, in_play, states
from tournaments.models import Attempt

LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

pytestmark = [
    pytest.mark.faults,
    pytest.mark.db,
    pytest.mark.skipif(LIBRARY is None, reason="needs faketime: apt-get install faketime"),
]
# Not the command: it stays as a process of its own above what it starts.
COMMON = {
    "LD_PRELOAD": str(LIBRARY),
    # Time as such goes on evenly: what waits for a second waits for one of ours.
    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    "PYTHONPATH": str(Path(__file__).parent / "even_sleep"),
}
AHEAD = {**COMMON, "FAKETIME": "+1h"}
BEHIND = {**COMMON, "FAKETIME": "-1h"}


def test_clocks_that_are_apart_do_not_matter(installation, new_match):
    """One worker's clock is an hour ahead, the other's behind; so is that of all housekeeping."""
    for name in (*WORKERS, HOUSEKEEPING):
        installation.kill(name)
    before = [new_match() for _ in range(3)]
    installation.start(WORKERS[0], **AHEAD)
    installation.start(WORKERS[1], **BEHIND)
    installation.start(HOUSEKEEPING, **AHEAD)
    try:
        until(lambda: finished(*before))
        # A lost one is found by a reaper whose clock says that it was lost an hour ago.
        playing, made = in_play(installation, new_match)
        [(victim, lost)] = playing.items()
        installation.kill(victim)
        until(lambda: finished(*made))
        assert states(lost)[0] == "lost"
        by_whom = Attempt.objects.filter(match__in=[*before, *made], state="finished")
        assert set(by_whom.values_list("worker__name", flat=True)) <= {
            f"{name}@test" for name in WORKERS
        }
        assert_nothing_lost_or_doubled(installation, [*before, *made])
    finally:
        for name in (*WORKERS, HOUSEKEEPING):
            if installation.runs(name):
                installation.kill(name)
