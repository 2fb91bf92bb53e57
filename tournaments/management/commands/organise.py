"""`manage.py organise`: brackets and seasons from the command line.

Everything calls the functions that the API and the admin call; the act is logged as the service's
own, or as an organiser's with --as.
"""

import argparse
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.faults import UserFault
from bots.models import User
from tournaments.interchange import trf
from tournaments.interchange.entrants import RowsRefused
from tournaments.management.organising import files, making, running, seasons
from tournaments.management.organising.words import user_named

EXAMPLES = """\
examples:
  manage.py organise create cup --game kunlun --title "The Cup" --stage swiss:rounds=5,table_size=2
  manage.py organise create open --game slawia --title "Open" \\
      --stage groups:groups=4,advance=8 --stage single-elimination:third_place=true
  manage.py organise enter cup ada/wolf grace/fox
  manage.py organise enter cup --file entrants.csv
  manage.py organise forecast cup
  manage.py organise start cup
  manage.py organise show cup
  manage.py organise pause cup --reason "The rules were misread"
  manage.py organise withdraw cup ada/wolf --reason "By mail"
  manage.py organise void cup --round 2 --table 7 --reason "Wrong version"
  manage.py organise extend cup --round 2 --until 2027-01-31T18:00:00Z --reason "Slow workers"
  manage.py organise export cup --to cup.json
  manage.py organise export cup --to cup.trf --version 16
  manage.py organise import cup.json --slug cup-2
  manage.py organise season create league --game kunlun --title "League" --rule division_size=4

Each verb has its own --help.
"""


PARTS = (making, running, files, seasons)
VERBS: dict[str, Callable[[dict[str, Any], User | None], str]] = {
    name: do for part in PARTS for name, do in part.VERBS.items()
}


class Command(BaseCommand):
    help = "Make and run brackets and seasons: create, enter, forecast, start, pause, export, …"

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--as",
            dest="user",
            metavar="EMAIL",
            help="log the act as this organiser's instead of the service's",
        )
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        for part in PARTS:
            part.add(verbs)

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["user"])
        try:
            done = VERBS[options["verb"]](options, user)
        except RowsRefused as fault:
            lines = "\n".join(f"  {where}: {why}" for where, why in fault.rows)
            raise CommandError(f"nothing was entered:\n{lines}") from None
        except UserFault as fault:
            raise CommandError(fault.message) from None
        except trf.TrfError as error:
            raise CommandError(str(error)) from None
        if done:
            self.stdout.write(done)
