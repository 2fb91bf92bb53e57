"""Archives by their attackers: each kind is refused, and for its own reason."""

import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.package import LIMITS, PackageError, PackageLimits
from engine.package.archive import read_zip, write_zip

LOCAL, CENTRAL, END = (
    struct.Struct("<4s5H3I2H"),
    struct.Struct("<4s6H3I5H2I"),
    struct.Struct("<4s4H2IH"),
)


def raw_zip(*entries, before=b"", gap=b"", comment=b"", after=b"", **end):
    """A zip by the book (APPNOTE 4.3), in which everything can be made to lie.

    An entry is a dict: name, data; and what replaces the truth: packed, method, flags, crc, size,
    packed_size, attributes, at, local (dict of what the local header says instead), descriptor.
    """
    body, directory, count = bytearray(before), bytearray(), 0
    for entry in entries:
        count += 1
        data = entry.get("data", b"x")
        method = entry.get("method", 0)
        packed = entry.get("packed", data if method != 8 else deflate(data))
        name = entry["name"] if isinstance(entry["name"], bytes) else entry["name"].encode()
        says = {
            "name": name,
            "flags": entry.get("flags", 0x800),
            "method": method,
            "crc": entry.get("crc", zlib.crc32(data)),
            "packed_size": entry.get("packed_size", len(packed)),
            "size": entry.get("size", len(data)),
        }
        at = entry.get("at", len(body))
        local = says | entry.get("local", {})
        body += LOCAL.pack(b"PK\3\4", 20, local["flags"], local["method"], 0, 33, local["crc"],
                           local["packed_size"], local["size"], len(local["name"]), 0)  # fmt: skip
        body += local["name"] + packed + entry.get("descriptor", b"") + gap
        directory += CENTRAL.pack(
            b"PK\1\2", 3 << 8 | 20, 20, says["flags"], says["method"], 0, 33, says["crc"],
            says["packed_size"], says["size"], len(name), 0, 0, 0, 0,
            entry.get("attributes", 0o100644 << 16), at)  # fmt: skip
        directory += name
    count = end.get("count", count)
    tail = END.pack(b"PK\5\6", end.get("disk", 0), 0, count, count, len(directory),
                    end.get("directory_at", len(body)), len(comment))  # fmt: skip
    return bytes(body + directory + tail) + comment + after


def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def refused(data, limits=LIMITS):
    with pytest.raises(PackageError) as caught:
        read_zip(data, limits)
    return str(caught.value)


def test_raw_zip_of_the_tests_is_what_zipfile_reads_too():
    data = raw_zip({"name": "a.py", "data": b"1"}, {"name": "d/b", "data": b"22" * 50, "method": 8})
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    assert read_zip(data, LIMITS) == {"a.py": b"1", "d/b": b"22" * 50}


# ------------------------------------------------------------------ honest archives


def test_info_zip_writes_names_without_the_flag_and_sizes_behind_the_data():
    # As `zip -qr - . | cat` does: deflated, the true size before the data, the rest behind it.
    data = b"x = 1\n" * 1000
    packed = deflate(data)
    entry = {
        "name": "lib/größe.py",
        "data": data,
        "method": 8,
        "flags": 0x8,
        "local": {"crc": 0, "packed_size": 0},
        "descriptor": b"PK\7\x08" + struct.pack("<3I", zlib.crc32(data), len(packed), len(data)),
    }
    assert read_zip(raw_zip(entry), LIMITS) == {"lib/größe.py": data}
    without_magic = entry | {"descriptor": entry["descriptor"][4:]}
    assert read_zip(raw_zip(without_magic), LIMITS) == {"lib/größe.py": data}


def test_archive_written_to_a_pipe_has_its_sizes_behind_the_data():
    class Pipe(io.RawIOBase):
        def __init__(self):
            self.parts = []

        def writable(self):
            return True

        def write(self, part):
            self.parts.append(bytes(part))
            return len(part)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/", b"")
        archive.writestr("a/b.py", b"pass\n" * 100)
    assert read_zip(b"".join(pipe.parts), LIMITS) == {"a/b.py": b"pass\n" * 100}


@given(
    st.dictionaries(
        st.sampled_from(["a", "b.py", "c/d", "c/e/f.txt", "ü"]), st.binary(), min_size=1
    )
)
def test_what_is_written_is_read_back_and_is_the_same_each_time(files):
    data = write_zip(files)
    assert read_zip(data, LIMITS) == files
    assert write_zip(dict(reversed(files.items()))) == data
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


@given(st.binary(max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_no_damage_gives_another_error(junk, at, cut):
    honest = write_zip({"bot.toml": b"x = 1", "main.py": b"y" * 50})
    damaged = honest[:at] + junk + honest[at + cut :]
    try:
        read_zip(damaged, LIMITS)
    except PackageError:
        return


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_one_changed_byte_never_changes_what_is_read_unnoticed(position, value):
    files = {"bot.toml": b"x = 1", "main.py": b"y" * 50}
    data = bytearray(write_zip(files))
    data[position % len(data)] = value
    try:
        read = read_zip(bytes(data), LIMITS)
    except PackageError:
        return
    assert read == files


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil", "'..'"),
        ("a/../../evil", "'..'"),
        ("/etc/passwd", "absolute"),
        ("a\\b", "backslash"),
        ("..\\evil", "backslash"),
        ("C:/evil", "drive letter"),
        ("C:evil", "drive letter"),
        ("name:stream", "holds :"),
        ("what?", "holds ?"),
        ("a//b", "empty part"),
        ("./a", "'.'"),
        ("a\nb", "control character"),
        ("a\0.py", "control character"),
        ("a\x1b[2Jb", "control character"),
        ("a\u202eyp.b", "control character"),
        (b"caf\xe9.py", "not UTF-8"),
        (b"\xff\xfe", "not UTF-8"),
        (" a", "space"),
        ("a./b", "dot"),
        ("", "empty name"),
        ("a" * 256, "255 bytes"),
        ("1/2/3/4/5/6/7/8/9", "9 levels deep"),
    ],
)
def test_name_is_refused(name, reason):
    message = refused(raw_zip({"name": name}))
    assert reason in message
    assert message.isprintable()


def test_eight_levels_are_deep_enough():
    assert read_zip(raw_zip({"name": "1/2/3/4/5/6/7/8"}), LIMITS) == {"1/2/3/4/5/6/7/8": b"x"}


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("a", "a"), "twice"),
        (("a/", "a/"), "twice"),
        (("Main.py", "main.py"), "ignore case"),
        (("lib/a", "LIB/b"), "ignore case"),
        (("caf\u00e9", "cafe\u0301"), "accents"),
        (("stra\u00dfe", "STRASSE"), "ignore case"),
        (("a", "a/b"), "file and also a folder"),
        (("a/b", "a"), "file and also a folder"),
    ],
)
def test_clashing_names_are_refused(names, reason):
    data = raw_zip(*({"name": name, "data": b"", "attributes": 0} for name in names))
    assert reason in refused(data)


# ------------------------------------------------------------------ kinds of entries


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"attributes": 0o120777 << 16, "data": b"/etc/passwd"}, "is a link"),
        ({"attributes": 0o020666 << 16}, "device"),
        ({"attributes": 0o060666 << 16}, "device"),
        ({"attributes": 0o010666 << 16}, "pipe"),
        ({"attributes": 0o140666 << 16}, "socket"),
        ({"attributes": 0o040755 << 16}, "no / at the end"),
        ({"attributes": 0x10}, "no / at the end"),
        ({"name": "a/", "attributes": 0o100644 << 16, "data": b""}, "marked as a file"),
        ({"name": "a/", "attributes": 0, "data": b"hidden"}, "has data"),
        ({"flags": 0x801}, "encrypted"),
        ({"flags": 0x841}, "encrypted"),
        ({"flags": 0x2800}, "encrypted"),
        ({"local": {"flags": 0x801}}, "encrypted"),
        ({"flags": 0x820}, "compressed with"),
        ({"method": 12}, "bzip2"),
        ({"method": 14}, "LZMA"),
        ({"method": 93}, "Zstandard"),
        ({"method": 9}, "Deflate64"),
        ({"method": 99}, "AES"),
        ({"method": 77}, "method 77"),
    ],
)
def test_kind_of_entry_is_refused(entry, reason):
    assert reason in refused(raw_zip({"name": "a"} | entry))


# ------------------------------------------------------------------ lies and damage


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"crc": 1}, "checksum"),
        ({"size": 5}, "header says 5"),
        ({"method": 8, "size": 2}, "header says 2"),
        ({"packed_size": 0}, "belong to no entry"),
        ({"packed_size": 5_000}, "reaches into"),
        ({"packed_size": 0xFFFFFFFF}, "Zip64"),
        ({"local": {"name": b"b"}}, "another name"),
        ({"local": {"size": 7}}, "two sizes"),
        ({"local": {"packed_size": 0}}, "two sizes"),
        ({"local": {"crc": 7}}, "two sizes or checksums"),
        ({"local": {"method": 8}}, "in two ways"),
        ({"local": {"flags": 0}}, "in two ways"),
        ({"at": 3}, "where no entry begins"),
        ({"at": 1_000_000}, "where no entry begins"),
        ({"method": 8, "packed": b"\xff\xff\xff"}, "cannot be inflated"),
        ({"method": 8, "packed": deflate(b"x" * 100)[:-3], "data": b"x" * 100}, "too early"),
        ({"method": 8, "packed": deflate(b"x") + b"more"}, "behind the end of its data"),
        ({"flags": 0x808, "descriptor": b"PK\7\x08" + bytes(12)}, "record behind the data"),
    ],
)
def test_lie_is_found(entry, reason):
    assert reason in refused(raw_zip({"name": "a"} | entry))


def test_overlapping_entries_are_refused():
    # The second directory entry points at the first one's data again (David Fifield's bomb).
    data = raw_zip({"name": "a", "data": b"1" * 100}, {"name": "a", "at": 0, "data": b"1" * 100})
    directory_of_b = data.replace(b"PK\1\2", b"PK\1\2", 1)
    assert "twice" in refused(directory_of_b)
    inner = raw_zip({"name": "b", "data": b"2" * 10})[: 30 + 1 + 10]
    quoted = raw_zip(
        {"name": "a", "data": inner + b"tail"}, {"name": "b", "data": b"2" * 10, "at": 31}
    )
    assert "overlaps" in refused(quoted)


@pytest.mark.parametrize(
    ("around", "reason"),
    [
        ({"before": b"#!/bin/sh\n"}, "before the first entry"),
        ({"before": b"MZ" + bytes(100)}, "before the first entry"),
        ({"gap": b"hidden"}, "belong to no entry"),
        ({"after": b"tail"}, "behind the end"),
        ({"count": 2}, "damaged at its entry 2"),
        ({"count": 0}, "empty"),
        ({"disk": 1}, "split archive"),
        ({"directory_at": 1}, "bytes were added or lost"),
        ({"directory_at": 0xFFFFFFFF}, "Zip64"),
    ],
)
def test_frame_is_checked(around, reason):
    assert reason in refused(raw_zip({"name": "a"}, **around))


def test_comment_is_no_junk():
    assert read_zip(raw_zip({"name": "a"}, comment=b"made by me"), LIMITS) == {"a": b"x"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a zip"),
        (b"hello", "not a zip"),
        (b"\x1f\x8b\x08" + bytes(50), "not a zip"),
        (raw_zip(), "empty"),
        (raw_zip({"name": "a/", "data": b"", "attributes": 0}), "holds no file"),
        (raw_zip({"name": "a"})[:-10], "cut off"),
        (raw_zip({"name": "a"})[:40], "cut off"),
    ],
)
def test_not_a_whole_zip(data, reason):
    assert reason in refused(data)


# ------------------------------------------------------------------ sizes

SMALL = PackageLimits(archive=20_000, total=3_000, file=2_000, entries=4, ratio_from=500)


def noise(size):
    return b"".join(struct.pack("<I", i * 2654435761 % 2**32) for i in range(size // 4))


@pytest.mark.parametrize("method", [0, 8])
def test_size_of_a_file(method):
    at_limit = raw_zip({"name": "a", "data": noise(2_000), "method": method})
    assert len(read_zip(at_limit, SMALL)["a"]) == 2_000
    above = raw_zip({"name": "a", "data": noise(2_004), "method": method})
    assert "larger than 2,000 bytes" in refused(above, SMALL)


@pytest.mark.parametrize("method", [0, 8])
def test_size_of_all_files(method):
    def archive(last):
        sizes = {"a": 1_000, "b": 1_000, "c": last}
        return raw_zip(*({"name": n, "data": noise(s), "method": method} for n, s in sizes.items()))

    assert len(read_zip(archive(1_000), SMALL)) == 3
    assert "more than 3,000 bytes in all" in refused(archive(1_004), SMALL)


def test_size_of_the_archive():
    assert "at most 20,000 bytes" in refused(raw_zip({"name": "a", "data": noise(20_000)}), SMALL)


def test_number_of_entries_counts_folders():
    names = ["a/", "b", "c", "d"]
    entries = [{"name": n, "data": b"", "attributes": 0} for n in names]
    assert set(read_zip(raw_zip(*entries), SMALL)) == {"b", "c", "d"}
    entries.append({"name": "e", "data": b""})
    assert "5 entries; at most 4" in refused(raw_zip(*entries), SMALL)


def test_limits_are_those_of_the_service():
    assert (LIMITS.archive, LIMITS.total, LIMITS.file) == (10_000_000, 50_000_000, 20_000_000)
    assert (LIMITS.entries, LIMITS.depth, LIMITS.ratio) == (500, 8, 200)


def test_bomb_is_stopped_while_it_inflates():
    # 200 MB of zeros in 200 kB; both headers say 10 bytes, so only counting finds it.
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(packer.compress(bytes(1_000_000)) for _ in range(200)) + packer.flush()
    data = raw_zip({"name": "a", "method": 8, "packed": packed, "data": b"0" * 10})
    assert "larger than 20 MB" in refused(data)


def test_ratio_is_kept():
    zeros = bytes(1_000_000)
    assert len(deflate(zeros)) * 200 < len(zeros)
    assert "200 times its packed size" in refused(
        raw_zip({"name": "a", "data": zeros, "method": 8})
    )
    blank_lines = b"\n" * 60_000  # as high a ratio, but small
    assert read_zip(raw_zip({"name": "a", "data": blank_lines, "method": 8}), LIMITS)
