"""`manage.py demo`: the service on this machine, with players, bots and a small season played."""

import time
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy import demo
from deploy.listening import CannotListen
from deploy.processes import ProcessFailed, Supervisor
from deploy.service import service
from deploy.stopping import Stopped, StopSignals

PATIENCE_S = 1800  # for the whole season, on a slow machine


class Command(BaseCommand):
    help = "Show the service at work: bots are uploaded, qualify, and play brackets and ladders."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, help="port; without it the first free from 8000")
        parser.add_argument("--workers", type=int, default=2, help="how many play matches")
        parser.add_argument("--no-serve", action="store_true", help="end when all is played")
        parser.add_argument(
            "--large",
            action="store_true",
            help=f"play a Swiss of {demo.LARGE_FIELD} bots at tables of four, too",
        )

    def handle(
        self,
        *args: Any,
        port: int | None,
        workers: int,
        no_serve: bool,
        large: bool,
        **options: Any,
    ) -> None:
        if workers < 1:
            raise CommandError("--workers must be 1 or more")
        started = time.monotonic()
        try:
            with (
                StopSignals() as signals,
                service(
                    "demo",
                    host="127.0.0.1",
                    port=port,
                    workers=workers,
                    say=self.say,
                    show=None,
                    hurry=lambda: signals.again,
                ) as running,
            ):
                self.say(f"The site answers after {time.monotonic() - started:.0f} s.")
                summary = self.play(running.supervisor, started, large=large)
                if no_serve:
                    self.say(summary)
                    return
                self.say_where_to_look(running.url)
                while True:
                    running.supervisor.tend()
                    time.sleep(0.2)
        except Stopped:
            self.say("Everything is stopped; the data stays for the next start.")
        except (CannotListen, ProcessFailed) as error:
            raise CommandError(str(error)) from None

    def play(self, supervisor: Supervisor, started: float, *, large: bool) -> str:
        """Make what is missing and wait until it is played; returns a one-line summary."""
        from bots.models import User
        from tournaments.models import Bracket, Match

        logins = demo.make_logins()
        for login in logins:
            self.say(f"Log-in of the {login.role}: {login.email}  password {login.password}")
        demo.make_bots(large=large)
        before = Match.objects.filter(state=Match.State.FINISHED).count()
        first: list[float] = []

        def progress() -> tuple[int, int]:
            if not first and Match.objects.filter(state=Match.State.FINISHED).count() > before:
                first.append(time.monotonic() - started)
                self.say(f"First match finished after {first[0]:.0f} s.")
            return demo.checks()

        self.wait(supervisor, "bots checked", progress)
        organiser = User.objects.get(email=demo.ORGANISER)
        seasons = demo.start_seasons(organiser)
        self.wait(supervisor, "match days and seasons finished", lambda: demo.days_played(seasons))
        demo.next_seasons(organiser, seasons)
        brackets = demo.start_brackets(organiser, large=large)
        tables = len(brackets)

        def played() -> tuple[int, int]:
            over = Bracket.objects.filter(
                pk__in=[bracket.pk for bracket in brackets],
                state__in=[Bracket.State.FINISHED, Bracket.State.PAUSED],
            )
            return over.count(), tables

        self.wait(supervisor, "brackets finished", played)
        self.say("Pairs of bots that came out in the order that is known:")
        for line in demo.results([*seasons, *brackets]):
            self.say(line)
        self.wait(
            supervisor,
            "ladder matches finished",
            lambda: (demo.finished(Match.Kind.LADDER), demo.LADDER_MATCHES),
        )
        matches = Match.objects.filter(state=Match.State.FINISHED).count()
        return (
            f"Played: {matches} matches, {len(seasons)} seasons, {len(brackets)} brackets, "
            f"{demo.checks()[0]} bots checked, in {time.monotonic() - started:.0f} s."
        )

    def wait(self, supervisor: Supervisor, what: str, state: Callable[[], tuple[int, int]]) -> None:
        """Show how far it is until `state()` says that all of it is done."""
        begun = time.monotonic()
        shown = -1
        while True:
            supervisor.tend()
            done, all_ = state()
            if done != shown:
                shown = done
                self.show_progress(what, min(done, all_), all_, time.monotonic() - begun)
            if done >= all_:
                return
            if time.monotonic() - begun > PATIENCE_S:
                raise ProcessFailed(f"{what}: {done} of {all_} after {PATIENCE_S} s")
            time.sleep(0.3)

    def show_progress(self, what: str, done: int, all_: int, seconds: float) -> None:
        width = 24
        bar = "█" * (width * done // max(1, all_))
        line = f"  {bar:·<{width}} {done:>3} of {all_} {what} ({seconds:.0f} s)"
        if self.stdout.isatty():
            self.stdout.write(f"\r{line}", ending="\n" if done >= all_ else "")
            self.stdout.flush()
        else:
            self.say(line)

    def say_where_to_look(self, url: str) -> None:
        from engine import games

        url = url.rstrip("/")
        for game in games.all():
            self.say(f"\nLadder of {game.title}:")
            for line in demo.order_on_ladder(game.name):
                self.say(line)
        self.say(
            f"\nSlayer League serves at {url}\n"
            f"  {url}/                the ladders, which go on playing\n"
            f"  {url}/matches/        every match; open one and watch its plays\n"
            f"  {url}/seasons/        the seasons just played: divisions, match days, who goes up\n"
            f"  {url}/brackets/       the cups just played\n"
            f"  {url}/docs/           rules, protocol, how to write a bot\n"
            f"  {url}/api/v1/docs/    the API\n"
            f"  {url}/admin/          for the organiser\n"
            "Ctrl-C stops everything; the data stays for the next start."
        )

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
