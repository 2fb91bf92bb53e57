"""Matches that are over in a moment: they share messages, claims and reports, and nothing else."""

import time
from pathlib import Path

import pytest
from celery import current_app
from celery.fixups.django import DjangoWorkerFixup
from django.db import OperationalError, connection
from django.db.models import Q

from deploy.celery import app
from engine.referee import SeatProgram
from engine.sandbox import MachineFailure, Program
from tests.tournaments.rows import InProcess, entrant, ladder_match
from tournaments import dispatch, holding, ledger, runner, scheduler, tasks, workers
from tournaments.dispatch import messages
from tournaments.models import Attempt, Match, Play, RatingChange

# Messages are sent once a transaction is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]


@pytest.fixture(autouse=True)
def _not_stopping(monkeypatch):
    monkeypatch.setattr(runner, "_all_stop", bytearray(1))
    runner._this_stops.clear()


@pytest.fixture
def sandbox(monkeypatch, worker):
    """Bots in this process, which take no time; `sandbox.before(match)` is called before each."""
    monkeypatch.setattr(runner, "TOGETHER_S", 1000.0)  # however slow the machine is
    made = InProcess(worker.tier, (), 0)
    monkeypatch.setattr(runner, "_sandbox", made)
    made.before = lambda match: None
    plays = runner._plays

    def with_before(held, programs, back_end):
        made.before(held.claim.match)
        return plays(held, programs, back_end)

    monkeypatch.setattr(runner, "_plays", with_before)
    # Each contestant's own number, which this sandbox wants for its entry.
    monkeypatch.setattr(runner._Programs, "of", numbered)
    return made


def numbered(programs, claim):
    return [
        SeatProgram(Program(Path("/nowhere"), "python", str(number)), submission.sha256)
        for number, submission in enumerate(claim.submissions)
    ]


@pytest.fixture
def pace(monkeypatch):
    """How many matches are thought to fit into a moment."""

    def use(matches):
        made = runner._Pace()
        made.took(runner.TOGETHER_S / matches)
        monkeypatch.setattr(made, "took", lambda seconds: None)
        monkeypatch.setattr(runner, "_pace", made)

    return use


@pytest.fixture
def made(ladder):
    table = [entrant() for _ in range(3)]
    return [ladder_match(ladder, table, rotations=1) for _ in range(5)]


def attempts(matches):
    return [(match.pk, match.attempt) for match in matches]


def states():
    return list(Match.objects.order_by("id").values_list("state", flat=True))


def all_is_well(ladder):
    finished = Match.objects.filter(state="finished").count()
    assert Play.objects.count() == finished
    assert RatingChange.objects.filter(kind="match").count() == 3 * finished
    assert ledger.check(ladder) == []
    return finished


def test_matches_made_together_share_messages(ladder, broker, settings):
    settings.MATCHES_PER_MESSAGE = 3
    table = [entrant() for _ in range(3)]
    with messages.together():
        seven = [ladder_match(ladder, table) for _ in range(7)]
        test = dispatch.make_match(kind="test", game="deca-slayer", submissions=table)
    assert broker() == 1 + 3  # what is wanted sooner has a message of its own
    assert seven[0].pk != test.pk
    ladder_match(ladder, table)
    assert broker() == 5


def test_the_scheduler_sends_what_it_makes_together(ladder, worker, broker, settings):
    settings.MATCHES_PER_MESSAGE = 2
    for _ in range(8):
        entrant()
    workers.register(worker.name, described(slots=2))
    assert scheduler.schedule() == 4
    assert broker() == 2


def described(slots):
    return workers.Description(
        version="1", python="3", languages=("python",), slots=slots, tier="bubblewrap"
    )


def test_messages_are_not_sent_again_while_the_broker_may_hold_them(made, broker, settings):
    settings.MATCHES_PER_MESSAGE = 8
    Match.objects.update(published_at=None)
    with current_app.connection_for_write() as link:
        link.default_channel.queue_purge(messages.QUEUE)
    messages.send_play(attempts(made))
    assert broker() == 1
    dispatch.reap()
    assert broker() == 1  # it may be all five that wait there
    with current_app.connection_for_write() as link:
        link.default_channel.queue_purge(messages.QUEUE)
    dispatch.reap()
    assert broker() == 5


def test_a_message_is_played_as_far_as_it_goes_quickly_and_the_rest_passed_on(
    ladder, made, worker, sandbox, pace, broker, monkeypatch
):
    monkeypatch.setattr(tasks, "this_worker", lambda: worker)
    pace(2)
    before = broker()
    tasks.play(*(number for pair in attempts(made) for number in pair))
    assert states() == ["finished"] * 2 + ["queued"] * 3
    assert broker() == before + 1
    pace(9)
    tasks.play(*(number for pair in attempts(made) for number in pair))  # some are over
    assert states() == ["finished"] * 5
    assert Attempt.objects.count() == 5
    assert all_is_well(ladder) == 5


def test_the_first_match_of_a_process_goes_alone():
    pace = runner._Pace()
    assert pace.how_many() == 1
    pace.took(runner.TOGETHER_S / 10)
    assert pace.how_many() == 10
    for _ in range(9):
        pace.took(3 * runner.TOGETHER_S)
    assert pace.how_many() == 1


def test_a_failure_of_the_machine_in_one_costs_the_others_nothing(
    ladder, made, worker, sandbox, monkeypatch
):
    def breaks(match):
        if match.pk == made[1].pk:
            monkeypatch.setattr(runner, "close_sandbox", lambda: None)
            raise MachineFailure("a disk is full")
        if match.pk == made[2].pk:
            raise ZeroDivisionError

    sandbox.before = breaks
    found = runner.play_all(attempts(made), worker=worker)
    assert {match: outcome.verdict for match, outcome in found.items()} == {
        made[n].pk: "accepted" for n in (0, 3, 4)
    }
    assert states() == ["finished", "queued", "queued", "finished", "finished"]
    outcomes = Attempt.objects.filter(state="failed").order_by("match_id")
    assert [each.outcome for each in outcomes] == [
        "a disk is full", "ZeroDivisionError in the worker",
    ]  # fmt: skip
    assert all_is_well(ladder) == 3


def test_what_has_not_begun_when_one_takes_long_is_handed_back(
    ladder, made, worker, sandbox, monkeypatch
):
    monkeypatch.setattr(runner, "TOGETHER_S", 0.0)
    sandbox.before = lambda match: time.sleep(0.01)
    runner.play_all(attempts(made), worker=worker)
    assert states() == ["finished"] + ["queued"] * 4
    back = Attempt.objects.filter(state="returned")
    assert {each.outcome for each in back} == {"one before it took longer than was thought"}
    assert {match.attempt for match in Match.objects.filter(state="queued")} == {2}
    assert not Match.objects.filter(infrastructure_failures__gt=0).exists()
    assert all_is_well(ladder) == 1


def test_a_worker_that_is_told_to_stop_reports_what_is_played_and_hands_back_the_rest(
    ladder, made, worker, sandbox
):
    def stops(match):
        if match.pk == made[2].pk:
            runner.stop_playing()

    sandbox.before = stops
    runner.play_all(attempts(made), worker=worker)
    assert states() == ["finished", "finished", "queued", "queued", "queued"]
    assert Attempt.objects.filter(state="returned").count() == 3
    assert all_is_well(ladder) == 2


def test_a_result_that_cannot_be_stored_with_the_others_costs_them_nothing(
    ladder, made, worker, sandbox
):
    clash = Play.objects.create(
        match=made[3], rotation=0, seats=[], scores=[], places=[], cpu_ms=[], decisions=0,
        play_hash="", replay_size=0,
    )  # fmt: skip
    found = runner.play_all(attempts(made), worker=worker)
    assert set(found) == {match.pk for match in made} - {made[3].pk}
    assert states() == ["finished"] * 3 + ["queued", "finished"]
    assert Attempt.objects.get(match=made[3]).outcome == "IntegrityError in the worker"
    clash.delete()
    assert all_is_well(ladder) == 4


def test_a_database_that_is_away_when_several_are_reported(
    ladder, made, worker, sandbox, monkeypatch
):
    finish, tries = dispatch.finish_all, []

    def away(reports):
        tries.append(len(reports))
        if len(tries) in (1, 3):
            raise OperationalError("server closed the connection unexpectedly")
        return finish(reports)

    monkeypatch.setattr(dispatch, "finish_all", away)
    monkeypatch.setattr(dispatch.results, "finish_all", away)
    monkeypatch.setattr(runner, "_pauses", lambda: iter([0.0] * 9))
    found = runner.play_all(attempts(made), worker=worker)
    assert len(found) == 5
    assert tries == [5, 1, 1, 1, 1, 1, 1]
    assert all_is_well(ladder) == 5


def test_all_leases_are_renewed_while_one_is_played(made, worker, sandbox, settings):
    settings.RENEW_S = 0.05
    seen = []

    def looks(match):
        until = time.monotonic() + 20
        while match.pk == made[2].pk and not seen:
            renewed = Attempt.objects.filter(
                Q(play__gt=0) | Q(decision__gt=0), state="running", match__in=made[:2]
            )  # those that are played and wait to be reported
            assert time.monotonic() < until
            if renewed.count() == 2:
                seen.extend(renewed.values_list("lease_until", "started_at"))
            time.sleep(0.02)

    sandbox.before = looks
    assert len(runner.play_all(attempts(made), worker=worker)) == 5
    assert len(seen) == 2


def test_an_attempt_that_is_taken_away_in_between_is_not_played_on(
    ladder, made, worker, sandbox, settings, monkeypatch
):
    settings.RENEW_S = 0.0  # the playing thread renews before each decision
    monkeypatch.setattr(holding, "LOOK_EVERY_S", 60.0)  # and never leaves it to the other one

    def takes(match):
        if match.pk == made[1].pk:
            dispatch.requeue(match=made[1], reason="a test", user=None)
            dispatch.requeue(match=made[3], reason="a test", user=None)

    sandbox.before = takes
    found = runner.play_all(attempts(made), worker=worker)
    assert set(found) == {made[n].pk for n in (0, 2, 4)}
    assert states() == ["finished", "queued", "finished", "queued", "finished"]
    assert Attempt.objects.filter(state="cancelled").count() == 2
    assert all_is_well(ladder) == 3


def test_matches_need_no_session_of_the_database_but_their_process_own(
    made, worker, sandbox, settings, monkeypatch
):
    settings.RENEW_S = 0.0  # the playing thread renews before each decision
    monkeypatch.setattr(holding, "LOOK_EVERY_S", 60.0)  # and the other one never has to

    def sessions():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
            )
            return cursor.fetchone()[0]

    runner.play_all(attempts(made[:1]), worker=worker)
    before = sessions()
    for match in made[1:]:
        runner.play_all(attempts([match]), worker=worker)
    assert states() == ["finished"] * 5
    assert sessions() == before


def test_celery_keeps_connections():
    assert DjangoWorkerFixup(app).db_reuse_max >= 1000
