"""Folding the ledger again, to see that what is stored is what its rows give."""

from collections.abc import Iterator
from itertools import groupby

from django.db import transaction

from tournaments.ledger.live import take_turn
from tournaments.ledger.rows import Kind, Row, Standing, after, enter_row, match_rows
from tournaments.models import Ladder, Rating, RatingChange
from tournaments.rating import RatingValue

# A ledger that is wrong in one row is wrong in all that follow: nobody reads more lines than this.
_MOST_LINES = 100


class Fold:
    """A generation folded from its first row on: `standings` by submission, and what differed."""

    def __init__(self, ladder: Ladder, generation: int) -> None:
        self.standings: dict[int, Standing] = {}
        self.differences: list[str] = []
        self._ladder = ladder
        self._generation = generation
        self._seq = 0

    def go_on(self) -> None:
        """Fold the rows that there are now and have not been folded."""
        for seq, rows in groupby(self._rows(), key=lambda row: row.seq):
            self._fold(seq, list(rows))

    def compare(self) -> None:
        """Compare with the ratings that are stored."""
        rows = Rating.objects.filter(ladder=self._ladder, generation=self._generation)
        stored = {
            row.submission_id: Standing(RatingValue(row.mu, row.sigma), row.matches) for row in rows
        }
        for submission in sorted(stored.keys() | self.standings.keys()):
            given, right = stored.get(submission), self.standings.get(submission)
            if given != right:
                self._differs(f"submission {submission}: stored {given}, the ledger gives {right}")

    def _rows(self) -> Iterator[RatingChange]:
        return (
            RatingChange.objects.filter(
                ladder=self._ladder, generation=self._generation, seq__gt=self._seq
            )
            .select_related("submission")
            .only(
                "seq", "kind", "match", "place", "parent", "mu", "sigma", "mu_before",
                "sigma_before", "submission__rewrite",
            )
            .order_by("seq", "submission")
            .iterator(chunk_size=2000)
        )  # fmt: skip

    def _fold(self, seq: int, rows: list[RatingChange]) -> None:
        self._seq = seq
        try:
            right = {row.submission_id: row for row in self._right(seq, rows)}
        except (KeyError, ValueError) as error:
            self._differs(f"#{seq}: cannot be folded ({error!r})")
            right = {}
        for row in rows:
            expected = right.get(row.submission_id)
            if expected is not None and _numbers(row) != _numbers(expected):
                self._differs(
                    f"#{seq} submission {row.submission_id}: stored {_numbers(row)}, "
                    f"the rows before it give {_numbers(expected)}"
                )
            self.standings[row.submission_id] = after(
                expected or row, self.standings.get(row.submission_id), alone=len(rows) == 1
            )

    def _right(self, seq: int, rows: list[RatingChange]) -> list[Row]:
        """The rows as they follow from the standings before them."""
        if rows[0].kind == Kind.ENTER:
            return [
                enter_row(
                    seq,
                    row.submission_id,
                    None
                    if row.parent_id is None
                    else (row.parent_id, self.standings[row.parent_id].value),
                    rewrite=row.submission.rewrite,
                )
                for row in rows
            ]
        return match_rows(
            seq,
            rows[0].match_id or 0,
            {row.submission_id: self.standings[row.submission_id].value for row in rows},
            {row.submission_id: row.place or 0 for row in rows},
        )

    def _differs(self, line: str) -> None:
        if len(self.differences) < _MOST_LINES:
            self.differences.append(line)


def _numbers(row: Row | RatingChange) -> tuple[float | None, ...]:
    return row.mu_before, row.sigma_before, row.mu, row.sigma


def fold(ladder: Ladder, generation: int | None = None) -> dict[int, Standing]:
    """The ratings by submission that the rows of a generation (the shown one) give."""
    found = Fold(ladder, ladder.generation if generation is None else generation)
    found.go_on()
    return found.standings


def check(ladder: Ladder) -> list[str]:
    """Compare what is stored with what the ledger gives, bit for bit: one line for each difference.

    The ladder is locked for the last few rows and the comparison only.
    """
    ladder.refresh_from_db(fields=["generation"])
    found = Fold(ladder, ladder.generation)
    found.go_on()
    with transaction.atomic():
        same = take_turn(ladder.pk, numbers=0).generation == ladder.generation
        if same:
            found.go_on()
            found.compare()
    return found.differences if same else check(ladder)
