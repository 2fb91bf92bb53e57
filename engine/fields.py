"""Reading JSON values of unknown origin: every refusal is a ValueError that says where and what.

`where` is the place of the value, such as `seats[2].known`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from math import isfinite
from typing import Any, TypeGuard

DEEPEST = 20
"""Levels of lists and objects that a free JSON value may have."""


def is_int(value: object) -> TypeGuard[int]:
    """Whether the value is a whole number; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: object) -> str:
    """The value as it may stand in a message: whole if short, else its beginning or kind."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else repr(value[:57]) + "..."
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "an object"
    return f"a {type(value).__name__}"


def read_object(
    value: object, where: str, required: Iterable[str], optional: Container[str] = ()
) -> Mapping[str, Any]:
    """An object with all required fields, and no others but the optional ones."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} must be an object, not {shown(value)}")
    required = list(required)
    missing = [name for name in required if name not in value]
    if missing:
        raise ValueError(f"{where} lacks {', '.join(missing)}")
    unknown = [shown(name) for name in value if name not in required and name not in optional]
    if unknown:
        raise ValueError(f"{where} has unknown fields: {', '.join(unknown)}")
    return value


def read_list(value: object, where: str) -> list[Any]:
    """A list, copied."""
    if not isinstance(value, list):
        raise ValueError(f"{where} must be a list, not {shown(value)}")
    return value.copy()


def read_int(value: object, where: str, low: int = 0, high: int | None = None) -> int:
    """A whole number from low to high, both included."""
    if not is_int(value) or value < low or (high is not None and value > high):
        span = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{where} must be a whole number {span}, not {shown(value)}")
    return value


def read_bool(value: object, where: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{where} must be true or false, not {shown(value)}")
    return value


def read_name(value: object, where: str, known: Container[str], what: str) -> str:
    """One of the known names; `what` they are stands in the message."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{where} must be the name of a {what}, not {shown(value)}")
    return value


def read_names(value: object, where: str, known: Container[str], what: str) -> list[str]:
    """A list of known names."""
    return [
        read_name(name, f"{where}[{i}]", known, what)
        for i, name in enumerate(read_list(value, where))
    ]


def read_seats(value: object, where: str, players: int) -> list[int]:
    """A list of different seats."""
    seats = [
        read_int(seat, f"{where}[{i}]", 0, players - 1)
        for i, seat in enumerate(read_list(value, where))
    ]
    if len(set(seats)) < len(seats):
        raise ValueError(f"{where} must hold different seats, not {seats}")
    return seats


def read_plain(value: object, where: str, depth: int = DEEPEST) -> Any:
    """Any JSON value, copied."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if depth and isinstance(value, list):
        return [read_plain(part, f"{where}[{i}]", depth - 1) for i, part in enumerate(value)]
    if depth and isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: read_plain(part, f"{where}.{key}", depth - 1) for key, part in value.items()}
    raise ValueError(
        f"{where} must be a JSON value of at most {DEEPEST} levels, not {shown(value)}"
    )
