"""The seccomp profile of the worker's container: bots are isolated under it, for a user without any
privilege, and it refuses what no worker needs. The profile is put on a process here as a container
runtime would, with our own few instructions, since no runtime is at hand."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.installation import CHECKOUT

PROFILE = CHECKOUT / "deploy/kubernetes/base/worker-seccomp.json"
NOBODY = 65534
PYTHON = "/usr/bin/python3"

# One test and one return for each allowed call, and the profile's own answer to all others.
UNDER_THE_PROFILE = """
import ctypes, json, os, struct, subprocess, sys
from engine.sandbox.seccomp import ALLOW, AUDIT_ARCH, KILL_PROCESS, machine_here
from engine.sandbox.syscalls import NUMBERS

profile = json.load(open(sys.argv[1]))
numbers = NUMBERS[machine_here()]
assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
refuse = 0x00050000 | profile["defaultErrnoRet"]
program = [(0x20, 0, 0, 4), (0x15, 1, 0, AUDIT_ARCH[machine_here()]), (0x06, 0, 0, KILL_PROCESS)]
program += [(0x20, 0, 0, 0)]
for rule in profile["syscalls"]:
    assert set(rule) <= {"comment", "names", "action"} and rule["action"] == "SCMP_ACT_ALLOW"
    for name in rule["names"]:
        if name in numbers:
            program += [(0x15, 0, 1, numbers[name]), (0x06, 0, 0, ALLOW)]
program += [(0x06, 0, 0, refuse)]
code = b"".join(struct.pack("<HBBI", *each) for each in program)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
buffer = ctypes.create_string_buffer(code)
place = struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(buffer))
filter = ctypes.create_string_buffer(place)
assert libc.prctl(22, 2, filter, 0, 0) == 0, os.strerror(ctypes.get_errno())  # PR_SET_SECCOMP
"""
ISOLATE = """
from engine.sandbox import isolated
with isolated(name="ns") as sandbox:
    print(sandbox.name, *sandbox.languages)
"""

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can start a command as another user"
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what an engine needs, for every user to read."""
    folder = Path("/var/tmp") / tmp_path_factory.mktemp("engine").name / str(os.getpid())
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("engine", "bots/house", "bots/kits"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=ignore)
    yield folder
    shutil.rmtree(folder)


def under(engine: Path, profile: Path, then: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, "-c", UNDER_THE_PROFILE + then, str(profile)],
        cwd=engine,
        env={"PATH": "/usr/bin:/bin"},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def profile(tmp_path: Path):
    """Write the profile, changed or not, where everybody can read it."""
    target = Path("/var/tmp") / f"profile-{os.getpid()}.json"

    def write(*without: str) -> Path:
        document = json.loads(PROFILE.read_text())
        for rule in document["syscalls"]:
            rule["names"] = [name for name in rule["names"] if name not in without]
        target.write_text(json.dumps(document))
        target.chmod(0o644)
        return target

    yield write
    target.unlink(missing_ok=True)


def test_bots_of_every_language_are_isolated_under_it(engine: Path, profile) -> None:
    done = under(engine, profile(), ISOLATE)
    assert done.returncode == 0, done.stderr
    name, *languages = done.stdout.split()
    assert name == "ns"
    assert set(languages) == {"python", "javascript", "java", "native"}


def test_a_whole_play_goes_under_it(engine: Path, profile) -> None:
    command = [PYTHON, "-m", "engine", "play", "deca-slayer", "--json"]
    command += ["house:greedy", "house:random", "house:random"]
    then = f"sys.exit(subprocess.run({command!r}, stdin=subprocess.DEVNULL).returncode)"
    done = under(engine, profile(), then)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)["record"]
    assert record["isolation"] == "ns"
    assert record["failures"] == []


@pytest.mark.parametrize("without", json.loads(PROFILE.read_text())["syscalls"][1]["names"])
def test_nothing_in_the_sandbox_rule_is_idle(engine: Path, profile, without: str) -> None:
    done = under(engine, profile(without), ISOLATE)
    assert done.returncode != 0
    assert "CannotIsolate" in done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "bpf", "perf_event_open", "keyctl", "add_key", "io_uring_setup", "userfaultfd", "ptrace",
        "process_vm_readv", "kexec_load", "init_module", "finit_module", "reboot", "swapon",
        "setns", "open_by_handle_at", "clock_settime", "settimeofday", "acct", "iopl", "syslog",
    ],
)  # fmt: skip
def test_what_no_worker_needs_is_refused(call: str) -> None:
    allowed = {n for rule in json.loads(PROFILE.read_text())["syscalls"] for n in rule["names"]}
    assert call not in allowed
