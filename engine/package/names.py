"""Names of files in a package: which ones are safe on every system, and which ones clash."""

import unicodedata

from engine.package.errors import PackageError, PackageLimits

# Reserved by Windows, where authors try their bots too. The backslash is there a separator, the
# colon marks a drive or a hidden stream.
_RESERVED = '<>:"|?*'
_LONGEST_PART_BYTES = 255  # what Linux file systems take


def check_name(name: str, limits: PackageLimits) -> None:
    """Refuse a path that could leave the folder it is unpacked in, or that some system cannot hold.

    `name` is a relative path with slashes, without a slash at its end.
    """
    shown = ascii(name)
    if not name:
        raise PackageError("an entry of the archive has an empty name")
    if not name.isprintable():
        raise PackageError(
            f"the name {shown} holds a control character or another one that cannot be printed; "
            "rename the file"
        )
    if "\\" in name:
        raise PackageError(
            f"the name {shown} holds a backslash; folders in a package are separated by /"
        )
    if len(name) > 1 and name[1] == ":":
        raise PackageError(f"the name {shown} begins with a drive letter; names must be relative")
    if name.startswith("/"):
        raise PackageError(f"the name {shown} is absolute; names must be relative")
    bad = sorted(set(name) & set(_RESERVED))
    if bad:
        raise PackageError(f"the name {shown} holds {' '.join(bad)}; rename the file")
    parts = name.split("/")
    if ".." in parts:
        raise PackageError(f"the name {shown} leads out of the package by '..'")
    for part in parts:
        if part in ("", "."):
            raise PackageError(f"the name {shown} has an empty part or a '.' between its slashes")
        if part != part.strip(" ") or part.endswith("."):
            raise PackageError(
                f"the name {shown} has a part that begins or ends with a space, or ends with a "
                "dot; rename the file"
            )
        if len(part.encode()) > _LONGEST_PART_BYTES:
            raise PackageError(
                f"the name {shown} has a part of more than {_LONGEST_PART_BYTES} bytes"
            )
    if len(name) > limits.path:
        raise PackageError(f"{shown} is longer than the {limits.path} characters allowed")
    if len(parts) > limits.depth:
        raise PackageError(
            f"{shown} lies {len(parts)} levels deep; at most {limits.depth} are allowed"
        )


class NameTable:
    """The names of one package, so that no two can mean the same file on any system.

    File systems that ignore case or the way an accent is written would put two such files in one
    place; so names are compared folded, folders included.
    """

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}  # folded path → as first written
        self._entries: set[str] = set()
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str, *, is_folder: bool) -> None:
        """Take the name of one entry; PackageError if it clashes with an earlier one."""
        if name in self._entries:
            raise PackageError(f"{name!a} is in the archive twice")
        self._entries.add(name)
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            folded = unicodedata.normalize("NFKC", path).casefold()
            spelled = self._spelled.setdefault(folded, path)
            if spelled != path:
                raise PackageError(
                    f"{path!a} and {spelled!a} are one name on systems that ignore case "
                    "or accents; rename one of them"
                )
            (self._folders if depth < len(parts) or is_folder else self._files).add(path)
            if path in self._folders and path in self._files:
                raise PackageError(f"{path!a} is a file and also a folder")
