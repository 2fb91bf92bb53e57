"""Files of plays in the private storage: replays for everybody, and one log for each seat's owner.

They are written before the transaction that refers to them. When that fails they are removed; what
a killed worker left behind, or one that never learned how its transaction ended, is found by
`sweep`.
"""

import logging
import secrets
from collections.abc import Iterator
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage
from django.utils import timezone

from tournaments.models import Play, SeatFile

logger = logging.getLogger(__name__)
FOLDERS = ("replays", "seats")
# Longer than the hard limit of an attempt, so that nothing of a running one is taken.
_SWEEP_AFTER = timedelta(hours=6)


def folder(kind: str, match_id: int) -> str:
    """The folder of a match's files; a thousand matches share one."""
    return f"{kind}/{match_id // 1000}"


class NotStored(Exception):
    """The storage took a file not at all, or not whole; the message says why. It may do so soon."""


class Written:
    """Files that one report has written and no row refers to yet.

    Each report writes under names of its own: an earlier one of the same attempt may have been
    accepted, and then its files are not ours to overwrite or remove.
    """

    def __init__(self, match_id: int, attempt: int) -> None:
        self._stem = f"{match_id}-{attempt}-{secrets.token_hex(4)}"
        self._match_id = match_id
        self._names: list[str] = []

    def replay(self, rotation: int, data: bytes) -> str:
        """Store a replay; returns its name in the storage."""
        return self._save("replays", f"{self._stem}-{rotation}.slyr", data)

    def seat(self, rotation: int, seat: int, data: bytes) -> str:
        """Store the log of a seat; returns its name in the storage."""
        return self._save("seats", f"{self._stem}-{rotation}-{seat}.slyl", data)

    def remove(self) -> None:
        """Remove them again: the result was not accepted."""
        for name in self._names:
            _remove(name)

    def _save(self, kind: str, name: str, data: bytes) -> str:
        path = f"{folder(kind, self._match_id)}/{name}"
        try:
            self._names.append(default_storage.save(path, ContentFile(data)))
        except Exception as error:  # each kind of storage has errors of its own
            _remove(path)  # the half of it that a full disk took
            raise NotStored(getattr(error, "strerror", None) or type(error).__name__) from error
        return self._names[-1]


def _remove(name: str) -> None:
    """Remove a file that nothing refers to; what cannot be removed now is left for `sweep`."""
    try:
        default_storage.delete(name)
    except Exception as error:
        logger.warning("Could not remove %s: %s", name, error)


def sweep() -> int:
    """Remove files that no row refers to and that are older than any running attempt; how many."""
    removed = 0
    for kind in FOLDERS:
        for path in _folders(default_storage, kind):
            names = [f"{path}/{name}" for name in default_storage.listdir(path)[1]]
            known = _known(kind, names)
            for name in names:
                if name not in known and _old(name):
                    default_storage.delete(name)
                    removed += 1
    if removed:
        logger.info("Removed %d files that no play refers to", removed)
    return removed


def _folders(storage: Storage, kind: str) -> Iterator[str]:
    try:
        folders = storage.listdir(kind)[0]
    except FileNotFoundError:  # nothing was ever stored; a store of objects has no folders to miss
        return
    for name in folders:
        yield f"{kind}/{name}"


def _known(kind: str, names: list[str]) -> set[str]:
    if kind == "replays":
        return set(Play.objects.filter(replay__in=names).values_list("replay", flat=True))
    return set(SeatFile.objects.filter(file__in=names).values_list("file", flat=True))


def _old(name: str) -> bool:
    return default_storage.get_modified_time(name) < timezone.now() - _SWEEP_AFTER
