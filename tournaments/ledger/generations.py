"""Rating a ladder anew beside the live ratings, and showing the outcome instead of them.

The history is what all generations together hold: versions that entered, and matches that are
still finished. A generation folds it with the submissions left out that it names.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import msgspec
from django.db import connection, transaction
from django.db.models import Max

from bots.accounts import record_act
from bots.faults import UserFault
from bots.models import User
from tournaments.ledger.live import take_turn
from tournaments.ledger.rows import Row, Standing, after, enter_row, match_rows
from tournaments.models import Contestant, Generation, Ladder, Match, Rating, RatingChange
from tournaments.rating import RatingValue

_CHUNK = 2000


def rerate(
    *, ladder: Ladder, without: Collection[int] = (), reason: str = "", user: User | None = None
) -> Generation:
    """Fold the ladder's whole history into a new generation, which nobody sees until it is shown.

    `without` are ids of submissions that count for nobody ("what if"). Matches that were voided are
    left out. Live play goes on meanwhile; `show` adds what it brings.
    """
    with transaction.atomic():
        last = ladder.generations.aggregate(last=Max("number"))["last"] or 1
        generation = Generation.objects.create(
            ladder=ladder, number=last + 1, without=sorted(set(without)), reason=reason
        )
        _extend(ladder, generation.number, frozenset(without))
        record_act(
            user=user,
            verb="rerate",
            target=f"ladder {ladder.slug} generation {generation.number}",
            reason=reason,
        )
    return generation


def show(*, ladder: Ladder, number: int, reason: str = "", user: User | None = None) -> None:
    """Show another generation: it is brought up to date, and takes the live results from now on.

    Also leads back to an earlier one. UserFault when there is no such generation.
    """
    with transaction.atomic():
        turn = take_turn(ladder.pk, numbers=0)
        _extend(ladder, number, _without(ladder, number))
        if number != turn.generation:
            _move_table(ladder, turn.generation, number)
        Ladder.objects.filter(pk=ladder.pk).update(generation=number)
        record_act(
            user=user,
            verb="show",
            target=f"ladder {ladder.slug} generation {number}",
            reason=reason,
        )
    ladder.generation = number


def _without(ladder: Ladder, number: int) -> frozenset[int]:
    generation = ladder.generations.filter(number=number).first()
    if generation is not None:
        return frozenset(generation.without)
    if number == 1:
        return frozenset()
    known = [1, *ladder.generations.order_by("number").values_list("number", flat=True)]
    raise UserFault(
        f"The ladder {ladder.slug} has no generation {number}; it has: "
        + ", ".join(map(str, known)),
        field="generation",
    )


def _extend(ladder: Ladder, number: int, without: frozenset[int]) -> None:
    """Fold into a generation what has happened since its last row."""
    ratings = Rating.objects.filter(ladder=ladder, generation=number)
    standings = {
        row.submission_id: Standing(RatingValue(row.mu, row.sigma), row.matches) for row in ratings
    }
    changed: set[int] = set()
    rows: list[RatingChange] = []
    last = ladder.changes.filter(generation=number).aggregate(last=Max("seq"))["last"] or 0
    for group in _history(ladder, last, without, standings):
        for row in group:
            before = standings.get(row.submission_id)
            standings[row.submission_id] = after(row, before, alone=len(group) == 1)
            changed.add(row.submission_id)
            rows.append(
                RatingChange(ladder=ladder, generation=number, **msgspec.structs.asdict(row))
            )
        if len(rows) >= _CHUNK:
            RatingChange.objects.bulk_create(rows)
            rows = []
    RatingChange.objects.bulk_create(rows)
    Rating.objects.bulk_create(
        [
            Rating(
                ladder=ladder,
                generation=number,
                submission_id=submission,
                mu=standings[submission].value.mu,
                sigma=standings[submission].value.sigma,
                matches=standings[submission].matches,
                listed=False,
            )
            for submission in sorted(changed)
        ],
        batch_size=_CHUNK,
        update_conflicts=True,
        unique_fields=["ladder", "generation", "submission"],
        update_fields=["mu", "sigma", "matches"],
    )


def _history(
    ladder: Ladder, seq: int, without: frozenset[int], standings: dict[int, Standing]
) -> Iterator[list[Row]]:
    """The new rows of each event after `seq`, computed from the standings as they are then.

    Numbers are given under the ladder's lock, so no event can appear before one that was read.
    """
    while found := _events(ladder, seq):
        places: dict[int, dict[int, int]] = {}
        for match, submission, place in Contestant.objects.filter(
            match__in={event.match for event in found if event.match},
            match__state=Match.State.FINISHED,
        ).values_list("match", "submission", "place"):
            if submission not in without and place is not None:
                places.setdefault(match, {})[submission] = place
        for event in found:
            seq = event.seq
            if event.match is not None:
                if counted := places.get(event.match):
                    values = {each: standings[each].value for each in counted}
                    yield match_rows(seq, event.match, values, counted)
            elif event.submission not in without:
                parent, start = event.parent, standings.get(event.parent or 0)
                yield [
                    enter_row(
                        seq,
                        event.submission,
                        None if parent is None or start is None else (parent, start.value),
                        rewrite=event.rewrite,
                    )
                ]


class _Event(NamedTuple):
    """What happened under one number: a match was rated, or (match None) a version entered."""

    seq: int
    submission: int
    parent: int | None
    rewrite: bool
    match: int | None


def _events(ladder: Ladder, seq: int) -> list[_Event]:
    """The next events of the ladder's history, whatever generation has their rows."""
    rows = (
        RatingChange.objects.filter(ladder=ladder, seq__gt=seq)
        .order_by("seq", "generation", "submission")
        .distinct("seq")
        .values_list("seq", "submission", "parent", "submission__rewrite", "match")[:_CHUNK]
    )
    return [_Event(*row) for row in rows]


def _move_table(ladder: Ladder, old: int, new: int) -> None:
    """Who is on the table, and when each last played, goes with the generation that is shown."""
    Rating.objects.filter(ladder=ladder, generation=new).update(listed=False)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tournaments_rating n SET listed = o.listed, played_at = o.played_at "
            "FROM tournaments_rating o WHERE n.ladder_id = %s AND n.generation = %s "
            "AND o.ladder_id = n.ladder_id AND o.generation = %s "
            "AND o.submission_id = n.submission_id",
            [ladder.pk, new, old],
        )
        # A version that an earlier generation left out and this one does not: its bot's active one.
        cursor.execute(
            "UPDATE tournaments_rating n SET listed = TRUE FROM bots_bot b "
            "WHERE n.ladder_id = %s AND n.generation = %s AND b.active_id = n.submission_id",
            [ladder.pk, new],
        )
