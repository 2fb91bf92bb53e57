"""`manage.py rerate`: rate a ladder's whole history anew, beside the ratings that are shown."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.faults import UserFault
from bots.models import Submission
from tournaments import ledger
from tournaments.management.ladder_argument import add_ladder, ladder_named
from tournaments.models import Rating


class Command(BaseCommand):
    help = "Rate a ladder anew into another generation, or show a generation (--show N)."

    def add_arguments(self, parser: CommandParser) -> None:
        add_ladder(parser)
        parser.add_argument(
            "--without",
            metavar="ID",
            type=int,
            nargs="+",
            default=[],
            help="submissions (numbers as in the API) that count for nobody",
        )
        parser.add_argument("--show", metavar="N", type=int, help="show generation N instead")
        parser.add_argument("--reason", default="", help="why; it is logged")

    def handle(
        self,
        *args: Any,
        ladder: str,
        without: list[int],
        show: int | None,
        reason: str,
        **options: Any,
    ) -> None:
        found = ladder_named(ladder)
        if show is not None:
            if without:
                raise CommandError("--without makes a generation, --show shows one: choose one")
            try:
                ledger.show(ladder=found, number=show, reason=reason)
            except UserFault as fault:
                raise CommandError(fault.message) from None
            self.stdout.write(f"{found.slug} shows generation {show}")
            return
        known = set(Submission.objects.filter(pk__in=without).values_list("pk", flat=True))
        if unknown := sorted(set(without) - known):
            raise CommandError(f"there is no submission {unknown[0]}")
        made = ledger.rerate(ladder=found, without=without, reason=reason)
        count = Rating.objects.filter(ladder=found, generation=made.number).count()
        self.stdout.write(
            f"{found.slug} has generation {made.number} with {count} ratings; "
            f"to show it: manage.py rerate {found.slug} --show {made.number}"
        )
