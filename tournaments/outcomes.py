"""What follows from a match that is over, or from an attempt at it that failed."""

from tournaments import entrants, lifecycle
from tournaments.models import Match


def match_over(match: Match) -> None:
    """Do what follows. Nothing happens twice if it is called twice.

    Runs in housekeeping, soon after the transaction that ended the match or the attempt. Its
    message may be lost: the tasks that run every few seconds find the same work.
    """
    if match.kind == Match.Kind.QUALIFICATION and match.is_over:
        entrants.check_over(match)
    if match.table is not None and match.is_over:
        lifecycle.advance_bracket(match.table.round.stage.bracket_id, table=match.table_id)
    entrants.judge_conduct(match)
