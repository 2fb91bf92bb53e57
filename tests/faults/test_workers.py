"""Workers and brokers are killed: nothing is lost, nobody loses, nothing counts twice."""

import os
import shlex
import signal
import subprocess
import time

import pytest

from deploy.servers.programs import choose_redis
from tests.builders import FIRST, make_bot, make_submission
from tests.faults.conftest import kill, row, until, until_reaped
from tests.tournaments.rows import entrant, ladder_match
from tournaments import entrants, ledger, workers
from tournaments.dispatch import messages
from tournaments.models import Attempt, Match, Play, Rating, RatingChange

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db, pytest.mark.faults]

# About a hundred decisions a play: some seconds of it, and hardly any CPU.
SLOW = FIRST.replace("answer = {", "import time; time.sleep(0.04); answer = {")


@pytest.fixture
def slow(ladder):
    bots = [make_submission(make_bot(), source=SLOW) for _ in range(3)]
    for bot in bots:
        entrants.activate(submission=bot, user=None)
    return bots


def current(match):
    return Match.objects.get(pk=match.pk)


def playing(match):
    """The running attempt, once it has reported some decisions."""
    return Attempt.objects.filter(match=match, state="running", decision__gt=3).first()


def finished(match):
    return current(match).state == "finished"


def check_counted_once(match, attempts):
    """The match has one result, made by its last attempt, and no bot is the worse for the rest."""
    match = current(match)
    assert [each.state for each in match.attempts.order_by("number")] == attempts
    assert Play.objects.filter(match=match).count() == match.rotations
    assert RatingChange.objects.filter(match=match).count() == match.players
    assert {each.failures for each in match.contestants.all()} == {0}
    assert {row.matches for row in Rating.objects.all()} == {1}
    assert ledger.check(match.ladder) == []


def test_a_killed_worker_costs_nobody_the_match(processes, ladder, slow):
    both = processes.workers("first", "second")
    match = ladder_match(ladder, slow, rotations=1)
    victim, _ = until(lambda: playing(match)).worker.name.split("@")
    [survivor] = both.keys() - {victim}
    killed_at = time.monotonic()
    kill(both[victim])
    until_reaped(lambda: finished(match))
    print(f"recovered and played {time.monotonic() - killed_at:.1f} s after the kill")
    check_counted_once(match, ["lost", "finished"])
    assert current(match).infrastructure_failures == 1
    assert current(match).attempts.get(number=2).worker == row(survivor)
    assert not [line for line in processes.log(survivor).splitlines() if match.seed in line]


def test_a_killed_pool_process_costs_nobody_the_match(processes, ladder, slow):
    worker = processes.worker("only")
    match = ladder_match(ladder, slow, rotations=1)
    until(lambda: playing(match))
    children = subprocess.run(
        ["pgrep", "-P", str(worker.pid)], capture_output=True, text=True, check=True
    )
    [child] = children.stdout.split()
    os.kill(int(child), signal.SIGKILL)
    until_reaped(lambda: finished(match))
    check_counted_once(match, ["lost", "finished"])
    assert worker.poll() is None


def test_a_worker_that_is_told_to_stop_hands_its_match_back(processes, ladder, slow):
    first = processes.worker("first")
    match = ladder_match(ladder, slow, rotations=1)
    until(lambda: playing(match))
    told_at = time.monotonic()
    os.kill(first.pid, signal.SIGTERM)
    until(lambda: current(match).attempt == 2)
    handed_back_s = time.monotonic() - told_at
    assert first.wait(20) == 0
    print(f"handed back after {handed_back_s:.2f} s")
    assert handed_back_s < 2
    processes.worker("second")
    until(lambda: finished(match))  # its message waits: no reaper is needed
    check_counted_once(match, ["returned", "finished"])
    assert current(match).infrastructure_failures == 0


def test_a_process_group_that_is_told_to_stop_hands_its_match_back(processes, ladder, slow):
    first = processes.worker("first")
    match = ladder_match(ladder, slow, rotations=1)
    until(lambda: playing(match))
    os.killpg(first.pid, signal.SIGTERM)  # as service managers do
    until(lambda: current(match).attempt == 2, within_s=5)
    first.wait(20)
    assert current(match).attempts.get().state == "returned"


def test_a_task_that_is_delivered_three_times_is_played_once(processes, ladder):
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    for _ in range(2):
        assert messages.send(messages.PLAY, match.pk, 1)
    assert messages.waiting() == 3
    processes.workers("one", "two")
    until(lambda: finished(match))
    until(lambda: messages.waiting() == 0)
    assert messages.send(messages.PLAY, match.pk, 1)  # and once more when it is over
    until(lambda: messages.waiting() == 0)

    def logs():
        return processes.log("one") + processes.log("two")

    until(lambda: logs().count("succeeded in") == 4)
    assert "Traceback" not in logs()
    check_counted_once(match, ["finished"])


def test_a_broker_that_comes_back_empty_loses_no_match(
    processes, ladder, slow, tmp_path, send_to, monkeypatch
):
    monkeypatch.setattr("tournaments.dispatch.reaper.REPUBLISH_S", 2)
    folder = tmp_path / "b"
    folder.mkdir()
    # Socket names are short, and pytest's folders are not.
    socket = f"/tmp/slayer-{os.getpid()}.sock"
    processes.url = f"unix://{socket}"
    broker = start_broker(processes, folder, socket)
    try:
        send_to(processes.url)
        processes.worker("one")
        running = ladder_match(ladder, slow, rotations=1)
        until(lambda: playing(running))
        waiting = [ladder_match(ladder, [entrant() for _ in range(3)]) for _ in range(3)]
        assert messages.waiting() == 3
        kill(broker)
        lost = ladder_match(ladder, [entrant() for _ in range(3)])  # cannot be sent at all
        time.sleep(1)
        broker = start_broker(processes, folder, socket)
        assert messages.waiting() == 0
        for match in [*waiting, lost, running]:
            until_reaped(lambda match=match: finished(match), within_s=60)
        for match in [*waiting, lost, running]:
            check_counted_once(match, ["finished"])
    finally:
        if os.path.exists(socket):
            os.unlink(socket)


def start_broker(processes, folder, socket):
    program = choose_redis().path
    broker = processes.start(
        str(program), "--port", "0", "--unixsocket", socket, "--save", "", "--dir", str(folder),
        name="broker",
    )  # fmt: skip
    until(lambda: os.path.exists(socket), process=broker)
    return broker


def test_a_paused_worker_gets_nothing(processes, ladder):
    processes.worker("one")
    workers.pause(worker=row("one"), reason="repairs", user=None)
    until(lambda: "Canceling queue match" in processes.log("one"))
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    time.sleep(1)
    assert messages.waiting() == 1
    assert not Attempt.objects.exists()
    workers.resume(worker=row("one"), reason="repaired", user=None)
    until(lambda: finished(match))


def test_a_machine_that_cannot_isolate_says_so_and_does_not_start(
    processes, ladder, tmp_path_factory
):
    tmp_path = tmp_path_factory.mktemp("root")
    # Whose root folder is not the whole system's makes no user namespaces, not even as root.
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    inside = 'mount --rbind / "$1" && exec chroot "$@"'
    at_home = f'cd {shlex.quote(os.getcwd())} && exec "$@"'
    bare = ["unshare", *as_root, "--mount", "sh", "-c", inside, "sh", str(tmp_path)]
    bare += ["sh", "-c", at_home, "sh"]
    worker = processes.worker("bare", before=bare)
    assert worker.wait(40) == 78
    registered = row("bare")
    assert (registered.tier, registered.languages) == ("none", [])
    assert registered.problem
    assert f"cannot play matches: {registered.problem.splitlines()[0]}" in processes.log("bare")
    assert not workers.live().exists()


def test_an_upload_is_checked_played_and_rated_with_nobody_at_the_keyboard(processes, ladder):
    for _ in range(3):
        make_submission(make_bot(), qualified=False, activate=True)
    processes.housekeeping()
    processes.worker("one")
    until(lambda: Rating.objects.filter(matches__gt=0).count() == 3, within_s=90)
    assert Match.objects.filter(kind="qualification", state="finished").count() == 9
    assert ledger.check(ladder) == []
    assert not Attempt.objects.exclude(state__in=["finished", "running"]).exists()
