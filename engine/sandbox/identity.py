"""The user that bots are for the kernel."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

_FIRST_UID, _UIDS = 60000, 5000


@dataclass(frozen=True)
class Identity:
    """The user that bots are for the kernel; `other` when it is not our own user."""

    uid: int
    gid: int
    other: bool

    def popen_arguments(self) -> dict[str, Any]:
        """How subprocess starts a program as this user."""
        if not self.other:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def bot_identity() -> Identity:
    """Ourselves; for root a user that no one else is, a different one for each worker process.

    A bot is never root for the kernel, even without a privilege: RLIMIT_NPROC does not bind root,
    and root's files would be the bot's own.
    """
    if os.geteuid() != 0:
        return Identity(os.getuid(), os.getgid(), other=False)
    uid = _FIRST_UID + os.getpid() % _UIDS
    return Identity(uid, uid, other=True)
