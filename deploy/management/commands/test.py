"""`manage.py test`: pytest, on servers that are started for the run and thrown away."""

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from deploy import children
from deploy.children import MARK
from deploy.installation import CHECKOUT, Installation
from deploy.scratch import scratch_folder
from deploy.servers import ServerError, Servers

USAGE = """\
Run the tests: python3 manage.py test [arguments of pytest]

A PostgreSQL and a Valkey are started for the run in a temporary folder; where DATABASE_URL or
REDIS_URL name a server, that one is used. Paths count from the top folder of the project.
With CI=true a skipped test is a failure unless tests/conftest.py lists it with its reason.

  python3 manage.py test                     everything but tests/soak and tests/bench
  python3 manage.py test tests/engine -x     one folder, up to the first failure
  python3 manage.py test -m db               what needs the servers
"""


class Command(BaseCommand):
    help = "Run the tests on servers started for the run; takes pytest's arguments."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        # Not argparse: every argument is pytest's, also -v, which Django would take for its own.
        arguments = argv[2:]
        if arguments in (["-h"], ["--help"]):
            print(USAGE, end="")
            return
        try:
            sys.exit(run_tests(arguments))
        except ServerError as error:
            print(f"manage.py test: {error}", file=sys.stderr)
            sys.exit(1)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run_tests([str(argument) for argument in args]))


def run_tests(arguments: list[str]) -> int:
    """Run pytest with the arguments; returns its exit status, 128 + n when signal n ended it."""
    command = [sys.executable, "-m", "pytest", *arguments]
    if not os.access(CHECKOUT, os.W_OK):
        command += ["-p", "no:cacheprovider"]
    with scratch_folder() as base, Servers(base, _programs(base), lasting=False) as servers:
        data = base / "data"
        data.mkdir(mode=0o700)
        environment = {
            **os.environ,
            **servers.urls,
            "DJANGO_SETTINGS_MODULE": "deploy.settings",
            "SECRET_KEY": secrets.token_urlsafe(48),
            "SLAYER_DATA_DIR": str(data),
            MARK: str(base),
        }
        print(f"Servers for this run: {servers}.", flush=True)
        pytest = children.spawn(
            command,
            cwd=CHECKOUT,
            env=environment,
            output=None,
            when_orphaned=signal.SIGTERM,
            own_session=False,  # pytest's debugger needs the terminal
        )
        return _wait(pytest)


def _programs(base: Path) -> Path:
    """Where programs are copied that the servers' user cannot run in their place."""
    try:
        return Installation().programs  # kept from run to run
    except ServerError:  # another user's; a test run has no need of it
        return base / "programs"


class _Stopped(Exception):
    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


def _wait(pytest: subprocess.Popen[bytes]) -> int:
    def interrupt(signum: int, frame: FrameType | None) -> None:
        # Ctrl-C reaches pytest without us; a signal to this process alone does not.
        if not _in_front():
            pytest.send_signal(signal.SIGINT)

    def terminate(signum: int, frame: FrameType | None) -> None:
        raise _Stopped(signum)

    before = {signal.SIGINT: signal.signal(signal.SIGINT, interrupt)}
    for signum in (signal.SIGTERM, signal.SIGHUP):
        before[signum] = signal.signal(signum, terminate)
    try:
        status = pytest.wait()
        return status if status >= 0 else 128 - status
    except _Stopped as stopped:
        # As Ctrl-C first: fixtures then stop what they started.
        children.stop(pytest, ((signal.SIGINT, 10.0), (signal.SIGTERM, 5.0)))
        return 128 + stopped.signum
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _in_front() -> bool:
    """Whether a key pressed in a terminal reaches this process group."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
