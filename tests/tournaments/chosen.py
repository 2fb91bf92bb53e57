"""Matches that end as a test chooses: rows as a result leaves them, without the plays.

For tests of what follows from results; that results come from plays is tested elsewhere.
"""

from collections.abc import Mapping

from django.db.models.functions import Now

from engine.places import place_points
from tournaments import lifecycle
from tournaments.models import Bracket, Contestant, Match


def settle(match: Match, strength: Mapping[int, float]) -> None:
    """Finish a match: the higher the strength of a submission, the better; equals share.

    Every play ends alike, with margins as far apart as the strengths.
    """
    contestants = list(match.contestants.order_by("number"))
    own = [strength[contestant.submission_id] for contestant in contestants]
    places = [1 + sum(other > mine for other in own) for mine in own]
    points = place_points(places)
    for contestant, place, gained, mine in zip(contestants, places, points, own, strict=True):
        others = (sum(own) - mine) / (len(own) - 1)
        contestant.place = place
        contestant.place_points = float(gained) * match.rotations
        contestant.margin = (mine - others) * match.rotations
    Contestant.objects.bulk_update(contestants, ["place", "place_points", "margin"])
    Match.objects.filter(pk=match.pk).update(state="finished", ended_at=Now())


def settle_all(strength: Mapping[int, float], **which: object) -> int:
    """Finish all queued matches (or those that `which` says); how many they were."""
    queued = list(Match.objects.filter(state="queued", **which).order_by("id"))
    for match in queued:
        settle(match, strength)
    return len(queued)


def run_to_the_end(bracket: Bracket, strength: Mapping[int, float], most: int = 200) -> None:
    """Play a bracket until it is finished."""
    for _ in range(most):
        lifecycle.advance_bracket(bracket.pk)
        bracket.refresh_from_db()
        if bracket.state == "finished":
            return
        assert bracket.state == "running", bracket.pause_reason
        assert settle_all(strength, table__round__stage__bracket=bracket), "nothing to play"
    raise AssertionError("it does not end")
