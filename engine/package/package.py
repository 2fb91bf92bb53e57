"""A whole package: read from bytes or from an author's own path, and unpacked for the sandbox."""

import hashlib
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from engine.package.archive import read_zip, write_zip
from engine.package.errors import LIMITS, PackageError, PackageLimits, megabytes
from engine.package.manifest import MANIFEST_NAME, Manifest, parse_manifest
from engine.package.names import NameTable, check_name
from engine.sandbox.api import Program

_MAC_EXTRAS = "__MACOSX"  # what macOS puts beside the files in a zip
_LEFT_OUT = ("__pycache__", "node_modules")
_FIRST_BYTES = {
    b"PK": "a zip archive",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x7fELF": "a Linux program",
    b"MZ": "a Windows program",
    b"\xcf\xfa\xed\xfe": "a macOS program",
    b"\xca\xfe\xba\xbe": "a Java class or macOS program",
}
_ELF_X86_64 = (b"\x7fELF\x02\x01", b"\x3e\x00")  # 64 bit, little-endian; e_machine at byte 18


@dataclass(frozen=True)
class Package:
    """A checked package.

    `data` is what was uploaded, `sha256` its hash in lower-case hex; `files` maps each path below
    the folder of `bot.toml` to its content.
    """

    manifest: Manifest
    sha256: str
    data: bytes
    files: dict[str, bytes]

    def unpack(self, folder: Path) -> Program:
        """Write the files into `folder`, which is made, and say how the bot is started.

        Everybody may read the files (the sandbox runs under another user), nobody but their owner
        may change them. Raises FileExistsError if `folder` exists; nothing is left of it when
        writing fails.
        """
        folder.mkdir(mode=0o700)
        try:
            for path, content in self.files.items():
                executable = self.manifest.language == "native" and path == self.manifest.entry
                _write(folder, path, content, mode=0o755 if executable else 0o644)
            folder.chmod(0o755)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Program(folder, self.manifest.language, self.manifest.entry)


def _write(folder: Path, path: str, content: bytes, *, mode: int) -> None:
    # The folder is ours, new and closed to others until all is written, holds no links, and the
    # names have been checked; O_EXCL and O_NOFOLLOW make a mistake in that an error.
    *parents, name = path.split("/")
    for parent in parents:
        folder = folder / parent
        folder.mkdir(mode=0o755, exist_ok=True)
        folder.chmod(0o755)  # whatever the umask took away
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(folder / name, flags, mode), "wb") as file:
        file.write(content)
    (folder / name).chmod(mode)


def read(
    data: bytes, *, filename: str, game: str | None, limits: PackageLimits = LIMITS
) -> Package:
    """Check what somebody uploaded: the bytes of a zip, or of one Python file (`*.py`).

    `filename` is what the sender called it; it decides between the two and is never used as a
    path. With `game`, the game of the bot it is meant for, the package must name that game; a
    single file needs it. Raises PackageError.
    """
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    if name.lower().endswith(".py"):
        return _read_single(data, name, game, limits)
    if not data:
        raise PackageError(f"{name!a} is empty")
    kind = _kind(data)
    if kind not in (None, "a zip archive"):
        raise PackageError(
            f"{name!a} is {kind}; upload a zip with bot.toml at its root, or one .py file"
        )
    return _checked(read_zip(data, limits), data, game)


def from_path(path: Path, game: str | None, *, limits: PackageLimits = LIMITS) -> Package:
    """Read an author's own package: a folder with `bot.toml`, a zip, or one Python file.

    Of a folder, hidden files and what tools leave behind (`__pycache__`, `node_modules`) are left
    out; its hash is that of a zip which is the same on every machine. Raises PackageError, also
    for a path that cannot be read.
    """
    try:
        if path.is_dir():
            files = _walk(path, limits)
            return _checked(files, write_zip(files), game)
        if not path.exists():
            raise PackageError(f"{path} does not exist; give a folder, a zip or a .py file")
        if not path.is_file():
            raise PackageError(f"{path} is neither a folder nor a file")
        with path.open("rb") as file:
            data = file.read(max(limits.archive, limits.file) + 1)
        return read(data, filename=path.name, game=game, limits=limits)
    except OSError as error:
        raise PackageError(f"{path} cannot be read: {error.strerror}") from None


def _read_single(data: bytes, name: str, game: str | None, limits: PackageLimits) -> Package:
    shown = ascii(name)
    if game is None:
        raise PackageError(f"{shown} does not say its game; a zip with bot.toml does")
    if len(data) > limits.archive:
        raise PackageError(
            f"{shown} has {len(data):,} bytes; at most {megabytes(limits.archive)} are allowed"
        )
    check_name(name, limits)
    _check_text(data, name)
    manifest = Manifest(games=(game,), language="python", entry=name)
    return Package(manifest, hashlib.sha256(data).hexdigest(), data, {name: data})


def _checked(files: dict[str, bytes], data: bytes, game: str | None) -> Package:
    files = _below_manifest(files)
    manifest = parse_manifest(files[MANIFEST_NAME])
    if game is not None and game not in manifest.games:
        raise PackageError(
            f"uploaded to a {game} bot, but bot.toml's games lists {', '.join(manifest.games)}"
        )
    _check_entry(files, manifest)
    return Package(manifest, hashlib.sha256(data).hexdigest(), data, files)


def _below_manifest(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files by their path from the folder of `bot.toml`: the root or its one folder."""
    files = {path: data for path, data in files.items() if path.split("/")[0] != _MAC_EXTRAS}
    if MANIFEST_NAME in files:
        return files
    tops = {path.split("/")[0] for path in files}
    if len(tops) == 1:
        prefix = f"{tops.pop()}/"
        if prefix + MANIFEST_NAME in files:
            return {path.removeprefix(prefix): data for path, data in files.items()}
    for path in files:
        if path.rsplit("/", 1)[-1].lower() == MANIFEST_NAME:
            raise PackageError(
                f"bot.toml must be at the root of the package, in small letters; here it is "
                f"{path!a}"
            )
    raise PackageError(
        "there is no bot.toml at the root of the package; it says, for example: "
        'games = ["deca-slayer"], language = "python", entry = "main.py"'
    )


def _check_entry(files: dict[str, bytes], manifest: Manifest) -> None:
    """Refuse an entry that is not there or cannot be what the language says."""
    entry, language = manifest.entry, manifest.language
    content = files.get(entry)
    if content is None:
        if any(path.startswith(f"{entry}/") for path in files):
            raise PackageError(f"entry {entry!a} is a folder; name the file in it to start")
        raise PackageError(f"entry {entry!a} is not in the package")
    if language in ("python", "javascript"):
        _check_text(content, entry)
    elif language == "java":
        if _kind(content) != "a zip archive":
            raise PackageError(f"entry {entry!a} is not a jar; a Java bot is one jar")
    elif not (content.startswith(_ELF_X86_64[0]) and content[18:20] == _ELF_X86_64[1]):
        kind = _kind(content)
        raise PackageError(
            f"entry {entry!a} is not a Linux program for x86-64 (64-bit ELF)"
            + (f", but {kind}" if kind not in (None, "a Linux program") else "")
        )


def _check_text(content: bytes, name: str) -> None:
    shown = ascii(name)
    if not content.strip():
        raise PackageError(f"{shown} is empty")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        kind = _kind(content)
        is_what = f"is {kind}, not source text" if kind else "is not UTF-8 text"
        raise PackageError(f"{shown} {is_what} (byte {error.start})") from None
    if "\0" in text:
        raise PackageError(f"{shown} is not text: it holds a zero byte")


def _kind(content: bytes) -> str | None:
    for start, kind in _FIRST_BYTES.items():
        if content.startswith(start):
            return kind
    return None


def _walk(folder: Path, limits: PackageLimits) -> dict[str, bytes]:
    """The files of an author's folder, by their path with slashes."""
    files: dict[str, bytes] = {}
    names = NameTable()
    total = 0
    waiting = [(folder, "")]
    while waiting:
        here, prefix = waiting.pop()
        for item in sorted(os.scandir(here), key=lambda item: item.name):
            if item.name.startswith(".") or item.name in _LEFT_OUT:
                continue
            path = prefix + item.name
            check_name(path, limits)
            if item.is_symlink():
                raise PackageError(f"{path} is a link; put the file itself in the folder")
            if item.is_dir():
                waiting.append((Path(item.path), f"{path}/"))
                continue
            info = item.stat()
            if not stat.S_ISREG(info.st_mode):
                raise PackageError(f"{path} is a device, pipe or socket")
            total += info.st_size
            if info.st_size > limits.file or total > limits.total:
                raise PackageError(
                    f"with {path} the folder is too large: at most {megabytes(limits.file)} a file "
                    f"and {megabytes(limits.total)} in all"
                )
            names.add(path, is_folder=False)
            files[path] = Path(item.path).read_bytes()
            if len(files) > limits.entries:
                raise PackageError(
                    f"{folder} holds more than {limits.entries} files; is it a bot's folder?"
                )
    return files
