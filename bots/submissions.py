"""The life of a submission. Nothing else moves one.

uploaded → checking → qualified | rejected; qualified ⇄ suspended. A check that failed through no
fault of the bot's leads back to uploaded, and is tried again. What a check consists of is not
known here: `tournaments/entrants.py` plays it.
"""

import hashlib
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max, Sum
from django.db.models.functions import Now
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, NotAllowed, QuotaExceeded, UserFault
from bots.models import Bot, Player, Submission, User
from bots.models.player import handle_rule
from engine import UnknownGame, games
from engine.package import LIMITS, Package, PackageError, read

State = Submission.State


def check_may_manage(user: User | None, player: Player) -> None:
    """NotAllowed unless the user is a member; user None is the service itself."""
    if user is not None and not accounts.may_manage(user, player):
        raise NotAllowed(f"Only members of the player {player.handle!r} may do this")


def check_size(size: int) -> None:
    """UserFault for an upload of so many bytes that it need not be read."""
    if size > LIMITS.archive:
        raise UserFault(
            f"The package has {size:,} bytes; at most {LIMITS.archive:,} are allowed",
            field="package",
        )


def create_bot(*, player: Player, game: str, name: str, user: User | None) -> Bot:
    """A new bot without submissions."""
    check_may_manage(user, player)
    try:
        games.get(game)
    except UnknownGame as error:
        raise UserFault(str(error), field="game") from None
    try:
        handle_rule(name)
    except ValidationError as error:
        raise UserFault(
            f"The name {name!r} cannot be used. {error.messages[0]}", field="name"
        ) from None
    if len(name) > 40:
        raise UserFault("A bot's name has at most 40 characters", field="name")
    if player.bots.count() >= settings.BOTS_PER_PLAYER and not player.house:
        raise QuotaExceeded(
            f"{player.handle} has {settings.BOTS_PER_PLAYER} bots, as many as a player may have; "
            "upload to one of them"
        )
    taken = Conflict(
        f"{player.handle} has a {game} bot named {name!r} already; "
        "upload to it, or choose another name",
        field="name",
    )
    if Bot.objects.filter(player=player, game=game, name=name).exists():
        raise taken
    try:
        with transaction.atomic():
            return Bot.objects.create(player=player, game=game, name=name)
    except IntegrityError:
        raise taken from None


def upload(
    *,
    bot: Bot,
    data: bytes,
    filename: str,
    user: User | None,
    rewrite: bool = False,
    activate: bool = False,
) -> Submission:
    """Store a new version of a bot; it waits for its check.

    The archive and its manifest are checked at once, without running anything of it. Raises
    UserFault (what is wrong with the package), QuotaExceeded or Conflict; nothing is left then.
    """
    check_may_manage(user, bot.player)
    try:
        package = read(data, filename=filename, game=bot.game)
    except PackageError as error:
        raise UserFault(f"The package was refused: {error}", field="package") from None
    name = f"packages/{bot.pk}/{package.sha256}"
    storage = Submission._meta.get_field("package").storage
    with transaction.atomic():
        # The bot's row orders uploads: numbers and quotas are counted under its lock.
        bot = Bot.objects.select_for_update(of=("self",)).select_related("player").get(pk=bot.pk)
        if user is not None:
            _check_quota(bot, len(data))
        same = bot.submissions.filter(sha256=package.sha256).exclude(state=State.REJECTED).first()
        if same is not None:
            raise Conflict(
                f"This package is v{same.number} of {bot} already ({same.state})", field="package"
            )
        number = (bot.submissions.aggregate(last=Max("number"))["last"] or 0) + 1
        stored = storage.save(f"{name}-{number}", ContentFile(data))
        try:
            return Submission.objects.create(
                bot=bot,
                number=number,
                package=stored,
                filename=filename.replace("\\", "/").rsplit("/", 1)[-1][:200],
                size=len(data),
                sha256=package.sha256,
                language=package.manifest.language,
                entry=package.manifest.entry,
                version=(package.manifest.version or "")[:80],
                rewrite=rewrite,
                activate=activate,
                uploaded_by=user,
            )
        except BaseException:
            storage.delete(stored)
            raise


def _check_quota(bot: Bot, size: int) -> None:
    since = timezone.now() - timedelta(days=1)
    recent = bot.submissions.filter(uploaded_at__gt=since).order_by("uploaded_at")
    if len(recent) >= settings.UPLOADS_PER_BOT_AND_DAY:
        again = recent[len(recent) - settings.UPLOADS_PER_BOT_AND_DAY].uploaded_at
        raise QuotaExceeded(
            f"{bot} had {len(recent)} uploads within 24 hours; "
            f"{settings.UPLOADS_PER_BOT_AND_DAY} are allowed. "
            f"The next is possible from {again + timedelta(days=1):%Y-%m-%d %H:%M} UTC"
        )
    # One player's uploads to different bots may race past this by a package each: harmless.
    used = Submission.objects.filter(bot__player=bot.player).aggregate(sum=Sum("size"))["sum"] or 0
    if used + size > settings.PLAYER_STORAGE_BYTES:
        raise QuotaExceeded(
            f"{bot.player.handle} stores {used:,} bytes of packages; with this one it would "
            f"be over the {settings.PLAYER_STORAGE_BYTES:,} that a player may store"
        )


def package_of(submission: Submission) -> Package:
    """The package as uploaded. ValueError if the stored bytes are not what was uploaded."""
    with submission.package.open("rb") as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != submission.sha256:
        raise ValueError(
            f"The stored package of submission {submission.pk} does not have its SHA-256"
        )
    return read(data, filename=submission.filename, game=submission.bot.game)


def _move(submission: Submission, *, before: tuple[str, ...], after: str, **fields: object) -> bool:
    """Move a submission on if it still is where the caller saw it."""
    fields["state"] = after
    moved = Submission.objects.filter(pk=submission.pk, state__in=before).update(**fields)
    if moved:
        for name, value in fields.items():
            setattr(submission, name, value)
    return bool(moved)


def start_check(submission: Submission) -> bool:
    """Begin the check; False when somebody else has."""
    return _move(
        submission,
        before=(State.UPLOADED,),
        after=State.CHECKING,
        # By the database's clock: whoever judges the check may be on another machine.
        check_started_at=Now(),
        reason="",
    )


def _page(submission: Submission) -> str:
    """Where a notice about it leads to."""
    return f"/submissions/{submission.pk}/"


def qualify(submission: Submission, *, log: str) -> bool:
    """The check was passed: the submission may be activated."""
    done = _move(
        submission,
        before=(State.CHECKING,),
        after=State.QUALIFIED,
        log=log,
        reason="",
        checked_at=timezone.now(),
    )
    if done:
        accounts.notify(
            submission.bot.player,
            kind="qualified",
            text=f"{submission} qualified and may play.",
            url=_page(submission),
        )
    return done


def reject(submission: Submission, *, reason: str, log: str) -> bool:
    """The bot failed in its check. The reason stands first in the log."""
    done = _move(
        submission,
        before=(State.CHECKING,),
        after=State.REJECTED,
        reason=reason,
        log=f"{reason}\n\n{log}".rstrip() + "\n",
        checked_at=timezone.now(),
    )
    if done:
        accounts.notify(
            submission.bot.player,
            kind="rejected",
            text=f"{submission} was rejected: {reason}",
            url=_page(submission),
        )
    return done


def not_checked(submission: Submission, *, log: str) -> bool:
    """The check could not be finished through our fault: it will be tried again."""
    return _move(
        submission,
        before=(State.CHECKING,),
        after=State.UPLOADED,
        reason="Not checked yet, and the fault is ours: the check is tried again.",
        log=log,
    )


def suspend(submission: Submission, *, reason: str, user: User | None = None) -> bool:
    """Take a qualified submission out of play; its results stay."""
    with transaction.atomic():
        done = _move(submission, before=(State.QUALIFIED,), after=State.SUSPENDED, reason=reason)
        if done:
            Bot.objects.filter(active=submission).update(active=None, active_since=None)
            accounts.record_act(
                user=user, verb="suspend", target=f"submission {submission.pk}", reason=reason
            )
            accounts.notify(
                submission.bot.player,
                kind="suspended",
                text=f"{submission} was suspended: {reason}",
                url=_page(submission),
            )
    return done


def reinstate(submission: Submission, *, reason: str, user: User | None) -> bool:
    """Let a suspended submission be activated again."""
    with transaction.atomic():
        done = _move(submission, before=(State.SUSPENDED,), after=State.QUALIFIED, reason="")
        if done:
            accounts.record_act(
                user=user, verb="reinstate", target=f"submission {submission.pk}", reason=reason
            )
    return done


def activate(submission: Submission, *, user: User | None) -> Submission | None:
    """Make it its bot's active version, and return the one that was active before.

    Possible for every qualified version, also an older one (roll-back). Raises Conflict,
    QuotaExceeded or NotAllowed.
    """
    check_may_manage(user, submission.bot.player)
    with transaction.atomic():
        # The player's row orders activations, so that the quota holds.
        Player.objects.select_for_update().get(pk=submission.bot.player_id)
        bot = Bot.objects.select_for_update(of=("self",)).get(pk=submission.bot_id)
        submission.refresh_from_db(fields=["state", "reason"])
        if submission.state != State.QUALIFIED:
            raise Conflict(
                f"{submission} is {submission.state}; only a qualified version can be activated."
                + (f" {submission.reason}" if submission.reason else "")
            )
        before = bot.active
        if before is None:
            others = Bot.objects.filter(
                player_id=bot.player_id, game=bot.game, active__isnull=False
            ).count()
            if others >= settings.ACTIVE_BOTS_PER_GAME and not bot.player.house:
                raise QuotaExceeded(
                    f"{bot.player.handle} has {others} active {bot.game} bots; "
                    f"{settings.ACTIVE_BOTS_PER_GAME} are allowed. Deactivate one first"
                )
        if before != submission:
            Bot.objects.filter(pk=bot.pk).update(active=submission, active_since=timezone.now())
        submission.bot.active = submission
    return before


def deactivate(bot: Bot, *, user: User | None) -> Submission | None:
    """Take a bot out of play; returns the version that was active."""
    check_may_manage(user, bot.player)
    with transaction.atomic():
        bot = Bot.objects.select_for_update(of=("self",)).get(pk=bot.pk)
        before = bot.active
        Bot.objects.filter(pk=bot.pk).update(active=None, active_since=None)
    return before
