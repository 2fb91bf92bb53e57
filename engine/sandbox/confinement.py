"""What a bot may see and use, as arguments of bwrap and prlimit."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from .api import Limits
from .programs import Runtime

NAMESPACES = ("user", "pid", "ipc", "uts", "cgroup", "net")
"""The kinds of namespace a bot has for itself, besides mount, which bwrap always makes."""

_PENDING_SIGNALS = 128
_STACK_BYTES = 8 * 1024 * 1024


def isolation() -> list[str]:
    """Namespaces, privileges, and the name and environment of the bot (bwrap adds PWD)."""
    # Each named: --unshare-all silently does without those that fail.
    flags = [f"--unshare-{kind}" for kind in NAMESPACES]
    flags += ["--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1"]
    flags += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "bot"]
    flags += ["--clearenv"]
    for name, value in {"PATH": "/usr/bin", "HOME": "/tmp", "PYTHONHASHSEED": "0"}.items():
        flags += ["--setenv", name, value]
    return flags


def file_system(folder: Path, runtime: Runtime, limits: Limits) -> list[str]:
    """/usr, /bot and three devices, read-only, and an empty /tmp of a bounded size.

    Not /dev/zero: a shared mapping of it is memory that RLIMIT_DATA does not count.
    """
    flags = ["--ro-bind", "/usr", "/usr"]
    for path in ("/lib", "/lib64", "/bin"):
        if os.path.islink(path):
            flags += ["--symlink", os.readlink(path).lstrip("/"), path]
        elif os.path.isdir(path):  # a system that has not merged it into /usr
            flags += ["--ro-bind", path, path]
    if runtime.proc:
        flags += ["--proc", "/proc"]
    flags += ["--tmpfs", "/dev"]
    for path in ("/dev/null", "/dev/random", "/dev/urandom"):
        flags += ["--dev-bind", path, path]
    flags += ["--remount-ro", "/dev", "--ro-bind", str(folder.absolute()), "/bot"]
    flags += ["--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"]
    for path in runtime.binds:  # last, since they can lie anywhere
        flags += ["--ro-bind", path, path]
    return [*flags, "--remount-ro", "/", "--chdir", "/bot"]


def limits_of(limits: Limits, runtime: Runtime) -> list[str]:
    """The kernel's limits, as arguments of prlimit.

    Soft and hard alike, because a PID 1 ignores the signal of a soft limit. None is higher than
    our own hard limit, which nobody without privileges may pass.
    """
    flags = []
    for name, value in kernel_limits(limits, runtime).items():
        hard = resource.getrlimit(number_of(name))[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        flags.append(f"--{name}={allowed}:{allowed}")
    return flags


def number_of(name: str) -> int:
    """The kernel's number of a limit that `kernel_limits` names."""
    number: int = getattr(resource, f"RLIMIT_{name.upper()}")
    return number


def kernel_limits(limits: Limits, runtime: Runtime) -> dict[str, int]:
    """What a bot may use, by prlimit's names of the kernel's limits."""
    return {
        # No other limit counts page tables; this one bounds what they describe.
        "as": runtime.address_bytes,
        # 1, not 0: a core_pattern that is a pipe ignores 0, and 1 writes no file either.
        "core": 1,
        "cpu": limits.cpu_s,
        "data": limits.memory_bytes,
        "fsize": limits.file_bytes,
        "memlock": 0,
        "msgqueue": 0,
        "nofile": limits.open_files,
        "nproc": limits.processes,
        "sigpending": _PENDING_SIGNALS,
        "stack": _STACK_BYTES,
    }
