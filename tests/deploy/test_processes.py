"""The supervisor, on small real processes: kept up, given up, stopped in order."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy import processes
from deploy.installation import CHECKOUT
from deploy.processes import ProcessFailed, Role, Supervisor
from tests.deploy.conftest import eventually

LIVE = "import time\nprint('here', flush=True)\ntime.sleep(600)\n"


def role(name: str, code: str, *, first: bool = False) -> Role:
    return Role(name, [sys.executable, "-c", code], first_to_stop=first)


class Told:
    """What a supervisor said and showed."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown: list[tuple[str, str]] = []


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def supervisor(tmp_path: Path, told: Told) -> Iterator[Supervisor]:
    with Supervisor(
        tmp_path,
        os.environ,
        cwd=tmp_path,
        say=told.said.append,
        show=lambda name, line: told.shown.append((name, line)),
    ) as supervisor:
        yield supervisor


def tend(supervisor: Supervisor, until: Callable[[], bool]) -> None:
    supervisor.tend_until(until, 20, "the test")


def test_output_goes_to_the_log_and_is_shown_by_line(supervisor: Supervisor, told: Told) -> None:
    supervisor.start(role("talker", f"print('one'); print('two', flush=True)\n{LIVE}"))
    tend(supervisor, lambda: ("talker", "here") in told.shown)
    assert told.shown == [("talker", "one"), ("talker", "two"), ("talker", "here")]
    assert supervisor.log("talker").read_text() == "one\ntwo\nhere\n"


def test_what_an_earlier_run_wrote_is_not_shown_again(supervisor: Supervisor, told: Told) -> None:
    supervisor.log("talker").write_text("of yesterday\n")
    supervisor.start(role("talker", LIVE))
    tend(supervisor, lambda: bool(told.shown))
    assert told.shown == [("talker", "here")]


@pytest.mark.faults
def test_a_killed_process_is_started_again(supervisor: Supervisor, told: Told) -> None:
    supervisor.start(role("worker1", LIVE))
    first = supervisor.pids()["worker1"]
    os.kill(first, signal.SIGKILL)
    tend(supervisor, lambda: supervisor.pids().get("worker1", first) != first)
    assert told.said == ["worker1 ended by signal 9; it is started again in 0.5 s."]


@pytest.mark.faults
def test_what_a_killed_process_started_goes_with_it(
    supervisor: Supervisor, told: Told, tmp_path: Path
) -> None:
    child = f"import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', {LIVE!r}])\n"
    code = f"{child}open('child', 'w').write(str(p.pid))\n{LIVE}"
    supervisor.start(role("worker1", code))
    note = tmp_path / "child"
    tend(supervisor, lambda: note.exists() and note.read_text() != "")
    pid = int(note.read_text())
    os.kill(supervisor.pids()["worker1"], signal.SIGKILL)
    tend(supervisor, lambda: bool(told.said))
    assert eventually(lambda: not running(pid))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_process_that_does_not_stay_up_is_given_up_with_the_end_of_its_log(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "RESTARTS", 1)
    supervisor.start(role("web", "raise SystemExit('no such table')"))
    with pytest.raises(ProcessFailed) as failed:
        tend(supervisor, lambda: False)
    message = str(failed.value)
    assert "web ended with status 1, for the 2th time" in message
    assert "no such table" in message
    assert str(supervisor.log("web")) in message


def test_a_worker_on_a_machine_that_cannot_isolate_is_given_up_at_once(
    supervisor: Supervisor, told: Told
) -> None:
    code = "import sys; print('no user namespaces here', flush=True); sys.exit(78)"
    supervisor.start(role("worker1", code))
    with pytest.raises(ProcessFailed, match="no user namespaces here"):
        tend(supervisor, lambda: False)
    assert told.said == []


def test_what_gives_work_is_stopped_first(supervisor: Supervisor, tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    with open('order', 'a') as f: f.write(sys.argv[1] + '\\n')\n"
        "    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        f"{LIVE}"
    )
    for name, first in (("worker1", False), ("beat", True), ("web", False)):
        command = [sys.executable, "-c", code, name]
        supervisor.start(Role(name, command, first_to_stop=first))
    logs = [supervisor.log(name) for name in ("worker1", "beat", "web")]
    tend(supervisor, lambda: all("here" in log.read_text() for log in logs))
    pids = list(supervisor.pids().values())
    supervisor.stop()
    order = (tmp_path / "order").read_text().split()
    assert order[0] == "beat"
    assert sorted(order[1:]) == ["web", "worker1"]
    assert not any(running(pid) for pid in pids)


def stubborn(supervisor: Supervisor) -> None:
    ignore = "import signal\nsignal.signal(15, signal.SIG_IGN); signal.signal(3, signal.SIG_IGN)\n"
    supervisor.start(role("worker1", ignore + LIVE))
    tend(supervisor, lambda: "here" in supervisor.log("worker1").read_text())


def test_a_process_that_ignores_the_signals_is_killed(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PATIENT", ((signal.SIGTERM, 0.2), (signal.SIGQUIT, 0.2)))
    stubborn(supervisor)
    pid = supervisor.pids()["worker1"]
    supervisor.stop()
    assert not running(pid)


def test_a_user_in_a_hurry_does_not_wait(supervisor: Supervisor) -> None:
    stubborn(supervisor)
    began = time.monotonic()
    supervisor.hurry = lambda: True
    supervisor.stop()
    assert time.monotonic() - began < processes.PATIENT[0][1]
    assert supervisor.pids() == {}


def test_a_log_does_not_grow_for_ever(
    supervisor: Supervisor, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LOG_BYTES", 2000)
    code = (
        "import time\n"
        "for n in range(400):\n"
        "    print('line', n, flush=True)\n"
        "    time.sleep(0.005)\n"
        f"{LIVE}"
    )
    supervisor.start(role("talker", code))
    tend(supervisor, lambda: ("talker", "here") in told.shown)
    log = supervisor.log("talker")
    assert log.stat().st_size < 4000
    assert log.with_suffix(".log.1").exists()
    # Put aside or not, the program writes on at the end of the file, without a hole.
    assert b"\0" not in log.read_bytes()


@pytest.mark.faults
def test_processes_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    code = f"""\
import sys, time
sys.path.insert(0, {str(CHECKOUT)!r})
from pathlib import Path
from deploy.processes import Role, Supervisor
logs = Path({str(tmp_path)!r})
with Supervisor(logs, {{}}, cwd=logs, say=print) as supervisor:
    supervisor.start(Role("worker1", [sys.executable, "-c", {LIVE!r}]))
    print(supervisor.pids()["worker1"], flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert running(pid)
        parent.kill()
    assert eventually(lambda: not running(pid))
