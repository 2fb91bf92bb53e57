"""A temporary folder in which programs can be unpacked for any back end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def workspace() -> Iterator[Path]:
    """A fresh folder, removed at the end, that users other than ours may pass but not list.

    Started by root, bots run as a user of their own, who must be able to reach their files.
    """
    with tempfile.TemporaryDirectory(prefix="slayer-play-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder
