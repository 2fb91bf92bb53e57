"""Pages of a ladder's table: as quick in the middle of 100,000 bots as at the top.

A page starts after a row, not after a number of rows, and is read from the index `rating_listed`
alone, which has all that it shows; only the names of its bots are looked up.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple, Self

from django.db import connection

from tournaments.models import Ladder


class Row(NamedTuple):
    """A bot on the table; `number` is its version's."""

    rating: int
    ordinal: float
    mu: float
    sigma: float
    matches: int
    submission: int
    number: int
    bot: int
    name: str
    player: int
    handle: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a page begins: below the row of this rating, or with `up`, the rows above it."""

    ordinal: float
    rating: int
    up: bool = False

    def __str__(self) -> str:
        return f"{'u' if self.up else 'd'}{self.ordinal.hex()}_{self.rating}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `str(cut)` again; a ValueError for anything else."""
        found = re.fullmatch(_CUT, text)
        try:
            if found is not None:
                return cls(float.fromhex(found[2]), int(found[3]), found[1] == "u")
        except OverflowError:
            pass
        raise ValueError(f"{text!r} is no place on a table")


_CUT = r"([ud])(-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4})_([0-9]{1,18})"


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, the best first; `previous` and `next` are where the pages beside it begin, if any."""

    rows: list[Row]
    previous: Cut | None
    next: Cut | None


_COLUMNS = "id, ordinal, mu, sigma, matches, submission_id"
_LISTED = f"""(SELECT {_COLUMNS} FROM tournaments_rating
    WHERE ladder_id = %(ladder)s AND generation = %(generation)s AND listed {{}} LIMIT %(limit)s)"""
# Equal ordinals are many: all newcomers have the same. So below a row are its equals with greater
# ids, then those with less; each half is one range of the index.
_EQUAL, _BELOW, _ABOVE = "ordinal = %(ordinal)s", "ordinal < %(ordinal)s", "ordinal > %(ordinal)s"
_DOWN, _UP = "ORDER BY ordinal DESC, id", "ORDER BY ordinal, id DESC"
_TOP = _LISTED.format(_DOWN)
_AFTER = f"""
    {_LISTED.format(f"AND {_EQUAL} AND id > %(rating)s ORDER BY id")} UNION ALL
    {_LISTED.format(f"AND {_BELOW} {_DOWN}")} {_DOWN} LIMIT %(limit)s"""
_BEFORE = f"""
    {_LISTED.format(f"AND {_EQUAL} AND id < %(rating)s ORDER BY id DESC")} UNION ALL
    {_LISTED.format(f"AND {_ABOVE} {_UP}")} {_UP} LIMIT %(limit)s"""
_NAMED = """
SELECT r.id, r.ordinal, r.mu, r.sigma, r.matches, s.id, s.number, b.id, b.name, p.id, p.handle
FROM ({}) r JOIN bots_submission s ON s.id = r.submission_id
JOIN bots_bot b ON b.id = s.bot_id JOIN bots_player p ON p.id = b.player_id
ORDER BY r.ordinal DESC, r.id"""
_OF_BOTS = """
SELECT r.id, r.ordinal, r.mu, r.sigma, r.matches, s.id, s.number, b.id, b.name, p.id, p.handle
FROM bots_player p JOIN bots_bot b ON b.player_id = p.id JOIN bots_submission s ON s.bot_id = b.id
JOIN tournaments_rating r ON r.submission_id = s.id
WHERE r.ladder_id = %(ladder)s AND r.generation = %(generation)s AND r.listed
    AND (%(bot)s::bigint IS NULL OR b.id = %(bot)s)
    AND (%(handle)s::text IS NULL OR p.handle = %(handle)s)
ORDER BY r.ordinal DESC, r.id LIMIT %(limit)s"""


def page(ladder: Ladder, *, cut: Cut | None = None, size: int = 50) -> Page:
    """A page of the table as it is now, from the top or from `cut`; one statement."""
    inner = _TOP if cut is None else _BEFORE if cut.up else _AFTER
    found = _select(
        _NAMED.format(inner),
        {
            "ladder": ladder.pk,
            "generation": ladder.generation,
            "ordinal": None if cut is None else cut.ordinal,
            "rating": None if cut is None else cut.rating,
            "limit": size + 1,
        },
    )
    more = len(found) > size
    up = cut is not None and cut.up
    rows = found[-size:] if up else found[:size]
    if not rows:
        return Page([], None, None)
    first, last = rows[0], rows[-1]
    above = more if up else cut is not None
    below = up or more
    return Page(
        rows,
        Cut(first.ordinal, first.rating, up=True) if above else None,
        Cut(last.ordinal, last.rating) if below else None,
    )


def of_bots(
    ladder: Ladder, *, bot: int | None = None, handle: str | None = None, size: int = 200
) -> Page:
    """The rows of one bot, of one player's bots, or of both; there is no page after it."""
    rows = _select(
        _OF_BOTS,
        {
            "ladder": ladder.pk,
            "generation": ladder.generation,
            "bot": bot,
            "handle": handle,
            "limit": size,
        },
    )
    return Page(rows, None, None)


def _select(statement: str, values: dict[str, int | float | str | None]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [Row._make(row) for row in cursor.fetchall()]
