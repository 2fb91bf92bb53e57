"""What every test may use, and what holds for the whole run."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# With CI=true a skipped test is a failure, unless its node id is here with the reason why no
# machine of CI can run it.
MAY_BE_SKIPPED: dict[str, str] = {}

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
WRITABLE = os.access(Path(__file__).parent.parent, os.W_OK)

# Started in the background the run ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, database=None)
settings.register_profile("read-only", deadline=None, max_examples=60, database=None)
settings.load_profile("ci" if IN_CI else "default" if WRITABLE else "read-only")


# Whoever asks for one of these needs the servers, and is marked `db` without saying it.
ON_SERVERS = {"db", "transactional_db", "live_server", "redis_url"}


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("django_db") or ON_SERVERS & set(
            getattr(item, "fixturenames", ())
        ):
            item.add_marker("db")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        _fail_unless_listed(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if IN_CI and report.skipped:  # a whole file that skips itself
        _fail_unless_listed(report)
    return report


def _fail_unless_listed(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.nodeid in MAY_BE_SKIPPED:
        return
    where = report.longrepr
    reason = where[2] if isinstance(where, tuple) else str(where)
    report.outcome = "failed"
    report.longrepr = (
        f"{report.nodeid} was skipped in CI, where nothing may be missing: {reason}\n"
        "Make it run there, or name it with the reason in MAY_BE_SKIPPED of tests/conftest.py."
    )


@pytest.fixture(autouse=True)
def _nothing_is_remembered(request: pytest.FixtureRequest) -> Iterator[None]:
    """What this process and the cache remember does not reach another test: its ladders have the
    same names, its callers the same address, and its reaper never ran."""
    yield
    if request.node.get_closest_marker("db"):
        from django.core.cache import cache

        from tournaments import ladders, page_memory, pictures

        cache.clear()
        page_memory._heads.clear()
        pictures._pictures.clear()
        ladders._waiting.clear()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Ids begin far from 1 and elsewhere in each table, as after years of use: no test may count on
    their values, and one that mixes up the ids of two tables finds nothing."""
    from django.db import connection

    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences "
            "WHERE schemaname = current_schema() ORDER BY 1"
        )
        for number, (name,) in enumerate(cursor.fetchall(), start=1):
            cursor.execute("SELECT setval(%s, %s)", [name, 10_000 * number + 3])


@pytest.fixture
def redis_url() -> Iterator[str]:
    """An empty database of its own on the broker's server: number 1 and up, by pytest worker."""
    import redis

    url = os.environ.get("REDIS_URL")
    if not url:
        pytest.fail("REDIS_URL is not set: run the tests with `python3 manage.py test`")
    number = 1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    with redis.Redis.from_url(url, db=number) as client:
        client.flushdb()
        joint = "&" if "?" in url else "?"
        yield f"{url}{joint}db={number}"
        client.flushdb()
