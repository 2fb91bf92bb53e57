"""A bot that attacks its own sandbox from inside and says what it could do.

It is told where real targets are, and answers with a list of holes, in words. The second request
asks for what could end it: a second process, and more memory than it may have.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

_VARIABLES = {"PATH", "HOME", "PYTHONHASHSEED", "PWD", "LC_CTYPE"}
_NEWUSER, _ATTACH, _GET_SECCOMP, _GET_NO_NEW_PRIVS, _GET_PDEATHSIG = 0x10000000, 16, 21, 39, 2
_TIOCSTI = 0x5412

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def main() -> None:
    told = json.loads(sys.stdin.readline())
    holes = [hole for hole, open_ in _attacks(told) if open_]
    child = os.fork() if told["several"] else 0
    while told["several"] and not child:  # use CPU in the time of others
        pass
    print(json.dumps(holes), flush=True)
    sys.stdin.readline()
    if child:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(json.dumps(list(_last_attacks(told))), flush=True)
    sys.stdin.readline()


def _works(act: Callable[..., object], *args: Any) -> bool:
    """Whether the system lets us."""
    try:
        act(*args)
    except OSError as error:
        return error.errno in (errno.EAGAIN, errno.EBUSY, errno.EINPROGRESS)
    except ValueError:
        return False
    return True


def _passes(numbers: dict[str, int], name: str, *args: int) -> bool:
    """Whether a system call comes as far as to have its arguments looked at."""
    values = (ctypes.c_long(value) for value in (*args, *(0,) * (6 - len(args))))
    if _libc.syscall(ctypes.c_long(numbers[name]), *values) != -1:
        return True
    return ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)


def _attacks(told: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield from _files(told)
    yield from _others(told)
    yield from _kernel(told["numbers"])
    yield "it has variables of the host's", not set(os.environ) <= _VARIABLES
    yield "it has more open files than standard input and output", _open_files() != [0, 1, 2]
    for number in (resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_NOFILE):
        raised = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        yield "it can raise its limits", _works(resource.setrlimit, number, raised)


def _files(told: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield "a host file can be read", _works(_read, told["file"])
    for path in ("/etc/passwd", "/proc/self/environ", "/proc/1/environ", "/sys/kernel/osrelease"):
        yield f"{path} can be read", _works(_read, path)
    yield "a link in its own files leads out", _works(_read, told["link"])
    yield "it can change its own files", _works(_write, told["own"] + "/new")
    for path in ("/usr/new", "/new", "/var/tmp/new", told["folder"] + "/new"):
        yield f"it can write {os.path.dirname(path)}", _works(_write, path)
    yield "Landlock is not active", told["landlock"] and _works(os.listdir, "/")


def _others(told: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield "the host's servers can be reached", _works(_connect_tcp, told["port"])
    yield "abstract sockets of the host can be reached", _works(_connect_unix, told["abstract"])
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            yield "it can make sockets", _works(_socket, family, kind)
    for who in ("victim", "worker"):
        yield f"it can signal the {who}", _works(os.kill, told[who], 0)
        numbers = told["numbers"]
        yield f"it can trace the {who}", _passes(numbers, "ptrace", _ATTACH, told[who])
        yield (
            f"it can read the {who}'s memory",
            _passes(numbers, "process_vm_readv", told[who], 0, 0, 0, 0, 0),
        )
        yield f"it can hold the {who}", _passes(numbers, "pidfd_open", told[who], 0)


def _kernel(numbers: dict[str, int]) -> Iterator[tuple[str, bool]]:
    for hole, name, *args in (
        ("it can make namespaces", "unshare", _NEWUSER),
        ("it can mount", "mount", 0, 0, 0, 0, 0),
        ("it can change its root", "chroot", 0),
        ("it can use the kernel's keys", "keyctl", 0, -3, 0),
        ("it can load programs into the kernel", "bpf", 0, 0, 0),
        ("it can use io_uring", "io_uring_setup", 1, 0),
        ("it can watch the kernel's counters", "perf_event_open", 0, 0, -1, -1, 0),
        ("it can handle page faults", "userfaultfd", 1),
        ("it can make memory that no limit counts", "memfd_create", 0, 0),
        ("it can share memory", "shmget", 0, 4096, 0o1600),
        ("it can queue messages", "msgget", 0, 0o1600),
        ("it can become another user", "setuid", 0),
        ("it can pin itself to a CPU", "sched_setaffinity", 0, 0, 0),
        ("it can change its priority", "setpriority", 0, 0, 5),
        ("it can set the clock", "clock_settime", 0, 0),
        ("it can outlive its parent", "prctl", 1, 0, 0, 0, 0),
        ("it can change its personality", "personality", 0x0040000),
        ("it can type for the terminal", "ioctl", 0, _TIOCSTI, 0),
        ("it can lock files against others", "flock", 0, 6),
        ("it can watch files", "inotify_init1", 0),
        ("it can move pages unseen", "vmsplice", 1, 0, 0, 0),
        ("it can load kernel modules", "init_module", 0, 0, 0),
        ("it can make device nodes", "mknodat", -100, 0, 0o20666, 0x103),
    ):
        yield hole, _passes(numbers, name, *args)
    shared = (0, 4096, 3, 0x21, -1, 0)
    yield "it can map shared memory that no limit counts", _passes(numbers, "mmap", *shared)
    yield "the system call filter is not active", _libc.prctl(_GET_SECCOMP) != 2
    yield "it may gain privileges", _libc.prctl(_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1
    death = ctypes.c_int()
    _libc.prctl(_GET_PDEATHSIG, ctypes.byref(death))
    yield "it outlives what started it", death.value != signal.SIGKILL


def _last_attacks(told: dict[str, Any]) -> Iterator[str]:
    """Processes and memory, up to what is allowed and beyond."""
    children = 0
    try:
        while children <= told["processes"]:
            if os.fork() == 0:
                time.sleep(100)
            children += 1
        yield f"it can have more than {children} processes"
    except OSError:
        if children and not told["several"]:
            yield "it can start a second process"
    kept = []
    try:
        for _ in range(told["memory"] // 2**22 + 8):
            kept.append(b"x" * 2**22)
        yield f"it can use more than {told['memory'] >> 20} MiB of memory"
    except MemoryError:
        pass


def _read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def _write(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _connect_tcp(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def _connect_unix(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("\0" + name)


def _socket(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _open_files() -> list[int]:
    return [fd for fd in range(256) if _works(os.fstat, fd)]


if __name__ == "__main__":
    main()
