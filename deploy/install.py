"""Make the checkout's Python environment from a lock: `python -m venv`, then pip, then the stamp.

Standard library only: it runs before any package is there.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from typing import NoReturn

from deploy.bootstrap import LOCKS, SERVICE, TESTS, cache, ready, stamp_of, stamp_path


class CannotMake(Exception):
    """The environment cannot be made; the message says why and which command helps."""


def make_or_explain(checkout: str, wanted: str) -> str:
    try:
        return make(checkout, wanted)
    except CannotMake as error:
        _leave(f"manage.py: {error}", 1)
    except KeyboardInterrupt:
        _leave("manage.py: stopped; the next command makes the environment anew.", 130)


def _leave(message: str, status: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(status)


def make(checkout: str, wanted: str) -> str:
    """Make the environment for the `wanted` lock, or wait for the process that is making it."""
    _check_modules()
    folder = _writable_folder(checkout)
    venv = folder / ".venv"
    with _alone(folder / ".venv.lock", venv):
        found = ready(checkout, wanted)
        if found is not None:
            return found
        if wanted == TESTS and _adds_to(checkout, venv):
            print(f"Adding the test tools to {venv}.", file=sys.stderr, flush=True)
            _install(venv, Path(checkout) / LOCKS[TESTS])
            Path(stamp_path(str(venv), TESTS)).write_text(stamp_of(checkout, TESTS))
        else:
            _make_beside(checkout, venv, wanted)
    return str(venv)


def _adds_to(checkout: str, venv: Path) -> bool:
    """Whether `venv` is a whole service environment that only lacks the test tools.

    The lock of the tests is the service's with more packages at the same pins, so adding changes
    nothing that is there. One made from another lock of the tests is made anew, not patched.
    """
    if os.path.exists(stamp_path(str(venv), TESTS)):
        return False
    return ready(checkout, SERVICE) == str(venv) and os.access(venv, os.W_OK)


def _make_beside(checkout: str, venv: Path, wanted: str) -> None:
    """Make the environment under another name and swap it in when it is whole."""
    began = time.monotonic()
    version = sys.version.split()[0]
    print(f"Making {venv} for Python {version} from {LOCKS[wanted]}.", file=sys.stderr, flush=True)
    new = venv.with_name(".venv.new")
    old = venv.with_name(f".venv.old-{os.getpid()}")
    try:
        shutil.rmtree(new, ignore_errors=True)
        _run_venv(new)
        _install(new, Path(checkout) / LOCKS[wanted])
        _rename_inside(new, venv)
        # The lock of the tests holds the service's, so its environment serves both.
        for name in {SERVICE, wanted}:
            Path(stamp_path(str(new), name)).write_text(stamp_of(checkout, name))
        if venv.is_symlink() or venv.exists():
            _set_aside(venv, old)
        new.rename(venv)
    except OSError as error:
        raise CannotMake(f"{venv} cannot be made: {error}.") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        _remove(venv.parent.glob(".venv.old-*"))
    seconds = time.monotonic() - began
    print(f"{venv} is ready ({seconds:.0f} s).", file=sys.stderr, flush=True)


def _remove(folders: Iterable[Path]) -> None:
    """Have the folders removed; the command goes on, since a slow disk takes half a minute."""
    paths = [str(folder) for folder in folders]
    if paths:
        command = ["sh", "-c", 'rm -rf -- "$@" >/dev/null 2>&1 &', "sh", *paths]
        subprocess.run(command, stdin=subprocess.DEVNULL, start_new_session=True, check=False)


def _set_aside(venv: Path, old: Path) -> None:
    """Move what lies in the way: our own former environment to `old`, anything else to be kept.

    Ours has a stamp, even when it was made by another version: it is swapped in only when whole.
    """
    if not any(os.path.exists(stamp_path(str(venv), name)) for name in LOCKS):
        number = 1
        while (old := venv.with_name(f".venv.kept-{number}")).exists():
            number += 1
        print(f"A .venv that is not this project's is kept as {old}.", file=sys.stderr)
    venv.rename(old)


def _check_modules() -> None:
    missing = [name for name in ("venv", "ensurepip") if find_spec(name) is None]
    if not missing:
        return
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    install = (
        f"apt-get install python{minor}-venv"
        if os.path.exists("/etc/debian_version")
        else f"install the package that holds the modules venv and ensurepip of Python {minor}"
    )
    raise CannotMake(
        f"this Python ({sys.executable}) lacks {' and '.join(missing)}, which make the folder of "
        f"the project's packages. What helps: {install}"
    )


def _writable_folder(checkout: str) -> Path:
    """The folder that gets `.venv`: the checkout, or the user's cache when that is read-only."""
    if os.access(checkout, os.W_OK | os.X_OK):
        return Path(checkout)
    folder = Path(cache(checkout))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotMake(
            f"neither {checkout} nor {folder} can be written ({error.strerror}). "
            "What helps: XDG_CACHE_HOME=/a/folder/of/yours python3 manage.py …"
        ) from error
    return folder


@contextmanager
def _alone(lock: Path, venv: Path) -> Iterator[None]:
    """Hold the lock file; while another process holds it, wait and say so."""
    try:
        file = open(lock, "a+")  # noqa: SIM115 (closing is what lets the lock go)
    except OSError as error:
        raise CannotMake(
            f"{lock} cannot be opened ({error.strerror}). Who made it? Run the command as that "
            "user, or remove the file."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            maker = file.read().strip() or "unknown"
            print(f"Process {maker} is making {venv}; waiting for it.", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _run_venv(new: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "venv", str(new)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CannotMake(f"`python -m venv` failed:\n{_tail(done.stdout.splitlines())}")


def _install(venv: Path, lock: Path) -> None:
    """Install exactly what the lock names, from binary packages with the hashes of the lock."""
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    for name in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"):  # would install somewhere else
        environment.pop(name, None)
    # The lock is complete, so pip has nothing to resolve: --no-deps.
    command = [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "--no-color"]
    command += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock)]
    pip = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert pip.stdout is not None
    try:
        output = _show(pip.stdout, total=_packages(lock))
        status = pip.wait()
    except BaseException:
        pip.terminate()
        pip.wait()
        raise
    if status != 0:
        raise CannotMake(_why(output))


def _packages(lock: Path) -> int:
    lines = lock.read_text().splitlines()
    return len({line.split("==")[0] for line in lines if "==" in line})


def _show(lines: Iterable[str], total: int) -> list[str]:
    """Read pip's lines to their end and show how far it is; returns them all."""
    live = sys.stderr.isatty()
    output: list[str] = []
    seen = 0
    for line in lines:
        output.append(line.rstrip("\n"))
        found = re.match(r"(?:Collecting|Processing|Requirement already satisfied:) (\S+)", line)
        text = None
        if found:
            seen += 1
            if live or seen % 20 == 0:
                name = re.match(r"[\w.]+", os.path.basename(found[1]))
                text = f"  package {seen} of about {total}: {name[0] if name else found[1]}"
        elif line.startswith("Installing collected packages"):
            text = f"  installing {seen} packages"
        if text:
            end = "" if live else "\n"
            print(("\r\033[K" if live else "") + text, end=end, file=sys.stderr, flush=True)
    if live:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return output


UNREACHED = (
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "SSLError",
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
)


def _why(output: list[str]) -> str:
    """One message for a failed pip run: what went wrong and the command that helps."""
    text = "\n".join(output)
    end = f"\npip's last lines:\n{_tail(output)}"
    if any(sign in text for sign in UNREACHED):
        return (
            "the package index cannot be reached, so the project's packages cannot be installed. "
            "What helps: a network; behind a proxy HTTPS_PROXY=http://proxy:port; another index "
            "with `pip config set global.index-url URL`; or, with the files fetched elsewhere by "
            "`pip download -r deploy/requirements.lock -d FOLDER`, "
            "PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER before the command." + end
        )
    if "No space left on device" in text:
        return "the disk is full; about 400 MB are needed. `df -h .` shows it." + end
    if "DO NOT MATCH THE HASHES" in text:
        return (
            "the index sent a file that differs from the one the lock names, so nothing was "
            "installed. `pip cache purge` helps against a damaged download." + end
        )
    if "No matching distribution found" in text:
        return (
            f"the package index gave no binary package for Python {sys.version.split()[0]} on "
            f"{sys.platform} {machine()}. The locks cover Python 3.11 to 3.13, and another Python "
            "is used by naming it (python3.11 manage.py …); an index that gives nothing at all is "
            "shown by `pip download --no-deps Django`." + end
        )
    return "pip failed." + end


def _tail(lines: list[str]) -> str:
    return "\n".join(f"  {line}" for line in lines[-15:])


def _rename_inside(new: Path, final: Path) -> None:
    """Put the final path into the scripts, which name their interpreter by its full path."""
    before, after = os.fsencode(new), os.fsencode(final)
    for path in [*(new / "bin").iterdir(), new / "pyvenv.cfg"]:
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if before in content and b"\0" not in content:
            path.write_bytes(content.replace(before, after))
