"""Verbs that run a bracket: start, pause, resume, withdraw, disqualify, void, extend, show."""

from typing import Any

from django.core.management.base import CommandError

from bots.models import User
from tournaments import brackets, lifecycle
from tournaments.interchange import documents
from tournaments.management.organising.words import (
    bracket_of,
    round_of,
    time_of,
    verb,
)


def add(verbs: Any) -> None:
    verb(verbs, "start", "Close the entries and draw the first round.")
    verb(verbs, "pause", "Draw and close nothing until it is resumed.", reason=True)
    verb(verbs, "resume", "Go on with a paused bracket.")
    for name, help in (
        ("withdraw", "Take an entry out: its tables that are drawn are played."),
        ("disqualify", "Take an entry out at once: its open tables go on without it."),
    ):
        verb(verbs, name, help, reason=True).add_argument("bot", metavar="PLAYER/BOT")
    parser = verb(verbs, "void", "Take back what happened at a table.", reason=True)
    _in_round(parser)
    parser.add_argument("--table", type=int, required=True)
    parser = verb(verbs, "extend", "Give an open round another deadline.", reason=True)
    _in_round(parser)
    parser.add_argument(
        "--until",
        metavar="TIME",
        help="with its zone, as 2027-01-31T18:00:00Z; none: it closes when all is played",
    )
    parser = verb(verbs, "show", "State, rounds and standings.")
    parser.add_argument("--stage", type=int)


def _in_round(parser: Any) -> None:
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--round", type=int, required=True)


def _start(options: dict[str, Any], user: User | None) -> str:
    bracket = bracket_of(options)
    lifecycle.start(bracket=bracket, user=user)
    return f"{bracket.slug} runs; its first round is drawn"


def _pause(options: dict[str, Any], user: User | None) -> str:
    bracket = bracket_of(options)
    lifecycle.pause(bracket=bracket, user=user, reason=options["reason"])
    return f"{bracket.slug} is paused"


def _resume(options: dict[str, Any], user: User | None) -> str:
    bracket = bracket_of(options)
    lifecycle.resume(bracket=bracket, user=user)
    return f"{bracket.slug} goes on"


def _withdraw(options: dict[str, Any], user: User | None) -> str:
    entry = brackets.entry_named(bracket_of(options), options["bot"])
    brackets.withdraw(entry=entry, user=user, reason=options["reason"])
    return f"{options['bot']} has withdrawn"


def _disqualify(options: dict[str, Any], user: User | None) -> str:
    entry = brackets.entry_named(bracket_of(options), options["bot"])
    lifecycle.disqualify(entry=entry, user=user, reason=options["reason"])
    return f"{options['bot']} is disqualified"


def _void(options: dict[str, Any], user: User | None) -> str:
    table = round_of(options).tables.filter(number=options["table"]).first()
    if table is None:
        raise CommandError(f"round {options['round']} has no table {options['table']}")
    lifecycle.void_table(table=table, user=user, reason=options["reason"])
    return f"table {options['table']} of round {options['round']} is void"


def _extend(options: dict[str, Any], user: User | None) -> str:
    until = time_of(options["until"], "--until") if options["until"] else None
    lifecycle.extend(round_=round_of(options), user=user, deadline=until, reason=options["reason"])
    return f"round {options['round']} closes {until or 'when it is played'}"


def _show(options: dict[str, Any], user: User | None) -> str:
    bracket = bracket_of(options)
    document = documents.bracket_document(bracket)
    lines = [f"{bracket.slug}: {bracket.state}"]
    if bracket.pause_reason:
        lines.append(f"  {bracket.pause_reason}")
    who = {each["id"]: f"{each['player']}/{each['bot']}" for each in document["entries"]}
    for stage in document["stages"]:
        if options["stage"] in (None, stage["number"]):
            lines += _shown(stage, who)
    return "\n".join(lines)


def _shown(stage: dict[str, Any], who: dict[int, str]) -> list[str]:
    lines = [f"stage {stage['number']}: {stage['format']}"]
    for round_ in stage["rounds"]:
        tables = round_["tables"]
        closed = sum(table["closed_at"] is not None for table in tables)
        state = "closed" if round_["closed_at"] else "open"
        lines.append(f"  round {round_['number']}: {closed} of {len(tables)} tables, {state}")
    for row in stage["standings"]:
        ties = " ".join("-" if v is None else f"{v:.3f}" for v in row["tie_breaks"].values())
        group = f" group {row['group']}" if row["group"] else ""
        gone = " (withdrawn)" if row["withdrawn"] else ""
        name = who[row["entry"]]
        lines.append(f"  {row['rank']:>4}.{group} {name}{gone} {row['points']:.3f} {ties}".rstrip())
    return lines


VERBS = {
    "start": _start,
    "pause": _pause,
    "resume": _resume,
    "withdraw": _withdraw,
    "disqualify": _disqualify,
    "void": _void,
    "extend": _extend,
    "show": _show,
}
