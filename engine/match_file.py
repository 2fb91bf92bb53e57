"""What is kept of a match in one file: the replay of each play, and the log of each seat in it.

    4 bytes  magic "SLYM"
    1 byte   version of this form: 1
    1 byte   number of plays, then 1 byte number of seats
    4 bytes  length of each part, highest byte first: for each play its replay's, then its seats'
    rest     the parts in the same order, as `engine.replay.dumps` and `SeatLog.to_bytes` give them

Whatever one bot wrote, reading a replay or another one's log unpacks that alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from engine.record import SeatLog

MAGIC = b"SLYM"
VERSION = 1
_HEAD = Struct(">4sBBB")
_LENGTH = Struct(">I")


def dumps(replays: Sequence[bytes], logs: Sequence[Sequence[SeatLog]]) -> bytes:
    """The file: for each play its replay, and a log for each seat in seat order."""
    seats = len(logs[0])
    if any([log.seat for log in of_play] != list(range(seats)) for of_play in logs):
        raise ValueError("each play needs the logs of the same seats, in order")
    parts = []
    for replay, of_play in zip(replays, logs, strict=True):
        parts += [replay, *(log.to_bytes() for log in of_play)]
    lengths = [_LENGTH.pack(len(part)) for part in parts]
    return b"".join([_HEAD.pack(MAGIC, VERSION, len(replays), seats), *lengths, *parts])


def read_replay(data: bytes, play: int) -> bytes:
    """The replay of one play, counted from 0; a ValueError says what is wrong with the file."""
    return _part(data, play, None)


def read_log(data: bytes, play: int, seat: int) -> SeatLog:
    """One seat's log in one play, counted from 0; a ValueError says what is wrong with the file."""
    return SeatLog.from_bytes(_part(data, play, seat))


def _part(data: bytes, play: int, seat: int | None) -> bytes:
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise ValueError(f"not the file of a match: it begins with {data[:4]!r}, not {MAGIC!r}")
    _, version, plays, seats = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"it has format version {version}; this program reads version {VERSION}")
    if not 0 <= play < plays or (seat is not None and not 0 <= seat < seats):
        wanted = f"play {play}" if seat is None else f"seat {seat} in play {play}"
        raise ValueError(f"it has no {wanted}, but {plays} plays of {seats} seats")
    count = plays * (1 + seats)
    begin = _HEAD.size + count * _LENGTH.size
    if len(data) < begin:
        raise ValueError("it is cut off inside its table of lengths")
    lengths = [length for (length,) in _LENGTH.iter_unpack(data[_HEAD.size : begin])]
    if len(data) != begin + sum(lengths):
        raise ValueError(
            f"it has {len(data)} bytes; by its table of lengths {begin + sum(lengths)}"
        )
    place = play * (1 + seats) + (0 if seat is None else 1 + seat)
    begin += sum(lengths[:place])
    return data[begin : begin + lengths[place]]
