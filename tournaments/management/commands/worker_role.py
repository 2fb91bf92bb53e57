"""`manage.py worker_role`: the database role that workers connect as."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.faults import UserFault
from tournaments import database_role


class Command(BaseCommand):
    help = (
        "Make the workers' database role, or renew its rights: it can play matches and read "
        "neither users nor tokens nor seeds of others. Its password is SLAYER_WORKER_PASSWORD."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default=database_role.DEFAULT_NAME, help="of the role")
        parser.add_argument(
            "--check", action="store_true", help="change nothing; tell what is not as it should be"
        )

    def handle(self, *args: Any, name: str, check: bool, **options: Any) -> None:
        try:
            if not check:
                password = settings.WORKER_PASSWORD
                new = database_role.install(name=name, password=password)
                self.stdout.write(
                    f"{'Made' if new else 'Renewed'} the role {name}"
                    + ("." if password or not new else ", without a password.")
                )
            wrong = database_role.differences(name)
        except UserFault as error:
            raise CommandError(str(error)) from None
        if wrong:
            raise CommandError(
                f"The role {name} has other rights than it should:\n  " + "\n  ".join(wrong)
            )
        self.stdout.write(f"The role {name} has the rights of a worker and no others.")
