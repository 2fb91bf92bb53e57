"""What the finished matches of a table come to, deal by deal."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments import duplicate
from tournaments.models import Match, Table


@dataclass(frozen=True, slots=True)
class Own:
    """One entry's result: mean place points and margin a play (None: it has not played)."""

    points: float | None
    margin: float | None
    failures: int


@dataclass(frozen=True, slots=True)
class Share:
    """One entry's sums in one deal."""

    points: float
    margin: float
    failures: int
    plays: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Shares by entry, a list over the counted deals in their order; None where it was not in."""

    shares: dict[int, list[Share | None]]
    deals: int

    def of(self, entry: int, *, deals: int | None = None) -> Own:
        """An entry's result over the first `deals` counted deals (None: all)."""
        mine = [share for share in self.shares.get(entry, [])[:deals] if share is not None]
        if not mine:
            return Own(None, None, 0)
        return Own(
            # The deals from which it was missing are lost.
            sum(share.points for share in mine) / self._plays(deals),
            sum(share.margin for share in mine) / sum(share.plays for share in mine),
            sum(share.failures for share in mine),
        )

    def _plays(self, deals: int | None) -> int:
        every = zip(*(own[:deals] for own in self.shares.values()), strict=True)
        return sum(max((share.plays for share in deal if share), default=0) for deal in every)


def tally(table: Table) -> Tally:
    """The shares of the table's entries in its finished matches that count.

    Counted are the deals from the table's first on, up to the first that has no finished match.
    Entries whose results are dropped count as if they had not sat there: the others' places are
    taken anew from what each play recorded.
    """
    entries = {
        seat.submission_id: seat.entry_id
        for seat in table.seats.all()
        if seat.submission_id is not None and not seat.entry.dropped
    }
    dropped = any(seat.entry.dropped for seat in table.seats.all())
    finished = {
        match.deal: match for match in table.matches.all() if match.state == Match.State.FINISHED
    }
    shares: dict[int, list[Share | None]] = {entry: [] for entry in entries.values()}
    deal = table.first_deal
    while deal in finished:
        found = _of_match(finished[deal], entries, anew=dropped)
        for entry, own in shares.items():
            own.append(found.get(entry))
        deal += 1
    return Tally(shares, deal - table.first_deal)


def _of_match(match: Match, entries: dict[int, int], *, anew: bool) -> dict[int, Share]:
    contestants = [c for c in match.contestants.all() if c.submission_id in entries]
    if anew:
        results = _anew(match, sorted(c.number for c in contestants))
        by_number = {c.number: c.submission_id for c in contestants}
        return {
            entries[by_number[number]]: Share(
                float(result.points), float(result.margin), result.failures, match.rotations
            )
            for number, result in results.items()
        }
    return {
        entries[c.submission_id]: Share(
            c.place_points or 0.0, c.margin or 0.0, c.failures, match.rotations
        )
        for c in contestants
    }


def _anew(match: Match, kept: Sequence[int]) -> dict[int, duplicate.ContestantResult]:
    """The match's result among some of its contestants only, by their numbers."""
    if len(kept) < 2:
        return {}
    index = {number: position for position, number in enumerate(kept)}
    outcomes = []
    for play in match.plays.all():
        failed = {failure["seat"] for failure in play.failures}
        seats = [seat for seat, number in enumerate(play.seats) if number in index]
        places = [play.places[seat] for seat in seats]
        outcomes.append(
            duplicate.PlayOutcome(
                seats=[index[play.seats[seat]] for seat in seats],
                scores=[play.scores[seat] for seat in seats],
                places=[1 + sum(other < own for other in places) for own in places],
                failed=[position for position, seat in enumerate(seats) if seat in failed],
            )
        )
    results = duplicate.result(len(kept), outcomes)
    return dict(zip(kept, results, strict=True))
