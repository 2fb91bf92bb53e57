"""The file of one play: the whole record in a few hundred bytes, the same for every reader.

`engine.container` describes the head. The payload, version 1, with `varint` = an unsigned number in
groups of seven bits, the lowest first, bit 7 set on all but the last byte; `text` = varint length
and UTF-8 bytes; `signed` = varint of 2x for x >= 0 and of -2x - 1 below:

    text game, text edition, varint players, text options (canonical JSON), varint rotation,
    text isolation, byte cpu_measured,
    byte time: 0, or 1 and varint start_ms, move_ms, bank_ms
    varint n and n failures: varint seat, varint decision, text reason, text message
    players x signed score, players x varint place
    byte packages: 0, or 1
    32 bytes seed, then 32 bytes for each package
    varint n actions; n x varint seat; n x varint index; n x varint (0, or 1 + CPU ms)

Seats, indices and times stand in columns because that is how they compress best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.container import Kind
from engine.record import MOST_ACTIONS, MOST_PLAYERS, Record
from engine.wire import canonical_json, strict_json

FILE = Kind(b"SLYR", version=1, largest=4 * 1024 * 1024)


class ReplayError(ValueError):
    """A replay that cannot be read; the message says what is wrong and where."""


def dumps(record: Record) -> bytes:
    """The record as a replay file. A record that breaks its own form is a ValueError."""
    record = Record.from_dict(record.to_dict())
    head = _Writer()
    head.text(record.game)
    head.text(record.edition)
    head.varint(record.players)
    head.text(canonical_json(record.options))
    head.varint(record.rotation)
    head.text(record.isolation)
    head.varint(int(record.cpu_measured))
    head.varint(int(record.time is not None))
    for value in record.time.to_dict().values() if record.time else ():
        head.varint(value)
    head.varint(len(record.failures))
    for failure in record.failures:
        head.varint(failure.seat)
        head.varint(failure.decision)
        head.text(failure.reason)
        head.text(failure.message)
    for score in record.scores:
        head.varint(2 * score if score >= 0 else -2 * score - 1)
    head.varints(record.places)
    head.varint(int(bool(record.packages)))
    digests = bytes.fromhex(record.seed + "".join(record.packages))
    play = _Writer()
    play.varint(len(record.actions))
    play.varints([seat for seat, _ in record.actions])
    play.varints([index for _, index in record.actions])
    play.varints([0 if cpu_ms is None else 1 + cpu_ms for cpu_ms in record.cpu_ms])
    return FILE.pack(bytes(head.data), digests, bytes(play.data))


def loads(data: bytes) -> Record:
    """Read a replay file; ReplayError says what is wrong with one that is damaged.

    Whether the play could have happened is for `engine.verify` to say.
    """
    try:
        return Record.from_dict(_values(_Reader(FILE.unpack(data))))
    except ValueError as error:
        raise ReplayError(f"not a readable replay: {error}") from None


def _values(read: _Reader) -> dict[str, Any]:
    """The record's dictionary form, with all that the file alone can get wrong checked."""
    values: dict[str, Any] = {}
    values["game"] = read.text("game")
    values["edition"] = read.text("edition")
    players = values["players"] = read.varint("players", most=MOST_PLAYERS)
    values["options"] = read.json("options")
    values["rotation"] = read.varint("rotation")
    values["isolation"] = read.text("isolation")
    values["cpu_measured"] = read.flag("cpu_measured")
    values["time"] = None
    if read.flag("time"):
        values["time"] = {name: read.varint(name) for name in ("start_ms", "move_ms", "bank_ms")}
    values["failures"] = [
        {
            "seat": read.varint("failure seat"),
            "decision": read.varint("failure decision"),
            "reason": read.text("failure reason"),
            "message": read.text("failure message"),
        }
        for _ in range(read.varint("failures", most=players))
    ]
    values["scores"] = [read.signed("scores") for _ in range(players)]
    values["places"] = [read.varint("places") for _ in range(players)]
    packages = players if read.flag("packages") else 0
    values["seed"] = read.take(32, "seed").hex()
    values["packages"] = [read.take(32, "packages").hex() for _ in range(packages)]
    count = read.varint("number of actions", most=MOST_ACTIONS)
    seats = [read.varint("action seats") for _ in range(count)]
    indices = [read.varint("action indices") for _ in range(count)]
    values["actions"] = list(zip(seats, indices, strict=True))
    times = [read.varint("cpu_ms") for _ in range(count)]
    values["cpu_ms"] = [None if time == 0 else time - 1 for time in times]
    read.finish()
    return values


class _Writer:
    def __init__(self) -> None:
        self.data = bytearray()

    def varint(self, value: int) -> None:
        while value > 127:
            self.data.append(value & 127 | 128)
            value >>= 7
        self.data.append(value)

    def varints(self, values: Sequence[int]) -> None:
        if max(values, default=0) < 128:  # nearly always, and then each is its own byte
            self.data.extend(values)
        else:
            for value in values:
                self.varint(value)

    def text(self, value: str) -> None:
        encoded = value.encode()
        self.varint(len(encoded))
        self.data += encoded


class _Reader:
    """Reads the payload from its start; every complaint says where it is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def broken(self, name: str, reason: str) -> ValueError:
        return ValueError(f"{name}, before byte {self._at} of its unpacked data: {reason}")

    def take(self, count: int, name: str) -> bytes:
        chunk = self._data[self._at : self._at + count]
        if len(chunk) < count:
            raise self.broken(name, "the data ends here")
        self._at += count
        return chunk

    def varint(self, name: str, *, most: int = 2**63) -> int:
        value = shift = 0
        while True:
            byte = self.take(1, name)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte == 0 and shift > 7:
                raise self.broken(name, "a number is written longer than needed")
            if byte < 128:
                break
            if shift > 63:
                raise self.broken(name, "a number has more than 63 bits")
        if value > most:
            raise self.broken(name, f"{value} is more than {most}")
        return value

    def signed(self, name: str) -> int:
        value = self.varint(name)
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def flag(self, name: str) -> bool:
        return self.varint(name, most=1) == 1

    def text(self, name: str) -> str:
        encoded = self.take(self.varint(name), name)
        try:
            return encoded.decode()
        except UnicodeDecodeError:
            raise self.broken(name, "the text is not UTF-8") from None

    def json(self, name: str) -> Any:
        text = self.text(name)
        try:
            return strict_json(text)
        except ValueError as error:
            raise self.broken(name, f"not JSON: {error}") from None

    def finish(self) -> None:
        if self._at < len(self._data):
            rest = len(self._data) - self._at
            raise self.broken("end", f"{rest} bytes follow after the last action")
