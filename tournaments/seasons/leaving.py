"""Leaving a season, or being put out of it: what becomes of the results."""

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import User
from tournaments import lifecycle
from tournaments.brackets import LONGEST_REASON
from tournaments.models import Bracket, Season, SeasonEntry

State = Season.State


@transaction.atomic
def withdraw(*, entry: SeasonEntry, user: User | None, reason: str) -> None:
    """Take an entry out of a season: its owners and organisers may; it is logged.

    Before the start it is gone. Later it is drawn no more; with less than half of its tables
    played all its results are dropped, and its open tables go on without it, else they are kept and
    its open tables are played. Raises Conflict, UserFault or NotAllowed.
    """
    player = entry.bot.player
    if user is not None and not user.is_staff and not accounts.may_manage(user, player):
        raise NotAllowed(f"Only members of {player.handle!r} or an organiser withdraw this entry")
    _leave(entry, reason, disqualified=False)
    target = f"bot {entry.bot_id} from season {entry.season.slug}"
    accounts.record_act(user=user, verb="withdraw", target=target, reason=reason)


@transaction.atomic
def disqualify(*, entry: SeasonEntry, user: User | None, reason: str) -> None:
    """Take an entry out of a season at once, by the organiser: its open tables go on without it.

    Its results are dropped or kept as those of one who withdraws.
    """
    if user is not None and not user.is_staff:
        raise NotAllowed(f"Only an organiser may disqualify in {entry.season.slug!r}")
    _leave(entry, reason, disqualified=True)
    target = f"bot {entry.bot_id} from season {entry.season.slug}"
    accounts.record_act(user=user, verb="disqualify", target=target, reason=reason)


def _leave(entry: SeasonEntry, reason: str, *, disqualified: bool) -> None:
    if len(reason) > LONGEST_REASON:
        raise UserFault(f"A reason has at most {LONGEST_REASON} characters", field="reason")
    season = Season.objects.select_for_update(no_key=True).get(pk=entry.season_id)
    if season.state == State.FINISHED:
        raise Conflict(f"{season.slug} is finished")
    if season.state == State.ENTRY and disqualified:
        raise Conflict(f"{season.slug} has not started: withdraw the entry")
    if season.state == State.ENTRY:
        entry.delete()
        return
    entry = SeasonEntry.objects.select_related("division__bracket", "bot").get(pk=entry.pk)
    if entry.withdrawn_at is not None and not (disqualified and not entry.disqualified):
        raise Conflict(f"{entry.bot} has left already")
    assert entry.division is not None  # it runs
    bracket = Bracket.objects.select_for_update(no_key=True).get(division=entry.division)
    entry.withdrawn_at, entry.withdrawn_reason = timezone.now(), reason
    entry.disqualified = disqualified
    if bracket.state != Bracket.State.FINISHED:
        row = bracket.entries.get(bot=entry.bot)
        closed, every = lifecycle.tables_in_all(bracket.stages.get())
        entry.dropped = 2 * closed[row.pk] < every[row.pk]
        lifecycle.leave(
            bracket=bracket,
            entry=row,
            reason=reason,
            disqualified=disqualified,
            at_once=disqualified or entry.dropped,
        )
        if entry.dropped:
            lifecycle.drop_results(entry=row)
    for playoff in Bracket.objects.filter(
        season=season, playoff_of__isnull=False, entries__bot=entry.bot
    ).exclude(state=Bracket.State.FINISHED):
        lifecycle.leave(
            bracket=playoff,
            entry=playoff.entries.get(bot=entry.bot),
            reason=reason,
            disqualified=disqualified,
            at_once=True,
        )
    entry.save(update_fields=["withdrawn_at", "withdrawn_reason", "disqualified", "dropped"])
