"""What must hold whatever has been broken: the one place that says it."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import Count, Q

from bots.models import Submission
from engine import replay
from engine.chance import commitment
from engine.verify import verify
from tests.faults.installation import Installation, until
from tournaments import archive, ledger
from tournaments.models import (
    Attempt,
    Contestant,
    Ladder,
    Match,
    Play,
    Rating,
    RatingChange,
)

OVER = (Match.State.FINISHED, Match.State.VOID)


@dataclass
class Tally:
    """What was counted on the way."""

    finished: int = 0
    void: int = 0
    attempts: dict[str, int] = field(default_factory=dict)
    plays: int = 0


def assert_nothing_lost_or_doubled(
    installation: Installation, matches: Collection[Match], *, void: bool = False
) -> Tally:
    """Each of the matches ended exactly once, nobody is the worse for it, and nothing is left over.

    Every match is finished, or void (no contest) where that is allowed; never both, never neither.
    No bot failed or was suspended, the ledger folds to the stored ratings bit for bit, every play
    is there with its replay, which the engine confirms, and no process has been left behind.
    """
    tally = Tally()
    for match in Match.objects.filter(pk__in=[match.pk for match in matches]).order_by("pk"):
        _ended_once(match, tally, void)
    assert tally.finished + tally.void == len(matches)
    assert not Contestant.objects.filter(failures__gt=0).exists(), "a bot is said to have failed"
    assert not Submission.objects.filter(state=Submission.State.SUSPENDED).exists()
    for ladder in Ladder.objects.all():
        assert ledger.check(ladder) == []
        _rated_as_often_as_played(ladder)
    left = until(lambda: not installation.orphans(), or_else=installation.orphans, within_s=60)
    assert left is True, left
    return tally


def _ended_once(match: Match, tally: Tally, void: bool) -> None:
    attempts = list(match.attempts.order_by("number"))
    for attempt in attempts:
        tally.attempts[attempt.state] = tally.attempts.get(attempt.state, 0) + 1
    states = [attempt.state for attempt in attempts]
    assert Attempt.State.RUNNING not in states, f"{match} is still being played"
    changes = RatingChange.objects.filter(match=match, kind="match")
    if match.state == Match.State.VOID:
        assert void, f"{match} is void: {match.void_reason}"
        assert Attempt.State.FINISHED not in states
        assert match.void_reason.startswith("No contest: ")
        assert not match.plays.exists()
        assert not changes.exists()
        tally.void += 1
        return
    assert match.state == Match.State.FINISHED, f"{match} is {match.state}"
    # One attempt has the result: the last. None of the others counts for anything.
    assert states.count(Attempt.State.FINISHED) == 1, f"{match}: {states}"
    assert attempts[-1].state == Attempt.State.FINISHED
    assert attempts[-1].number == match.attempt
    contestants = list(match.contestants.order_by("number"))
    assert [each.number for each in contestants] == list(range(match.players))
    assert all(each.place is not None for each in contestants)
    # Of n seats the points 1 … 0 are shared out in each play, evenly spaced: n / 2 together.
    points = sum(each.place_points or 0 for each in contestants)
    assert abs(points - match.rotations * match.players / 2) < 1e-9
    if match.rated:
        assert changes.values("seq").distinct().count() == 1
        assert {each.submission_id for each in contestants} == set(
            changes.values_list("submission", flat=True)
        )
        assert changes.count() == match.players
    plays = list(match.plays.order_by("rotation"))
    assert [play.rotation for play in plays] == list(range(match.rotations))
    for play in plays:
        _is_kept(match, play)
        tally.plays += 1
    tally.finished += 1


def _is_kept(match: Match, play: Play) -> None:
    record = replay.loads(archive.replay(play))
    verify(record)
    assert commitment(record.seed) == match.commitment
    assert (record.scores, record.places) == (play.scores, play.places)
    for seat in range(match.players):
        assert archive.log(play, seat).seat == seat


def _rated_as_often_as_played(ladder: Ladder) -> None:
    rated = dict(
        Contestant.objects.filter(
            match__ladder=ladder, match__rated=True, match__state=Match.State.FINISHED
        )
        .values_list("submission")
        .annotate(number=Count("match", filter=Q(match__rated=True)))
    )
    stored = dict(
        Rating.objects.filter(
            ladder=ladder, generation=ladder.generation, matches__gt=0
        ).values_list("submission", "matches")
    )
    assert stored == rated
