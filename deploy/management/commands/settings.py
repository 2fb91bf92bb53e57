"""`manage.py settings`: the variables of the environment, and what holds here."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy import environment
from deploy.installation import CHECKOUT

BEGIN, END = "<!-- variables -->\n", "<!-- end of variables -->"


class Command(BaseCommand):
    help = "Show every setting of the environment and its value here; secrets stay hidden."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--write", action="store_true", help="write the docs' table and .env.example anew"
        )

    def handle(self, *args: Any, write: bool, **options: Any) -> None:
        if write:
            readme = CHECKOUT / "deploy/README.md"
            readme.write_text(with_table(readme.read_text()))
            (CHECKOUT / ".env.example").write_text(environment.dotenv())
            return
        for group, variables in environment.GROUPS.items():
            self.stdout.write(f"{group}:")
            for variable in variables:
                self.stdout.write(f"  {variable.name:<32} {_shown(variable)}")
        for name, near in environment.unknown().items():
            self.stderr.write(f"{name} is read by nothing" + (f": {near}?" if near else ""))
        try:
            environment.read_all()
        except environment.WrongValues as error:
            raise CommandError(str(error)) from None


def with_table(readme: str) -> str:
    """The text of `deploy/README.md` with the table of today."""
    before, _, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{BEGIN}\n{environment.markdown()}{end}{after}"


def _shown(variable: environment.Variable) -> str:
    value = os.environ.get(variable.name, "")
    if value:
        return "(set, secret)" if variable.secret else value
    return f"{variable.default} (not set)" if variable.default else "(not set)"
