import logging
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage

from engine import replay
from engine.record import play_hash
from engine.verify import verify
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tests.tournaments.threads import at_once
from tournaments import archive, dispatch
from tournaments.dispatch import files as play_files
from tournaments.models import Attempt, Contestant, Match, Play, RatingChange

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def claim(ladder, worker):
    return claimed(ladder_match(ladder, [entrant() for _ in range(3)]))


def stored(files):
    return sorted(
        str(path.relative_to(files))
        for path in files.rglob("*")
        if path.is_file() and path.parts[len(files.parts)] != "packages"
    )


def test_a_result_becomes_visible_whole(claim, files):
    result = report(claim)
    assert dispatch.finish(**ids(claim), result=result) == dispatch.Outcome("accepted")
    match = Match.objects.get(pk=claim.match.pk)
    assert (match.state, match.attempts.get().state) == ("finished", "finished")
    assert match.ended_at is not None
    plays = list(match.plays.all())
    assert [play.seats for play in plays] == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    for play, given in zip(plays, result.plays, strict=True):
        data = archive.replay(play)
        record = replay.loads(data)
        assert record == given.record
        verify(record)
        assert play.play_hash == play_hash(record)
        assert play.replay_size == len(data)
        assert (play.scores, play.places) == (record.scores, record.places)
        assert play.decisions == len(record.actions)
        assert play.cpu_ms == [42.0] * 3
    assert len(stored(files)) == 1
    for play in plays:
        for seat, contestant in enumerate(play.seats):
            log = archive.log(play, seat)
            assert (log.seat, log.stderr) == (seat, b"a log\n")
            assert archive.whose(play, seat) == claim.submissions[contestant]
        assert archive.whose(play, 3) is None
    assert RatingChange.objects.filter(match=match).count() == 3


def test_contestants_get_the_sums_over_all_plays(claim):
    result = report(claim)
    dispatch.finish(**ids(claim), result=result)
    contestants = list(Contestant.objects.filter(match=claim.match).order_by("number"))
    # With three seats 1, ½ and 0 points are given in each of three plays.
    assert sum(each.place_points for each in contestants) == pytest.approx(4.5)
    for contestant in contestants:
        points, margin = 0.0, 0.0
        for rotation, play in enumerate(result.plays):
            seat = (contestant.number + rotation) % 3
            scores, places = play.record.scores, play.record.places
            # Of the two others: one for each below, a half for each that shares the place.
            points += sum((place > places[seat]) + (place == places[seat]) / 2 for place in places)
            points -= 1 / 2  # its own
            margin += scores[seat] - (sum(scores) - scores[seat]) / 2
        assert contestant.place_points == pytest.approx(points / 2)
        assert contestant.margin == pytest.approx(margin)
        assert contestant.failures == 0


def test_a_bots_own_failure_is_a_result(claim):
    assert dispatch.finish(**ids(claim), result=report(claim, crash={1})).verdict == "accepted"
    match = Match.objects.get(pk=claim.match.pk)
    assert (match.state, match.infrastructure_failures) == ("finished", 0)
    failed = match.contestants.get(number=1)
    assert (failed.failures, failed.place, failed.place_points) == (3, 3, 0.0)
    for play in match.plays.all():
        [failure] = play.failures
        assert failure["seat"] == play.seats.index(1)
        assert failure["reason"] == "exit"
        assert set(failure) == {"seat", "decision", "reason"}


def test_when_all_fail_it_is_still_a_result(claim):
    result = report(claim, crash={0, 1, 2})
    assert dispatch.finish(**ids(claim), result=result).verdict == "accepted"
    assert all(each.failures == 3 for each in Contestant.objects.all())


def test_the_same_result_again_is_accepted_without_effect(claim, files):
    result = report(claim)
    dispatch.finish(**ids(claim), result=result)
    before = stored(files), list(RatingChange.objects.values()), list(Play.objects.values())
    for _ in range(2):
        assert dispatch.finish(**ids(claim), result=result).verdict == "repeated"
    after = stored(files), list(RatingChange.objects.values()), list(Play.objects.values())
    assert before == after


def test_another_result_for_a_finished_match_is_refused_and_logged(claim, caplog):
    dispatch.finish(**ids(claim), result=report(claim))
    before = list(Play.objects.values())
    with caplog.at_level(logging.WARNING):
        outcome = dispatch.finish(**ids(claim), result=report(claim, choose=1))
    assert outcome.verdict == "refused"
    assert "another result" in outcome.reason
    assert f"match {claim.match.pk}" in caplog.text
    assert list(Play.objects.values()) == before


def test_a_stranger_cannot_report(claim, files):
    result = report(claim)
    for changed in ({"token": uuid4()}, {"attempt": 2}, {"match_id": claim.match.pk + 1}):
        outcome = dispatch.finish(**{**ids(claim), **changed}, result=result)
        assert outcome.verdict == "refused"
    assert Match.objects.get(pk=claim.match.pk).state == "running"
    assert stored(files) == []


def changed(result, number=0, **fields):
    plays = list(result.plays)
    plays[number] = replace(plays[number], record=replace(plays[number].record, **fields))
    return replace(result, plays=plays)


FALSE = {
    "seed": lambda result: changed(result, seed="ab" * 32),
    "edition": lambda result: changed(result, edition="2"),
    "rotation": lambda result: changed(result, rotation=1),
    "isolation": lambda result: changed(result, isolation="plain"),
    "options": lambda result: changed(result, options={"guilds": True, "princesses": False}),
    "packages of a play": lambda result: changed(
        result, packages=result.plays[0].record.packages[::-1]
    ),
    "time": lambda result: changed(result, time=replace(result.plays[0].record.time, move_ms=1000)),
    "scores": lambda result: changed(result, scores=[99, 0, 0]),
    "places": lambda result: changed(
        result, places=[4 - place for place in result.plays[0].record.places]
    ),
    "an action": lambda result: changed(
        result, 2, actions=[(0, 9999), *result.plays[2].record.actions[1:]]
    ),
    "an action left out": lambda result: changed(
        result,
        actions=result.plays[0].record.actions[:-1],
        cpu_ms=result.plays[0].record.cpu_ms[:-1],
    ),
    "packages": lambda result: replace(result, packages=["0" * 64] * 3),
    "a play left out": lambda result: replace(result, plays=result.plays[:2]),
    "the order of plays": lambda result: replace(result, plays=result.plays[::-1]),
    "a log left out": lambda result: replace(
        result, plays=[replace(play, logs=play.logs[:2]) for play in result.plays]
    ),
}


@pytest.mark.parametrize("what", FALSE)
def test_a_result_that_cannot_be_true_is_refused_and_the_match_played_again(
    claim, files, caplog, what
):
    false = FALSE[what](report(claim))
    with caplog.at_level(logging.WARNING):
        outcome = dispatch.finish(**ids(claim), result=false)
    assert outcome.verdict == "refused"
    match = Match.objects.get(pk=claim.match.pk)
    assert (match.state, match.attempt, match.infrastructure_failures) == ("queued", 2, 1)
    attempt = Attempt.objects.get()
    assert attempt.state == "failed"
    assert outcome.reason in attempt.outcome
    # The seed stays secret while the match goes on, in logs too.
    assert match.seed not in caplog.text + outcome.reason + attempt.outcome
    assert stored(files) == []
    assert not Play.objects.exists()
    assert not RatingChange.objects.filter(match=match).exists()


@pytest.mark.django_db(transaction=True)
def test_the_same_report_twice_at_once_counts_once(claim, files):
    result = report(claim)
    verdicts = at_once(
        *[lambda: dispatch.finish(**ids(claim), result=result).verdict for _ in range(4)]
    )
    assert sorted(verdicts) == ["accepted", "repeated", "repeated", "repeated"]
    assert Play.objects.count() == 3
    names = {each.archive.name for each in Match.objects.all()}
    assert set(stored(files)) == names


@pytest.mark.django_db(transaction=True)
def test_a_report_and_the_reaper_at_once_leave_one_truth(claim):
    result = report(claim)
    finished, ended = at_once(
        lambda: dispatch.finish(**ids(claim), result=result).verdict,
        lambda: dispatch.fail(**ids(claim), reason="its lease ran out"),
    )
    match = Match.objects.get(pk=claim.match.pk)
    assert (finished, ended, match.state) in [
        ("accepted", False, "finished"),
        ("refused", True, "queued"),
    ]
    assert Play.objects.count() == (3 if match.state == "finished" else 0)


def test_what_a_result_costs_the_database(claim, django_assert_max_num_queries):
    result = report(claim)
    # Attempt, contestants | begin, everything of the match, ladder, ratings, ledger, commit
    with django_assert_max_num_queries(8):
        dispatch.finish(**ids(claim), result=result)


def test_old_files_that_no_row_refers_to_are_swept(claim, files, settings, monkeypatch):
    dispatch.finish(**ids(claim), result=report(claim))
    kept = stored(files)
    for attempt in (7, 8):
        play_files.Written(claim.match.pk, attempt).write(b"x")
    assert dispatch.sweep() == 0  # they may belong to an attempt that still runs
    monkeypatch.setattr(play_files, "_SWEEP_AFTER", timedelta(seconds=-5))
    assert dispatch.sweep() == 2
    assert stored(files) == kept
    assert default_storage.exists(Match.objects.get().archive.name)
