"""The private storage in a folder of this machine."""

import os
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage


class PrivateFolder(FileSystemStorage):
    """Files that are on the disk when `save` returns: rows that refer to them outlast a power cut.

    Their makers choose names so that no two are the same. Django's own way asks of each whether it
    is free, makes its folder, locks the file and changes its mode: five times the work of writing
    what is kept of a match. It is taken where it is needed, for a new folder and for a name that is
    taken after all.
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
                    file.flush()
                    os.fsync(handle)
                return name
        name = super().save(name, content, max_length)
        for path in (self.path(name), os.path.dirname(self.path(name))):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        return name
