"""Several matches claimed and stored at once: each by itself, whatever becomes of the others."""

from dataclasses import replace
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tournaments import archive, dispatch, ledger, workers
from tournaments.dispatch import Report
from tournaments.dispatch.files import ARCHIVES
from tournaments.models import Attempt, Contestant, Match, Play, Rating, RatingChange

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def table(ladder):
    return [entrant() for _ in range(4)]


def matches(ladder, table, count, **how):
    return [ladder_match(ladder, table[:3], rotations=1, **how) for _ in range(count)]


def claims_of(made, worker):
    return dispatch.claim_all(wanted=[(match.pk, match.attempt) for match in made], worker=worker)


def reports_of(claims, **how):
    return [
        Report(claim.match.pk, claim.number, claim.token, report(claim, **how)) for claim in claims
    ]


def verdicts(outcomes):
    return [outcome.verdict for outcome in outcomes]


def files_kept():
    if not default_storage.exists(ARCHIVES):
        return 0
    folders = default_storage.listdir(ARCHIVES)[0]
    return sum(len(default_storage.listdir(f"{ARCHIVES}/{name}")[1]) for name in folders)


def test_each_claim_has_a_lease_a_token_and_a_seed_of_its_own(ladder, table, worker):
    made = matches(ladder, table, 3)
    claims = claims_of(reversed(made), worker)
    assert [claim.match.pk for claim in claims] == [match.pk for match in reversed(made)]
    assert len({claim.token for claim in claims}) == 3
    for claim in claims:
        stored = Match.objects.get(pk=claim.match.pk)
        assert (stored.state, claim.match.seed) == ("running", stored.seed)
        assert claim.submissions == table[:3]
        assert dispatch.renew(**ids(claim), play=0, decision=1)
        assert not dispatch.renew(**{**ids(claim), "token": uuid4()}, play=0, decision=1)


def test_what_cannot_be_claimed_is_left_out(ladder, table, worker):
    taken, late, unplayable, over, free = matches(ladder, table, 5)
    claimed(taken, worker)
    Match.objects.filter(pk=late.pk).update(attempt=2)
    Match.objects.filter(pk=unplayable.pk).update(languages=["native", "python"])
    dispatch.void(match=over, reason="a test", user=None)
    wanted = [(match.pk, 1) for match in (taken, late, unplayable, over, free)]
    [claim] = dispatch.claim_all(wanted=[*wanted, (10**9, 1)], worker=worker)
    assert claim.match == free
    assert Match.objects.get(pk=unplayable.pk).published_at is None  # is sent again
    assert Match.objects.get(pk=late.pk).published_at is not None
    assert Attempt.objects.count() == 2


def test_a_paused_worker_claims_none(ladder, table, worker):
    made = matches(ladder, table, 2)
    workers.pause(worker=worker, reason="a test", user=None)
    assert claims_of(made, worker) == []
    assert {match.published_at for match in Match.objects.all()} == {None}


def test_results_that_are_stored_together_are_as_if_one_by_one(ladder, table, worker):
    claims = claims_of([ladder_match(ladder, table[n : n + 3]) for n in (0, 1, 0)], worker)
    reports = reports_of(claims, crash=(1,), choose=1)
    assert verdicts(dispatch.finish_all(reports)) == ["accepted"] * 3
    assert ledger.check(ladder) == []  # folding the rows one by one gives the ratings bit for bit
    assert sorted(Rating.objects.values_list("matches", flat=True)) == [1, 2, 3, 3]
    order = RatingChange.objects.filter(kind="match").order_by("seq").values_list("match", "seq")
    assert list(dict(order)) == [claim.match.pk for claim in claims]
    assert len(set(dict(order).values())) == 3
    for claim, told in zip(claims, reports, strict=True):
        match = Match.objects.get(pk=claim.match.pk)
        assert (match.state, match.attempts.get().state) == ("finished", "finished")
        assert match.ended_at is not None
        assert match.attempts.get().ended_at is not None
        rows = list(match.plays.order_by("rotation"))
        assert len(rows) == 3
        for row, played in zip(rows, told.result.plays, strict=True):
            record = played.record
            assert (row.scores, row.places) == (record.scores, record.places)
            assert row.decisions == len(record.actions)
            assert row.failures == [
                {"seat": each.seat, "decision": each.decision, "reason": each.reason}
                for each in record.failures
            ]
            assert row.cpu_ms == [42.0] * 3
            sat = [archive.whose(row, seat) for seat in range(3)]
            assert sat == [claim.submissions[number] for number in row.seats]
            assert [archive.log(row, seat) for seat in range(3)] == played.logs
        contestants = list(match.contestants.order_by("number"))
        assert contestants[1].failures == 3
        assert sorted(each.place for each in contestants)[0] == 1
        assert sum(each.place_points for each in contestants) == pytest.approx(4.5)
    assert files_kept() == 3


def test_one_that_is_refused_takes_none_with_it(ladder, table, worker):
    made = matches(ladder, table, 6)
    reports = reports_of(claims_of(made, worker))
    stale, repeated, _, wrong, unknown = reports[:5]
    assert dispatch.fail(**ids_of(stale), reason="a test")
    assert verdicts(dispatch.finish_all([repeated])) == ["accepted"]
    dispatch.void(match=made[2], reason="a test", user=None)
    record = wrong.result.plays[0].record
    cheated = replace(record, scores=[score + 1 for score in record.scores])
    wrong.result.plays[0] = replace(wrong.result.plays[0], record=cheated)
    reports[4] = replace(unknown, token=uuid4())
    outcomes = dispatch.finish_all(reports)
    assert verdicts(outcomes) == [
        "refused", "repeated", "refused", "refused", "refused", "accepted",
    ]  # fmt: skip
    assert "scores is not what the rules give" in outcomes[3].reason
    assert [match.state for match in Match.objects.order_by("id")] == [
        "queued", "finished", "void", "queued", "running", "finished",
    ]  # fmt: skip
    assert Match.objects.get(pk=made[3].pk).infrastructure_failures == 1
    assert Play.objects.count() == 2
    assert files_kept() == 2  # nothing is left of the others
    assert {row.matches for row in Rating.objects.filter(submission__in=table[:3])} == {2}
    assert ledger.check(ladder) == []


def ids_of(told):
    return {"match_id": told.match_id, "attempt": told.attempt, "token": told.token}


def test_one_that_ends_while_the_others_are_stored_is_left_out(ladder, table, worker, monkeypatch):
    made = matches(ladder, table, 2)
    reports = reports_of(claims_of(made, worker))
    write = dispatch.results.Written.write
    ended = []

    def meanwhile(file, data):
        if not ended:  # both have been looked at, and were running
            ended.append(dispatch.fail(**ids_of(reports[0]), reason="a reaper was quicker"))
        return write(file, data)

    monkeypatch.setattr(dispatch.results.Written, "write", meanwhile)
    first, second = dispatch.finish_all(reports)
    assert (first.verdict, second.verdict) == ("refused", "accepted")
    assert "gone to another one" in first.reason
    assert Match.objects.get(pk=made[0].pk).state == "queued"
    assert Play.objects.get().match == made[1]
    assert files_kept() == 1
    assert RatingChange.objects.filter(kind="match").count() == 3


def test_when_storing_fails_nothing_is_stored(ladder, table, worker):
    reports = reports_of(claims_of(matches(ladder, table, 2), worker))
    clash = Play.objects.create(
        match_id=reports[1].match_id, rotation=0, seats=[], scores=[], places=[], cpu_ms=[],
        decisions=0, play_hash="", replay_size=0,
    )  # fmt: skip
    with pytest.raises(Exception, match="play_rotation_unique"):
        dispatch.finish_all(reports)
    assert {match.state for match in Match.objects.all()} == {"running"}
    assert files_kept() == 0
    # Then each is reported by itself, and the one that is right is stored.
    assert dispatch.finish_all(reports[:1])[0].verdict == "accepted"
    assert list(Play.objects.exclude(pk=clash.pk).values_list("match", flat=True)) == [
        reports[0].match_id
    ]


def test_a_version_that_never_was_active_enters_before_the_first_of_several(ladder, worker):
    table = [entrant(), entrant(), entrant(active=False)]
    reports = reports_of(claims_of(matches(ladder, table, 2), worker))
    assert verdicts(dispatch.finish_all(reports)) == ["accepted"] * 2
    rows = RatingChange.objects.filter(submission=table[2]).order_by("seq")
    assert [row.kind for row in rows] == ["enter", "match", "match"]
    assert rows[1].mu_before == rows[0].mu
    assert ledger.check(ladder) == []
    seqs = RatingChange.objects.order_by("seq").values_list("seq", flat=True).distinct()
    assert list(seqs) == list(range(1, len(seqs) + 1))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.django_db(transaction=True)
def test_a_match_is_stored_in_eight_statements_and_so_are_several(ladder, table, worker, count):
    reports = reports_of(claims_of([ladder_match(ladder, table) for _ in range(count)], worker))
    with CaptureQueriesContext(connection) as queries:
        assert verdicts(dispatch.finish_all(reports)) == ["accepted"] * count
    statements = [query["sql"].split()[0] for query in queries.captured_queries]
    assert len(statements) <= 8, statements
    assert {"BEGIN", "COMMIT"} <= set(statements)  # these are counted too
    assert Match.objects.exclude(archive="").count() == count
    assert Contestant.objects.filter(place__isnull=False).count() == count * 4


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.django_db(transaction=True)
def test_claiming_several_takes_no_more_statements_than_one(ladder, table, worker, count):
    made = matches(ladder, table, count)
    with CaptureQueriesContext(connection) as queries:
        assert len(claims_of(made, worker)) == count
    assert len(queries) <= 8
