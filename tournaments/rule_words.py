"""Rules as an organiser types them: NAME=VALUE on the command's line and in the admin's forms."""

import json
from typing import Any

from bots.faults import UserFault


def value_of(text: str) -> Any:
    """A rule's value: a number, true, false, null, a JSON list, words joined by +, or a word."""
    try:
        return json.loads(text)
    except ValueError:
        return text.split("+") if "+" in text else text
    except RecursionError:
        raise UserFault("a value is nested too deep") from None


def pairs_of(words: list[str]) -> dict[str, Any]:
    """NAME=VALUE words as a dict; UserFault for another word."""
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise UserFault(f"{word!r} should be NAME=VALUE")
        found[name.strip()] = value_of(text.strip())
    return found


def stage_of(text: str) -> dict[str, Any]:
    """A stage from FORMAT or FORMAT:NAME=VALUE,…; its format and rules are not looked at yet."""
    format, _, rules = text.partition(":")
    # A tie-break list is joined by +, so that the comma parts rules.
    found = pairs_of([word for word in rules.split(",") if word])
    if isinstance(found.get("tie_breaks"), str):
        found["tie_breaks"] = [found["tie_breaks"]]
    return {"format": format.strip(), "rules": found}
