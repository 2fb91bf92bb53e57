"""`manage.py doctor`: what is wrong with this installation, and what to do."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from deploy.doctor import LOOKS, Level, examine


class Command(BaseCommand):
    help = "Look at every part of the installation; says what is wrong and what to do."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(LOOKS))
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *args: Any, parts: list[str], **options: Any) -> None:
        unknown = [part for part in parts if part not in LOOKS]
        if unknown:
            self.stderr.write(f"there is no part {unknown[0]!r}; there is {', '.join(LOOKS)}")
            sys.exit(2)
        count = dict.fromkeys(Level, 0)
        for finding in examine(parts or list(LOOKS)):
            count[finding.level] += 1
            if options["json"]:
                self.stdout.write(json.dumps(asdict(finding)))
            else:
                self.stdout.write(f"{finding.level:<4}  {finding.part:<9} {finding.what}")
                if finding.help:
                    self.stdout.write(f"{'':<16}→ {finding.help}")
            self.stdout.flush()
        if not options["json"]:
            self.stdout.write(", ".join(f"{number} {level}" for level, number in count.items()))
        if count[Level.FAIL]:
            sys.exit(1)
