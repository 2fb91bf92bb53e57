"""Rules of stages and seasons in words: what a page shows instead of names of fields."""

from collections.abc import Mapping
from typing import Any

from tournaments.forecast import Forecast
from tournaments.standings import TIE_BREAKS

FORMATS = {
    "round-robin": "Round robin",
    "swiss": "Swiss",
    "single-elimination": "Single elimination",
    "double-elimination": "Double elimination",
    "groups": "Groups",
}
WORDS = {
    "table_size": "seats a table",
    "min_size": "seats of a short table, at least",
    "deals": "deals a table",
    "rotations": "plays of each deal (0: one for each seat)",
    "sequential": "a table ends as soon as it is decided",
    "least_deals": "deals before a table may be decided",
    "rounds": "rounds",
    "match_days": "match days",
    "groups": "groups",
    "double": "everybody meets twice",
    "third_place": "table for the third place",
    "ruleset": "drawn by",
    "accelerated": "accelerated: the stronger half starts with points",
    "round_minutes": "a round closes after, minutes",
    "seeding": "seeds",
    "advance": "go on to the next stage",
    "division_size": "entrants a division",
    "divisions": "divisions, at most",
    "day_minutes": "a match day lasts, minutes",
    "up": "go up at each border",
    "down": "go down at each border",
    "playoff": "play-off for one more place at each border",
    "playoff_deals": "deals of a play-off",
    "late_until": "late entrants until match day",
    "follow_active": "the active version plays",
}
VALUES = {
    "own": "this project's own pairing",
    "fide-dutch-2026": "FIDE's Dutch system of 2026",
    "ladder": "by the ladder",
    "drawn": "by lot",
    "given": "as the organiser said",
}
NOT_SHOWN = ("tie_breaks", "calendar")


def in_words(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each rule that says something, with its value."""
    if rules.get("sequential"):
        rules = {**rules, "deals": f"at most {rules['deals']}"}
    return [
        (WORDS.get(name, name.replace("_", " ")), _value(rules[name]))
        for name in [*WORDS, *(name for name in rules if name not in WORDS)]
        if name in rules and name not in NOT_SHOWN and rules[name] is not None
    ]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return VALUES.get(value, str(value)) if isinstance(value, str) else str(value)


def forecast_in_words(found: Forecast) -> str:
    """A forecast in one sentence, and what it rests on."""
    cpu = "" if found.cpu_s is None else f", {found.cpu_s / 3600:.2f} CPU hours"
    wall = "" if found.wall_s is None else f", {found.wall_s / 3600:.2f} hours from start to end"
    return f"At most {found.matches} matches, {found.plays} plays{cpu}{wall}. {found.basis}"


SHORT = {"mean-opponents": "opponents", "margin": "margin"}
"""Heads of columns for the tie-breaks that FIDE has no abbreviation for."""


def tie_breaks(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The head of a column and the full title of each tie-break, in their order."""
    return [
        (TIE_BREAKS[name].fide or SHORT.get(name, name), TIE_BREAKS[name].title)
        for name in rules["tie_breaks"]
    ]
