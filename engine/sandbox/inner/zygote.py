"""The launcher's loop: one request, one answer; a copy of itself for every bot.

A bot inherits the memory of the launcher, so nothing of any other bot may ever be in it: only the
copy reads the request that it was made for, and the launcher wipes the request at once.
"""

from __future__ import annotations

import array
import base64
import gc
import json
import marshal
import os
import select
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from . import kernel as k
from .cage import STATUS_FD, Cage, confine, make_template, map_identity
from .kernel import Kernel

_REQUEST_BYTES = 64 * 1024
_MOST_FDS = 16
_HEAD = 4
"""The bytes before a request's values: S or T, how many groups, the CPU in two bytes."""
_VARIABLES = {"PATH": "/usr/bin", "HOME": "/tmp", "PYTHONHASHSEED": "0"}
_WARM = (
    *("bisect", "collections", "copy", "dataclasses", "enum", "functools", "heapq", "itertools"),
    *("math", "operator", "random", "re", "typing"),
)


def serve(control: socket.socket) -> str | None:
    """Answer requests until the worker is gone.

    Returns None in the launcher, and in each copy that is a Python bot its program's path.
    """
    cage = _prepare(control)
    children: dict[int, list[int]] = {}
    everywhere = cpus = os.sched_getaffinity(0)
    buffer = bytearray(_REQUEST_BYTES)
    wiped = bytes(_REQUEST_BYTES)
    _warm()
    while True:
        try:
            size, fds = _receive(control, buffer)
        except ConnectionResetError:
            size = 0
        if size == 0:
            _thaw(children)
            return None
        if buffer[:1] == b"R":  # and a pid: what became of it?
            control.send(_reap(children, int(buffer[1:size])))
            continue
        place = int.from_bytes(buffer[2:_HEAD], "big")
        wanted = everywhere if place == 0xFFFF else {place}
        if wanted != cpus:
            with suppress(OSError):  # it is not there any more: we stay where we are
                os.sched_setaffinity(0, wanted)
                cpus = wanted
        try:
            pid, pidfd = cage.kernel.clone(cage.clone_flags)
        except OSError as error:
            control.send(b"E" + str(error).encode())
        else:
            if pid == 0:
                del fds[4 + buffer[1] :]
                return _become_a_bot(cage, bytes(buffer[_HEAD:size]), fds, control)
            # After S and T alike a bot is made; after T the last descriptor thaws it.
            children[pid] = [fds.pop()] if buffer[:1] == b"T" else []
            socket.send_fds(control, [b"S%d" % pid], [pidfd])
            os.close(pidfd)
        buffer[:size] = wiped[:size]
        for fd in fds:
            os.close(fd)


def _prepare(control: socket.socket) -> Cage:
    """The namespaces that all bots share, and the root that they get copies of."""
    given: dict[str, Any] = json.loads(control.recv(_REQUEST_BYTES))
    kernel = Kernel(given["numbers"])
    uid, gid = os.getuid(), os.getgid()
    try:
        if given["tier"].startswith("ns"):
            shared = k.CLONE_NEWUSER | k.CLONE_NEWNS | k.CLONE_NEWNET | k.CLONE_NEWUTS
            kernel.call("unshare", shared)
            kernel.prctl(k.PR_SET_DUMPABLE, 1)  # or /proc/self would belong to root
            map_identity(uid, gid, uid, gid)
            kernel.keep_mounts_private()
            make_template(kernel, given["binds"], given["places"])
        kernel.prctl(k.PR_SET_DUMPABLE, 0)
        landlock = kernel.landlock_version() if given["landlock"] else 0
        if given["tier"] == "landlock" and landlock < k.LANDLOCK_SCOPES:
            raise OSError(f"Landlock is version {landlock}; 6 is needed (Linux 6.12)")
    except OSError as error:
        control.send(json.dumps({"error": str(error)}).encode())
        raise SystemExit(1) from None
    version = ".".join(map(str, sys.version_info[:3]))
    control.send(json.dumps({"python": version, "landlock": landlock}).encode())
    return Cage(
        kernel=kernel,
        tier=given["tier"],
        uid=uid,
        gid=gid,
        filter=kernel.prepare_filter(base64.b64decode(given["filter"])),
        landlock=landlock,
        readable=given["binds"],
    )


def _receive(control: socket.socket, buffer: bytearray) -> tuple[int, list[int]]:
    room = socket.CMSG_SPACE(_MOST_FDS * 4)
    size, ancillary, _, _ = control.recvmsg_into([buffer], room)
    fds = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(data[: len(data) - len(data) % 4])
    return size, list(fds)


def _thaw(children: dict[int, list[int]]) -> None:
    """Frozen processes do not even die with us (freezer of version 1)."""
    for thaws in children.values():
        for fd in thaws:
            with suppress(OSError):
                os.write(fd, b"THAWED")


def _reap(children: dict[int, list[int]], pid: int) -> bytes:
    """How a bot ended and what it used, as JSON; empty while it lives."""
    if pid not in children:
        return b"{}"
    done, status, usage = os.wait4(pid, os.WNOHANG)
    if done == 0:
        return b"{}"
    for fd in children.pop(pid):
        os.close(fd)
    return b'{"status": %d, "peak": %d}' % (status, usage.ru_maxrss * 1024)


def _warm() -> None:
    """Load what most bots import, and keep the collector from touching it in every copy."""
    # A copy is given a seed of its own: `random` need not ask the system for one before that.
    register, os.register_at_fork = os.register_at_fork, lambda **hooks: None
    for name in _WARM:
        __import__(name)
    os.register_at_fork = register
    json.loads(json.dumps({"warm": [1]}))
    gc.collect()
    gc.freeze()


def _become_a_bot(cage: Cage, text: bytes, fds: list[int], control: socket.socket) -> str | None:
    """Confine this copy and wait for the first message; then it may run the program."""
    try:
        request = marshal.loads(text)
        confine(cage, request, fds)
        control.detach()  # closed by then
        os.write(STATUS_FD, b"R%d\n" % time.process_time_ns())
        _wait_for_the_first_message()
        if request["command"]:
            _run(request["command"])
        os.close(STATUS_FD)
        random = sys.modules["random"]
        random.seed(request["random_seed"])  # its own sequence, and the same in each attempt
        os.register_at_fork(after_in_child=random.seed)  # as in any Python program
        entry: str = request["entry"]
        return entry
    except Exception as error:
        said = b"E" + f"{type(error).__name__}: {error}".encode()[:500]
        try:
            os.write(fds[3], said)
        except OSError:  # it has its place among the bot's own already
            os.write(STATUS_FD, said)
        finally:
            os._exit(1)


def _wait_for_the_first_message() -> None:
    poll = select.poll()
    poll.register(0, select.POLLIN)
    if not any(event & select.POLLIN for _, event in poll.poll()):
        os._exit(0)  # the worker is gone: nothing of the program has run


def _run(command: list[str]) -> None:
    """Become another program; that it cannot be executed is its own fault."""
    try:
        os.execve(command[0], command, _VARIABLES)
    except OSError as error:
        text = f"failed to execute {command[-1]}: {error.strerror}"
        os.write(STATUS_FD, b"X" + text.encode())
        os._exit(127)
