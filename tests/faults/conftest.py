"""Real processes: a whole installation for the suite, or some on the servers of one test."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from celery import current_app
from django.db import connection

from bots.models import Submission
from deploy.scratch import scratch_folder
from deploy.settings import database
from tests.builders import FIRST, make_bot, make_submission
from tests.faults.installation import Installation
from tests.faults.installation import until as until_soon
from tests.faults.invariants import OVER
from tests.tournaments.rows import ladder_match
from tournaments import ladders
from tournaments.models import Match

ROOT = Path(__file__).parent.parent.parent
CELERY = [sys.executable, "-m", "celery", "-A", "deploy.celery:app"]
QUICK = {
    "SLAYER_LEASE_S": "3",
    "SLAYER_RENEW_S": "1",
    "SLAYER_REAP_S": "1",
    "CELERY_SKIP_CHECKS": "1",  # of addresses and views, which halves the time of a start
}


class Processes:
    """Starts processes, each in a group of its own, and ends those that are left."""

    def __init__(self, folder, url):
        self.folder = folder
        self.url = url
        self._all = []

    def environment(self):
        database = connection.settings_dict
        host = database["HOST"]
        socket = f"?host={host}" if host.startswith("/") else ""
        place = "" if socket else f"{host}:{database['PORT'] or 5432}"
        password = f":{database['PASSWORD']}" if database["PASSWORD"] else ""
        return {
            **os.environ,
            **QUICK,
            "DATABASE_URL": f"postgresql://{database['USER']}{password}@{place}/"
            f"{database['NAME']}{socket}",
            "REDIS_URL": self.url,
            "SLAYER_DATA_DIR": str(self.folder),
            "SLAYER_DEBUG": "1",
            "PYTHONWARNINGS": "default",
        }

    def start(self, *command, name, **options):
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **options,
            )
        self._all.append(process)
        return process

    def worker(self, name):
        """A worker that plays one match at a time; returned when it takes messages."""
        process = self.start(
            *CELERY, "worker", "-Q", "match", "-c", "1", "-n", f"{name}@test",
            "--without-gossip", "--without-mingle", "-l", "INFO", name=name,
        )  # fmt: skip
        until(lambda: f"{name}@test ready" in self.log(name), process=process)
        return process

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def end(self):
        for process in self._all:
            kill(process)


def kill(process):
    """What a power cut does to a worker: it and its children are gone at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def until(condition, *, within_s=40, process=None):
    """Wait for a condition; fails after a while, or if the process ends."""
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        assert process is None or process.poll() is None, "the process has ended"
        time.sleep(0.05)
    return found


@pytest.fixture
def files(tmp_path, settings):
    folder = tmp_path / "files"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder)},
        },
    }
    return folder


@pytest.fixture
def send_to(settings):
    """Let this process send its messages to another broker."""

    def use(url):
        settings.REDIS_URL = url
        current_app.conf.broker_url = url.replace("unix://", "redis+socket://").replace(
            "?db=", "?virtual_host="
        )
        current_app.amqp._producer_pool = None  # made for the broker before

    before = settings.REDIS_URL
    yield use
    use(before)


@pytest.fixture
def processes(transactional_db, tmp_path, files, redis_url, send_to):
    send_to(redis_url)
    processes = Processes(tmp_path, redis_url)
    yield processes
    processes.end()


@pytest.fixture
def ladder(transactional_db):
    return ladders.open_ladder("deca-slayer")


# ------------------------------------------------------------------ an installation for the suite

SETTINGS = {
    "SLAYER_LEASE_S": "3",
    "SLAYER_RENEW_S": "1",
    "SLAYER_REAP_S": "1",
    "SLAYER_REPUBLISH_S": "2",
    # A machine with too much to do may lose a lease by itself.
    "SLAYER_INFRASTRUCTURE_FAILURES": "20",
}
# Long enough in one decision for something to happen meanwhile, by hardly any CPU.
SLEEPER = FIRST.replace(
    "answer = {",
    "asked = globals().get('asked', 0) + 1\n"
    "        if asked == 5: import time; time.sleep(1.5)\n"
    "        answer = {",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Whoever needs the suite's installation comes last, so that it does not run beside others."""
    items.sort(key=lambda item: "installation" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def suites_installation(django_db_setup, django_db_blocker):
    with scratch_folder() as folder, ExitStack() as ending:
        (folder / "i").mkdir()
        with django_db_blocker.unblock():
            major = connection.cursor().connection.info.server_version // 10000
            connection.close()
        made = Installation(folder / "i", SETTINGS, major=major)
        ending.callback(made.end)
        made.start_servers()
        made.migrate()
        made.complete()
        yield made


@pytest.fixture
def installation(suites_installation, django_db_blocker, settings, send_to):
    """The suite's installation, whole, with this process connected to its servers."""
    urls = suites_installation.here
    settings.LEASE_S, settings.RENEW_S, settings.REAP_S, settings.REPUBLISH_S = 3, 1, 1, 2
    settings.INFRASTRUCTURE_FAILURES = 20
    settings.REDIS_URL = urls["REDIS_URL"]
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": urls["REDIS_URL"]}}
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(suites_installation.files)},
        },
    }
    send_to(urls["REDIS_URL"])
    before = dict(connection.settings_dict)
    with django_db_blocker.unblock():
        connection.close()
        connection.settings_dict.update(database(urls["DATABASE_URL"]))
        suites_installation.complete()
        try:
            yield suites_installation
        finally:
            try:
                suites_installation.mend()
                until_soon(lambda: not Match.objects.exclude(state__in=OVER).exists())
            finally:
                connection.close()
                connection.settings_dict.clear()
                connection.settings_dict.update(before)


@pytest.fixture
def table(installation):
    """Three versions that play on the ladder's terms, but are not drawn by its scheduler; the first
    thinks for a while in its fifth decision."""
    ladders.open_ladder("deca-slayer")
    found = list(Submission.objects.filter(bot__name__startswith="fault-").order_by("id"))
    return found or [
        make_submission(make_bot(name=f"fault-{number}"), source=SLEEPER if number == 0 else FIRST)
        for number in range(3)
    ]


@pytest.fixture
def new_match(table):
    """Makes a rated match of one play."""

    def make(**changes):
        ladder = ladders.open_of("deca-slayer")
        return ladder_match(ladder, table, **{"rotations": 1, **changes})

    return make
