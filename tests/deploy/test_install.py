"""The environment really made: venv and pip on small packages of our own, without a network."""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from deploy import install
from deploy.bootstrap import LOCKS, SERVICE, TESTS
from deploy.installation import CHECKOUT
from tests.deploy.conftest import eventually

COMMANDLINE = """\
import sys, importlib.metadata as m
def run(argv):
    names = ("slayer-one", "slayer-two")
    have = [d.metadata["Name"] + "==" + d.version for d in m.distributions()]
    print(sys.prefix, *sorted(d for d in have if d.split("==")[0] in names))
"""


def wheel(folder: Path, name: str, version: str) -> str:
    """A wheel with one module and one script; returns its line for a lock."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}.py": "def main():\n    print('hello')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {module}:main\n",
    }
    record = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record.append(f"{path},sha256={digest.decode()},{len(text)}")
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]) + "\n"
    target = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(target.read_bytes()).hexdigest()}\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose locks name small packages, which lie in its folder `wheels`."""
    top = tmp_path / "checkout"
    (top / "deploy").mkdir(parents=True)
    (top / "wheels").mkdir()
    shutil.copy(CHECKOUT / "manage.py", top)
    for name in ("__init__.py", "bootstrap.py", "install.py"):
        shutil.copy(CHECKOUT / "deploy" / name, top / "deploy")
    (top / "deploy" / "commandline.py").write_text(COMMANDLINE)
    one, two = (
        wheel(top / "wheels", "slayer-one", "1.0"),
        wheel(top / "wheels", "slayer-two", "2.0"),
    )
    (top / LOCKS[SERVICE]).write_text(one)
    (top / LOCKS[TESTS]).write_text(one + two)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(top / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SLAYER_NO_VENV", raising=False)
    return top


def manage(checkout: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [getattr(sys, "_base_executable", sys.executable), checkout / "manage.py", command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_first_command_makes_the_environment_and_later_ones_use_it(checkout: Path) -> None:
    venv = checkout / ".venv"
    first = manage(checkout, "migrate")
    assert first.stdout == f"{venv} slayer-one==1.0\n", first.stderr
    assert f"Making {venv}" in first.stderr
    assert f"{venv} is ready" in first.stderr
    # The scripts name the environment's final path, under which they were not made.
    script = subprocess.run([venv / "bin/slayer-one"], capture_output=True, text=True, check=True)
    assert script.stdout == "hello\n"
    assert not list(checkout.glob(".venv.new*"))

    again = manage(checkout, "migrate")
    assert (again.stdout, again.stderr) == (first.stdout, "")

    # The test tools are added to what is there.
    inode = venv.stat().st_ino
    tests = manage(checkout, "test")
    assert tests.stdout == f"{venv} slayer-one==1.0 slayer-two==2.0\n", tests.stderr
    assert venv.stat().st_ino == inode
    # An environment with the test tools serves every other command.
    assert manage(checkout, "demo").stderr == ""


def test_a_changed_lock_makes_a_new_environment_and_failure_keeps_the_old(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = checkout / ".venv"
    venv.mkdir()
    (venv / "slayer-service.stamp").write_text("of another lock")
    with monkeypatch.context() as offline:
        offline.delenv("PIP_NO_INDEX")
        offline.delenv("PIP_FIND_LINKS")
        offline.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # a closed port
        offline.setenv("PIP_RETRIES", "1")
        refused = manage(checkout, "migrate")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "the package index cannot be reached" in refused.stderr
    assert "pip download -r deploy/requirements.lock" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (venv / "slayer-service.stamp").read_text() == "of another lock"
    assert not list(checkout.glob(".venv.new*"))

    made = manage(checkout, "migrate")
    assert made.stdout == f"{venv} slayer-one==1.0\n", made.stderr
    assert eventually(  # the old one is removed while the command goes on
        lambda: {path.name for path in checkout.glob(".venv*")} == {".venv", ".venv.lock"}
    )


def test_an_environment_of_somebody_else_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine").write_text("precious")
    install._set_aside(tmp_path / ".venv", tmp_path / ".venv.old")
    assert (tmp_path / ".venv.kept-1" / "mine").read_text() == "precious"
    assert not (tmp_path / ".venv.old").exists()


def test_one_process_makes_the_environment_and_the_other_waits(checkout: Path) -> None:
    command = [getattr(sys, "_base_executable", sys.executable), checkout / "manage.py", "migrate"]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    results = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert {out for out, _ in results} == {f"{checkout / '.venv'} slayer-one==1.0\n"}
    told = sorted((err for _, err in results), key=lambda err: "Making" in err)
    assert "waiting for it" in told[0]
    assert "Making" not in told[0]
    assert "is ready" in told[1]


def test_a_stopped_making_leaves_nothing_half_made(checkout: Path) -> None:
    command = [getattr(sys, "_base_executable", sys.executable), checkout / "manage.py", "migrate"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "Making" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "the next command makes the environment anew" in rest
    assert "Traceback" not in rest
    assert sorted(path.name for path in checkout.glob(".venv*")) == [".venv.lock"]


def test_a_python_without_ensurepip_is_told_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    found = install.find_spec
    monkeypatch.setattr(install, "find_spec", lambda n: None if n == "ensurepip" else found(n))
    monkeypatch.setattr(os.path, "exists", lambda path: path == "/etc/debian_version")
    with pytest.raises(install.CannotMake) as refused:
        install.make("/nowhere", SERVICE)
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"apt-get install python{minor}-venv" in str(refused.value)


def test_a_read_only_checkout_gets_its_environment_in_the_cache(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write anywhere, so the answer of the system is set here.
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and path != str(checkout))
    folder = install._writable_folder(str(checkout))
    assert folder.parent == tmp_path / "cache/slayer-league"
    assert folder.is_dir()


def test_no_writable_folder_at_all_is_said(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(install.CannotMake, match="XDG_CACHE_HOME="):
        install._writable_folder(str(checkout))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ERROR: No matching distribution found for x==1", "no binary package for Python"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "differs from the one the lock names"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: something nobody has seen", "pip failed"),
    ],
)
def test_each_failure_of_pip_has_its_message(line: str, said: str) -> None:
    message = install._why(["Collecting x", line])
    assert said in message
    assert line in message
