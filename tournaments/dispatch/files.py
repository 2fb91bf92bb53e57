"""The files of matches in the private storage: one for each, with its replays and logs.

They are written before the transaction that refers to them. When that fails they are removed; what
a killed worker left behind, or one that never learned how its transaction ended, is found by
`sweep`.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage
from django.db.models import Min
from django.db.models.functions import Now
from django.utils import timezone

from bots.models import Submission
from tournaments.models import Match

logger = logging.getLogger(__name__)
ARCHIVES = "matches"
PACKAGES = "packages"
MATCHES = 1000
"""Matches whose files share a folder."""
# Longer than the hard limit of an attempt, so that nothing of a running one is taken.
_SWEEP_AFTER = timedelta(hours=6)
_RECENT = timedelta(days=3)
_SUSPICIOUS = 100


def folder(match_id: int) -> str:
    """The folder of a match's file; MATCHES of them share one."""
    return f"{ARCHIVES}/{match_id // MATCHES}"


class NotStored(Exception):
    """The storage took a file not at all, or not whole; the message says why. It may do so soon."""


def wait_once() -> AbstractContextManager[None]:
    """A block at whose end its files are safe, with one wait for the disk where that can be had."""
    made: AbstractContextManager[None] = getattr(default_storage, "together", nullcontext)()
    return made


@contextmanager
def stored_together() -> Iterator[None]:
    """Files that are written in this block are safe at its end, at the latest; NotStored if not."""
    try:
        with wait_once():
            yield
    except OSError as error:
        raise NotStored(error.strerror or type(error).__name__) from error


class Written:
    """The file of one report, to which no row refers yet.

    Each report writes under a name of its own: an earlier one of the same attempt may have been
    accepted, and then its file is not ours to overwrite or remove.
    """

    def __init__(self, match_id: int, attempt: int) -> None:
        name = f"{match_id}-{attempt}-{secrets.token_hex(4)}.slym"
        self._path = f"{folder(match_id)}/{name}"
        self._name: str | None = None

    def write(self, data: bytes) -> str:
        """Store it; returns its name in the storage. NotStored where that cannot be done."""
        try:
            self._name = default_storage.save(self._path, ContentFile(data))
        except Exception as error:  # each kind of storage has errors of its own
            _remove(self._path)  # the half of it that a full disk took
            raise NotStored(getattr(error, "strerror", None) or type(error).__name__) from error
        return self._name

    def remove(self) -> None:
        """Remove it again: the result was not accepted."""
        if self._name is not None:
            _remove(self._name)


def _remove(name: str) -> None:
    """Remove a file that nothing refers to; what cannot be removed now is left for `sweep`."""
    try:
        default_storage.delete(name)
    except Exception as error:
        logger.warning("Could not remove %s: %s", name, error)


def sweep(*, everything: bool = False, force: bool = False) -> int:
    """Remove files that no row refers to and that are older than any running attempt; how many.

    Without `everything`, in the folders alone that matches of the last days have: no other gets a
    file any more. A folder full of files of which the database knows none is left alone unless
    `force` is given: then it is rather the database that is not the one they belong to.
    """
    removed = 0
    first = 0 if everything else _first_folder()
    for number in _folders(default_storage, ARCHIVES):
        if number >= first:
            removed += _sweep_folder(f"{ARCHIVES}/{number}", _known(number), force)
    if everything:
        for bot in _folders(default_storage, PACKAGES):
            known = set(Submission.objects.filter(bot=bot).values_list("package", flat=True))
            removed += _sweep_folder(f"{PACKAGES}/{bot}", known, force)
    if removed:
        logger.info("Removed %d files that no row refers to", removed)
    return removed


def _first_folder() -> int:
    """The folder of the oldest match that may still have got a file in the last days."""
    recent = Match.objects.filter(ended_at__gt=Now() - _RECENT).aggregate(first=Min("id"))["first"]
    unfinished = Match.objects.filter(
        state__in=[Match.State.QUEUED, Match.State.RUNNING]
    ).aggregate(first=Min("id"))["first"]
    ids = [pk for pk in (recent, unfinished) if pk is not None]
    return min(ids) // MATCHES if ids else 0


def _sweep_folder(path: str, known: set[str], force: bool) -> int:
    names = [f"{path}/{name}" for name in default_storage.listdir(path)[1]]
    lost = [name for name in names if name not in known and _old(name)]
    if len(lost) > _SUSPICIOUS and not known and not force:
        logger.error(
            "%s has %d files and the database knows none of them: is it the right one? They are "
            "left alone (manage.py sweep_files --all --force removes them)",
            path,
            len(lost),
        )
        return 0
    for name in lost:
        default_storage.delete(name)
    return len(lost)


def _folders(storage: Storage, kind: str) -> Iterator[int]:
    """The numbered folders of a kind."""
    try:
        folders = storage.listdir(kind)[0]
    except FileNotFoundError:  # nothing was ever stored; a store of objects has no folders to miss
        return
    for name in folders:
        if name.isdecimal():
            yield int(name)


def _known(number: int) -> set[str]:
    """The files of one folder's matches; by their ids, for which there is an index."""
    first, after = number * MATCHES, (number + 1) * MATCHES
    # Without the empty name of those that have none: a database that knows no file is not trusted.
    matches = Match.objects.filter(id__gte=first, id__lt=after).exclude(archive="")
    return set(matches.values_list("archive", flat=True))


def _old(name: str) -> bool:
    return default_storage.get_modified_time(name) < timezone.now() - _SWEEP_AFTER
