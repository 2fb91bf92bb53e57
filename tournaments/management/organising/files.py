"""Verbs of files: export, import, check-report."""

import json
from typing import Any

from django.core.management.base import CommandError

from bots.models import Bot, User
from tournaments.interchange import documents, drafts, sheets, trf
from tournaments.interchange.crosstable import report_of
from tournaments.management.organising.words import bracket_of, read_file, verb, written


def add(verbs: Any) -> None:
    parser = verb(verbs, "export", "Write a bracket as JSON, CSV or TRF.")
    parser.add_argument(
        "--to",
        metavar="FILE",
        default="-.json",
        help="its end says the kind: .json, .csv, .trf; -.csv writes to the screen",
    )
    parser.add_argument("--sheet", choices=sheets.SHEETS, default="standings", help="of a CSV")
    parser.add_argument("--stage", type=int, help="of a TRF, where there are several")
    parser.add_argument("--version", type=int, default=26, choices=[16, 26], help="of a TRF")
    parser = verb(
        verbs, "import", "Make a fresh draft from an exported document (JSON).", slug=False
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--slug", help="instead of the document's")
    parser.add_argument("--title", help="instead of the document's")
    parser = verb(
        verbs, "check-report", "Read a tournament report (TRF) and say what is in it.", slug=False
    )
    parser.add_argument("file", metavar="FILE")


def _export(options: dict[str, Any], user: User | None) -> str:
    document = documents.bracket_document(bracket_of(options))
    kind = options["to"].rpartition(".")[2].lower()
    if kind == "json":
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    elif kind == "csv":
        text = sheets.bracket_sheet(document, options["sheet"])
    elif kind == "trf":
        text = trf.write(report_of(document, options["stage"]), options["version"])
    else:
        raise CommandError(f"--to ends with .json, .csv or .trf, not {options['to']!r}")
    return written(options["to"], text)


def _import(options: dict[str, Any], user: User | None) -> str:
    try:
        document = json.loads(trf.decode(read_file(options["file"])))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{options['file']} is no JSON: {error}") from None
    bracket = drafts.draft_from(
        document=document, user=user, slug=options["slug"], title=options["title"]
    )
    return f"{bracket.slug} is a draft with {bracket.entries.count()} entries"


def _check_report(options: dict[str, Any], user: User | None) -> str:
    report = trf.read(trf.decode(read_file(options["file"])))
    known = Bot.objects.filter(
        player__handle__in=[player.name.partition("/")[0] for player in report.players]
    ).select_related("player")
    names = {str(bot).lower() for bot in known}
    lines = [
        f"{report.name or 'A tournament'}: {len(report.players)} players, {report.played} rounds"
    ]
    for player in sorted(report.players, key=lambda each: (each.rank or 10_000, each.number)):
        points = "-" if player.points is None else str(player.points)
        here = "" if player.name.lower() in names else " (no bot here)"
        lines.append(f"  {player.rank or '-':>4} {player.name}{here} {points}")
    return "\n".join(lines)


VERBS = {"export": _export, "import": _import, "check-report": _check_report}
