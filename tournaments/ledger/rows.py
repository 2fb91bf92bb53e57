"""The rows of the ledger, computed from the ratings before them. Live, folding and rating anew
use these two functions alone, which is why they agree bit for bit."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from tournaments import rating
from tournaments.models import RatingChange
from tournaments.rating import RatingValue

Kind = RatingChange.Kind


@dataclass(frozen=True, slots=True)
class Standing:
    """A submission's rating and the number of rated matches that made it."""

    value: RatingValue
    matches: int = 0


class Row(msgspec.Struct, kw_only=True):
    """One row by the names of its columns, for any ladder and generation.

    Most rows go straight into a statement; as a model each would cost more than its rating does.
    """

    seq: int
    kind: Kind
    submission_id: int
    match_id: int | None = None
    parent_id: int | None = None
    place: int | None = None
    mu_before: float | None = None
    sigma_before: float | None = None
    mu: float
    sigma: float


def enter_row(
    seq: int, submission_id: int, parent: tuple[int, RatingValue] | None, *, rewrite: bool
) -> Row:
    """The row of a version that enters; `parent` is the version it starts from, with its rating."""
    start = rating.START if parent is None else rating.new_version(parent[1], rewrite)
    return Row(
        seq=seq,
        kind=Kind.ENTER,
        submission_id=submission_id,
        parent_id=parent and parent[0],
        mu_before=parent and parent[1].mu,
        sigma_before=parent and parent[1].sigma,
        mu=start.mu,
        sigma=start.sigma,
    )


def match_rows(
    seq: int, match_id: int, before: Mapping[int, RatingValue], places: Mapping[int, int]
) -> list[Row]:
    """The rows of one match: `before` and `places` (1 is best) by submission.

    Places are made anew among those that are there, so that without a banned bot the others move
    up. A submission that is alone keeps its rating; the row says that the match took place.
    """
    order = sorted(places)
    own = [1 + sum(other < places[each] for other in places.values()) for each in order]
    values = [before[each] for each in order]
    after = rating.update(values, own) if len(order) > 1 else values
    return [
        Row(
            seq=seq,
            kind=Kind.MATCH,
            submission_id=submission,
            match_id=match_id,
            place=place,
            mu_before=old.mu,
            sigma_before=old.sigma,
            mu=new.mu,
            sigma=new.sigma,
        )
        for submission, place, old, new in zip(order, own, values, after, strict=True)
    ]


def after(row: Row | RatingChange, before: Standing | None, *, alone: bool) -> Standing:
    """Where a submission stands after its row; `alone` if the row's match counted for it only."""
    matches = 0 if before is None else before.matches
    played = row.kind == Kind.MATCH and not alone
    return Standing(RatingValue(row.mu, row.sigma), matches + played)
