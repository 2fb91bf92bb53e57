"""The messages between the referee and a bot: one JSON object a line, UTF-8.

To the bot: `start`, `decide`, `end`. From the bot: `{"type":"ready"}` once, then an answer to each
`decide`: `{"id": …, "action": …}` with an optional `note`. Keys that are not known are ignored.
A line here is bytes without its newline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NoReturn

from engine.clock import TimeControl
from engine.contract import State

PROTOCOL = 1
NOTE_LENGTH = 200
LONGEST_INTEGER = 300
READY_EXPECTED = 'expected {"type":"ready"}'
ANSWER_EXPECTED = 'expected {"id":"<the id of the request>","action":"<a legal action>"}'


class WireError(ValueError):
    """A line from a bot breaks the form; the message says how, and what was expected."""


def random_seed(seed: str, rotation: int, seat: int) -> int:
    """A bot's own seed, 32 bits; it tells nothing of the deal and is the same in each attempt.

    The first four bytes, big-endian, of SHA-256(seed, "bot", a zero byte, rotation and seat as one
    byte each). A rotation or seat above 255 is a ValueError.
    """
    if not 0 <= rotation <= 255 or not 0 <= seat <= 255:
        raise ValueError(f"rotation {rotation} and seat {seat} must be from 0 to 255")
    material = bytes.fromhex(seed) + b"bot\x00" + bytes((rotation, seat))
    return int.from_bytes(sha256(material).digest()[:4], "big")


def seat_info(state: State, seat: int, random_seed: int) -> dict[str, Any]:
    """What a bot is told of its seat before the play begins."""
    return {
        "game": state.game.name,
        "edition": state.game.edition,
        "player": seat,
        "players": state.players,
        "options": state.options,
        "random_seed": random_seed,
    }


def start(info: Mapping[str, Any], time: TimeControl) -> bytes:
    """The first message; the bot answers `ready`. `info` is `seat_info(…)`."""
    return _line({"type": "start", "protocol": PROTOCOL, **info, "time": time.to_dict()})


def decide(
    *,
    request_id: str,
    player: int,
    observation: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    legal_actions: Sequence[str],
    bank_ms: float,
    previous_ms: float,
) -> bytes:
    """A request for one action. Complete in itself: a bot that keeps no state can play.

    `events` are those since the last message to this bot that it may see; `bank_ms` is what is
    left in its bank (rounded down), `previous_ms` what its last answer took (rounded).
    """
    return _line(
        {
            "type": "decide",
            "id": request_id,
            "player": player,
            "observation": observation,
            "events": events,
            "legal_actions": legal_actions,
            "bank_ms": int(bank_ms),
            "previous_ms": round(previous_ms),
        }
    )


def end(scores: Sequence[int], places: Sequence[int]) -> bytes:
    """The last message. Its `ranks` are places: failed bots stand below all others."""
    return _line({"type": "end", "scores": scores, "ranks": places})


def parse_ready(line: bytes) -> None:
    """Check the answer to `start`; WireError if it is anything but `{"type":"ready"}`."""
    message = _object(line, READY_EXPECTED)
    if message.get("type") != "ready":
        raise WireError(f"the line is not the ready message; {READY_EXPECTED}")


def parse_answer(line: bytes, request_id: str) -> tuple[str, str | None]:
    """The action and the note (None without one) of an answer; WireError if it breaks the form.

    Whether the action is legal is not looked at here.
    """
    message = _object(line, ANSWER_EXPECTED)
    if "id" not in message:
        raise WireError(f'the answer has no "id"; {ANSWER_EXPECTED}')
    if message["id"] != request_id:
        raise WireError(
            f'the "id" of the answer is not that of the request, "{request_id}": '
            "an answer must echo it"
        )
    if "action" not in message:
        raise WireError(f'the answer has no "action"; {ANSWER_EXPECTED}')
    action = message["action"]
    if not isinstance(action, str):
        raise WireError(f'"action" must be a string, not {_kind(action)}')
    note = message.get("note")
    if note is not None:
        _check_note(note)
    return action, note


def canonical_json(value: Any) -> str:
    """Compact JSON with sorted keys and ASCII only: equal values give equal text."""
    return _CANONICAL.encode(value)


def strict_json(text: str) -> Any:
    """Parse JSON, refusing with a ValueError what parsers disagree on.

    That is NaN and Infinity, the same key twice in an object, whole numbers of more than 300
    digits, and nesting too deep to be read.
    """
    if text.startswith("\ufeff"):  # as json.loads does, which would make a decoder each time
        raise json.JSONDecodeError("Unexpected byte order mark", text, 0)
    try:
        return _STRICT.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _line(message: Mapping[str, Any]) -> bytes:
    return _COMPACT.encode(message).encode()


def _object(line: bytes, expected: str) -> dict[str, Any]:
    try:
        # Decoded first: json.loads would also take UTF-16 and UTF-32 bytes.
        message = strict_json(line.decode())
    except UnicodeDecodeError as error:
        raise WireError(f"the line is not UTF-8 (byte {error.start}); {expected}") from None
    except json.JSONDecodeError as error:
        raise WireError(
            f"the line is not JSON: {error.msg} at character {error.pos}; {expected}"
        ) from None
    except ValueError as error:
        raise WireError(f"the line is not JSON: {error}; {expected}") from None
    if not isinstance(message, dict):
        raise WireError(f"the line is JSON, but {_kind(message)} instead of an object; {expected}")
    return message


def _check_note(note: object) -> None:
    if not isinstance(note, str):
        raise WireError(f'"note" must be a string, not {_kind(note)}')
    if len(note) > NOTE_LENGTH:
        raise WireError(f'"note" has {len(note)} characters; at most {NOTE_LENGTH} are allowed')
    try:
        note.encode()
    except UnicodeEncodeError:
        raise WireError('"note" holds half of a surrogate pair: not a Unicode text') from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER:
        raise ValueError(f"a number has {len(digits)} digits; at most {LONGEST_INTEGER} are read")
    return int(digits)


_STRICT = json.JSONDecoder(parse_constant=_constant, parse_int=_integer, object_pairs_hook=_unique)
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names: dict[type, str] = {bool: "a boolean", int: "a number", float: "a number"}
    names |= {str: "a string", list: "a list", dict: "an object"}
    return names[type(value)]
