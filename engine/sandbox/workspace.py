"""A temporary folder in which programs can be unpacked for any back end."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # no worker runs there, and nothing is swept
    fcntl = None  # type: ignore[assignment]

_PREFIX = "slayer-play-"
_YOUNG_S = 60.0


@contextmanager
def workspace() -> Iterator[Path]:
    """A fresh folder, removed at the end, that users other than ours may pass but not list.

    Started by root, bots run as a user of their own, who must be able to reach their files. The
    folder is locked as long as it is used, so that `sweep` can tell those that a killed process
    has left.
    """
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _locked(name):
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


def sweep(*, older_than_s: float = _YOUNG_S) -> int:
    """Remove the folders that killed processes of our user have left; how many there were.

    Never one that is in use: its lock is the kernel's, which counts for processes of other
    containers too and ends with its holder. A young one may not have got its lock yet.
    """
    if fcntl is None:
        return 0
    swept = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else removes it, or it is not ours to open
            found = folder.lstat()
            if found.st_uid != os.geteuid() or time.time() - found.st_mtime < older_than_s:
                continue
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
                swept += 1
            finally:
                os.close(handle)
    return swept


@contextmanager
def _locked(name: str) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks: then nothing there is swept either
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)
