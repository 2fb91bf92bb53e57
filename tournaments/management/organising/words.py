"""What the verbs of `manage.py organise` share: arguments, and what words on the line mean."""

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError
from django.utils.dateparse import parse_datetime

from bots.models import User
from tournaments.forecast import Forecast
from tournaments.interchange.entrants import Entrant, kind_of, read_entrants
from tournaments.models import Bracket, Round, Season, Stage

Named = TypeVar("Named", Bracket, Season)


def verb(verbs: Any, name: str, help: str, *, reason: bool = False, slug: bool = True) -> Any:
    """A verb's parser, with what most of them take."""
    parser = verbs.add_parser(name, help=help, description=help)
    if slug:
        parser.add_argument("slug", metavar="BRACKET", help="the bracket's slug")
    if reason:
        parser.add_argument("--reason", required=True, help="why; it is logged, everybody sees it")
    return parser


def user_named(email: str | None) -> User | None:
    """The organiser who acts; None is the service itself."""
    if email is None:
        return None
    found = User.objects.filter(email__iexact=email, is_staff=True).first()
    if found is None:
        raise CommandError(f"there is no organiser {email!r}")
    return found


def bracket_of(options: dict[str, Any]) -> Bracket:
    """The bracket that is named; CommandError lists some that there are."""
    return _named(Bracket, options["slug"])


def season_of(options: dict[str, Any]) -> Season:
    """The season that is named; CommandError lists some that there are."""
    return _named(Season, options["slug"])


def _named(model: type[Named], slug: str) -> Named:
    found = model._default_manager.filter(slug=slug).first()
    if found is None:
        what = model._meta.verbose_name
        slugs = model._default_manager.values_list("slug", flat=True)
        known = ", ".join(slugs[:20]) or "none"
        raise CommandError(f"there is no {what} {slug!r}; there is: {known}")
    return found


def entrants_named(options: dict[str, Any]) -> list[Entrant]:
    """The bots that are named, or those of --file."""
    if bool(options["bots"]) == bool(options["file"]):
        raise CommandError("name bots, or a --file; not both")
    if options["file"]:
        return read_entrants(read_file(options["file"]), kind_of(options["file"]))
    return read_entrants(json.dumps(options["bots"]).encode(), "json")


def forecast_in_words(found: Forecast) -> str:
    """A forecast as lines for the screen."""
    cpu = "unknown" if found.cpu_s is None else f"{found.cpu_s / 3600:.2f} CPU hours"
    wall = "unknown" if found.wall_s is None else f"{found.wall_s / 3600:.2f} hours"
    return (
        f"at most {found.matches} matches, {found.plays} plays\n"
        f"bots: {cpu}; from start to end: {wall}\n{found.basis}"
    )


def time_of(text: str, name: str) -> datetime:
    """A moment with its zone; CommandError for anything else."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CommandError(f"{name} is a time with its zone, as 2027-01-31T18:00:00Z")
    return found


def read_file(path: str) -> bytes:
    """The bytes of a file, - being what is piped in."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None


def stage_of(bracket: Bracket, number: int) -> Stage:
    """The stage of this number."""
    found = bracket.stages.filter(number=number).first()
    if found is None:
        raise CommandError(f"{bracket.slug} has no stage {number}")
    return found


def round_of(options: dict[str, Any]) -> Round:
    """The round that --stage and --round name."""
    stage = stage_of(bracket_of(options), options["stage"])
    found = stage.rounds.select_related("stage__bracket").filter(number=options["round"]).first()
    if found is None:
        raise CommandError(f"stage {stage.number} has no round {options['round']}")
    return found


def written(path: str, text: str) -> str:
    """Write a file, or give the text back for the screen where the path begins with -."""
    if path.startswith("-."):
        return text
    try:
        Path(path).write_bytes(text.encode())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    return f"{path} is written"
