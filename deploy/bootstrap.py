"""The Python environment of the checkout: made from the lock by the first command, then entered.

Standard library only, and of that little: every command passes here twice, and an environment
that is up to date costs it a few milliseconds. `deploy/install.py` makes the environment.

The environment carries a stamp for each lock it was made from: the SHA-256 of the lock's bytes
and the Python version. A stamp is written last, so an environment with a stamp is a whole one.
"""

from __future__ import annotations

import hashlib
import os
import sys

SERVICE = "service"
TESTS = "tests"
LOCKS = {SERVICE: "deploy/requirements.lock", TESTS: "deploy/requirements-dev.lock"}


def enter(checkout: str, arguments: list[str]) -> None:
    """Return when this process runs in an up-to-date environment, or replace it by one that does.

    `SLAYER_NO_VENV=1` says that this interpreter has all packages already (a container image).
    """
    if os.environ.get("SLAYER_NO_VENV") == "1":
        return
    wanted = TESTS if arguments[:1] == ["test"] else SERVICE
    venv = ready(checkout, wanted)
    if venv is None:
        from deploy import install

        venv = install.make_or_explain(checkout, wanted)
    if not os.path.samefile(sys.prefix, venv):
        python = os.path.join(venv, "bin", "python")
        os.execv(python, [python, *sys.orig_argv[1:]])


def ready(checkout: str, wanted: str) -> str | None:
    """The first environment that carries the stamp of the `wanted` lock, or None."""
    stamp = stamp_of(checkout, wanted)
    for venv in (
        sys.prefix,
        os.path.join(checkout, ".venv"),
        os.path.join(cache(checkout), ".venv"),
    ):
        try:
            with open(stamp_path(venv, wanted)) as file:
                found = file.read()
        except OSError:
            continue
        # A link to a Python that has gone fails here.
        if found == stamp and os.access(os.path.join(venv, "bin", "python"), os.X_OK):
            return venv
    return None


def stamp_of(checkout: str, wanted: str) -> str:
    """What an environment made now from the `wanted` lock would carry."""
    with open(os.path.join(checkout, LOCKS[wanted]), "rb") as file:
        lock = file.read()
    return hashlib.sha256(lock + b"\0" + sys.version.split()[0].encode()).hexdigest()


def named_after(checkout: str) -> str:
    """A folder name for this checkout outside of it: its own name and eight digits of its path."""
    path = os.path.realpath(checkout)
    return f"{os.path.basename(path) or 'root'}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"


def stamp_path(venv: str, wanted: str) -> str:
    return os.path.join(venv, f"slayer-{wanted}.stamp")


def cache(checkout: str) -> str:
    """Where the environment lies when the checkout is read-only."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "slayer-league", named_after(checkout))
