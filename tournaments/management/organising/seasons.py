"""Verbs of seasons: `manage.py organise season VERB …`."""

import json
from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError

from bots.models import User
from tournaments import seasons
from tournaments.forecast import forecast_season
from tournaments.interchange import season_documents, sheets
from tournaments.interchange.drafts import enter_season_many
from tournaments.management.organising.words import (
    entrants_named,
    forecast_in_words,
    season_of,
    time_of,
    written,
)
from tournaments.models import MatchDay, SeasonEntry
from tournaments.rule_words import pairs_of


def add(verbs: Any) -> None:
    """The arguments of all of them."""
    help = "Make and run a season: create, enter, start, postpone, show, export, roll-over, …"
    parser = verbs.add_parser("season", help=help, description=help)
    inner = parser.add_subparsers(dest="season_verb", required=True, metavar="VERB")
    made = _verb(inner, "create", "Make a season, open for entries.")
    made.add_argument("--game", required=True)
    made.add_argument("--unrated", action="store_true", help="its matches change no rating")
    made.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    made.add_argument("--time", action="append", default=[], metavar="move_ms=500")
    _about(made)
    entered = _verb(inner, "enter", "Enter bots: all that are named, or nobody.")
    entered.add_argument("bots", nargs="*", metavar="PLAYER/BOT")
    entered.add_argument("--file", metavar="FILE", help="a .csv or .json list of entrants")
    _verb(inner, "forecast", "Say how long it will take on the workers that live.")
    _verb(inner, "start", "Make the divisions and draw the first match day.")
    for name, words in (
        ("withdraw", "Take an entry out."),
        ("disqualify", "Take an entry out at once: its open tables go on without it."),
    ):
        left = _verb(inner, name, words, reason=True)
        left.add_argument("bot", metavar="PLAYER/BOT")
    moved = _verb(inner, "postpone", "Give a match day another start or deadline.", reason=True)
    moved.add_argument("--day", type=int, required=True)
    moved.add_argument("--starts", metavar="TIME", help="with its zone, as 2027-01-31T18:00:00Z")
    moved.add_argument("--until", metavar="TIME", help="its deadline")
    _verb(inner, "show", "State, match days and divisions.")
    out = _verb(inner, "export", "Write a season as JSON or CSV.")
    out.add_argument("--to", metavar="FILE", default="-.json", help="its end says: .json or .csv")
    rolled = _verb(inner, "roll-over", "Make the next season of a finished one.")
    rolled.add_argument("--slug", dest="next_slug", required=True, help="the next season's")
    _about(rolled)


def _verb(verbs: Any, name: str, help: str, *, reason: bool = False) -> Any:
    parser = verbs.add_parser(name, help=help, description=help)
    parser.add_argument("slug", metavar="SEASON", help="the season's slug")
    if reason:
        parser.add_argument("--reason", required=True, help="why; it is logged, everybody sees it")
    return parser


def _about(parser: Any) -> None:
    parser.add_argument("--title", required=True)
    parser.add_argument(
        "--rule", action="append", default=[], metavar="NAME=VALUE", help="such as division_size=8"
    )
    parser.add_argument(
        "--starts", metavar="TIME", help="starts by itself then, as 2027-01-31T18:00:00Z"
    )


def _starts(options: dict[str, Any]) -> Any:
    return time_of(options["starts"], "--starts") if options["starts"] else None


def _create(options: dict[str, Any], user: User | None) -> str:
    season = seasons.create_season(
        slug=options["slug"],
        title=options["title"],
        game=options["game"],
        rules=pairs_of(options["rule"]),
        options=pairs_of(options["option"]),
        time_control=pairs_of(options["time"]),
        rated=not options["unrated"],
        starts_at=_starts(options),
        organiser=user,
    )
    return f"{season.slug} is open for entries"


def _enter(options: dict[str, Any], user: User | None) -> str:
    rows = entrants_named(options)
    entries = enter_season_many(season=season_of(options), entrants=rows, user=user)
    return f"{len(entries)} entered"


def _forecast(options: dict[str, Any], user: User | None) -> str:
    return forecast_in_words(forecast_season(season_of(options)))


def _start(options: dict[str, Any], user: User | None) -> str:
    season = season_of(options)
    seasons.start_season(season=season, user=user)
    return f"{season.slug} runs with {season.divisions.count()} divisions"


def _entry(options: dict[str, Any]) -> SeasonEntry:
    handle, _, bot = options["bot"].partition("/")
    season = season_of(options)
    found = (
        season.entries.filter(bot__player__handle=handle, bot__name__iexact=bot)
        .select_related("bot__player", "season")
        .first()
    )
    if found is None:
        raise CommandError(f"{options['bot']!r} has not entered {season.slug}")
    return found


def _withdraw(options: dict[str, Any], user: User | None) -> str:
    seasons.withdraw(entry=_entry(options), user=user, reason=options["reason"])
    return f"{options['bot']} has withdrawn"


def _disqualify(options: dict[str, Any], user: User | None) -> str:
    seasons.disqualify(entry=_entry(options), user=user, reason=options["reason"])
    return f"{options['bot']} is disqualified"


def _postpone(options: dict[str, Any], user: User | None) -> str:
    season = season_of(options)
    day = MatchDay.objects.filter(season=season, number=options["day"]).first()
    if day is None:
        raise CommandError(f"{season.slug} has no match day {options['day']}")
    seasons.postpone(
        match_day=day,
        user=user,
        starts_at=_starts(options),
        deadline=time_of(options["until"], "--until") if options["until"] else None,
        reason=options["reason"],
    )
    return f"match day {day.number} has moved"


def _show(options: dict[str, Any], user: User | None) -> str:
    document = season_documents.season_document(season_of(options))
    lines = [f"{document['season']['slug']}: {document['season']['state']}"]
    for day in document["match_days"]:
        lines.append(f"  match day {day['number']}: {day['starts_at']} – {day['deadline'] or ''}")
    for division in document["divisions"]:
        lines.append(f"{division['name']} ({division['bracket']})")
        for row in division["standings"]:
            name = f"{row['player']}/{row['bot']}"
            lines.append(f"  {row['rank']:>4}. {name} {row['points']:.3f} {row['zone']}")
    return "\n".join(lines)


def _export(options: dict[str, Any], user: User | None) -> str:
    document = season_documents.season_document(season_of(options))
    kind = options["to"].rpartition(".")[2].lower()
    if kind == "json":
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    elif kind == "csv":
        text = sheets.season_sheet(document)
    else:
        raise CommandError(f"--to ends with .json or .csv, not {options['to']!r}")
    return written(options["to"], text)


def _roll_over(options: dict[str, Any], user: User | None) -> str:
    following = seasons.roll_over(
        season=season_of(options),
        user=user,
        slug=options["next_slug"],
        title=options["title"],
        rules=pairs_of(options["rule"]),
        starts_at=_starts(options),
    )
    return f"{following.slug} is open for entries, with {following.entries.count()} of the last one"


INNER: dict[str, Callable[[dict[str, Any], User | None], str]] = {
    "create": _create,
    "enter": _enter,
    "forecast": _forecast,
    "start": _start,
    "withdraw": _withdraw,
    "disqualify": _disqualify,
    "postpone": _postpone,
    "show": _show,
    "export": _export,
    "roll-over": _roll_over,
}


def _season_verb(options: dict[str, Any], user: User | None) -> str:
    return INNER[options["season_verb"]](options, user)


VERBS = {"season": _season_verb}
