"""`manage.py workers`: the machines that play matches."""

import socket
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments import workers
from tournaments.models import Worker


class Command(BaseCommand):
    help = (
        "List the workers; pause one (--pause NAME), let it end what it plays before it is "
        "switched off (--drain NAME), let it go on (--resume NAME), or ask whether this machine's "
        "are well (--check)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--pause", metavar="NAME", help="it takes no new match")
        act.add_argument("--drain", metavar="NAME", help="it ends what it plays, takes no more")
        act.add_argument("--resume", metavar="NAME", help="it takes matches again")
        act.add_argument(
            "--check",
            metavar="NAME",
            nargs="?",
            const="",
            help="status 1 unless the worker NAME (without it: all of this machine) was seen "
            f"within {workers.LIVES_S} s and can isolate bots; for probes",
        )
        parser.add_argument("--reason", default="by command", help="why; it is logged")

    def handle(
        self,
        *args: Any,
        pause: str | None,
        drain: str | None,
        resume: str | None,
        check: str | None,
        reason: str,
        **options: Any,
    ) -> None:
        if check is not None:
            self._check(check)
            return
        if pause:
            workers.pause(worker=_named(pause), reason=reason, user=None)
        if drain:
            workers.drain(worker=_named(drain), reason=reason, user=None)
        if resume:
            workers.resume(worker=_named(resume), reason=reason, user=None)
        conditions = workers.conditions()
        for worker in Worker.objects.all():
            self.stdout.write(f"{worker.name}: {_state(worker, conditions[worker.pk])}")

    def _check(self, name: str) -> None:
        """A worker that is paused or drains is well: it does what it was told."""
        host = f"@{socket.gethostname()}"
        found = [_named(name)] if name else list(Worker.objects.filter(name__endswith=host))
        if not found:
            raise CommandError(f"no worker of this machine ({host}) has ever started")
        conditions = workers.conditions()
        unwell = (workers.Condition.GONE, workers.Condition.CANNOT_WORK)
        for worker in found:
            state = _state(worker, conditions[worker.pk])
            if conditions[worker.pk] in unwell or not workers.lives(worker):
                raise CommandError(f"{worker.name}: {state}")
            self.stdout.write(f"{worker.name}: {state}")


def _state(worker: Worker, condition: workers.Condition) -> str:
    if condition is workers.Condition.CANNOT_WORK:
        return f"takes no work: {worker.problem}"
    if condition is workers.Condition.GONE:
        return f"last seen {worker.seen_at:%Y-%m-%d %H:%M:%S} UTC"
    if condition is workers.Condition.PAUSED:
        return f"paused ({worker.pause_reason})"
    if condition is not workers.Condition.LIVE:
        return str(condition)
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
