"""The rules of a bracket's stages: plain data, checked and completed before anything is made."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bots.faults import UserFault
from engine.contract import Game
from tournaments.models import Stage
from tournaments.standings import TIE_BREAKS, USUAL

Format = Stage.Format
KNOCKOUT = (Format.SINGLE_ELIMINATION, Format.DOUBLE_ELIMINATION)
MOST_ROUNDS = 50
MOST_DEALS = 100
MOST_STAGES = 5
MOST_MINUTES = 60 * 24 * 60
# A sequential test that looks after fewer deals errs more often than it says.
LEAST_DEALS = 20
SEEDINGS = ("ladder", "drawn", "given")
OWN, FIDE_DUTCH = "own", "fide-dutch-2026"
RULESETS = (OWN, FIDE_DUTCH)

# Sums of the opponents' points say nothing where tables differ in size.
OF_TWO = tuple(name for name in TIE_BREAKS if "buchholz" in name)

EVERY_FORMAT = (
    "table_size", "min_size", "deals", "rotations", "round_minutes", "tie_breaks", "seeding",
    "advance",
)  # fmt: skip
OF_FORMAT: dict[str, tuple[str, ...]] = {
    Format.ROUND_ROBIN: ("double", "match_days"),
    Format.SWISS: ("rounds", "ruleset", "accelerated"),
    Format.SINGLE_ELIMINATION: ("sequential", "least_deals", "third_place"),
    Format.DOUBLE_ELIMINATION: ("sequential", "least_deals"),
    Format.GROUPS: ("double", "groups"),
}
RULES = tuple(dict.fromkeys([*EVERY_FORMAT, *(name for of in OF_FORMAT.values() for name in of)]))


def check_rules(format: str, rules: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """A stage's rules, complete; UserFault names the first that is wrong.

    Of every format: table_size, min_size: seats of a table and of a short table; deals: matches a
    table (with a sequential test: at most); rotations: plays of each deal (0: one for each seat);
    round_minutes: a round closes after as many (null: when
    it is played); tie_breaks: in order; seeding: "ladder", "given" or "drawn", of the first stage
    (a later one is seeded by the stage before); advance: how many go on to the next stage.
    Of a round robin and of groups: double: twice; match_days: into how many drawings it is spread,
    and repeated until it fills them (null: as it comes); groups: how many. Of a Swiss: rounds;
    ruleset: "own" or "fide-dutch-2026"; accelerated: the stronger half starts with points.
    Of knock-outs: sequential: a table ends when it is decided; least_deals: not before;
    third_place: a table for it.
    """
    if format not in Format.values:
        raise UserFault(
            f"Unknown format {format!r}; known: {', '.join(Format.values)}", field="format"
        )
    if format == Format.ROUND_ROBIN and rules.get("rounds") is not None:
        raise UserFault("A round robin has as many rounds as it needs", field="rules.rounds")
    known = EVERY_FORMAT + OF_FORMAT[format]
    for name in rules:
        if name not in known and not (name == "rounds" and rules[name] is None):
            raise UserFault(
                f"Unknown rule {name!r} of a {format} stage; known: {', '.join(known)}",
                field="rules",
            )
    least, most = max(2, game.min_players), game.max_players
    knockout = format in KNOCKOUT
    table_size = whole(rules, "table_size", min(max(4, least), most), least, most)
    short = least if knockout else max(least, table_size - 1)
    sequential = knockout and yes(rules, "sequential", True)
    full: dict[str, Any] = {
        "table_size": table_size,
        "min_size": whole(rules, "min_size", short, least, table_size),
        "deals": whole(rules, "deals", 2 * LEAST_DEALS if sequential else 1, 1, MOST_DEALS),
        "rotations": whole(rules, "rotations", 0, 0, most),
        "round_minutes": whole_or_none(rules, "round_minutes", 1, MOST_MINUTES),
        "tie_breaks": _tie_breaks(rules, table_size),
        "seeding": _one_of(rules, "seeding", SEEDINGS),
        "advance": whole_or_none(rules, "advance", 1, 10_000),
    }
    if knockout:
        full["sequential"] = sequential
        full["least_deals"] = whole(
            rules, "least_deals", min(LEAST_DEALS, full["deals"]), 1, full["deals"]
        )
    if format == Format.SINGLE_ELIMINATION:
        full["third_place"] = yes(rules, "third_place", False)
    if format == Format.SWISS:
        full["rounds"] = whole(rules, "rounds", None, 1, MOST_ROUNDS)
        full["ruleset"] = _one_of(rules, "ruleset", RULESETS)
        full["accelerated"] = yes(rules, "accelerated", False)
        if full["ruleset"] == FIDE_DUTCH and table_size != 2:
            raise UserFault(
                f"The ruleset {FIDE_DUTCH} is for tables of two, not of {table_size}",
                field="rules.ruleset",
            )
        if full["ruleset"] == FIDE_DUTCH and full["accelerated"]:
            raise UserFault(f"{FIDE_DUTCH} is not accelerated here", field="rules.accelerated")
    if format in (Format.ROUND_ROBIN, Format.GROUPS):
        full["double"] = yes(rules, "double", False)
    if format == Format.ROUND_ROBIN:
        full["match_days"] = whole_or_none(rules, "match_days", 1, MOST_ROUNDS)
    if format == Format.GROUPS:
        full["groups"] = whole(rules, "groups", None, 2, 1000)
    return full


def check_stages(
    stages: Sequence[Mapping[str, Any]], game: Game
) -> list[tuple[str, dict[str, Any]]]:
    """Format and complete rules of each stage, in order; UserFault for what does not fit."""
    if not 1 <= len(stages) <= MOST_STAGES:
        raise UserFault(f"A bracket has 1 to {MOST_STAGES} stages", field="stages")
    full = []
    for number, stage in enumerate(stages, 1):
        strange = set(stage) - {"format", "rules"}
        if strange or not isinstance(stage.get("rules", {}), Mapping):
            raise UserFault(
                f"Stage {number} must have a format and an object of rules", field="stages"
            )
        format = str(stage.get("format", ""))
        full.append((format, check_rules(format, stage.get("rules", {}), game)))
    for number, ((_, rules), (_, later)) in enumerate(pairwise(full), 1):
        if rules["advance"] is None:
            raise UserFault(
                f"Stage {number} needs the rule advance: how many go on to stage {number + 1}",
                field="rules.advance",
            )
        if rules["advance"] < later["min_size"]:
            raise UserFault(
                f"advance must be at least {later['min_size']}, a table of stage {number + 1}",
                field="rules.advance",
            )
    if full[-1][1]["advance"] is not None:
        raise UserFault("advance is for a stage that another one follows", field="rules.advance")
    return full


def whole(rules: Mapping[str, Any], name: str, default: int | None, least: int, most: int) -> Any:
    """The rule, a whole number in this range; UserFault otherwise."""
    value = rules.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise UserFault(
            f"{name} must be a whole number from {least} to {most}, not {value!r}",
            field=f"rules.{name}",
        )
    return value


def whole_or_none(rules: Mapping[str, Any], name: str, least: int, most: int) -> Any:
    """The rule, a whole number in this range or null; UserFault otherwise."""
    return None if rules.get(name) is None else whole(rules, name, None, least, most)


def yes(rules: Mapping[str, Any], name: str, default: bool) -> bool:
    """The rule, true or false; UserFault otherwise."""
    value = rules.get(name, default)
    if type(value) is not bool:
        raise UserFault(f"{name} must be true or false, not {value!r}", field=f"rules.{name}")
    return value


def _one_of(rules: Mapping[str, Any], name: str, known: Iterable[str]) -> str:
    names = list(known)
    value = rules.get(name, names[0])
    if value not in names:
        raise UserFault(
            f"{name} must be one of {', '.join(names)}, not {value!r}", field=f"rules.{name}"
        )
    return str(value)


def _tie_breaks(rules: Mapping[str, Any], table_size: int) -> list[str]:
    field = "rules.tie_breaks"
    ties = rules.get("tie_breaks", default_tie_breaks())
    if not isinstance(ties, list) or not all(isinstance(t, str) and t in TIE_BREAKS for t in ties):
        raise UserFault(f"tie_breaks must be a list of: {', '.join(TIE_BREAKS)}", field=field)
    if len(set(ties)) != len(ties):
        raise UserFault("tie_breaks names one twice", field=field)
    of_two = [name for name in ties if name in OF_TWO]
    if of_two and table_size != 2:
        raise UserFault(f"{of_two[0]} is for tables of two, not of {table_size}", field=field)
    return ties


def default_tie_breaks() -> list[str]:
    """The tie-breaks that are used unless a bracket says otherwise."""
    return list(USUAL)
