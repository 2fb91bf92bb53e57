"""This machine: Python and packages, disks, the file storage, the sandbox."""

import os
import platform
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from packaging.requirements import Requirement

from deploy.doctor.finding import Finding, fail, ok, warn
from engine.sandbox import CannotIsolate, isolated
from engine.sandbox.tiers import TIERS

OLDEST_PYTHON = (3, 11)
FEW_BYTES, FEW_PARTS = 5 * 2**30, 0.10
NO_BYTES, NO_PARTS = 2**29, 0.02


def look_at_python() -> Iterator[Finding]:
    """The interpreter, and the packages that the service needs."""
    here = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        yield fail("python", here, "3.11 or newer is needed")
    else:
        yield ok("python", here)
    wrong = list(_wrong_packages())
    for text in wrong:
        yield fail("python", text, "install deploy/requirements.lock (or remove .venv)")
    if not wrong:
        yield ok("python", "every package is of a version that the service was made for")


def _wrong_packages() -> Iterator[str]:
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["optional-dependencies"]["service"]
    for text in wanted:
        need = Requirement(text)
        if need.marker is not None and not need.marker.evaluate():
            continue
        try:
            found = version(need.name)
        except PackageNotFoundError:
            yield f"{need.name} is not installed"
            continue
        if not need.specifier.contains(found, prereleases=True):
            yield f"{need.name} is {found}, and {need.specifier} is needed"


def look_at_disk() -> Iterator[Finding]:
    """Room and inodes where data and bots' files lie."""
    seen: set[int] = set()
    for name, folder in (("the data folder", settings.DATA_DIR), ("temporary files", Path("/tmp"))):
        place = _existing(folder)
        device = place.stat().st_dev
        if device in seen:
            continue
        seen.add(device)
        yield from _room(name, folder, place)


def _existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())


def _room(name: str, folder: Path, place: Path) -> Iterator[Finding]:
    found = os.statvfs(place)
    free, all_ = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
    helps = "make room, or move the data; workers hand matches back that they cannot store"
    what = f"{free / 2**30:.1f} GiB of {all_ / 2**30:.1f} are free at {folder} ({name})"
    if free < NO_BYTES or free < NO_PARTS * all_:
        yield fail("disk", what, helps)
    elif free < FEW_BYTES or free < FEW_PARTS * all_:
        yield warn("disk", what, helps)
    else:
        yield ok("disk", what)
    if found.f_files:
        part = found.f_favail / found.f_files
        what = f"{100 * part:.0f} % of the inodes are free at {folder}"
        helps = "each play is some small files: use a file system with more inodes, or S3"
        if part < NO_PARTS:
            yield fail("disk", what, helps)
        elif part < FEW_PARTS:
            yield warn("disk", what, helps)


def look_at_storage() -> Iterator[Finding]:
    """Write a file, read it again, remove it."""
    where = str(getattr(default_storage, "location", "") or type(default_storage).__name__)
    data = uuid4().hex.encode()
    try:
        name = default_storage.save(f"doctor/{data.decode()}", ContentFile(data))
        try:
            with default_storage.open(name, "rb") as file:
                same = file.read() == data
        finally:
            default_storage.delete(name)
    except Exception as error:  # each kind of storage has errors of its own
        yield fail(
            "storage",
            f"{where} takes no file: {type(error).__name__}: {error}",
            "give the service's user the right to write there, or make room",
        )
        return
    if same:
        yield ok("storage", f"{where} takes files and gives them back")
    else:
        yield fail("storage", f"{where} gave back something else", "do not use this storage")


def look_at_sandbox() -> Iterator[Finding]:
    """The strongest isolation that holds here, and what each stronger one lacks."""
    least = settings.MIN_TIER
    lacks: list[str] = []
    try:
        with isolated(minimum=TIERS[1]) as sandbox:
            name, languages, refusals = sandbox.name, sandbox.languages, dict(sandbox.refusals)
            tier = getattr(sandbox, "tier", name)
    except CannotIsolate as error:
        yield warn(
            "sandbox",
            "no bot can be isolated here: " + "; ".join(str(error).splitlines()),
            "right on a machine that plays no matches; a worker would not start",
        )
        return
    stronger = [each for each in TIERS if TIERS.index(each) > TIERS.index(_tier(tier))]
    for each in stronger:
        try:
            with isolated(minimum=each):
                pass
        except CannotIsolate as error:
            lacks += [f"no {line}" for line in str(error).splitlines()]
    what = f"{name} holds, for {', '.join(languages)}"
    if TIERS.index(_tier(tier)) < TIERS.index(least):
        yield warn(
            "sandbox",
            f"{what}; a worker needs {least} (SLAYER_MIN_TIER) and would not start",
            "; ".join(lacks) or "see the reasons above",
        )
    else:
        yield ok("sandbox", what)
        for lack in lacks:
            yield ok("sandbox", lack)
    for language, reason in refusals.items():
        yield warn("sandbox", f"no {language} bots: {reason}", "install it, or leave it to others")


def _tier(name: str) -> str:
    from engine.sandbox.tiers import BACK_ENDS

    return BACK_ENDS[name][0] if name in BACK_ENDS else name
