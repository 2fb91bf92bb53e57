"""Changes of the ratings that are shown, as they happen: under the ladder's lock, one at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models.functions import Now

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


def apply(match: Match, contestants: Sequence[Contestant]) -> None:
    """Rate a match, in the transaction that finishes it.

    A contestant that is not on the ladder (a pinned version that never was active) enters first,
    off the table. Those that the shown generation leaves out count for nobody.
    """
    assert match.ladder_id is not None
    turn = take_turn(match.ladder_id)
    counted = {
        contestant.submission_id: contestant
        for contestant in contestants
        if contestant.submission_id not in turn.without
    }
    ratings = _ratings(turn, counted)
    for missing in sorted(counted.keys() - ratings.keys()):
        ratings[missing] = _enter(turn, counted[missing].submission, None, listed=False)
        turn = take_turn(match.ladder_id)
    rows = match_rows(
        turn.seq,
        match.pk,
        {submission: _value(found) for submission, found in ratings.items()},
        {submission: contestant.place or 0 for submission, contestant in counted.items()},
    )
    for row in rows:
        row.ladder_id, row.generation = turn.ladder_id, turn.generation
        found = ratings[row.submission_id]
        found.mu, found.sigma = row.mu, row.sigma
        found.matches += len(rows) > 1
        found.played_at = Now()
    # An upsert: as cheap as one statement can be, where bulk_update costs five times the CPU.
    Rating.objects.bulk_create(
        ratings.values(),
        update_conflicts=True,
        unique_fields=["ladder", "generation", "submission"],
        update_fields=["mu", "sigma", "matches", "played_at"],
    )
    RatingChange.objects.bulk_create(rows)


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
