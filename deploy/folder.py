"""The private storage in a folder of this machine."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

_gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)


class PrivateFolder(FileSystemStorage):
    """Files that are on the disk when `save` returns: rows that refer to them outlast a power cut.

    Their makers choose names so that no two are the same. Django's own way asks of each whether it
    is free, makes its folder, locks the file and changes its mode: five times the work of writing
    what is kept of a match. It is taken where it is needed, for a new folder and for a name that is
    taken after all. (On ext4, XFS and Btrfs a new file's name is written through with it.)
    """

    def save(self, name: str | None, content: Any, max_length: int | None = None) -> str:
        if name and type(content) is ContentFile and ".." not in name and not os.path.isabs(name):
            path = os.path.join(self.location, name)
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except (FileNotFoundError, FileExistsError):
                pass
            else:
                with open(handle, "wb") as file:
                    file.write(content.read())
                _written(path)
                return name
        name = super().save(name, content, max_length)
        _written(self.path(name), os.path.dirname(self.path(name)))
        return name

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is saved in this block is on the disk at its end, and not before: many files take
        one wait for the disk."""
        paths: list[str] = []
        token = _gathered.set(paths)
        try:
            yield
        finally:
            _gathered.reset(token)
        if len(paths) > 1 and _on_one_device(paths) and _sync_file_system(paths[0]):
            return
        for path in paths:
            _sync(path)


def _written(*paths: str) -> None:
    gathered = _gathered.get()
    if gathered is not None:
        gathered.extend(paths)
        return
    for path in paths:
        _sync(path)


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _on_one_device(paths: list[str]) -> bool:
    return len({os.stat(folder).st_dev for folder in set(map(os.path.dirname, paths))}) == 1


def _sync_file_system(path: str) -> bool:
    """Write through all that the file system of a path holds back; False where that cannot be."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        return False
    handle = os.open(path, os.O_RDONLY)
    try:
        if call(handle) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
    finally:
        os.close(handle)
    return True
