"""Test matches: an author's version against opponents of their choice, unrated.

They are played like every match, by the same workers, after brackets and checks and before the
ladder; they change no rating and no standings.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Bot, Player, Submission, User
from tournaments import dispatch
from tournaments.models import Match

QUALIFIED = Submission.State.QUALIFIED


def opponent(name: str, *, game: str, user: User) -> Submission:
    """The version that a name means: "player/bot" is its active one, "player/bot/v3" a certain
    version of a bot of the user's own. UserFault says what is wrong with a name."""
    handle, _, rest = name.strip().partition("/")
    bot_name, _, version = rest.partition("/")
    bot = (
        Bot.objects.filter(player__handle=handle, game=game, name__iexact=bot_name)
        .select_related("player", "active__bot")
        .first()
    )
    if bot is None:
        raise UserFault(
            f"No bot {name.strip()!r} plays {game}; write player/bot, such as house/greedy",
            field="opponents",
        )
    if not version:
        if bot.active is None:
            raise UserFault(f"{bot} has no active version", field="opponents")
        return bot.active
    if not accounts.may_manage(user, bot.player):
        raise UserFault(
            f"Only its owner chooses a version of {bot}; {handle}/{bot.name} is its active one",
            field="opponents",
        )
    number = version.removeprefix("v")
    found = None
    if number.isascii() and number.isdecimal() and len(number) < 7:
        found = bot.submissions.select_related("bot").filter(number=int(number)).first()
    if found is None:
        raise UserFault(f"{bot} has no version {version!r}", field="opponents")
    if found.state != QUALIFIED:
        raise UserFault(f"{found} is {found.state}, not qualified", field="opponents")
    return found


@transaction.atomic
def play_test(
    *,
    submission: Submission,
    opponents: Sequence[str],
    user: User,
    options: Mapping[str, Any] | None = None,
    rotations: int = 0,
) -> Match:
    """Make a test match of a version, which sits first, and the named opponents.

    `rotations` is the number of plays, 0 for one in each seat. NotAllowed for another's version,
    Conflict for one that is not qualified or when the player has its share of test matches.
    """
    bot = submission.bot
    if not accounts.may_manage(user, bot.player):
        raise NotAllowed(f"Only members of {bot.player.handle!r} test this bot")
    if submission.state != QUALIFIED:
        raise Conflict(f"{submission} is {submission.state}; only a qualified version plays")
    others = [opponent(name, game=bot.game, user=user) for name in opponents]
    # Locked, so that two at once do not both take the last of the share.
    player = Player.objects.select_for_update(no_key=True).get(pk=bot.player_id)
    _check_share(player)
    return dispatch.make_match(
        kind=Match.Kind.TEST,
        game=bot.game,
        submissions=[submission, *others],
        options=options,
        rotations=rotations,
    )


def _check_share(player: Player) -> None:
    ours = Match.objects.filter(
        kind=Match.Kind.TEST, contestants__number=0, contestants__submission__bot__player=player
    )
    most = settings.TEST_MATCHES_PER_DAY
    since = timezone.now() - timedelta(days=1)
    if ours.filter(created_at__gt=since).count() >= most:
        raise Conflict(f"{player.handle} has had its {most} test matches within 24 hours")
    waiting = settings.TEST_MATCHES_WAITING
    unfinished = ours.filter(
        created_at__gt=since, state__in=[Match.State.QUEUED, Match.State.RUNNING]
    )
    if unfinished.count() >= waiting:
        raise Conflict(f"{waiting} test matches of {player.handle} are not over yet; wait for one")
