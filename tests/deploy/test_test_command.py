"""`manage.py test`: servers for the run, pytest's arguments and exit status, what is left after."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy import scratch
from deploy.installation import CHECKOUT
from tests.deploy.conftest import Managed, eventually

Manage = Callable[..., Managed]


@pytest.fixture
def run(manage: Manage, tmp_path: Path) -> Manage:
    """`manage.py test` on one file with the given code; temporary folders lie in `tmp_path`."""
    tmp_path.chmod(0o755)
    scratch_parent = tempfile.mkdtemp(prefix="slayer-deploy-", dir="/tmp")
    os.chmod(scratch_parent, 0o755)

    def start(code: str, *arguments: str, **environment: str) -> Managed:
        file = tmp_path / "test_one.py"
        file.write_text(code)
        config = ["-c", str(CHECKOUT / "pyproject.toml"), "-p", "no:cacheprovider"]
        return manage("test", *config, str(file), *arguments, TMPDIR=scratch_parent, **environment)

    yield start
    # Nothing is left of any run, killed ones swept by the next.
    assert os.listdir(scratch_parent) == []
    os.rmdir(scratch_parent)


ALL_THERE = """\
import os
import psycopg, redis

def test_servers_answer():
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("off",)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as broker:
        assert broker.ping()

def test_settings_use_them():
    from django.conf import settings
    assert settings.DATABASES["default"]["HOST"] in os.environ["DATABASE_URL"]
    assert settings.REDIS_URL == os.environ["REDIS_URL"]
    assert len(settings.SECRET_KEY) > 40
    assert settings.DATA_DIR.name == "data" and "slayer-test-" in str(settings.DATA_DIR)
"""


def test_passing_tests_end_with_status_0_on_servers_of_the_run(run: Manage) -> None:
    process = run(ALL_THERE, "-q")
    output = process.end()
    assert process.returncode == 0, output
    assert "Servers for this run: Valkey" in output
    assert "2 passed" in output


def test_the_status_of_pytest_is_passed_on(run: Manage) -> None:
    code = "def test_bad():\n    assert False\n\ndef test_good():\n    pass\n"
    failing = run(code)
    none = run(code, "-k", "nothing_like_this")
    wrong = run(code, "--no-such-option")
    for process in (failing, none, wrong):
        process.end()
    assert failing.returncode == pytest.ExitCode.TESTS_FAILED
    assert none.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert wrong.returncode == pytest.ExitCode.USAGE_ERROR


SLOW = """\
import os, pathlib, time

def test_slow():
    note = pathlib.Path(__file__).with_name("note")
    note.write_text(os.environ["SLAYER_RUN"])
    try:
        time.sleep(600)
    finally:
        note.with_name("torn-down").write_text("")
"""


def started(tmp_path: Path) -> Path:
    note = tmp_path / "note"
    assert eventually(lambda: note.exists() and note.read_text() != "", 60)
    return Path(note.read_text())


@pytest.mark.faults
def test_a_stopped_run_tears_down_and_leaves_nothing(run: Manage, tmp_path: Path) -> None:
    process = run(SLOW)
    base = started(tmp_path)
    process.send_signal(signal.SIGTERM)
    process.end()
    assert process.returncode == 128 + signal.SIGTERM
    assert (tmp_path / "torn-down").exists()
    assert not base.exists()


@pytest.mark.faults
def test_the_next_run_sweeps_up_after_a_killed_one(run: Manage, tmp_path: Path) -> None:
    killed = run(SLOW)
    base = started(tmp_path)
    killed.kill()
    killed.wait()
    assert base.exists()
    process = run("def test_one():\n    pass\n")
    output = process.end()
    assert process.returncode == 0, output
    assert not base.exists()


def test_a_folder_of_a_run_that_goes_on_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / f"{scratch.PREFIX}new").mkdir()  # its maker has not got to the lock yet
    old = tmp_path / f"{scratch.PREFIX}old"
    old.mkdir()
    (old / "lock").touch()
    os.utime(old, (0, 0))
    scratch.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{scratch.PREFIX}new"]


SKIPS = """\
import pytest

@pytest.mark.skip(reason="no such card")
def test_skipped():
    pass

@pytest.mark.xfail(reason="a known fault", strict=True)
def test_expected_to_fail():
    assert False
"""


def pytest_here(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """pytest with this project's conftest on one file, without Django and servers."""
    (folder / "test_one.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:django"]
    command += ["-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder, folder]
    return subprocess.run(
        command,
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_skipped_test_is_a_failure_in_ci(tmp_path: Path) -> None:
    done = pytest_here(tmp_path, SKIPS, CI="true")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 xfailed, 1 error" in done.stdout
    assert "was skipped in CI, where nothing may be missing" in done.stdout
    assert "no such card" in done.stdout


def test_a_file_that_skips_itself_is_a_failure_in_ci(tmp_path: Path) -> None:
    code = "import pytest\npytest.importorskip('no_such_module')\n"
    done = pytest_here(tmp_path, code, CI="true")
    assert done.returncode != 0
    assert "no_such_module" in done.stdout


def test_a_listed_skip_is_allowed_in_ci(tmp_path: Path) -> None:
    allow = (
        "from tests import conftest\n"
        "conftest.MAY_BE_SKIPPED['test_one.py::test_skipped'] = 'no machine has it'\n"
    )
    done = pytest_here(tmp_path, allow + SKIPS, CI="true")
    assert "1 skipped, 1 xfailed" in done.stdout
    assert done.returncode == 0


def test_elsewhere_a_test_may_be_skipped(tmp_path: Path) -> None:
    done = pytest_here(tmp_path, SKIPS)
    assert "1 skipped, 1 xfailed" in done.stdout
    assert done.returncode == 0


def test_the_broker_of_a_test_is_empty_and_its_own(redis_url: str) -> None:
    import redis

    with redis.Redis.from_url(redis_url) as own:
        assert own.dbsize() == 0
        own.set("mine", 1)
    with redis.Redis.from_url(os.environ["REDIS_URL"], db=0) as shared:
        assert shared.get("mine") is None
