"""`manage.py up`: a whole installation on this machine, in the foreground."""

import os
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy.commandline import LOCAL_HOSTS
from deploy.listening import CannotListen
from deploy.processes import ProcessFailed
from deploy.service import service
from deploy.stopping import Stopped, StopSignals

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Command(BaseCommand):
    help = "Run the service on this machine: servers, web, beat and workers, until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
        parser.add_argument("--port", type=int, help="port; without it the first free from 8000")
        parser.add_argument("--workers", type=int, default=2, help="how many play matches")

    def handle(self, *args: Any, host: str, port: int | None, workers: int, **options: Any) -> None:
        if workers < 0:
            raise CommandError("--workers must be 0 or more")
        if host not in LOOPBACK and os.environ.get("SLAYER_ALLOWED_HOSTS") == LOCAL_HOSTS:
            raise CommandError(
                f"at {host} others reach the site by a name, and only named ones are answered. "
                "What helps: SLAYER_ALLOWED_HOSTS=the.name,other.name before the command."
            )
        try:
            with (
                StopSignals() as signals,
                service(
                    "up",
                    host=host,
                    port=port,
                    workers=workers,
                    say=self.say,
                    show=self.show,
                    hurry=lambda: signals.again,
                ) as running,
            ):
                self.say(f"Slayer League: {running.url}  Ctrl-C stops everything.")
                while True:
                    running.supervisor.tend()
                    time.sleep(0.2)
        except Stopped:
            self.say("Everything is stopped.")
        except (CannotListen, ProcessFailed) as error:
            raise CommandError(str(error)) from None

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def show(self, name: str, line: str) -> None:
        self.stdout.write(f"{name:<11} | {line}")
