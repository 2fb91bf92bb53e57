"""What is kept of one play: the record that everybody may read, and each owner's own log.

The record holds the deal, every choice and what came of it, so that anybody can play it again
(`engine.verify`). Its dictionary form is the JSON that programs see; `engine.replay` is its small
file form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache, partial
from hashlib import sha256
from typing import Any, TypeVar

from engine.chance import check_seed
from engine.clock import Clock, TimeControl
from engine.container import Kind
from engine.faults import REASONS
from engine.fields import read_bool, read_int, read_list, read_object, read_plain, shown
from engine.wire import NOTE_LENGTH, canonical_json, strict_json

T = TypeVar("T")
LARGEST = 2**53 - 1  # every JSON reader keeps whole numbers up to here
MOST_PLAYERS = 64
MOST_ACTIONS = 100_000
LONGEST_MESSAGE = 1000
_COMPACT = json.JSONEncoder(separators=(",", ":"))
LOG_FILE = Kind(b"SLYL", version=1, largest=8 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a seat's bot was taken out of the play.

    `decision` is the number of actions applied before it (0 also for one that never got ready),
    `reason` one of `engine.faults.REASONS`, `message` what happened and what was expected.
    """

    seat: int
    decision: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Record:
    """One play. Lists by seat have `players` entries, in seat order.

    `packages` are the SHA-256 of each seat's package, `[]` when no packages played
    (`engine.local`). `time` is None where no clock ran. `isolation` names what held the bots:
    "bubblewrap", "plain" (ordinary processes) or "none" (code in the same process).
    `cpu_measured` is False where wall time had to count. `actions` are (seat, index in
    `game.actions`) in the order applied; `cpu_ms` has what each took, rounded, and None where no
    bot answered.
    """

    game: str
    edition: str
    players: int
    options: dict[str, Any]
    seed: str
    packages: list[str]
    rotation: int
    time: TimeControl | None
    isolation: str
    cpu_measured: bool
    actions: list[tuple[int, int]]
    cpu_ms: list[int | None]
    failures: list[Failure]
    scores: list[int]
    places: list[int]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, one key for each field."""
        return {
            **{name: getattr(self, name) for name in _names(Record)},
            "time": None if self.time is None else self.time.to_dict(),
            "actions": [list(action) for action in self.actions],
            "failures": [asdict(failure) for failure in self.failures],
        }

    @classmethod
    def from_dict(cls, data: object) -> Record:
        """Read `to_dict()` again; ValueError says which field is wrong and what it must be.

        Whether the play could have happened is for `engine.verify` to say.
        """
        given = _object(data, "record", cls)
        players = read_int(given["players"], "record.players", 1, MOST_PLAYERS)
        if not isinstance(given["options"], dict):
            raise ValueError(f"record.options must be an object, not {shown(given['options'])}")
        packages = _many(given["packages"], "record.packages", _sha256, players)
        if len(packages) not in (0, players):
            raise ValueError(f"record.packages has {len(packages)} entries for {players} seats")
        actions = _many(
            given["actions"], "record.actions", partial(_action, players=players), MOST_ACTIONS
        )
        failures = _many(
            given["failures"], "record.failures", partial(_failure, players=players), players
        )
        if len({failure.seat for failure in failures}) < len(failures):
            raise ValueError("record.failures names a seat twice")
        return cls(
            game=_text(given["game"], "record.game", 50),
            edition=_text(given["edition"], "record.edition", 20),
            players=players,
            options=read_plain(given["options"], "record.options"),
            seed=check_seed(given["seed"]),
            packages=packages,
            rotation=read_int(given["rotation"], "record.rotation", 0, 255),
            time=None if given["time"] is None else TimeControl.from_dict(given["time"]),
            isolation=_text(given["isolation"], "record.isolation", 50),
            cpu_measured=read_bool(given["cpu_measured"], "record.cpu_measured"),
            actions=actions,
            cpu_ms=_each(given["cpu_ms"], "record.cpu_ms", _milliseconds, len(actions)),
            failures=failures,
            scores=_each(given["scores"], "record.scores", _score, players),
            places=_each(
                given["places"], "record.places", partial(read_int, low=1, high=players), players
            ),
        )


def play_hash(record: Record) -> str:
    """The play hash: the same deal and the same choices give the same 64 hex digits.

    SHA-256 of the canonical JSON (sorted keys, no spaces, ASCII) of an object with the record's
    `game`, `edition`, `players`, `options`, `seed`, `actions`, `scores`, `places`, and `failures`
    as a list of [seat, decision, reason]. What was measured (`cpu_ms`, `cpu_measured`, the wording
    of failures) and who played under which conditions (`packages`, `rotation`, `time`,
    `isolation`) does not enter.
    """
    hashed = {
        "game": record.game,
        "edition": record.edition,
        "players": record.players,
        "options": record.options,
        "seed": record.seed,
        "actions": record.actions,
        "failures": [[fault.seat, fault.decision, fault.reason] for fault in record.failures],
        "scores": record.scores,
        "places": record.places,
    }
    return sha256(canonical_json(hashed).encode()).hexdigest()


@dataclass(slots=True)
class SeatLog:
    """What only the owner of a seat's bot may read of a play, while and after it runs.

    `asked` has (decision, CPU ms, wall ms) of every request, decision None for `start`; `notes`
    (decision, text). `sent` and `received` are the last line each way, cut to their first bytes.
    `stderr_cut` says that more was written than kept. The rest tells how its processes ended: exit
    code or signal, the CPU ms of all of them, and the peak memory where it was measured.
    """

    seat: int
    notes: list[tuple[int, str]] = field(default_factory=list)
    asked: list[tuple[int | None, float, float]] = field(default_factory=list)
    sent: bytes = b""
    received: bytes = b""
    stderr: bytes = b""
    stderr_cut: bool = False
    exit_code: int | None = None
    signal: int | None = None
    cpu_ms: float = 0.0
    peak_memory_bytes: int | None = None

    def last_limit_ms(self, time: TimeControl) -> float | None:
        """The CPU time that the last request might use: the start's, or that of a decision and
        what the ones before had left in the bank. None if the bot was never asked."""
        if not self.asked:
            return None
        if self.asked[-1][0] is None:
            return float(time.start_ms)
        clock = Clock(time, players=1)
        for decision, cpu_ms, _ in self.asked[:-1]:
            if decision is not None:
                clock.charge(0, cpu_ms)
        return clock.limit_ms(0)

    def to_bytes(self) -> bytes:
        """The file form: JSON in a container, bytes as text of the code points 0 to 255."""
        values = {name: getattr(self, name) for name in _names(SeatLog)}
        for name in ("sent", "received", "stderr"):
            values[name] = values[name].decode("latin-1")
        return LOG_FILE.pack(_COMPACT.encode(values).encode())

    @classmethod
    def from_bytes(cls, data: bytes) -> SeatLog:
        """Read `to_bytes()` again; a ValueError says what is wrong with the file."""
        try:
            return cls._from_json(strict_json(LOG_FILE.unpack(data).decode()))
        except ValueError as error:
            raise ValueError(f"not a readable log of a seat: {error}") from None

    @classmethod
    def _from_json(cls, values: object) -> SeatLog:
        given = _object(values, "log", cls)
        return cls(
            seat=read_int(given["seat"], "log.seat", 0, MOST_PLAYERS - 1),
            notes=_many(given["notes"], "log.notes", _note, MOST_ACTIONS),
            asked=_many(given["asked"], "log.asked", _asked, MOST_ACTIONS + 1),
            sent=_bytes(given["sent"], "log.sent"),
            received=_bytes(given["received"], "log.received"),
            stderr=_bytes(given["stderr"], "log.stderr"),
            stderr_cut=read_bool(given["stderr_cut"], "log.stderr_cut"),
            exit_code=_whole_or_none(given["exit_code"], "log.exit_code"),
            signal=_whole_or_none(given["signal"], "log.signal"),
            cpu_ms=_measured(given["cpu_ms"], "log.cpu_ms"),
            peak_memory_bytes=_whole_or_none(given["peak_memory_bytes"], "log.peak_memory_bytes"),
        )


def _object(value: object, where: str, form: type[Any]) -> Mapping[str, Any]:
    """An object with the fields of the dataclass `form`, and no others."""
    return read_object(value, where, _names(form))  # type: ignore[arg-type]  # classes are hashable


@cache
def _names(form: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(form))


def _many(value: object, where: str, read: Callable[[object, str], T], most: int) -> list[T]:
    """A list of at most so many entries, each read by `read(entry, where)`."""
    entries = list(value) if isinstance(value, tuple) else read_list(value, where)
    if len(entries) > most:
        raise ValueError(f"{where} has {len(entries)} entries; there may be at most {most}")
    try:
        return [read(entry, where) for entry in entries]
    except ValueError:  # only now does it matter which of them it was
        return [read(entry, f"{where}[{position}]") for position, entry in enumerate(entries)]


def _each(value: object, where: str, read: Callable[[object, str], T], count: int) -> list[T]:
    """A list of exactly so many entries."""
    entries = _many(value, where, read, MOST_ACTIONS)
    if len(entries) != count:
        raise ValueError(f"{where} has {len(entries)} entries; there must be {count}")
    return entries


def _group(value: object, where: str, *names: str) -> list[Any]:
    """A list with one entry for each name."""
    entries = list(value) if isinstance(value, tuple) else read_list(value, where)
    if len(entries) != len(names):
        raise ValueError(f"{where} must be a list [{', '.join(names)}], not {len(entries)} entries")
    return entries


def _text(value: object, where: str, longest: int, *, shortest: int = 1) -> str:
    if not isinstance(value, str) or not shortest <= len(value) <= longest:
        raise ValueError(
            f"{where} must be a text of {shortest} to {longest} characters, not {shown(value)}"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where} holds half of a surrogate pair: not a Unicode text") from None
    return value


def _sha256(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise ValueError(f"{where} must be a SHA-256, 64 lower-case hex digits, not {shown(value)}")
    return value


def _action(value: object, where: str, players: int) -> tuple[int, int]:
    seat, index = _group(value, where, "seat", "index")
    return (
        read_int(seat, f"{where}.seat", 0, players - 1),
        read_int(index, f"{where}.index", 0, LARGEST),
    )


def _failure(value: object, where: str, players: int) -> Failure:
    given = _object(value, where, Failure)
    if given["reason"] not in REASONS:
        raise ValueError(
            f"{where}.reason must be one of {', '.join(REASONS)}, not {shown(given['reason'])}"
        )
    return Failure(
        seat=read_int(given["seat"], f"{where}.seat", 0, players - 1),
        decision=read_int(given["decision"], f"{where}.decision", 0, MOST_ACTIONS),
        reason=given["reason"],
        message=_text(given["message"], f"{where}.message", LONGEST_MESSAGE),
    )


def _milliseconds(value: object, where: str) -> int | None:
    return None if value is None else read_int(value, where, 0, LARGEST)


def _score(value: object, where: str) -> int:
    return read_int(value, where, -LARGEST, LARGEST)


def _note(value: object, where: str) -> tuple[int, str]:
    decision, text = _group(value, where, "decision", "text")
    return (
        read_int(decision, f"{where}.decision", 0, MOST_ACTIONS),
        _text(text, f"{where}.text", NOTE_LENGTH, shortest=0),
    )


def _asked(value: object, where: str) -> tuple[int | None, float, float]:
    decision, cpu_ms, wall_ms = _group(value, where, "decision", "cpu_ms", "wall_ms")
    return (
        _whole_or_none(decision, f"{where}.decision"),
        _measured(cpu_ms, f"{where}.cpu_ms"),
        _measured(wall_ms, f"{where}.wall_ms"),
    )


def _measured(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise ValueError(f"{where} must be a number of at least 0, not {shown(value)}")
    return float(value)


def _bytes(value: object, where: str) -> bytes:
    try:
        return _text(value, where, LOG_FILE.largest, shortest=0).encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError(f"{where} must be a text of the code points 0 to 255") from None


def _whole_or_none(value: object, where: str) -> int | None:
    return None if value is None else read_int(value, where, 0, LARGEST)
