"""`manage.py open_ladders`: a ladder for every game."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments import ladders


class Command(BaseCommand):
    help = "Open the ladder of every game that has none."

    def handle(self, *args: Any, **options: Any) -> None:
        for ladder in ladders.open_all():
            self.stdout.write(f"{ladder.slug}: {ladders.table(ladder).count()} bots")
