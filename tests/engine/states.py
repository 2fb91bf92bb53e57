"""What tests of every game's rules do with states and positions."""

import copy
from collections.abc import Iterator
from typing import Any

from engine.contract import State

DELETE = object()
"""As a value for `changed`: the field is left out."""


def told(state: State, kind: str, since: int = 0) -> list[dict[str, Any]]:
    """The events of a kind from the given number on, without kind and visible_to."""
    return [
        {name: value for name, value in event.items() if name not in ("kind", "visible_to")}
        for event in state.events[since:]
        if event["kind"] == kind
    ]


def changed(position: Any, path: str, value: Any) -> Any:
    """A copy of the position with another value at a path such as "row.0.open"."""
    position = copy.deepcopy(position)
    place = position
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        place = place[part]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return position


def paths(value: Any, way: tuple[str, ...] = ()) -> Iterator[str]:
    """A path to every field of the position, and to the first two elements of every list."""
    if isinstance(value, dict):
        parts = [(name, part) for name, part in value.items() if name != "events"]
    elif isinstance(value, list):
        parts = [(str(number), part) for number, part in enumerate(value[:2])]
    else:
        parts = []
    for name, part in parts:
        yield ".".join((*way, name))
        yield from paths(part, (*way, name))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of the position that holds something: what it is in, and its name there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        if key == "events":
            continue
        yield value, key
        if isinstance(part, (dict, list)):
            yield from places(part)
