"""Counts are kept, each row once, whatever else goes on."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections, transaction

from tests.tournaments.rows import entrant, ladder_match
from tournaments import dispatch, ladders, queueing, tallying, workers
from tournaments.models import Attempt, Match, Play, Tally, Worker

pytestmark = pytest.mark.django_db(transaction=True)
BEGUN = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def ladder(broker):
    return ladders.open_ladder("deca-slayer")


def ended(ladder, state, at, *, cpu_ms=(10.0, 20.5, 0.0), decisions=90, failures=()):
    """A match of three that ended so many seconds after BEGUN, with one play if it finished."""
    match = ladder_match(ladder, [entrant() for _ in range(3)], rotations=1)
    when = BEGUN + timedelta(seconds=at)
    Match.objects.filter(pk=match.pk).update(state=state, ended_at=when, started_at=when)
    if state == "finished":
        Play.objects.create(
            match=match, rotation=0, seats=[0, 1, 2], scores=[3, 2, 1], places=[1, 2, 3],
            failures=[{"seat": 0, "decision": 1, "reason": each} for each in failures],
            cpu_ms=list(cpu_ms), decisions=decisions, play_hash="0" * 64, replay_size=1,
        )  # fmt: skip
    return match


def attempt(match, state, at, number=1):
    worker = Worker.objects.first() or workers.register(
        "w@test", workers.Description("1", "3.11", ["python"], 1, "ns")
    )
    when = BEGUN + timedelta(seconds=at)
    Attempt.objects.create(
        match=match, number=number, state=state, token="0" * 32, worker=worker, tier="ns",
        lease_until=when, progress_at=when, progress_limit_s=60, started_at=when, ended_at=when,
    )  # fmt: skip


def test_what_ended_is_counted_once(ladder):
    first = ended(ladder, "finished", 0, failures=["time", "time"])
    ended(ladder, "finished", 1, cpu_ms=(1.0, 1.0, 1.0), decisions=10)
    ended(ladder, "void", 2)
    attempt(first, "lost", 0)
    attempt(first, "finished", 1, number=2)
    assert tallying.tally()
    assert tallying.tally()
    found = {(row.name, tuple(sorted(row.labels.items()))): row.value for row in all_counts()}
    game = ("game", "deca-slayer")
    assert found == {
        ("matches", (game, ("kind", "ladder"), ("outcome", "finished"))): 2,
        ("matches", (game, ("kind", "ladder"), ("outcome", "void"))): 1,
        ("attempts", (("outcome", "lost"),)): 1,
        ("plays", (game,)): 2,
        ("decisions", (game,)): 100,
        ("bot_cpu_ms", (game,)): 33.5,
        ("bot_failures", (game, ("reason", "time"))): 2,
    }


def all_counts():
    return Tally.objects.exclude(name__startswith="ladder_")


def finished():
    row = Tally.objects.filter(name="matches", labels__outcome="finished").first()
    return row.value if row else 0


def test_many_that_ended_before_are_counted_in_several_rounds(ladder, monkeypatch):
    monkeypatch.setattr(tallying, "AT_ONCE", 2)
    for at in (0, 0, 0, 0, 5, 6, 7):  # more at one time than one round takes
        ended(ladder, "finished", at)
    seen = []
    for _ in range(5):
        tallying.tally()
        seen.append(finished())
    assert seen[-1] == 7
    assert seen[0] < 7
    assert seen == sorted(seen)


def test_a_result_that_is_being_written_is_counted_when_it_is_there(ladder):
    """Its end is the start of its transaction, which may be long ago when it is committed."""
    ended(ladder, "finished", 0)
    written, go_on = threading.Event(), threading.Event()
    late = ladder_match(ladder, [entrant() for _ in range(3)], rotations=1)

    def write():
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE tournaments_match SET state = 'finished', ended_at = now() "
                    "WHERE id = %s",
                    [late.pk],
                )
            written.set()
            go_on.wait(20)
        connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    assert written.wait(20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallying, "SETTLED_S", 0.0)
        tallying.tally()
        assert finished() == 1
        go_on.set()
        writer.join()
        tallying.tally()
        assert finished() == 2


def test_transactions_of_roles_that_cannot_be_seen_get_a_minute(ladder):
    """Workers may have a role of their own, of which an ordinary role sees no transaction."""

    def behind():
        horizon = tallying._until(BEGUN)
        return dispatch.database_now() - horizon

    other = connection.copy()
    with connection.cursor() as cursor, other.cursor() as idle:
        idle.execute("SELECT 1")
        cursor.execute("CREATE ROLE tallying_test")
        cursor.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO tallying_test")
        try:
            seen = behind()
            cursor.execute("SET ROLE tallying_test")
            unseen = behind()
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute("DROP OWNED BY tallying_test")
            cursor.execute("DROP ROLE tallying_test")
    other.close()
    assert timedelta(seconds=5) <= seen < unseen
    assert timedelta(seconds=60) <= unseen


def test_two_rounds_at_once_count_once(ladder):
    for at in range(3):
        ended(ladder, "finished", at)
    tallying.tally()
    Tally.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tournaments_tallied SET until = %s", [BEGUN])
    together = threading.Barrier(4)

    def count():
        together.wait(20)
        tallying.tally()
        connections.close_all()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert finished() == 3


def test_the_waits_of_bots_are_noted(ladder):
    tallying.note_waits()
    tallying.note_waits()
    names = sorted(Tally.objects.values_list("name", flat=True))
    assert names == ["ladder_bots", "ladder_longest_wait_s", "ladder_wait_bound_s"]
    type(ladder).objects.update(open=False)  # nobody waits for a ladder that is closed
    tallying.note_waits()
    assert not Tally.objects.exists()


class TestQueue:
    def test_lanes_tell_how_many_wait_and_since_when(self, ladder):
        made = [ladder_match(ladder, [entrant() for _ in range(3)]) for _ in range(3)]
        Match.objects.filter(pk=made[1].pk).update(
            priority=30, created_at=datetime.now(UTC) - timedelta(hours=2)
        )
        Match.objects.filter(pk=made[2].pk).update(priority=12)
        Match.objects.filter(pk=made[0].pk).update(
            created_at=datetime.now(UTC) - timedelta(minutes=1)
        )
        lanes = queueing.lanes()
        assert [lane.name for lane in lanes] == ["bracket", "qualification", "test", "ladder"]
        assert [lane.matches for lane in lanes] == [1, 0, 1, 1]
        assert lanes[0].oldest == made[1].pk
        assert lanes[0].oldest_s == pytest.approx(7200, abs=60)
        assert lanes[3].oldest_s == pytest.approx(60, abs=30)
        assert lanes[1].oldest_s == 0

    def test_nothing_runs(self, ladder):
        assert queueing.running() == queueing.Running(0, 0.0, 0.0, 0.0)

    def test_running_attempts_tell_their_ages(self, ladder, settings):
        settings.LEASE_S = 30
        match = ladder_match(ladder, [entrant() for _ in range(3)])
        attempt(match, "running", 0)
        now = datetime.now(UTC)
        Attempt.objects.update(
            started_at=now - timedelta(seconds=100),
            lease_until=now + timedelta(seconds=20),
            progress_at=now - timedelta(seconds=40),
        )
        found = queueing.running()
        assert found.attempts == 1
        assert found.oldest_s == pytest.approx(100, abs=15)
        assert found.renewed_s == pytest.approx(10, abs=15)
        assert found.progress_s == pytest.approx(40, abs=15)
