"""From the engine's ranks and the bots' failures to places, and from places to points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from engine.contract import State, may_see


def places(ranks: Sequence[int], failed: Mapping[int, int]) -> list[int]:
    """Places by seat, 1 is best; tied seats share a place and the next one is skipped (1, 2, 2, 4).

    Seats that did not fail stand in the order of `ranks`. Every failed seat stands below them, the
    later failure higher; `failed` gives the number of the decision by seat, and equal ones share.
    """
    # One sort key for all: smaller is better.
    keys = [(1, -failed[seat]) if seat in failed else (0, rank) for seat, rank in enumerate(ranks)]
    return [1 + sum(other < key for other in keys) for key in keys]


def place_points(places: Sequence[int]) -> list[Fraction]:
    """Points by seat: 1 for the first place down to 0 for the last, evenly spaced, ties share.

    Places that skip nothing after a tie, or do not start at 1, are a ValueError.
    """
    shares = place_shares(places)
    if len(places) == 1:
        return [Fraction(1)]
    return [Fraction(share, 2 * (len(places) - 1)) for share in shares]


def place_shares(places: Sequence[int]) -> list[int]:
    """Points as `place_points` has them of two seats or more, in units of 1 / (2 (seats - 1)): as
    such they are whole numbers."""
    for place in places:
        if place != 1 + sum(other < place for other in places):
            raise ValueError(
                f"places {list(places)} do not add up: after a tie as many places are skipped "
                "as seats share it, as in 1, 2, 2, 4"
            )
    # Seats that share place p are spread over p … p + k - 1 and get the mean of those points.
    return [2 * (len(places) - place) - (places.count(place) - 1) for place in places]


class Decisions:
    """Numbers the decisions of a play, so that failures can be compared.

    A decision is a moment at which one or more seats owe an action, and its number is how many
    actions had been applied when it came up. Seats that decide at the same time face ONE decision,
    although they are asked one after the other: failing in it must not depend on the seat.
    """

    def __init__(self, state: State) -> None:
        self._applied = 0
        self._events = len(state.events)
        self._since = dict.fromkeys(state.current_players(), 0)

    def number(self, seat: int) -> int:
        """The number of the decision that the seat, one of the deciders, faces."""
        return self._since[seat]

    def advance(self, seat: int, state: State) -> None:
        """The seat's action has just been applied to the state."""
        self._applied += 1
        # While a face-down decision is open nobody else learns anything of an answer. So a seat
        # whose action shows nothing to others, and who goes on, still faces the same decision.
        before, deciders = self._since, state.current_players()
        news = state.events[self._events :]
        self._events += len(news)
        shown = seat in deciders and any(
            may_see(event, other)
            for event in news
            for other in range(state.players)
            if other != seat
        )
        self._since = {
            decider: before[decider]
            if decider in before and not (decider == seat and shown)
            else self._applied
            for decider in deciders
        }
