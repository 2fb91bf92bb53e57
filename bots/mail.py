"""Notices by e-mail, for users who wish it, where a mail server is named.

A notice is marked when it is made, so that nobody is sent what is older than the wish. It is sent
at least once: who sends one holds its row, and the mark goes after the server has taken it.
"""

import logging
import smtplib

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from bots.faults import UserFault
from bots.models import Notice, User

logger = logging.getLogger(__name__)
BATCH = 50
_FOOT = "You have these by e-mail because you asked for it on {account}. There you can end it."


def wish(*, user: User, by_mail: bool) -> None:
    """Send the user's notices by e-mail from now on, or no more. UserFault without a server."""
    if by_mail and not settings.EMAIL_HOST:
        raise UserFault("This site has no mail server: notices are shown on the site only")
    User.objects.filter(pk=user.pk).update(notices_by_mail=by_mail)
    if not by_mail:
        Notice.objects.filter(user=user, mail_due=True).update(mail_due=False)


def send_due() -> int:
    """Send what is due, oldest first, at most BATCH; how many were sent.

    When the server cannot be reached the rest stays due. Who cannot receive mail at all is not
    tried again with the same notice.
    """
    if not settings.EMAIL_HOST:
        return 0
    due = Notice.objects.filter(mail_due=True).order_by("pk").values_list("pk", flat=True)
    waiting = list(due[:BATCH])
    sent = 0
    if waiting:
        try:
            with get_connection() as connection:
                for pk in waiting:
                    sent += _send(pk, connection)
        except (OSError, smtplib.SMTPException) as error:
            logger.warning("Notices cannot be mailed now, they stay due: %s", error)
    return sent


@transaction.atomic
def _send(pk: int, connection: BaseEmailBackend) -> bool:
    notice = (
        Notice.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("user")
        .filter(pk=pk, mail_due=True)
        .first()
    )
    if notice is None:
        return False  # somebody else sends it
    site = settings.SITE_URL
    lines = [notice.text, f"{site}{notice.url}" if notice.url else "", ""]
    lines.append(_FOOT.format(account=f"{site}/account/"))
    message = EmailMessage(
        subject=f"Slayer League: {' '.join(notice.kind.split('-'))}",
        body="\n".join(lines),
        to=[notice.user.email],
        headers={"Auto-Submitted": "auto-generated"},
        connection=connection,
    )
    try:
        taken = message.send() == 1
    except smtplib.SMTPRecipientsRefused as error:
        logger.warning("Notice %d is not mailed: %s", pk, error)
        taken = False
    Notice.objects.filter(pk=pk).update(mail_due=False)
    return taken
