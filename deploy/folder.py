"""The private storage in a folder of this machine."""

import os
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage


class PrivateFolder(FileSystemStorage):
    """Files whose names their makers have chosen so that no two are the same.

    Django's own way asks of each name whether it is free, makes its folder, locks the file and
    changes its mode: five times the work of writing a replay. It is taken where it is needed, for a
    new folder and for a name that is taken after all.
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
                return name
        return super().save(name, content, max_length)
