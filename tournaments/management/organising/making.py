"""Verbs that set a bracket up: create, enter, reseed, rules."""

from typing import Any

from bots.models import User
from tournaments import brackets, lifecycle, rule_words
from tournaments.forecast import forecast
from tournaments.interchange import drafts
from tournaments.management.organising.words import (
    bracket_of,
    entrants_named,
    forecast_in_words,
    stage_of,
    verb,
)
from tournaments.rule_words import pairs_of


def add(verbs: Any) -> None:
    parser = verb(verbs, "create", "Make a bracket, open for entries.")
    parser.add_argument("--game", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument(
        "--stage",
        action="append",
        required=True,
        metavar="FORMAT[:RULE=VALUE,…]",
        help="swiss:rounds=5,table_size=2; once for each stage, in order",
    )
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--time", action="append", default=[], metavar="move_ms=500")
    parser.add_argument("--unrated", action="store_true", help="its matches change no rating")
    parser.add_argument(
        "--follow-active",
        action="store_true",
        help="entries play each round with their bot's active version",
    )
    parser = verb(verbs, "enter", "Enter bots: all that are named, or nobody.")
    parser.add_argument("bots", nargs="*", metavar="PLAYER/BOT")
    parser.add_argument("--file", metavar="FILE", help="a .csv, .json or .trf list of entrants")
    parser = verb(verbs, "reseed", "Seed a draft by hand.", reason=True)
    parser.add_argument(
        "bots", nargs="+", metavar="PLAYER/BOT", help="all of them, strongest first"
    )
    verb(verbs, "forecast", "Say how long it will take on the workers that live.")
    parser = verb(verbs, "rules", "Change rules of a stage; the change is logged.", reason=True)
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--rule", action="append", required=True, metavar="NAME=VALUE")


def _create(options: dict[str, Any], user: User | None) -> str:
    bracket = brackets.create_bracket(
        slug=options["slug"],
        title=options["title"],
        game=options["game"],
        stages=[rule_words.stage_of(text) for text in options["stage"]],
        options=pairs_of(options["option"]),
        time_control=pairs_of(options["time"]),
        rated=not options["unrated"],
        follow_active=options["follow_active"],
        organiser=user,
    )
    return f"{bracket.slug} is open for entries"


def _enter(options: dict[str, Any], user: User | None) -> str:
    rows = entrants_named(options)
    entries = drafts.enter_many(bracket=bracket_of(options), entrants=rows, user=user)
    return f"{len(entries)} entered"


def _reseed(options: dict[str, Any], user: User | None) -> str:
    bracket = bracket_of(options)
    order = [brackets.entry_named(bracket, name).pk for name in options["bots"]]
    lifecycle.reseed(bracket=bracket, user=user, order=order, reason=options["reason"])
    return f"{bracket.slug} is seeded by hand"


def _rules(options: dict[str, Any], user: User | None) -> str:
    stage = stage_of(bracket_of(options), options["stage"])
    changes = pairs_of(options["rule"])
    lifecycle.change_rules(stage=stage, user=user, changes=changes, reason=options["reason"])
    return f"stage {stage.number} has other rules"


def _forecast(options: dict[str, Any], user: User | None) -> str:
    return forecast_in_words(forecast(bracket_of(options)))


VERBS = {
    "create": _create,
    "enter": _enter,
    "reseed": _reseed,
    "forecast": _forecast,
    "rules": _rules,
}
