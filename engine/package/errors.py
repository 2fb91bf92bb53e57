"""What packages are refused with, and the sizes they must keep."""

from dataclasses import dataclass


class PackageError(ValueError):
    """A package that cannot be taken. The message says what is wrong, where, and what is right."""


@dataclass(frozen=True)
class PackageLimits:
    """Sizes that a package must keep; bytes, unless the name says otherwise.

    `archive` is the size of the zip itself; `total` and `file` are counted while inflating.
    `entries` counts files and folders, `depth` the parts of a path, `path` its characters. A file
    that inflates to more than `ratio` times its packed size is refused; below `ratio_from` bytes
    the ratio of an honest file (say, blank lines) can be higher, and such a file does no harm.
    """

    archive: int = 10_000_000
    total: int = 50_000_000
    file: int = 20_000_000
    entries: int = 500
    depth: int = 8
    path: int = 200
    ratio: int = 200
    ratio_from: int = 65_536


LIMITS = PackageLimits()


def megabytes(size: int) -> str:
    """A size in bytes as people read it."""
    return f"{size / 1e6:g} MB" if size >= 100_000 else f"{size:,} bytes"
