"""`manage.py sweep_files`: remove what killed processes left in the storage."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tournaments import dispatch


class Command(BaseCommand):
    help = "Remove old files that no row refers to; every night for the matches of the last days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--all", action="store_true", help="look at every folder, packages included"
        )
        parser.add_argument(
            "--force",
            action="store_true",
            help="also in folders of which the database knows no file at all",
        )

    def handle(self, *args: Any, force: bool, **options: Any) -> None:
        removed = dispatch.sweep(everything=options["all"], force=force)
        self.stdout.write(f"{removed} files removed")
