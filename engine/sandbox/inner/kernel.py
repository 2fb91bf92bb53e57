"""System calls that Python has no function for, and their constants (Linux uapi headers)."""

from __future__ import annotations

import ctypes
import os
import struct
from ctypes import c_long
from typing import Any

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x00020000, 0x02000000, 0x04000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_CLONE_PIDFD, _SIGCHLD = 0x1000, 17

_AT_FDCWD, _AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _CLOEXEC = 1, os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_FSCONFIG_SET_FLAG, _FSCONFIG_SET_STRING, _FSCONFIG_CMD_CREATE = 0, 1, 6
RDONLY, NOSUID, NODEV, NOEXEC, NOSYMFOLLOW = 0x1, 0x2, 0x4, 0x8, 0x200000
_MS_REC, _MS_PRIVATE, _MNT_DETACH = 0x4000, 0x40000, 0x2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
_PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_SECUREBITS = 22, 24, 28
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
_SECCOMP_MODE_FILTER = 2
# NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each locked, and KEEP_CAPS locked off.
_SECUREBITS = 0x01 | 0x02 | 0x04 | 0x08 | 0x20 | 0x40 | 0x80
_CAPABILITY_VERSION_3 = 0x20080522

_RULE_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
READ = _READ_FILE | _READ_DIR
READ_AND_RUN = _EXECUTE | READ
DEVICE = (1 << 1) | _READ_FILE
SCRATCH = ((1 << 15) - 1) & ~_EXECUTE & ~(1 << 6 | 1 << 9 | 1 << 10 | 1 << 11)
"""Everything but running programs and making devices, sockets and pipes."""
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files each version of Landlock knows."""
LANDLOCK_SCOPES = 6
"""The version from which signals and abstract sockets can be kept inside."""

# A PyDLL keeps Python's lock: there is one thread, and a copy of it must find the lock in order.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = c_long


class Kernel:
    """The calls by name, on a machine whose call numbers are given. Each raises OSError."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers

    def call(self, name: str, *args: Any) -> int:
        """Any system call: integers, bytes, None, and what ctypes passes by reference."""
        values = [c_long(arg) if type(arg) is int else arg for arg in args]
        result: int = _libc.syscall(c_long(self._numbers[name]), *values)
        if result < 0:
            error = ctypes.get_errno()
            raise OSError(error, f"{name}: {os.strerror(error)}")
        return result

    # Processes

    def clone(self, namespaces: int) -> tuple[int, int]:
        """fork(2) into new namespaces: (0, -1) in the child, (pid, pidfd) in the parent."""
        pidfd = ctypes.c_int(-1)
        ctypes.pythonapi.PyOS_BeforeFork()
        try:
            flags = namespaces | _CLONE_PIDFD | _SIGCHLD
            pid = self.call("clone", flags, 0, ctypes.byref(pidfd), 0, 0)
        except OSError:
            ctypes.pythonapi.PyOS_AfterFork_Parent()
            raise
        if pid == 0:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            return 0, -1
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        return pid, pidfd.value

    def prctl(self, option: int, *args: Any) -> None:
        self.call("prctl", option, *args, *(0,) * (4 - len(args)))

    # Mounts

    def open_tree(self, path: str, *, recursive: bool = False) -> int:
        """A detached copy of what is mounted at the path."""
        flags = _OPEN_TREE_CLONE | _CLOEXEC | (AT_RECURSIVE if recursive else 0)
        return self.call("open_tree", _AT_FDCWD, os.fsencode(path), flags)

    def new_mount(self, kind: str, attributes: int, *flags: str, **options: str) -> int:
        """A fresh file system, not yet mounted anywhere."""
        context = self.call("fsopen", kind.encode(), 1)
        try:
            for flag in flags:
                self.call("fsconfig", context, _FSCONFIG_SET_FLAG, flag.encode(), None, 0)
            for name, value in options.items():
                self.call(
                    "fsconfig", context, _FSCONFIG_SET_STRING, name.encode(), value.encode(), 0
                )
            self.call("fsconfig", context, _FSCONFIG_CMD_CREATE, None, None, 0)
            return self.call("fsmount", context, 1, attributes)
        finally:
            os.close(context)

    def restrict_mount(self, mount: int, attributes: int, *, recursive: bool = False) -> None:
        """Add attributes like RDONLY to a mount."""
        wanted = struct.pack("<QQQQ", attributes, 0, 0, 0)
        flags = _AT_EMPTY_PATH | (AT_RECURSIVE if recursive else 0)
        self.call("mount_setattr", mount, b"", flags, wanted, len(wanted))

    def put_mount(self, mount: int, path: str) -> None:
        """Mount it at the path, and close it."""
        self.call("move_mount", mount, b"", _AT_FDCWD, os.fsencode(path), _MOVE_MOUNT_F_EMPTY_PATH)
        os.close(mount)

    def mount_at(self, path: str, kind: str, attributes: int, options: str) -> None:
        """Mount a fresh file system in one call, which `new_mount` does in many."""
        name = kind.encode()
        self.call("mount", name, os.fsencode(path), name, attributes, options.encode())

    def keep_mounts_private(self) -> None:
        self.call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)

    def make_root(self) -> None:
        """Make the current folder, which must be a mount, the root, and let go of the old one."""
        self.call("pivot_root", b".", b".")
        self.call("umount2", b".", _MNT_DETACH)

    # Privileges

    def no_new_privileges(self) -> None:
        self.prctl(_PR_SET_NO_NEW_PRIVS, 1)

    def drop_capabilities(self, *, privileged: bool) -> None:
        """Empty every capability set, for good. Without privileges three are empty already, and the
        bounding set means nothing to a process that may gain none."""
        if privileged:
            # Forty calls for every bot: not through `prctl`, which takes ten times as long.
            drop = _libc.prctl
            for capability in range(64):
                if drop(_PR_CAPBSET_DROP, capability, 0, 0, 0):
                    break  # past the last one that this kernel knows
            self.prctl(_PR_SET_SECUREBITS, _SECUREBITS)
        self.prctl(_PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL)
        header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
        self.call("capset", header, bytes(24))

    def landlock_version(self) -> int:
        """0 where there is none."""
        try:
            return self.call("landlock_create_ruleset", None, 0, 1)
        except OSError:
            return 0

    def landlock(self, version: int, rights: dict[str, int]) -> None:
        """From now on only these rights at and below these paths, no TCP, and no signals and
        abstract sockets to others, as far as the version goes."""
        known = (1 << _FS_RIGHTS.get(version, 16)) - 1
        attributes = struct.pack(
            "<QQQ", known, 0x3 if version >= 4 else 0, 0x3 if version >= LANDLOCK_SCOPES else 0
        )
        size = 8 if version < 4 else 16 if version < LANDLOCK_SCOPES else 24
        ruleset = self.call("landlock_create_ruleset", attributes, size, 0)
        for path, allowed in rights.items():
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("<Qi", allowed & known, place)
            self.call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0)
            os.close(place)
        self.call("landlock_restrict_self", ruleset, 0)
        os.close(ruleset)

    def prepare_filter(self, program: bytes) -> bytes:
        """What `filter_calls` loads: a struct sock_fprog for an array of struct sock_filter, which
        stays where it is in this process and its copies."""
        self._code = ctypes.create_string_buffer(program, len(program))
        return struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(self._code))

    def filter_calls(self, prepared: bytes) -> None:
        """Load a system call filter."""
        self.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, prepared)
