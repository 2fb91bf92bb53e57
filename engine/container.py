"""The outer form of the files that are kept of a play: eight bytes of head, then compressed data.

    4 bytes  magic: what kind of file it is
    1 byte   version of the form inside
    1 byte   codec: 1 = zlib (RFC 1950, whose checksum finds damage)
    1 byte   number of the compression dictionary: 0 = none
    rest     the compressed payload

A version, codec or dictionary that was ever released stays readable; new ones get new numbers.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

ZLIB = 1
NO_DICTIONARY = 0
_SMALL = 4096  # bytes, and a power of two: the window then holds all that came before


def _press(size: int) -> zlib._Compress:
    """A compressor of as much memory as so many bytes need; any decompressor reads what it makes.

    zlib's usual 256 KiB take four times as long to get as a short play takes to compress.
    """
    if size <= _SMALL:
        return zlib.compressobj(level=9, wbits=_SMALL.bit_length() - 1, memLevel=5)
    return zlib.compressobj(level=9)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file: its magic, the version that is written and the most bytes it may have,
    packed and unpacked."""

    magic: bytes
    version: int
    largest: int

    def pack(self, *parts: bytes) -> bytes:
        """The file with these parts as its payload, one after the other.

        Each part is compressed with statistics of its own: random bytes (seeds, hashes) would
        spoil those of the rest.
        """
        press = _press(sum(map(len, parts)))
        body = b"".join(press.compress(part) + press.flush(zlib.Z_BLOCK) for part in parts)
        head = self.magic + bytes((self.version, ZLIB, NO_DICTIONARY))
        return head + body + press.flush()

    def unpack(self, data: bytes) -> bytes:
        """The payload of a file; ValueError says why it cannot be read.

        However much a small file unpacks to, no more than `largest` bytes are made.
        """
        size = len(self.magic)
        if len(data) > self.largest:
            raise ValueError(f"it has {len(data)} bytes; at most {self.largest} are read")
        if data[:size] != self.magic:
            raise ValueError(
                f"it begins with {data[:size]!r} instead of {self.magic!r}: another kind of file"
            )
        if len(data) < size + 3:
            raise ValueError(f"it ends after {len(data)} bytes, inside the head")
        version, codec, dictionary = data[size : size + 3]
        if version != self.version:
            raise ValueError(
                f"it has format version {version}; this program reads version {self.version}"
            )
        if codec != ZLIB:
            raise ValueError(f"it is compressed by codec {codec}; known is {ZLIB} (zlib)")
        if dictionary != NO_DICTIONARY:
            raise ValueError(f"it needs compression dictionary {dictionary}; known is 0 (none)")
        return self._inflate(data[size + 3 :])

    def _inflate(self, body: bytes) -> bytes:
        press = zlib.decompressobj()
        try:
            # One byte more than allowed is asked for, to tell "just fits" from "goes on".
            payload = press.decompress(body, self.largest + 1)
        except zlib.error as error:
            raise ValueError(f"its compressed data is damaged ({error})") from None
        if len(payload) > self.largest:
            raise ValueError(f"it unpacks to more than {self.largest} bytes")
        if not press.eof:
            raise ValueError("it is cut off: its compressed data does not end")
        if press.unused_data:
            raise ValueError(f"{len(press.unused_data)} bytes follow after its end")
        return payload
