"""Read a zip without trusting it, and write one that is the same on every machine.

The reader follows PKWARE's APPNOTE 6.3.10 (sections 4.3 and 4.4) for the part that packages need:
one disk, stored or deflated entries, no Zip64, no encryption. Every byte of the archive must be
accounted for (an entry, the directory or its end), and what the two headers of an entry say must
agree with each other and with the data. So another program that reads the same archive sees the
same files, and nothing can hide in it.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from engine.package.errors import PackageError, PackageLimits, megabytes
from engine.package.names import NameTable, check_name

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_LOCAL_MAGIC, _CENTRAL_MAGIC, _END_MAGIC = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_ZIP64_LOCATOR_MAGIC, _DESCRIPTOR_MAGIC = b"PK\x06\x07", b"PK\x07\x08"

_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_HAS_DESCRIPTOR = 1 << 3
_PATCH_DATA = 1 << 5
_UTF8_NAME = 1 << 11
_STORED, _DEFLATED = 0, 8
_METHODS = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "xz",
    98: "PPMd",
    99: "AES encryption",
}
_KIND, _FILE, _FOLDER, _LINK = 0o170000, 0o100000, 0o040000, 0o120000
_DOS_FOLDER = 0x10
_CHUNK = 65_536
_HOW = "make it with: cd YOUR-BOT && zip -r ../bot.zip ."


@dataclass(frozen=True)
class _Entry:
    name: str  # without the slash at the end of a folder's
    raw_name: bytes
    is_folder: bool
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    header_at: int


def read_zip(data: bytes, limits: PackageLimits) -> dict[str, bytes]:
    """The files of an archive by their path; folders are checked and left out.

    Raises PackageError with the first thing that is wrong. At most `limits.total` bytes are ever
    inflated, whatever the headers say.
    """
    if len(data) > limits.archive:
        raise PackageError(
            f"the archive has {len(data):,} bytes; at most {megabytes(limits.archive)} are allowed"
        )
    entries, directory_at = _directory(data, limits)
    names = NameTable()
    for entry in entries:
        check_name(entry.name, limits)
        names.add(entry.name, is_folder=entry.is_folder)
    spans = [_local_span(data, entry, directory_at) for entry in entries]
    _check_layout(entries, spans, directory_at)
    files: dict[str, bytes] = {}
    total = 0
    for entry, (_, data_at, _) in zip(entries, spans, strict=True):
        content = _inflate(data, entry, data_at, limits, limits.total - total)
        total += len(content)
        if not entry.is_folder:
            files[entry.name] = content
    if not files:
        raise PackageError("the archive holds no file")
    return files


def _directory(data: bytes, limits: PackageLimits) -> tuple[list[_Entry], int]:
    """The entries of the central directory, and where it begins."""
    end_at = data.rfind(_END_MAGIC)
    if not data.startswith((_LOCAL_MAGIC, _END_MAGIC)):
        if end_at >= 0:
            raise PackageError(
                "there are bytes before the first entry of the zip (a self-extracting archive?); "
                + _HOW
            )
        raise PackageError(f"this is not a zip archive; {_HOW}")
    if end_at < 0 or end_at + _END.size > len(data):
        raise PackageError("the zip is cut off: its end record is missing; upload it again")
    _, disk, start_disk, here, count, size, at, comment = _END.unpack_from(data, end_at)
    if data[max(0, end_at - 20) : end_at].startswith(_ZIP64_LOCATOR_MAGIC) or 0xFFFFFFFF in (
        size,
        at,
    ):
        raise PackageError(f"the zip uses the Zip64 form, which is for large archives; {_HOW}")
    if disk or start_disk or here != count:
        raise PackageError("the zip is one part of a split archive; upload a whole one")
    if end_at + _END.size + comment != len(data):
        raise PackageError(f"there are bytes behind the end of the zip, or it is cut off; {_HOW}")
    if at + size != end_at:
        raise PackageError(
            f"the zip's end record puts the directory at {at:,} to {at + size:,}, but it ends at "
            f"{end_at:,}: bytes were added or lost; {_HOW}"
        )
    if count == 0:
        raise PackageError("the archive is empty")
    if count > limits.entries:
        raise PackageError(f"the archive has {count} entries; at most {limits.entries} are allowed")
    entries = []
    position = at
    for number in range(1, count + 1):
        entry, position = _central_entry(data, position, end_at, number)
        entries.append(entry)
    if position != end_at:
        raise PackageError(
            f"the zip's directory holds more than the {count} entries that its end record counts"
        )
    return entries, at


def _central_entry(data: bytes, at: int, end_at: int, number: int) -> tuple[_Entry, int]:
    if at + _CENTRAL.size > end_at or data[at : at + 4] != _CENTRAL_MAGIC:
        raise PackageError(f"the zip's directory is damaged at its entry {number}")
    (_, _, _, flags, method, _, _, crc, packed, size, name_len, extra_len, comment_len,
     disk, _, attributes, header_at) = _CENTRAL.unpack_from(data, at)  # fmt: skip
    name_at = at + _CENTRAL.size
    next_at = name_at + name_len + extra_len + comment_len
    if next_at > end_at:
        raise PackageError(f"the zip's directory is damaged at its entry {number}")
    raw_name = data[name_at : name_at + name_len]
    name = _decode(raw_name)
    shown = ascii(name)
    if flags & _ENCRYPTED:
        raise PackageError(f"{shown} is encrypted; zip it without a password")
    if flags & _PATCH_DATA or method not in (_STORED, _DEFLATED):
        known = _METHODS.get(method, f"method {method}")
        raise PackageError(
            f"{shown} is compressed with {known}; only stored and deflated files are read; {_HOW}"
        )
    if 0xFFFFFFFF in (packed, size, header_at) or disk:
        raise PackageError(f"{shown} uses the Zip64 form or another disk; {_HOW}")
    is_folder = _is_folder(name, attributes)
    if is_folder and (size or (method == _STORED and packed)):
        raise PackageError(f"{shown} is a folder, but has data")
    entry = _Entry(
        name.removesuffix("/"), raw_name, is_folder, flags, method, crc, packed, size, header_at
    )
    return entry, next_at


def _decode(raw_name: bytes) -> str:
    # Some zip programs write UTF-8 without setting the flag that says so; others write a code page
    # of their country, whose names would come out as something else on the next machine.
    try:
        return raw_name.decode("utf-8")
    except UnicodeDecodeError:
        raise PackageError(f"the name {raw_name!a} is not UTF-8; rename the file") from None


def _is_folder(name: str, attributes: int) -> bool:
    """Whether an entry is a folder; links, devices and other kinds are refused."""
    shown = ascii(name)
    kind = attributes >> 16 & _KIND
    if kind == _LINK:
        raise PackageError(f"{shown} is a link; put the file itself in the package")
    if kind not in (0, _FILE, _FOLDER):
        raise PackageError(f"{shown} is a device, pipe or socket; only files and folders are taken")
    is_folder = name.endswith("/")
    if (kind == _FOLDER or attributes & _DOS_FOLDER) and not is_folder:
        raise PackageError(f"{shown} is marked as a folder, but its name has no / at the end")
    if kind == _FILE and is_folder:
        raise PackageError(f"{shown} is marked as a file, but its name ends with /")
    return is_folder


def _local_span(data: bytes, entry: _Entry, directory_at: int) -> tuple[int, int, int]:
    """Where an entry's header, its data and what follows begin; its local header is checked."""
    shown = ascii(entry.name)
    at = entry.header_at
    if at + _LOCAL.size > directory_at or data[at : at + 4] != _LOCAL_MAGIC:
        raise PackageError(f"the zip's directory puts {shown} where no entry begins")
    (_, _, flags, method, _, _, crc, packed, size, name_len, extra_len) = _LOCAL.unpack_from(
        data, at
    )
    name_at = at + _LOCAL.size
    if data[name_at : name_at + name_len] != entry.raw_name:
        raise PackageError(f"{shown} has another name in its own header than in the directory")
    if flags & _ENCRYPTED:
        raise PackageError(f"{shown} is encrypted; zip it without a password")
    same = (flags & (_HAS_DESCRIPTOR | _UTF8_NAME)) == (
        entry.flags & (_HAS_DESCRIPTOR | _UTF8_NAME)
    )
    # Where a record follows the data, the header may leave open what was not known before it.
    true = (entry.crc, entry.packed, entry.size)
    left_open = (0,) if flags & _HAS_DESCRIPTOR else ()
    agree = all(
        said == fact or said in left_open
        for said, fact in zip((crc, packed, size), true, strict=True)
    )
    if not same or method != entry.method:
        raise PackageError(f"{shown} is described in two ways by its header and the directory")
    if not agree:
        raise PackageError(f"{shown} has two sizes or checksums, in its header and the directory")
    data_at = name_at + name_len + extra_len
    after = data_at + entry.packed
    if after > directory_at:
        raise PackageError(f"the data of {shown} reaches into the zip's directory")
    if flags & _HAS_DESCRIPTOR:
        numbers = struct.pack("<3I", *true)
        for descriptor in (_DESCRIPTOR_MAGIC + numbers, numbers):
            if data.startswith(descriptor, after):
                return at, data_at, after + len(descriptor)
        raise PackageError(f"the record behind the data of {shown} says something else")
    return at, data_at, after


def _check_layout(entries: list[_Entry], spans: list[tuple[int, int, int]], end: int) -> None:
    """Refuse entries that share bytes, and bytes that belong to no entry."""
    position = 0
    for (at, _, after), entry in sorted(zip(spans, entries, strict=True), key=lambda x: x[0]):
        if at < position:
            raise PackageError(f"{entry.name!a} overlaps another entry of the archive")
        if at > position:
            raise PackageError(
                f"{at - position:,} bytes before {entry.name!a} belong to no entry; {_HOW}"
            )
        position = after
    if position != end:
        raise PackageError(
            f"{end - position:,} bytes before the directory belong to no entry; {_HOW}"
        )


def _inflate(
    data: bytes, entry: _Entry, at: int, limits: PackageLimits, left_in_total: int
) -> bytes:
    """One file's content, counted while it grows."""
    shown = ascii(entry.name)
    packed = memoryview(data)[at : at + entry.packed]
    if entry.method == _STORED:
        content = bytes(packed)
        _check_size(len(content), entry, limits, left_in_total)
    else:
        content = _inflate_deflated(packed, entry, limits, left_in_total)
    if len(content) != entry.size:
        raise PackageError(
            f"{shown} holds {len(content):,} bytes, but its header says {entry.size:,}"
        )
    if zlib.crc32(content) != entry.crc:
        raise PackageError(f"{shown} is damaged: its checksum (CRC-32) is wrong; zip it again")
    return content


def _inflate_deflated(
    packed: memoryview, entry: _Entry, limits: PackageLimits, left_in_total: int
) -> bytes:
    shown = ascii(entry.name)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    parts = []
    grown = 0
    todo: bytes | memoryview = packed
    while not inflater.eof:
        try:
            part = inflater.decompress(todo, _CHUNK)
        except zlib.error:
            raise PackageError(f"{shown} is damaged: its data cannot be inflated") from None
        todo = inflater.unconsumed_tail
        if not part and not todo and not inflater.eof:
            raise PackageError(f"{shown} is damaged: its data ends too early")
        parts.append(part)
        grown += len(part)
        _check_size(grown, entry, limits, left_in_total)
    if inflater.unused_data or todo:
        raise PackageError(f"{shown} has bytes behind the end of its data")
    return b"".join(parts)


def _check_size(size: int, entry: _Entry, limits: PackageLimits, left_in_total: int) -> None:
    shown = ascii(entry.name)
    if size > limits.file:
        raise PackageError(
            f"{shown} is larger than {megabytes(limits.file)}, the most that one file may have"
        )
    if size > left_in_total:
        raise PackageError(
            f"with {shown} the files have more than {megabytes(limits.total)} in all, the most "
            "that is allowed"
        )
    if size > limits.ratio_from and size > limits.ratio * entry.packed:
        raise PackageError(
            f"{shown} inflates to more than {limits.ratio} times its packed size; a file like that "
            "is taken for a zip bomb"
        )


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files that is the same, byte for byte, wherever it is made.

    Names are sorted, dates fixed and contents stored as they are, since compressors differ from
    one machine to the next.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # Unix, on every system
            info.external_attr = (_FILE | 0o644) << 16
            archive.writestr(info, content)
    return out.getvalue()
