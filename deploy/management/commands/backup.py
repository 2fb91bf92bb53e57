"""`manage.py backup`: copy all rows and files of the installation to a folder, or check a copy."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy import backup


class Command(BaseCommand):
    help = "Copy the database and its files, as of one moment, into a new folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
        parser.add_argument(
            "--check", action="store_true", help="compare every hash of a backup made before"
        )

    def handle(self, *args: Any, folder: Path, check: bool, **options: Any) -> None:
        folder = folder.absolute()
        try:
            if check:
                found = backup.check(folder)
            else:
                found = backup.make(folder, say=self._say if options["verbosity"] > 1 else _quiet)
        except backup.BackupError as error:
            raise CommandError(str(error)) from None
        rows = sum(table.rows for table in found.tables)
        self.stdout.write(
            f"{folder}: {'whole' if check else 'made'}; {rows} rows of {len(found.tables)} tables, "
            f"{found.files} files ({found.files_bytes / 2**20:.1f} MiB), taken {found.taken_at}"
        )
        if found.missing:
            self.stderr.write(
                f"The storage did not have {len(found.missing)} files to which rows refer, "
                f"{', '.join(found.missing[:3])} first: bring them back from an older backup."
            )
        if not check:
            self.stdout.write(
                "It holds addresses, hashes of passwords, and packages: keep it as safe as the "
                "database. SECRET_KEY and other settings are not in it."
            )

    def _say(self, text: str) -> None:
        self.stdout.write(text)


def _quiet(text: str) -> None:
    pass
