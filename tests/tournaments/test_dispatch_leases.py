from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from bots.faults import Conflict
from bots.models import Act
from engine.clock import TimeControl
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, played, report
from tests.tournaments.threads import at_once
from tournaments import dispatch, workers
from tournaments.models import Attempt, Match

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def match(ladder, worker):
    return ladder_match(ladder, [entrant() for _ in range(3)])


def state_of(match):
    match.refresh_from_db()
    return match.state, match.attempt


def test_a_claim_is_a_lease_by_the_databases_clock(match, worker, settings):
    before = dispatch.database_now()
    claim = dispatch.claim(match_id=match.pk, attempt=1, worker=worker)
    after = dispatch.database_now()
    attempt = Attempt.objects.get(match=match)
    assert (attempt.number, attempt.token, attempt.worker) == (1, claim.token, worker)
    assert (attempt.tier, attempt.python) == ("bubblewrap", "3.11.0")
    lease = timedelta(seconds=30)
    # A statement's time is one moment; in a test's transaction statements still move on.
    assert before + lease <= attempt.lease_until <= after + lease
    assert state_of(match) == ("running", 1)
    assert before <= match.started_at <= after
    assert [each.pk for each in claim.submissions] == [
        each.submission_id for each in match.contestants.order_by("number")
    ]
    assert claim.match.seed == match.seed


@pytest.mark.parametrize("attempt", [0, 2])
def test_a_late_or_wrong_message_gets_nothing(match, worker, attempt):
    assert dispatch.claim(match_id=match.pk, attempt=attempt, worker=worker) is None
    assert state_of(match) == ("queued", 1)


def test_a_repeated_message_gets_nothing(match, worker):
    claimed(match)
    for _ in range(3):
        assert dispatch.claim(match_id=match.pk, attempt=1, worker=worker) is None
    assert dispatch.claim(match_id=match.pk + 1000, attempt=1, worker=worker) is None
    assert Attempt.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_gets_the_match(match):
    rivals = [make_worker(f"rival-{number}") for number in range(6)]
    claims = at_once(
        *[
            lambda rival=rival: dispatch.claim(match_id=match.pk, attempt=1, worker=rival)
            for rival in rivals
        ]
    )
    assert sum(claim is not None for claim in claims) == 1
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("reason", ["paused", "no sandbox", "language"])
def test_a_worker_that_may_not_play_it_leaves_it_to_others(ladder, reason):
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    if reason == "paused":
        worker = make_worker("w")
        workers.pause(worker=worker, reason="repairs", user=None)
    elif reason == "no sandbox":
        worker = make_worker("w", tier="none")
    else:
        worker = make_worker("w", languages=["java"])
    assert dispatch.claim(match_id=match.pk, attempt=1, worker=worker) is None
    assert state_of(match) == ("queued", 1)
    assert match.published_at is None  # the reaper sends it again at once
    assert dispatch.claim(match_id=match.pk, attempt=1, worker=make_worker("other"))


def test_a_lease_is_renewed_with_its_token_only(match):
    claim = claimed(match)
    Attempt.objects.update(lease_until=timezone.now())
    assert not dispatch.renew(match_id=match.pk, attempt=1, token=uuid4(), play=0, decision=1)
    assert not dispatch.renew(match_id=match.pk, attempt=2, token=claim.token, play=0, decision=1)
    assert Attempt.objects.get().lease_until < dispatch.database_now()
    assert dispatch.renew(**ids(claim), play=1, decision=17)
    attempt = Attempt.objects.get()
    assert attempt.lease_until > dispatch.database_now() + timedelta(seconds=29)
    assert (attempt.play, attempt.decision) == (1, 17)


def test_only_a_new_decision_is_progress(match):
    claim = claimed(match)
    long_ago = timezone.now() - timedelta(hours=1)
    Attempt.objects.update(progress_at=long_ago, play=1, decision=5)
    assert dispatch.renew(**ids(claim), play=1, decision=5)
    assert Attempt.objects.get().progress_at == long_ago
    assert dispatch.renew(**ids(claim), play=1, decision=6)
    assert Attempt.objects.get().progress_at > long_ago
    Attempt.objects.update(progress_at=long_ago)
    assert dispatch.renew(**ids(claim), play=2, decision=6)
    assert Attempt.objects.get().progress_at > long_ago


def test_progress_may_take_the_wall_backstop_of_the_slowest_request_and_30_s():
    # start: 3 bots one after the other, 3 × 5 s + 1 s each; a decision: 3 × (0.1 + 5) s + 1 s
    assert dispatch.progress_limit_s(TimeControl(5000, 100, 5000), 3) == 48 + 30
    # a decision of 3 × (10 + 20) s + 1 s is slower than two starts of 3 × 1 s + 1 s
    assert dispatch.progress_limit_s(TimeControl(1000, 10_000, 20_000), 2) == 91 + 30


def test_failures_of_machines_queue_a_match_again_and_the_third_makes_it_void(match, worker):
    for number in (1, 2):
        claim = claimed(match)
        assert dispatch.fail(**ids(claim), reason="the sandbox broke")
        assert not dispatch.fail(**ids(claim), reason="again")
        assert state_of(match) == ("queued", number + 1)
        assert match.infrastructure_failures == number
    assert dispatch.fail(**ids(claimed(match)), reason="out of memory")
    assert state_of(match) == ("void", 3)
    assert match.void_reason.startswith("No contest")
    assert "out of memory" in match.void_reason
    assert match.ended_at is not None
    assert dispatch.claim(match_id=match.pk, attempt=4, worker=worker) is None
    assert not match.changes.exists()
    states = [attempt.state for attempt in match.attempts.all()]
    assert states == ["failed"] * 3


def test_a_match_that_is_handed_back_has_not_failed(match):
    for number in range(1, 6):
        assert dispatch.hand_back(**ids(claimed(match)))
        assert state_of(match) == ("queued", number + 1)
    assert match.infrastructure_failures == 0
    assert {attempt.state for attempt in match.attempts.all()} == {"returned"}


def test_a_match_keeps_its_deal_and_start_over_attempts(match):
    seed = match.seed
    claim = claimed(match)
    started_at = Match.objects.get(pk=match.pk).started_at
    dispatch.hand_back(**ids(claim))
    again = claimed(Match.objects.get(pk=match.pk))
    assert again.match.seed == seed
    assert again.token != claim.token
    assert Match.objects.get(pk=match.pk).started_at == started_at


def test_a_lost_attempt_cannot_do_anything_any_more(match):
    old = claimed(match)
    dispatch.fail(**ids(old), reason="x")
    new = claimed(Match.objects.get(pk=match.pk))
    assert not dispatch.renew(**ids(old), play=0, decision=1)
    assert not dispatch.fail(**ids(old), reason="x")
    assert not dispatch.hand_back(**ids(old))
    outcome = dispatch.finish(**ids(old), result=report(old))
    assert outcome.verdict == "refused"
    assert "failed" in outcome.reason
    assert dispatch.finish(**ids(new), result=report(new)).verdict == "accepted"


def test_an_organiser_voids_a_match_and_the_act_is_logged(match):
    claim = claimed(match)
    assert dispatch.void(match=match, reason="power cut", user=None)
    assert state_of(match) == ("void", 1)
    assert (match.void_reason, match.attempts.get().state) == ("power cut", "cancelled")
    assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "refused"
    assert not dispatch.void(match=match, reason="again", user=None)
    act = Act.objects.get()
    assert (act.verb, act.target, act.reason) == ("void", f"match {match.pk}", "power cut")


def test_a_finished_match_may_be_voided_and_keeps_its_rows(ladder, worker):
    match = played(ladder, [entrant() for _ in range(3)])
    ended_at = match.ended_at
    assert dispatch.void(match=match, reason="wrong rules", user=None)
    assert state_of(match) == ("void", 1)
    assert match.ended_at == ended_at
    assert match.plays.count() == 3
    assert match.changes.count() == 3


def test_an_organiser_takes_a_match_from_its_worker(match):
    claim = claimed(match)
    dispatch.requeue(match=match, reason="it hangs", user=None)
    assert state_of(match) == ("queued", 2)
    assert match.infrastructure_failures == 0
    assert not dispatch.renew(**ids(claim), play=0, decision=0)
    dispatch.requeue(match=match, reason="again", user=None)  # queued: its message only
    assert state_of(match) == ("queued", 2)


def test_what_is_over_is_never_played_again(ladder, worker):
    match = played(ladder, [entrant() for _ in range(3)])
    with pytest.raises(Conflict, match="its deal is public"):
        dispatch.requeue(match=match, reason="x", user=None)
    assert state_of(match) == ("finished", 1)
