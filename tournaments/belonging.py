"""Whose bots belong together: those never meet in a rated match."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from bots.models import Membership, Submission


def owners(submissions: Iterable[Submission]) -> dict[int, frozenset[str]]:
    """Keys of each submission's owners by its id: its player and that player's members.

    Two submissions belong together when they share a key. The house's have none: they fill tables.
    """
    players = {
        submission.pk: submission.bot.player_id
        for submission in submissions
        if not submission.bot.player.house
    }
    keys: dict[int, set[str]] = defaultdict(set)
    for player, user in Membership.objects.filter(player__in=set(players.values())).values_list(
        "player", "user"
    ):
        keys[player].add(f"user {user}")
    return {
        submission.pk: frozenset(
            {f"player {players[submission.pk]}", *keys[players[submission.pk]]}
        )
        if submission.pk in players
        else frozenset()
        for submission in submissions
    }


def apart(submissions: Sequence[Submission]) -> bool:
    """Whether no two of them belong together, and none is there twice."""
    if len({submission.pk for submission in submissions}) < len(submissions):
        return False
    sets = owners(submissions).values()
    return sum(map(len, sets)) == len(frozenset().union(*sets))
