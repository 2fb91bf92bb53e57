"""The rules of a season: plain data, checked and completed before anything is made."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_datetime

from bots.faults import UserFault
from engine.contract import Game
from tournaments.bracket_rules import (
    MOST_DEALS,
    MOST_MINUTES,
    MOST_ROUNDS,
    whole,
    whole_or_none,
    yes,
)
from tournaments.bracket_rules import (
    check_rules as check_stage_rules,
)

RULES = (
    "division_size", "divisions", "match_days", "day_minutes", "calendar", "table_size", "min_size",
    "deals", "rotations", "tie_breaks", "up", "down", "playoff", "playoff_deals", "late_until",
    "follow_active",
)  # fmt: skip
OF_STAGE = ("table_size", "min_size", "deals", "rotations", "tie_breaks")


def check_rules(rules: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """A season's rules, complete; UserFault names the first that is wrong.

    division_size; divisions: at most (null: as many as it takes); match_days; day_minutes: a match
    day lasts so long and the next one follows (null: the next one follows when all is played);
    calendar: instead of day_minutes, a list of starts_at and deadline (may be null) of each day;
    table_size, min_size, deals, rotations, tie_breaks: as of a bracket's stage; up, down: how many
    change places at each border; playoff: whether the next ones play for one more place, with
    playoff_deals deals; late_until: the last match day on which a late entrant may begin (0: none
    may); follow_active: entries take their bot's active version at each round's start.
    """
    for name in rules:
        if name not in RULES:
            raise UserFault(
                f"Unknown rule {name!r} of a season; known: {', '.join(RULES)}", field="rules"
            )
    days = whole(rules, "match_days", 6, 1, MOST_ROUNDS)
    given = {name: rules[name] for name in OF_STAGE if name in rules}
    stage = check_stage_rules("round-robin", given, game)
    least = stage["min_size"]
    size = whole(rules, "division_size", max(4, least), least, 200)
    up = whole(rules, "up", 1, 0, size // 2)
    full: dict[str, Any] = {
        "division_size": size,
        "divisions": whole_or_none(rules, "divisions", 1, 100),
        "match_days": days,
        "day_minutes": whole_or_none(rules, "day_minutes", 1, MOST_MINUTES),
        "calendar": _calendar(rules, days),
        **{name: stage[name] for name in OF_STAGE},
        "up": up,
        "down": whole(rules, "down", up, 0, size // 2),
        "playoff": yes(rules, "playoff", False),
        "playoff_deals": whole(rules, "playoff_deals", 5, 1, MOST_DEALS),
        "late_until": whole(rules, "late_until", days // 2, 0, days),
        "follow_active": yes(rules, "follow_active", False),
    }
    if full["down"] != up:
        raise UserFault(
            f"up and down must be equal, or divisions would change their sizes: {up} go up and "
            f"{full['down']} down",
            field="rules.down",
        )
    seats = playoff_seats(game)
    if full["playoff"] and size < 2 * up + seats:
        raise UserFault(
            f"For play-offs of {seats} at the borders, with {up} up and down, a division needs "
            f"{2 * up + seats} entrants or more, not {size}",
            field="rules.playoff",
        )
    return full


def playoff_seats(game: Game) -> int:
    """Seats of a play-off's table: two, or the fewest that the game takes."""
    return max(2, game.min_players)


def match_days(rules: Mapping[str, Any], start: datetime) -> list[tuple[datetime, datetime | None]]:
    """Start and deadline of each match day of a season that starts at `start`."""
    if rules["calendar"] is not None:
        return [
            (_time(day["starts_at"]), day["deadline"] and _time(day["deadline"]))
            for day in rules["calendar"]
        ]
    days = range(rules["match_days"])
    if rules["day_minutes"] is None:
        return [(start, None) for _ in days]
    length = timedelta(minutes=rules["day_minutes"])
    return [(start + day * length, start + (day + 1) * length) for day in days]


def _time(text: str) -> datetime:
    found = parse_datetime(text)
    if found is None:
        raise ValueError(f"{text!r} is no time")
    return found


def _calendar(rules: Mapping[str, Any], days: int) -> list[dict[str, str | None]] | None:
    given = rules.get("calendar")
    if given is None:
        return None
    field = "rules.calendar"
    if rules.get("day_minutes") is not None:
        raise UserFault("Give day_minutes or a calendar, not both", field=field)
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != days:
        raise UserFault(
            f"calendar must be a list of {days} match days, each with starts_at and deadline",
            field=field,
        )
    full, before = [], None
    for number, day in enumerate(given, 1):
        if not isinstance(day, Mapping) or set(day) - {"starts_at", "deadline"}:
            raise UserFault(f"Match day {number} has starts_at and deadline", field=field)
        start = _aware(day.get("starts_at"), number, "starts_at")
        deadline = day.get("deadline") and _aware(day["deadline"], number, "deadline")
        if before is not None and start < before:
            raise UserFault(f"Match day {number} starts before the one before it", field=field)
        if deadline and deadline <= start:
            raise UserFault(f"Match day {number} ends before it starts", field=field)
        before = start
        full.append(
            {"starts_at": start.isoformat(), "deadline": deadline.isoformat() if deadline else None}
        )
    return full


def _aware(value: object, number: int, name: str) -> datetime:
    try:
        found = value if isinstance(value, datetime) else parse_datetime(str(value))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UserFault(
            f"{name} of match day {number} must be a time with its zone, like "
            f"2027-01-31T18:00:00Z, not {value!r}",
            field="rules.calendar",
        )
    return found
