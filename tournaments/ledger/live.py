"""Changes of the ratings that are shown, as they happen: under the ladder's lock, one at a time."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

import msgspec
from django.db import connection

from bots.faults import Conflict
from bots.models import Bot, Submission
from tournaments.ledger.rows import Kind, Row, enter_row, match_rows
from tournaments.models import Ladder, Rating, RatingChange
from tournaments.rating import RatingValue


@dataclass(frozen=True, slots=True)
class Turn:
    """What the ladder's lock gave; it is held until the transaction ends.

    `seq` is the last number taken, `without` what the shown generation leaves out.
    """

    ladder_id: int
    seq: int
    generation: int
    without: frozenset[int]


def take_turn(ladder_id: int, *, numbers: int = 1) -> Turn:
    """Lock the ladder, in a transaction, and take the next numbers of its ledger.

    Whoever takes a turn changes the table, so its version grows.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tournaments_ladder l SET seq = seq + %s, version = version + 1 "
            "WHERE id = %s "
            "RETURNING seq, generation, (SELECT without FROM tournaments_generation g "
            "WHERE g.ladder_id = l.id AND g.number = l.generation)",
            [numbers, ladder_id],
        )
        seq, generation, without = cursor.fetchone()
    return Turn(ladder_id, seq, generation, frozenset(without or ()))


def enter(*, ladder: Ladder, submission: Submission, parent: Submission | None) -> None:
    """Put an activated version on the ladder's table, in place of its bot's other versions.

    A version that was here before goes on with its rating (roll-back). A new one starts from the
    rating of `parent`, the version that was active before, or else of the bot's last version here,
    or from the start values. Needs a transaction. Conflict when the generation that is shown leaves
    the submission out.
    """
    turn = take_turn(ladder.pk, numbers=0)
    if submission.pk in turn.without:
        raise Conflict(
            f"{submission} is left out of the ladder {ladder.slug} as it is shown (generation "
            f"{turn.generation}); the ladder must be rated anew to let it in"
        )
    versions = Rating.objects.filter(
        ladder=ladder, generation=turn.generation, submission__bot=submission.bot_id
    )
    versions.filter(listed=True).exclude(submission=submission).update(listed=False)
    if not versions.filter(submission=submission).update(listed=True):
        _enter(take_turn(ladder.pk), submission, parent, listed=True)


def unlist(*, ladder: Ladder, bot: Bot) -> None:
    """Take a bot off the ladder's table; the ratings of its versions stay."""
    turn = take_turn(ladder.pk, numbers=0)
    Rating.objects.filter(
        ladder=ladder, generation=turn.generation, submission__bot=bot, listed=True
    ).update(listed=False)


class Finished(NamedTuple):
    """A rated match that is over; `table`: the id of each version that played, with its place."""

    match_id: int
    ladder_id: int
    table: Sequence[tuple[int, int]]


def apply(finished: Iterable[Finished]) -> None:
    """Rate matches, in the order given and in the transaction that finishes them.

    A version that is not on the ladder (a pinned one that never was active) enters first, off the
    table. Those that the shown generation leaves out count for nobody. Of any number on one ladder
    three statements, and one lock for all of them.
    """
    by_ladder: dict[int, list[Finished]] = {}
    for each in finished:
        by_ladder.setdefault(each.ladder_id, []).append(each)
    for ladder_id in sorted(by_ladder):  # so that no two writers wait for each other
        _apply(ladder_id, by_ladder[ladder_id])


class _Standing(msgspec.Struct):
    """A row of the table, as it changes from match to match."""

    id: int
    mu: float
    sigma: float
    matches: int = 0


def _apply(ladder_id: int, finished: Sequence[Finished]) -> None:
    turn = take_turn(ladder_id, numbers=len(finished))
    numbers = count(turn.seq - len(finished) + 1)
    counted = [
        {version: place for version, place in each.table if version not in turn.without}
        for each in finished
    ]
    everybody = {version for table in counted for version in table}
    standings = _standings(turn, everybody)
    missing = sorted(everybody - standings.keys())
    if missing:
        take_turn(ladder_id, numbers=len(missing))
    for version in Submission.objects.filter(pk__in=missing).only("bot", "rewrite").order_by("pk"):
        own = replace(turn, seq=next(numbers))
        entered = _enter(own, version, None, listed=False)
        standings[version.pk] = _Standing(entered.pk, entered.mu, entered.sigma)
    changes: list[Row] = []
    for each, places in zip(finished, counted, strict=True):
        before = {pk: RatingValue(standings[pk].mu, standings[pk].sigma) for pk in places}
        rows = match_rows(next(numbers), each.match_id, before, places)
        for row in rows:
            found = standings[row.submission_id]
            found.mu, found.sigma = row.mu, row.sigma
            found.matches += len(rows) > 1
        changes += rows
    _write(turn, list(standings.values()), changes)


# One statement, whatever their number: by the ORM it would be two with as many values as rows.
_WRITE = """
WITH shown AS (
    UPDATE tournaments_rating r
    SET mu = x.mu, sigma = x.sigma, matches = x.matches, played_at = statement_timestamp()
    FROM json_to_recordset(%s::json)
        AS x (id bigint, mu float8, sigma float8, matches integer)
    WHERE r.id = x.id
)
INSERT INTO tournaments_ratingchange (
    ladder_id, generation, seq, kind, submission_id, match_id, place,
    mu_before, sigma_before, mu, sigma, created_at
)
SELECT %s, %s, x.seq, 'match', x.submission_id, x.match_id, x.place,
    x.mu_before, x.sigma_before, x.mu, x.sigma, statement_timestamp()
FROM json_to_recordset(%s::json) AS x (
    seq bigint, submission_id bigint, match_id bigint, place smallint,
    mu_before float8, sigma_before float8, mu float8, sigma float8
)
"""


def _write(turn: Turn, standings: list[_Standing], changes: list[Row]) -> None:
    # As JSON numbers have as many digits as a float needs, so none is changed.
    given = msgspec.json.encode(standings).decode(), msgspec.json.encode(changes).decode()
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, [given[0], turn.ladder_id, turn.generation, given[1]])


def _standings(turn: Turn, submissions: Collection[int]) -> dict[int, _Standing]:
    rows = Rating.objects.filter(
        ladder=turn.ladder_id, generation=turn.generation, submission__in=submissions
    ).values_list("submission", "id", "mu", "sigma", "matches")
    return {
        submission: _Standing(pk, mu, sigma, matches) for submission, pk, mu, sigma, matches in rows
    }


def _enter(
    turn: Turn, submission: Submission, parent: Submission | None, *, listed: bool
) -> Rating:
    found = _parent(turn, submission, parent)
    row = enter_row(
        turn.seq,
        submission.pk,
        None if found is None else (found.submission_id, _value(found)),
        rewrite=submission.rewrite,
    )
    RatingChange.objects.create(
        ladder_id=turn.ladder_id, generation=turn.generation, **msgspec.structs.asdict(row)
    )
    return Rating.objects.create(
        ladder_id=turn.ladder_id,
        generation=turn.generation,
        submission=submission,
        mu=row.mu,
        sigma=row.sigma,
        listed=listed,
    )


def _parent(turn: Turn, submission: Submission, parent: Submission | None) -> Rating | None:
    """The rating that a version starts from: its parent's, or the bot's last version's here."""
    ratings = Rating.objects.filter(ladder=turn.ladder_id, generation=turn.generation)
    if parent is not None and (found := ratings.filter(submission=parent).first()):
        return found
    last = (
        RatingChange.objects.filter(
            ladder=turn.ladder_id,
            generation=turn.generation,
            kind=Kind.ENTER,
            submission__bot=submission.bot_id,
        )
        .exclude(submission=submission)
        .order_by("-seq")
        .values_list("submission", flat=True)
        .first()
    )
    return None if last is None else ratings.get(submission=last)


def _value(found: Rating) -> RatingValue:
    return RatingValue(found.mu, found.sigma)
