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
    """An empty folder of mode 0700 that belongs to `account`: `preferred` if it is short enough.

    Otherwise one with a fixed name in the run-time folder of this user or in /tmp, so that the
    next start finds it again.
    """
    folder = preferred if _fits(preferred) else _short(preferred, account)
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
    return folder


def _fits(folder: Path) -> bool:
    path = str(folder)
    return bool(PLAIN.fullmatch(path)) and len(path) + LONGEST_NAME <= LONGEST_PATH


def _short(preferred: Path, account: Account) -> Path:
    name = f"slayer-{hashlib.sha256(os.fsencode(preferred)).hexdigest()[:12]}"
    for base in (os.environ.get("XDG_RUNTIME_DIR"), "/run", "/tmp"):
        if not base or not os.access(base, os.W_OK | os.X_OK):
            continue
        folder = Path(base) / name
        if _fits(folder) and account.can_enter(Path(base)):
            return folder
    raise ServerError("no folder for the servers' sockets: /tmp cannot be written.")
