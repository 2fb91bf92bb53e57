"""`manage.py restore`: bring a backup back into an empty installation."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy import restore
from deploy.backup import BackupError
from tournaments import ledger
from tournaments.models import Ladder


class Command(BaseCommand):
    help = "Bring a backup back into an empty installation, and check what it brought."
    requires_system_checks: list[str] = []  # there may be no tables yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="what `manage.py backup` has made")
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="throw away all rows that are there now; the service must not run",
        )

    def handle(self, *args: Any, folder: Path, overwrite: bool, **options: Any) -> None:
        try:
            found = restore.bring_back(folder.absolute(), overwrite=overwrite, say=self._say)
        except BackupError as error:
            raise CommandError(f"nothing was restored: {error}") from None
        self._say(
            f"Restored {sum(table.rows for table in found.tables)} rows and {found.files} files, "
            f"taken {found.taken_at}"
        )
        wrong = 0
        for ladder in Ladder.objects.order_by("id"):
            for difference in ledger.check(ladder):
                wrong += 1
                self.stderr.write(f"Ladder {ladder.slug}: {difference}")
        if wrong:
            raise CommandError("the ledger does not fold to the ratings: see above")
        self._say("Every ladder's ledger folds to its ratings.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
