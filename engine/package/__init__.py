"""Packages: what an author uploads. Read and checked here without running anything of it.

A package is a zip with `bot.toml` at its root (or in its one enclosing folder), or a single
Python file. `read` takes bytes from anybody; `from_path` takes the author's own folder or file.
"""

from engine.package.errors import LIMITS, PackageError, PackageLimits
from engine.package.manifest import LANGUAGES, Manifest
from engine.package.package import Package, from_path, read

__all__ = [
    "LANGUAGES",
    "LIMITS",
    "Manifest",
    "Package",
    "PackageError",
    "PackageLimits",
    "from_path",
    "read",
]
