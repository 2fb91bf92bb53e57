"""The logs of all seats of a match in one file, where each can be read without the others.

    4 bytes  magic "SLYM"
    1 byte   version of this form: 1
    1 byte   number of plays, then 1 byte number of seats
    4 bytes  length of each log, highest byte first, by play and then by seat
    rest     the logs in the same order, each as `SeatLog.to_bytes()` gives it

Whatever one bot wrote, reading another one's log unpacks that alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from engine.record import SeatLog

MAGIC = b"SLYM"
VERSION = 1
_HEAD = Struct(">4sBBB")
_LENGTH = Struct(">I")


def dumps(plays: Sequence[Sequence[SeatLog]]) -> bytes:
    """The file of these logs: for each play one for each seat, in seat order."""
    logs = [log.to_bytes() for play in plays for log in play]
    seats = len(logs) // len(plays)
    if any([log.seat for log in play] != list(range(seats)) for play in plays):
        raise ValueError("each play needs the logs of the same seats, in order")
    return b"".join(
        [_HEAD.pack(MAGIC, VERSION, len(plays), seats)]
        + [_LENGTH.pack(len(log)) for log in logs]
        + logs
    )


def read(data: bytes, play: int, seat: int) -> SeatLog:
    """One seat's log in one play, counted from 0; a ValueError says what is wrong with the file."""
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise ValueError(f"not a file of seats' logs: it begins with {data[:4]!r}, not {MAGIC!r}")
    _, version, plays, seats = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"it has format version {version}; this program reads version {VERSION}")
    if not (0 <= play < plays and 0 <= seat < seats):
        raise ValueError(
            f"it has no seat {seat} in play {play}, but {plays} plays of {seats} seats"
        )
    place, begin = play * seats + seat, _HEAD.size + plays * seats * _LENGTH.size
    if len(data) < begin:
        raise ValueError("it is cut off inside its table of lengths")
    lengths = [length for (length,) in _LENGTH.iter_unpack(data[_HEAD.size : begin])]
    if len(data) != begin + sum(lengths):
        raise ValueError(
            f"it has {len(data)} bytes; by its table of lengths {begin + sum(lengths)}"
        )
    begin += sum(lengths[:place])
    return SeatLog.from_bytes(data[begin : begin + lengths[place]])
