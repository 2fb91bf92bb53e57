"""Changes of the ratings that are shown, as they happen: under the ladder's lock, one at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count

import msgspec
from django.db import connection

from bots.faults import Conflict
from bots.models import Bot, Submission
from tournaments.ledger.rows import Kind, enter_row, match_rows
from tournaments.models import Contestant, Ladder, Match, Rating, RatingChange
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


Finished = tuple[Match, Sequence[Contestant]]


def apply(match: Match, contestants: Sequence[Contestant]) -> None:
    """Rate a match, in the transaction that finishes it.

    A contestant that is not on the ladder (a pinned version that never was active) enters first,
    off the table. Those that the shown generation leaves out count for nobody.
    """
    apply_all([(match, contestants)])


def apply_all(finished: Sequence[Finished]) -> None:
    """Rate several matches, in the order given; as `apply` for one after the other.

    Of any number on one ladder three statements, and one lock for all of them.
    """
    by_ladder: dict[int, list[Finished]] = {}
    for match, contestants in finished:
        assert match.ladder_id is not None
        by_ladder.setdefault(match.ladder_id, []).append((match, contestants))
    for ladder_id in sorted(by_ladder):  # so that no two writers wait for each other
        _apply(ladder_id, by_ladder[ladder_id])


def _apply(ladder_id: int, finished: Sequence[Finished]) -> None:
    turn = take_turn(ladder_id, numbers=len(finished))
    numbers = count(turn.seq - len(finished) + 1)
    counted = [
        {
            contestant.submission_id: contestant
            for contestant in contestants
            if contestant.submission_id not in turn.without
        }
        for _, contestants in finished
    ]
    everybody = {pk: contestant for table in counted for pk, contestant in table.items()}
    ratings = _ratings(turn, everybody)
    missing = sorted(everybody.keys() - ratings.keys())
    if missing:
        take_turn(ladder_id, numbers=len(missing))
    for pk in missing:
        own = replace(turn, seq=next(numbers))
        ratings[pk] = _enter(own, everybody[pk].submission, None, listed=False)
    changes: list[RatingChange] = []
    for (match, _), table in zip(finished, counted, strict=True):
        rows = match_rows(
            next(numbers),
            match.pk,
            {submission: _value(ratings[submission]) for submission in table},
            {submission: contestant.place or 0 for submission, contestant in table.items()},
        )
        for row in rows:
            found = ratings[row.submission_id]
            found.mu, found.sigma = row.mu, row.sigma
            found.matches += len(rows) > 1
        changes += rows
    _write(turn, ratings.values(), changes)


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
_RATING = ("id", "mu", "sigma", "matches")
_CHANGE = (
    "seq", "submission_id", "match_id", "place", "mu_before", "sigma_before", "mu", "sigma",
)  # fmt: skip


def _write(turn: Turn, ratings: Collection[Rating], changes: Sequence[RatingChange]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _WRITE,
            [_json(ratings, _RATING), turn.ladder_id, turn.generation, _json(changes, _CHANGE)],
        )


def _json(rows: Collection[Rating] | Collection[RatingChange], names: Sequence[str]) -> str:
    """Rows as JSON. Its numbers have as many digits as a float needs, so none is changed."""
    return msgspec.json.encode(
        [{name: getattr(row, name) for name in names} for row in rows]
    ).decode()


def _ratings(turn: Turn, submissions: Collection[int]) -> dict[int, Rating]:
    rows = Rating.objects.filter(
        ladder=turn.ladder_id, generation=turn.generation, submission__in=submissions
    )
    return {found.submission_id: found for found in rows}


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
    row.ladder_id, row.generation = turn.ladder_id, turn.generation
    row.save(force_insert=True)
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
