"""`manage.py sweep_files`: remove what killed workers left in the storage."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments import dispatch


class Command(BaseCommand):
    help = "Remove old files of plays that no match refers to."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{dispatch.sweep()} files removed")
