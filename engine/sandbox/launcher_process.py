"""The launcher seen from its worker: a process that is asked for bots, one request at a time."""

from __future__ import annotations

import base64
import json
import marshal
import os
import select
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from engine.faults import escape

from .api import MachineFailure
from .identity import Identity
from .syscalls import NUMBERS

_ANSWER_S = 30.0
ANYWHERE = 0xFFFF
MARSHAL = 2
"""The format of requests: read in every bot's first moments, where json.loads would cost ten times
as much. All versions of Python read it."""
_CALLS = """
capset clone close_range fsconfig fsmount fsopen landlock_add_rule landlock_create_ruleset
landlock_restrict_self mount mount_setattr move_mount open_tree pivot_root prctl sethostname umount2
unshare
"""

# What the bare interpreter begins with. Addresses are the same in every launcher, so that a bot
# that sorts by id() plays alike each time: the interpreter starts once more for it, where it may.
_BEGIN = (
    "import ctypes, os, socket, sys\n"
    "if not ctypes.CDLL(None).personality(0x40000) & 0x40000:\n"
    "    os.execv(sys.orig_argv[0], sys.orig_argv)\n"
    "control = socket.socket(fileno=int(sys.argv[1]))\n"
    "exec(control.recv(1 << 16))"
)
# What it then gets to run.
_BOOT = """
import atexit, json, types

own = []
leave = os._exit

def launch():
    sys.modules["launcher"] = package = types.ModuleType("launcher")
    own.append("launcher")
    package.__path__ = []
    for name, source in json.loads(control.recv(1 << 18)):
        module = types.ModuleType("launcher." + name)
        sys.modules[module.__name__] = module
        own.append(module.__name__)
        setattr(package, name, module)
        exec(compile(source, "<" + module.__name__ + ">", "exec"), module.__dict__)
    return module.serve(control)

def play(path):
    for name in own:  # looking at all names would touch their pages, and so copy them
        del sys.modules[name]
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    main.__file__ = path
    sys.argv[:], sys.path[0] = [path], os.path.dirname(path)
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        exec(code, main.__dict__)
        end(0)
    except SystemExit as error:
        status = 0 if error.code is None else error.code
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
        end(status)
    except BaseException as error:
        rest = error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(rest), rest)
        end(1)

# As the interpreter ends, but for taking everything apart: that would touch, and so copy, all that
# it shares with the launcher, and cost more than a short play.
def end(status):
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
    finally:
        for stream, failed in ((sys.stdout, 120), (sys.stderr, status)):
            try:
                stream.flush()
            except BaseException:
                status = failed
        leave(status & 0xFF)

if path := launch():
    play(path)
"""


def modules() -> dict[str, str]:
    """The launcher's own modules as text, in the order in which they need each other."""
    folder = Path(__file__).parent / "inner"
    return {name: (folder / f"{name}.py").read_text() for name in ("kernel", "cage", "zygote")}


class CannotLaunch(Exception):
    """The launcher could not be started, or not as asked; the message says why."""


@dataclass(frozen=True)
class Setup:
    """How a launcher confines its bots: the tier, their filter, and what they may see."""

    tier: str
    filter: bytes
    binds: tuple[str, ...] = ()
    """Paths outside /usr that every bot can read; mounted where it sees a root of its own."""
    places: tuple[str, ...] = ()
    """Where some bots will have something mounted."""
    landlock: bool = True


class LauncherProcess:
    """A running launcher. It ends with us, by whatever death, and its bots with it."""

    def __init__(
        self, python: Sequence[str], setup: Setup, identity: Identity, machine: str
    ) -> None:
        self._lock = Lock()
        self._path = python[0]
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_S)
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [*python, "-c", _BEGIN, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=(theirs.fileno(),),
                    cwd="/",
                    env={"PATH": "/usr/bin", "HOME": "/tmp", "PYTHONHASHSEED": "0"},
                    start_new_session=True,
                    **identity.popen_arguments(),
                )
            except (OSError, subprocess.SubprocessError) as error:
                self._control.close()
                raise CannotLaunch(f"{python[0]}: {error}") from error
        try:
            hello = self._introduce(setup, machine)
        except BaseException:
            self.close()
            raise
        self.pid = self._process.pid
        self.python: str = hello["python"]
        self.landlock: int = hello["landlock"]

    def _introduce(self, setup: Setup, machine: str) -> dict[str, Any]:
        numbers = NUMBERS[machine]
        given = {
            "tier": setup.tier,
            "filter": base64.b64encode(setup.filter).decode(),
            "binds": setup.binds,
            "places": setup.places,
            "landlock": setup.landlock,
            "numbers": {name: numbers[name] for name in _CALLS.split()},
        }
        try:
            self._control.send(_BOOT.encode())
            self._control.send(json.dumps(list(modules().items())).encode())
            self._control.send(json.dumps(given).encode())
            answer = self._control.recv(4096)
        except OSError as error:
            answer = b""
            said: object = error
        assert self._process.stderr
        with self._process.stderr as stderr:
            if not answer:
                self._process.kill()
                said = escape(stderr.read(4096).strip()) or said
                raise CannotLaunch(f"{self._path}: {said}")
        hello: dict[str, Any] = json.loads(answer)
        if "error" in hello:
            raise CannotLaunch(hello["error"])
        return hello

    def start(
        self,
        request: dict[str, Any],
        pipes: Sequence[int],
        doors: Sequence[int] = (),
        thaw: Sequence[int] = (),
        *,
        cpu: int | None = None,
    ) -> tuple[int, int]:
        """A bot's pid and pidfd. MachineFailure if there is none to be had.

        `doors` are where it enters its control group; `thaw` is at most one descriptor by which the
        launcher lets it go on when we are dead. It begins on this `cpu`, where that is not None.
        """
        # The launcher itself goes there: it needs no right over others for that.
        place = (ANYWHERE if cpu is None else cpu).to_bytes(2, "big")
        head = (b"T" if thaw else b"S") + bytes([len(doors)]) + place
        text = head + marshal.dumps(request, MARSHAL)
        fds = [*pipes, *doors, *thaw]
        with self._lock:
            try:
                socket.send_fds(self._control, [text], fds)
                answer, received, _, _ = socket.recv_fds(self._control, 4096, 1)
            except OSError as error:
                raise MachineFailure(f"the launcher of bots is gone: {error}") from error
        if not answer:
            raise MachineFailure("the launcher of bots is gone")
        if answer[:1] == b"E":
            raise MachineFailure(f"the launcher could not start a bot: {answer[1:].decode()}")
        os.set_inheritable(received[0], False)
        return int(answer[1:]), received[0]

    def reap(self, pid: int) -> dict[str, int] | None:
        """The "status" and "peak" of a bot that has ended; empty while it lives, None when the
        launcher is gone."""
        with self._lock:
            try:
                self._control.send(b"R%d" % pid)
                answer = self._control.recv(4096)
            except OSError:
                return None
        if not answer:
            return None
        remains: dict[str, int] = json.loads(answer)
        return remains

    def close(self) -> None:
        """End it, and with it every bot that still runs."""
        self._control.close()
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()


def ended(pidfd: int, within_s: float) -> bool:
    """Whether a process ends within so many seconds."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(within_s * 1000))
