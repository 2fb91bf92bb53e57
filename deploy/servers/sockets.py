"""A short private folder for the servers' sockets: the path of a socket has at most 107 bytes."""

import hashlib
import os
import re
import shutil
import stat
from pathlib import Path

from deploy.servers.account import Account
from deploy.servers.errors import ServerError

LONGEST_PATH = 107
LONGEST_NAME = len("/.s.PGSQL.5432")
PLAIN = re.compile(r"[A-Za-z0-9/._-]+")  # nothing that a URL or PostgreSQL's list must escape


def socket_folder(preferred: Path, account: Account) -> Path:
    """The folder for the sockets of the servers in `preferred`'s parent; it need not exist.

    `preferred` if it is short enough. Otherwise one with a fixed name in the run-time folder of
    this user or in /tmp, so that every command of the installation finds it.
    """
    if _fits(preferred):
        return preferred
    name = f"slayer-{hashlib.sha256(os.fsencode(preferred)).hexdigest()[:12]}"
    for base in (os.environ.get("XDG_RUNTIME_DIR"), "/run", "/tmp"):
        if not base or not os.access(base, os.W_OK | os.X_OK):
            continue
        folder = Path(base) / name
        if _fits(folder) and account.can_enter(Path(base)):
            return folder
    raise ServerError("no folder for the servers' sockets: /tmp cannot be written.")


def make_empty(folder: Path, account: Account) -> None:
    """Make `folder` anew, of mode 0700 and `account`'s alone."""
    if folder.exists() or folder.is_symlink():
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (account.uid, os.geteuid()):
            raise ServerError(
                f"{folder}, where the servers' sockets belong, was made by somebody else. "
                "What helps: have it removed, or set XDG_RUNTIME_DIR to a folder of yours."
            )
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700)  # fails if somebody was quicker
    account.own(folder)


def _fits(folder: Path) -> bool:
    path = str(folder)
    return bool(PLAIN.fullmatch(path)) and len(path) + LONGEST_NAME <= LONGEST_PATH
