"""Whom the embedded servers run as: PostgreSQL refuses to run as root, so root steps down.

No user is added and no mode outside our own folders is changed.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.servers.errors import ServerError

UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """A user of the operating system under whom a server process is started."""

    name: str
    uid: int
    gid: int

    @property
    def popen(self) -> dict[str, Any]:
        """Keyword arguments for `subprocess.Popen` that start a process as this user."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Whether this user may pass through `folder`, links and parent folders included."""
        return self._test("-x", folder)

    def can_run(self, program: Path) -> bool:
        """Whether this user may read and run the file `program`."""
        return self._test("-x", program) and self._test("-r", program)

    def own(self, folder: Path) -> None:
        """Make `folder` this user's alone."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != self.uid:
            os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)

    def _test(self, flag: str, path: Path) -> bool:
        # The kernel is asked as that user, so links, ACLs and read-only mounts count too.
        try:
            done = subprocess.run(["test", flag, path], cwd="/", check=False, **self.popen)
        except (PermissionError, subprocess.SubprocessError) as error:
            raise ServerError(
                f"root may not start a process as {self.name} here ({error}), and PostgreSQL does "
                "not run as root. What helps: start as an ordinary user, or name other servers "
                "with DATABASE_URL and REDIS_URL."
            ) from error
        return done.returncode == 0


def server_account() -> Account:
    """This user; for root `postgres` where that user exists, else `nobody`."""
    uid = os.geteuid()
    if uid != 0:
        try:
            entry = pwd.getpwuid(uid)
        except KeyError:
            raise ServerError(
                f"user {uid} has no entry in /etc/passwd, and PostgreSQL's initdb needs one. "
                "What helps: another user, or a PostgreSQL that runs already, named by "
                "DATABASE_URL=postgresql://user:password@host/name."
            ) from None
        return Account(entry.pw_name, uid, os.getegid())
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise ServerError(
        "PostgreSQL does not run as root, and this machine has neither a user postgres nor a user "
        "nobody. What helps: start as an ordinary user, or name other servers with DATABASE_URL "
        "and REDIS_URL."
    )


def owner_of(folder: Path) -> Account:
    """The user who owns `folder`; its number stands for the name where it has none."""
    found = folder.stat()
    try:
        name = pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        name = str(found.st_uid)
    return Account(name, found.st_uid, found.st_gid)
