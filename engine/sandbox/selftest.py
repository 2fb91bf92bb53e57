"""Does the sandbox hold on this machine? A bot of ours attacks it, and we look at that bot.

Nothing is assumed: every layer is looked for from the side on which its absence shows.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import programs
from .api import BotFailure, CannotIsolate, DoesNotHold, Limits, MachineFailure, Program
from .isolating import Isolating
from .process import ProcessBot
from .syscalls import NUMBERS
from .workspace import workspace

_CPU_MS = 10_000.0
_STOP_S = 5.0
_TRIES = 3
_NAMESPACES = ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")
_SHOWN = {
    "as": "Max address space",
    "core": "Max core file size",
    "cpu": "Max cpu time",
    "data": "Max data size",
    "fsize": "Max file size",
    "memlock": "Max locked memory",
    "msgqueue": "Max msgqueue size",
    "nofile": "Max open files",
    "nproc": "Max processes",
    "sigpending": "Max pending signals",
    "stack": "Max stack size",
}
"""The kernel's limits as /proc shows them."""
_LIMITS = Limits(memory_bytes=128 << 20)
CALLS = """
bpf chroot clock_settime flock init_module inotify_init1 io_uring_setup ioctl keyctl memfd_create
mknodat mmap mount msgget perf_event_open personality pidfd_open prctl process_vm_readv ptrace
sched_setaffinity setpriority setuid shmget unshare userfaultfd vmsplice
"""
"""The system calls that the canary tries."""


def check(sandbox: Isolating) -> None:
    """DoesNotHold names every hole, CannotIsolate what kept the canary from running."""
    for tries_left in reversed(range(_TRIES)):  # the machine may have too much to do just now
        try:
            holes = list(dict.fromkeys(_holes(sandbox)))
        except (BotFailure, MachineFailure) as error:
            if not tries_left:
                raise CannotIsolate(f"no program can be run in the sandbox: {error}") from error
        else:
            break
    if holes:
        raise DoesNotHold("the sandbox does not hold on this machine: " + "; ".join(holes))


def _holes(sandbox: Isolating) -> Iterator[str]:
    with workspace() as place, _targets(sandbox, place) as told:
        program = Program(_canary(place), "python", "canary.py")
        bot = sandbox.start(program, _LIMITS)
        assert isinstance(bot, ProcessBot)
        try:
            yield from json.loads(bot.ask(json.dumps(told).encode(), cpu_ms=_CPU_MS).line)
            yield from _outside(sandbox, bot)
            try:
                yield from json.loads(bot.ask(b"", cpu_ms=_CPU_MS).line)
            except BotFailure as failure:
                if failure.reason != "killed":  # by the limit of memory
                    raise
        finally:
            bot.stop()


def _canary(place: Path) -> Path:
    folder = place / "canary"
    folder.mkdir()
    folder.chmod(0o755)
    file = folder / "canary.py"
    file.write_text((Path(__file__).parent / "inner" / "canary.py").read_text())
    file.chmod(0o644)
    (folder / "link").symlink_to(place / "secret")
    return folder


@contextmanager
def _targets(sandbox: Isolating, place: Path) -> Iterator[dict[str, Any]]:
    """Real targets on this machine, and where they are."""
    secret = place / "secret"
    secret.write_text("not for bots\n")
    secret.chmod(0o644)
    open_folder = place / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    numbers = NUMBERS[sandbox.machine]
    own = sandbox.inside(place / "canary")
    victim = subprocess.Popen(["/bin/sleep", "60"], **sandbox.identity.popen_arguments())
    try:
        with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            name = f"slayer-canary-{os.getpid()}"
            unix.bind("\0" + name)
            unix.listen()
            yield {
                "file": str(secret),
                "folder": str(open_folder),
                "own": own,
                "link": own + "/link",
                "port": tcp.getsockname()[1],
                "abstract": name,
                "victim": victim.pid,
                "worker": os.getpid(),
                "numbers": {call: numbers[call] for call in CALLS.split()},
                "processes": _LIMITS.processes,
                "several": sandbox.several_processes,
                "memory": _LIMITS.memory_bytes,
                "landlock": sandbox.landlock,
            }
    finally:
        victim.kill()
        victim.wait()


def _outside(sandbox: Isolating, bot: ProcessBot) -> Iterator[str]:
    """What the kernel says of the bot."""
    status, own = _status(bot.pid), _status(os.getpid())
    uids = set(status["Uid"].split())
    if uids != {str(sandbox.identity.uid)} or "0" in uids:
        yield f"for the kernel the bot is user {status['Uid']}"
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"):
        if int(status[name], 16) and (name != "CapBnd" or sandbox.namespaces):
            yield f"the bot has capabilities ({name} {status[name]})"
    if status["NoNewPrivs"] != "1":
        yield "the bot may gain privileges (NoNewPrivs is not set)"
    filters = int(status.get("Seccomp_filters", "1")) - int(own.get("Seccomp_filters", "0"))
    if status["Seccomp"] != "2" or filters < 1:
        yield "the system call filter is not active"
    if not _rests(bot):
        yield "a bot that is not asked goes on running"
    limits = Path(f"/proc/{bot.pid}/limits").read_text()
    for short, most in sandbox.kernel_limits(_LIMITS, programs.NATIVE).items():
        name = _SHOWN[short]
        row = next(line for line in limits.splitlines() if line.startswith(name))
        found = row.removeprefix(name).split()[1]
        if found == "unlimited" or int(found) > most:
            yield f"the limit {name!r} is {found} instead of {most}"
    for kind in sandbox.namespaces:
        if sandbox.namespace(bot, kind) == os.stat(f"/proc/self/ns/{kind}").st_ino:
            yield f"the bot shares our {kind} namespace"


def _rests(bot: ProcessBot) -> bool:
    deadline = time.monotonic() + _STOP_S
    while not bot.rests():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
