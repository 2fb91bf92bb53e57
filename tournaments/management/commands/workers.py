"""`manage.py workers`: the machines that play matches."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments import workers
from tournaments.models import Worker


class Command(BaseCommand):
    help = "List the workers, or pause one (--pause NAME) or let it go on (--resume NAME)."

    def add_arguments(self, parser: CommandParser) -> None:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--pause", metavar="NAME", help="it takes no new match")
        act.add_argument("--resume", metavar="NAME", help="it takes matches again")
        parser.add_argument("--reason", default="by command", help="why; it is logged")

    def handle(
        self, *args: Any, pause: str | None, resume: str | None, reason: str, **options: Any
    ) -> None:
        if pause:
            workers.pause(worker=_named(pause), reason=reason, user=None)
        if resume:
            workers.resume(worker=_named(resume), reason=reason, user=None)
        living = set(workers.live())
        for worker in Worker.objects.all():
            self.stdout.write(f"{worker.name}: {_state(worker, worker in living)}")


def _state(worker: Worker, lives: bool) -> str:
    if worker.paused:
        return f"paused ({worker.pause_reason})"
    if worker.problem:
        return f"takes no work: {worker.problem}"
    if not lives:
        return f"last seen {worker.seen_at:%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"plays {worker.slots} at once, {', '.join(worker.languages)} ({worker.tier}, "
        f"Python {worker.python or 'none'})"
    )


def _named(name: str) -> Worker:
    found = Worker.objects.filter(name=name).first()
    if found is None:
        known = ", ".join(Worker.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"there is no worker {name!r}; there is: {known}")
    return found
