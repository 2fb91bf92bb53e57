"""Accounts: signing up, tokens, who may manage what, notices, and the log of acts."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from bots.faults import UserFault
from bots.models import Act, Membership, Notice, Player, Token, User

KEY_PREFIX = "slayer_"
TOUCH_EVERY = timedelta(minutes=1)


def check(instance: User | Player) -> None:
    """Validate a new row; the first thing wrong becomes a UserFault that names its field."""
    try:
        instance.full_clean(validate_constraints=True)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        # A rule over several columns belongs to the one that its violation is about.
        if field == "__all__":
            field = "email" if isinstance(instance, User) else "handle"
        raise UserFault(messages[0], field=field) from None


@transaction.atomic
def sign_up(*, email: str, password: str, handle: str, name: str = "") -> tuple[User, Player]:
    """Make a user and a player of its own; UserFault when anything is taken, weak or malformed."""
    user = User(email=User.objects.normalize_email(email.strip()))
    player = Player(handle=handle.strip(), name=name.strip() or handle.strip())
    user.set_password(password)
    check(user)
    check(player)
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise UserFault(" ".join(error.messages), field="password") from None
    try:
        with transaction.atomic():
            user.save()
            player.save()
            Membership.objects.create(user=user, player=player, role=Membership.Role.OWNER)
    except IntegrityError:
        # Somebody else was quicker by a moment; the rules above now say what is taken.
        check(user)
        check(player)
        raise
    return user, player


def hash_of_key(key: str) -> str:
    # The key is 32 random bytes, so a plain hash is as strong as a slow one, and can be looked up.
    return hashlib.sha256(key.encode()).hexdigest()


def make_token(
    *, user: User, name: str, scopes: Iterable[str], expires_at: datetime | None = None
) -> tuple[Token, str]:
    """A new token and its key, which is not kept: show it once."""
    wanted = sorted(set(scopes))
    unknown = [scope for scope in wanted if scope not in Token.Scope.values]
    if unknown or not wanted:
        known = ", ".join(Token.Scope.values)
        raise UserFault(
            f"Unknown scope {unknown[0]!r}; known: {known}"
            if unknown
            else f"A token needs at least one scope of: {known}",
            field="scopes",
        )
    if not name.strip():
        raise UserFault("A token needs a name, to tell it from others", field="name")
    if len(name.strip()) > 80:
        raise UserFault("A token's name has at most 80 characters", field="name")
    if expires_at is not None and expires_at <= timezone.now():
        raise UserFault("The expiry lies in the past", field="expires_at")
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        user=user,
        name=name.strip(),
        prefix=key[: len(KEY_PREFIX) + 4],
        sha256=hash_of_key(key),
        scopes=wanted,
        expires_at=expires_at,
    )
    return token, key


def token_for(key: str) -> Token | None:
    """The token of this key; None when it is unknown, expired, revoked or its user inactive."""
    token = Token.objects.select_related("user").filter(sha256=hash_of_key(key)).first()
    now = timezone.now()
    if (
        token is None
        or token.revoked_at is not None
        or (token.expires_at is not None and token.expires_at <= now)
        or not token.user.is_active
    ):
        return None
    if token.last_used_at is None or token.last_used_at < now - TOUCH_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(token: Token) -> None:
    """End a token's life; revoking it again changes nothing."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def may_manage(user: User | AnonymousUser, player: Player) -> bool:
    """Whether this user acts for this player: its members do, nobody else, staff included."""
    return (
        user.is_authenticated and Membership.objects.filter(user_id=user.pk, player=player).exists()
    )


def notify(*players: Player, kind: str, text: str, url: str = "") -> None:
    """Leave one notice with each member of the players; who wishes it gets it by e-mail too."""
    members = User.objects.filter(players__in=players).distinct()
    notify_users(*members, kind=kind, text=text, url=url)


def notify_users(*users: User, kind: str, text: str, url: str = "") -> None:
    """Leave one notice with each of the users; who wishes it gets it by e-mail too."""
    Notice.objects.bulk_create(
        Notice(user=user, kind=kind, text=text, url=url, mail_due=user.notices_by_mail)
        for user in users
    )


def record_act(*, user: User | None, verb: str, target: str, reason: str = "") -> Act:
    """Log an act: user None is the service itself."""
    return Act.objects.create(user=user, verb=verb, target=target, reason=reason)
