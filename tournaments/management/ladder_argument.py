"""The argument of commands that names a ladder."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from tournaments.models import Ladder


def add_ladder(parser: CommandParser, **options: Any) -> None:
    """Add the argument."""
    parser.add_argument("ladder", metavar="LADDER", help="such as deca-slayer-1", **options)


def ladder_named(slug: str) -> Ladder:
    """The ladder; CommandError names those that there are."""
    found = Ladder.objects.filter(slug=slug).first()
    if found is None:
        known = ", ".join(Ladder.objects.values_list("slug", flat=True)) or "none"
        raise CommandError(f"there is no ladder {slug!r}; there is: {known}")
    return found
