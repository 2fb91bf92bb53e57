"""Does the sandbox hold here, and which languages run in it? Tried out, never assumed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.faults import escape

from . import programs
from .api import BotFailure, CannotIsolate, Limits, MachineFailure
from .isolating import Isolating
from .programs import Runtime
from .workspace import workspace

if TYPE_CHECKING:
    from .bubblewrap import Bubblewrap
    from .bubblewrap_bot import BubblewrapBot

# A shell script, since every system has a shell. It says what it can reach, then tries to fork.
_PROBE = """#!/bin/sh
read -r host_file
holes=
[ -e "$host_file" ] && holes="$holes a host file can be seen;"
[ -e /etc ] && holes="$holes /etc can be seen;"
[ -e /proc/self ] && holes="$holes /proc can be seen;"
echo x 2>/dev/null >/bot/written && holes="$holes the bot can change its own files;"
echo "held:$holes"
read -r _
( : )
echo "held: it can start a second process;"
"""

_CPU_MS = 5000.0
_STOP_S = 1.0

HELP = (
    "Bots need unprivileged user namespaces. Debian and others: sysctl "
    "kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0. Ubuntu: an AppArmor "
    "profile that allows userns for bwrap, or sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0. In a container: a seccomp profile that allows "
    "clone, unshare, mount, umount2 and pivot_root"
)


def check_isolation(sandbox: Bubblewrap) -> None:
    """Run a program in the full sandbox and look at it from inside and outside.

    CannotIsolate names every hole, or what kept the program from running.
    """
    with workspace() as place:
        host_file = place / "host-file"
        host_file.write_text("not for bots\n")
        host_file.chmod(0o644)
        script = _bot_folder(place) / "probe"
        script.write_text(_PROBE)
        script.chmod(0o755)
        try:
            bot = sandbox.launch(script.parent, programs.NATIVE, ("/bot/probe",), Limits())
            try:
                holes = _holes(sandbox, bot, host_file)
            finally:
                bot.stop()
        except (BotFailure, MachineFailure) as error:
            raise CannotIsolate(f"no program can be run in the sandbox: {error}. {HELP}") from error
    if holes:
        raise CannotIsolate("the sandbox does not hold on this machine: " + "; ".join(holes))


def _bot_folder(place: Path) -> Path:
    folder = place / "bot"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def _holes(sandbox: Bubblewrap, bot: BubblewrapBot, host_file: Path) -> list[str]:
    inside = _said(bot.ask(os.fsencode(host_file), cpu_ms=_CPU_MS).line)
    outside = [*_process_holes(sandbox, bot), *_namespace_holes(bot)]
    try:
        inside += _said(bot.ask(b"fork", cpu_ms=_CPU_MS).line)
    except BotFailure as failure:
        if failure.reason != "exit":
            raise
    return [*inside, *outside]


def _said(line: bytes) -> list[str]:
    mark, _, holes = line.decode().partition(":")
    if mark != "held":
        raise MachineFailure(f"the probe answered {escape(line)!r}")
    return [hole.strip() for hole in holes.split(";") if hole.strip()]


def _process_holes(sandbox: Bubblewrap, bot: BubblewrapBot) -> Iterator[str]:
    """What the kernel says of the process."""
    status, own = _status(bot.pid), _status(os.getpid())
    uids = set(status["Uid"].split())
    if uids != {str(sandbox.identity.uid)} or "0" in uids:
        yield f"for the kernel the bot is user {status['Uid']}"
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(status[name], 16):
            yield f"the bot has capabilities ({name} {status[name]})"
    if status["NoNewPrivs"] != "1":
        yield "the bot may gain privileges (NoNewPrivs is not set)"
    filters = int(status.get("Seccomp_filters", "1")) - int(own.get("Seccomp_filters", "0"))
    if status["Seccomp"] != "2" or filters < 1:
        yield "the system call filter is not active"
    if not _stops(bot.pid):
        yield "a bot that is not asked goes on running"
    limits = Path(f"/proc/{bot.pid}/limits").read_text()
    for name, expected in (
        ("Max processes", Limits().processes),
        ("Max data size", Limits().memory_bytes),
    ):
        row = next(line for line in limits.splitlines() if line.startswith(name))
        found = row.removeprefix(name).split()[1]
        if found == "unlimited" or int(found) > expected:
            yield f"the limit {name!r} is {found} instead of {expected}"


def _stops(pid: int) -> bool:
    deadline = time.monotonic() + _STOP_S
    while not _status(pid)["State"].startswith("T"):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _namespace_holes(bot: BubblewrapBot) -> Iterator[str]:
    """Which namespaces the bot shares with us, by what bwrap reports and the kernel maps."""
    for kind in ("mnt", "pid", "ipc", "uts", "cgroup", "net"):
        own = os.stat(f"/proc/self/ns/{kind}").st_ino
        if bot.facts.get(f"{kind}-namespace") in (None, own):
            yield f"the bot shares our {kind} namespace"
    if Path(f"/proc/{bot.pid}/uid_map").read_text() == Path("/proc/self/uid_map").read_text():
        yield "the bot shares our user namespace"


def working_runtime(sandbox: Isolating, language: str) -> tuple[Runtime, str]:
    """The first runtime of the language that runs in the sandbox, and its version.

    CannotIsolate says what was tried, and what to install.
    """
    if language == "native":
        return programs.NATIVE, ""
    tried = []
    for runtime in programs.runtimes(language):
        try:
            return runtime, _version(sandbox, runtime)
        except MachineFailure as error:
            tried.append(f"{runtime.command[0]}: {error}")
    found = "; ".join(tried) or "none was found"
    raise CannotIsolate(
        f"{language} bots cannot run here, because nothing that runs them works for the bots' "
        f"user {sandbox.identity.uid} ({found}); install {programs.PACKAGES[language]}"
    )


def _version(sandbox: Isolating, runtime: Runtime) -> str:
    with workspace() as place:
        bot = sandbox.launch(_bot_folder(place), runtime, runtime.check, Limits())
        try:
            return bot.ask(b"", cpu_ms=_CPU_MS).line.decode()
        except BotFailure as failure:
            said = escape(bot.stop().stderr[:300].strip())
            raise MachineFailure(f"{failure}: {said}") from failure
        finally:
            bot.stop()
