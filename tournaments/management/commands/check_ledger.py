"""`manage.py check_ledger`: fold the ledgers and compare them with the ratings."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments import ledger
from tournaments.management.ladder_argument import add_ladder, ladder_named
from tournaments.models import Ladder


class Command(BaseCommand):
    help = "Fold the ledger of one ladder, or of all, and compare it with the ratings, bit for bit."

    def add_arguments(self, parser: CommandParser) -> None:
        add_ladder(parser, nargs="?")

    def handle(self, *args: Any, ladder: str | None, **options: Any) -> None:
        chosen = [ladder_named(ladder)] if ladder else list(Ladder.objects.order_by("id"))
        wrong = 0
        for each in chosen:
            differences = ledger.check(each)
            wrong += bool(differences)
            self.stdout.write(f"{each.slug}: {'differs' if differences else 'agrees'}")
            for line in differences:
                self.stdout.write(f"  {line}")
        if wrong:
            raise CommandError(f"{wrong} of {len(chosen)} ladders differ from their ledger")
