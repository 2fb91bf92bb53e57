"""What workers do and do not take, and the whole way of an upload, with real processes."""

import os
import shlex

import pytest

from tests.builders import make_bot, make_submission
from tests.faults.installation import WORKERS, until
from tests.faults.invariants import assert_nothing_lost_or_doubled
from tests.faults.test_processes import finished
from tournaments import entrants, ladders, workers
from tournaments.dispatch import messages
from tournaments.models import Attempt, Match, Rating, Worker

pytestmark = [pytest.mark.faults, pytest.mark.db]
PAUSED = "Canceling queue match"


def row(name):
    return Worker.objects.get(name=f"{name}@test")


def test_paused_workers_get_nothing(installation, new_match):
    until(lambda: Worker.objects.filter(name__in=[f"{name}@test" for name in WORKERS]).count() == 2)
    lines = {name: len(installation.logged(name)) for name in WORKERS}
    for name in WORKERS:
        workers.pause(worker=row(name), reason="repairs", user=None)
    for name in WORKERS:
        until(lambda name=name: PAUSED in installation.logged(name)[lines[name] :])
    match = new_match()
    until(lambda: messages.waiting() == 1)
    assert not Attempt.objects.filter(match=match).exists()
    for name in WORKERS:
        workers.resume(worker=row(name), reason="repaired", user=None)
    until(lambda: finished(match))
    assert_nothing_lost_or_doubled(installation, [match])


def test_a_machine_that_cannot_isolate_says_so_and_does_not_start(installation, tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("root")
    # Whose root folder is not the whole system's makes no user namespaces, not even as root.
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    inside = 'mount --rbind / "$1" && exec chroot "$@"'
    at_home = f'cd {shlex.quote(os.getcwd())} && exec "$@"'
    bare = ["unshare", *as_root, "--mount", "sh", "-c", inside, "sh", str(tmp_path)]
    bare += ["sh", "-c", at_home, "sh"]
    installation.start("bare", before=bare)
    assert installation.wait("bare") == 78
    registered = row("bare")
    assert (registered.tier, registered.languages) == ("none", [])
    assert registered.problem
    assert f"cannot play matches: {registered.problem.splitlines()[0]}" in installation.logged(
        "bare"
    )
    assert registered not in workers.live()


def test_an_upload_is_checked_played_and_rated_with_nobody_at_the_keyboard(installation):
    """And two schedulers, driven by two beats, draw no more than one would."""
    ladder = ladders.open_ladder("deca-slayer")
    ours = [make_submission(make_bot(), qualified=False, activate=True) for _ in range(3)]
    most = 0

    def rated():
        nonlocal most
        queued = Match.objects.filter(kind="ladder", state="queued", ladder=ladder)
        most = max(most, queued.count())
        return Rating.objects.filter(submission__in=ours, matches__gt=0).count() == 3

    try:
        until(rated, within_s=180)
    finally:
        for submission in ours:
            entrants.deactivate(bot=submission.bot, user=None)
    checks = Match.objects.filter(checks__in=ours)
    assert checks.filter(state="finished").count() == 9
    # Two rounds for two workers, on this ladder and the others' share of it.
    assert most <= 4
    played = Match.objects.filter(contestants__submission__in=ours).distinct()
    until(lambda: finished(*played))
    assert_nothing_lost_or_doubled(installation, list(played))
