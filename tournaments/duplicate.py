"""A match is a duplicate set: one deal played once for each rotation of the seats.

Card luck belongs to the seat and the deal, so every contestant sits in every seat of the same
deal, and only the sum over the plays counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.places import place_shares


@dataclass(frozen=True, slots=True)
class PlayOutcome:
    """What one play came to; every list but `failed` is by seat.

    seats: contestant's number at each seat; scores: the game's points; places: 1 is best, ties
    share; failed: the seats whose bot failed in this play.
    """

    seats: Sequence[int]
    scores: Sequence[int]
    places: Sequence[int]
    failed: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ContestantResult:
    """A contestant's result of a match.

    points: sum of place points over the plays (1 for first … 0 for last in each); margin: sum of
    margins in the game's points; place: 1 is best, ties share and the next place is skipped;
    failures: plays in which its bot failed.
    """

    points: Fraction
    margin: Fraction
    place: int
    failures: int


def seats(contestants: int, rotation: int) -> list[int]:
    """Contestant's number at each seat: in rotation r contestant i sits at seat (i + r) mod n."""
    if contestants < 2:
        raise ValueError(f"a match needs at least two contestants, not {contestants}")
    if not 0 <= rotation < contestants:
        raise ValueError(
            f"rotation {rotation} is out of range: {contestants} contestants have the rotations "
            f"0 to {contestants - 1}"
        )
    return [(seat - rotation) % contestants for seat in range(contestants)]


def rotations_for(contestants: int, asked: int = 0) -> int:
    """Number of plays of the deal: one for each seat, or fewer where `asked` (0: all) says so.

    A ladder with mixed table sizes may ask for more rotations than a small table has seats; the
    table then plays all it has.
    """
    if asked < 0:
        raise ValueError(f"rotations must be 0 (one for each seat) or more, not {asked}")
    return min(asked, contestants) if asked else contestants


def margins(outcome: PlayOutcome) -> list[Fraction]:
    """Margin by seat: own score minus the mean of the other seats'.

    A seat whose bot failed gets the table's lowest margin of this play: what a stand-in scored is
    not the bot's.
    """
    return [Fraction(margin, len(outcome.scores) - 1) for margin in _margins(outcome)]


def _margins(outcome: PlayOutcome) -> list[int]:
    """Margins in units of 1 / (seats - 1): as such they are whole numbers."""
    total, seats = sum(outcome.scores), len(outcome.scores)
    found = [score * seats - total for score in outcome.scores]
    lowest = min(found)
    return [lowest if seat in outcome.failed else margin for seat, margin in enumerate(found)]


def result(contestants: int, plays: Sequence[PlayOutcome]) -> list[ContestantResult]:
    """The match's result by contestant's number, from all its plays.

    Order: sum of place points, then summed margin, then the place is shared. ValueError when the
    plays do not fit `contestants`.
    """
    if contestants < 2:
        raise ValueError(f"a match needs at least two contestants, not {contestants}")
    if not plays:
        raise ValueError("a match has a result only when it has plays")
    # Whole numbers of the units of `place_shares` and `_margins`, which are many times quicker.
    points = [0] * contestants
    margin = [0] * contestants
    failures = [0] * contestants
    for number, outcome in enumerate(plays):
        _check(contestants, number, outcome)
        gained, ahead = place_shares(outcome.places), _margins(outcome)
        for seat, contestant in enumerate(outcome.seats):
            points[contestant] += gained[seat]
            margin[contestant] += ahead[seat]
            failures[contestant] += seat in outcome.failed
    order = list(zip(points, margin, strict=True))
    return [
        ContestantResult(
            points=Fraction(points[i], 2 * (contestants - 1)),
            margin=Fraction(margin[i], contestants - 1),
            place=1 + sum(other > order[i] for other in order),
            failures=failures[i],
        )
        for i in range(contestants)
    ]


def _check(contestants: int, number: int, outcome: PlayOutcome) -> None:
    if sorted(outcome.seats) != list(range(contestants)):
        raise ValueError(
            f"play {number} seats {list(outcome.seats)}: it must seat each of the contestants "
            f"0 to {contestants - 1} once"
        )
    if len(outcome.scores) != contestants or len(outcome.places) != contestants:
        raise ValueError(
            f"play {number} has {len(outcome.scores)} scores and {len(outcome.places)} places "
            f"for {contestants} seats"
        )
    strange = [seat for seat in outcome.failed if not 0 <= seat < contestants]
    if strange:
        raise ValueError(f"play {number} has failures at the seats {strange}, which do not exist")
