"""Control groups: one for each bot, which counts, bounds, stops and ends everything of it.

Version 1 has a tree for each controller, version 2 one tree for all. Only a worker that may make
groups below its own has them: root, or a service to which the system delegated its tree. Version 2
is written from the kernel's cgroup-v2.rst. Where this was tried the controllers are of version 1,
so that of version 2 entering, counting CPU and freezing have been run, and bounding has not.
"""

from __future__ import annotations

import itertools
import os
import signal
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

from .api import CannotIsolate, Limits, MachineFailure

_FREEZE_S = 5.0
_FREEZE_LOOK_S = 0.0005
_LOOKS_UNTIL_THAWED = 50
_REMOVE_S = 5.0
_PREFIX = "slayer-"
_V1_TREES = ("memory", "pids", "freezer", "cpuacct")
_MOST_READ = 4096
_numbers = itertools.count(1)


class Group(ABC):
    """The group of one bot. Errors of the system come as OSError.

    Plain strings and descriptors, not `Path`: a bot's group is made and asked in every play, and
    that would cost more than what the system does.
    """

    def __init__(self, folders: tuple[str, ...]) -> None:
        self._folders = folders
        self._open: dict[str, int] = {}
        self.frozen = False

    def doors(self) -> list[int]:
        """A descriptor for each tree: a process that writes 0 to it enters."""
        return [os.open(f"{folder}/cgroup.procs", os.O_WRONLY) for folder in self._folders]

    def thawing(self) -> list[int]:
        """A descriptor to which "THAWED" can be written, where frozen processes do not die."""
        return []

    @abstractmethod
    def bound(self, *, memory_bytes: int, processes: int) -> None:
        """Set the limits."""

    @abstractmethod
    def cpu_ns(self) -> int:
        """What all of it has used."""

    @abstractmethod
    def peak_memory(self) -> int | None:
        """The most that it held at once, in bytes."""

    @abstractmethod
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel had to kill something of it."""

    @abstractmethod
    def _set_frozen(self, frozen: bool) -> None: ...

    @abstractmethod
    def is_frozen(self) -> bool:
        """Whether nothing of it can run."""

    def tasks(self) -> int:
        """How many processes and threads it has."""
        return int(self._read("pids.current"))

    def pids(self) -> list[int]:
        """Its processes, by our numbers."""
        with open(f"{self._folders[0]}/cgroup.procs") as file:
            return [int(line) for line in file]

    def freeze(self) -> None:
        """Stop all of it; MachineFailure if that does not happen soon.

        Version 1 passes over a thread that a signal is just stopping and then says "FREEZING" for
        ever, soon with a bot whose threads nap; so it is told again at each look. What is just
        starting a program may have to run on for that: runc thaws in between for the same reason
        (opencontainers/runc, pull requests 2774 and 2791).
        """
        self.frozen = True
        deadline = time.monotonic() + _FREEZE_S
        for look in itertools.count(1):
            self._set_frozen(True)
            if self.is_frozen():
                return
            if time.monotonic() > deadline:
                raise MachineFailure(f"a bot could not be frozen within {_FREEZE_S:.0f} s")
            time.sleep(_FREEZE_LOOK_S)
            if look % _LOOKS_UNTIL_THAWED == 0:
                self._set_frozen(False)

    def thaw(self) -> None:
        """Let it go on."""
        if self.frozen:
            self._set_frozen(False)
            self.frozen = False

    def forget(self) -> None:
        """Keep nothing of it open."""
        for fd in self._open.values():
            os.close(fd)
        self._open.clear()

    def remove(self) -> None:
        """When all of it has ended."""
        self.forget()
        for folder in self._folders:
            _remove(folder)

    def _folder(self, name: str) -> str:
        return self._folders[0]

    def _read(self, name: str) -> bytes:
        if name not in self._open:
            self._open[name] = os.open(f"{self._folder(name)}/{name}", os.O_RDONLY)
        return os.pread(self._open[name], _MOST_READ, 0)

    def _write(self, name: str, value: object) -> None:
        file = os.open(f"{self._folder(name)}/{name}", os.O_WRONLY)
        try:
            os.write(file, str(value).encode())
        finally:
            os.close(file)

    def _count(self, name: str, key: str) -> int:
        """A number from a file of lines "key number"."""
        for line in self._read(name).splitlines():
            found, _, value = line.partition(b" ")
            if found == key.encode():
                return int(value)
        return 0


class _GroupV1(Group):
    def _folder(self, name: str) -> str:
        return self._folders[_V1_TREES.index(name.partition(".")[0])]

    def thawing(self) -> list[int]:
        return [os.open(f"{self._folder('freezer.state')}/freezer.state", os.O_WRONLY)]

    def bound(self, *, memory_bytes: int, processes: int) -> None:
        self._write("memory.limit_in_bytes", memory_bytes)
        with suppress(OSError):  # only where swap is counted
            self._write("memory.memsw.limit_in_bytes", memory_bytes)
        self._write("pids.max", processes)

    def cpu_ns(self) -> int:
        return int(self._read("cpuacct.usage"))

    def peak_memory(self) -> int | None:
        return int(self._read("memory.max_usage_in_bytes"))

    def ran_out_of_memory(self) -> bool:
        return self._count("memory.oom_control", "oom_kill") > 0

    def _set_frozen(self, frozen: bool) -> None:
        self._write("freezer.state", "FROZEN" if frozen else "THAWED")

    def is_frozen(self) -> bool:
        return self._read("freezer.state").strip() == b"FROZEN"


class _GroupV2(Group):
    def bound(self, *, memory_bytes: int, processes: int) -> None:
        self._write("memory.max", memory_bytes)
        with suppress(OSError):  # only where there is swap
            self._write("memory.swap.max", 0)
        self._write("memory.oom.group", 1)
        self._write("pids.max", processes)

    def cpu_ns(self) -> int:
        return self._count("cpu.stat", "usage_usec") * 1000

    def peak_memory(self) -> int | None:
        try:
            return int(self._read("memory.peak"))
        except FileNotFoundError:  # before Linux 5.19
            return None

    def ran_out_of_memory(self) -> bool:
        return self._count("memory.events", "oom_kill") > 0

    def _set_frozen(self, frozen: bool) -> None:
        self._write("cgroup.freeze", int(frozen))

    def is_frozen(self) -> bool:
        return self._count("cgroup.events", "frozen") == 1


class Groups:
    """The groups of one worker process. CannotIsolate says why it may have none."""

    def __init__(self) -> None:
        self._made = 0
        self._roots: tuple[Path, ...] = ()
        try:
            self._kind, places = _places()
            for place in places:
                _clean(place)
            name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
            for place in places:
                root = place / name
                root.mkdir()
                self._roots += (root,)
                if self._kind is _GroupV2:
                    (root / "cgroup.subtree_control").write_text("+memory +pids")
            self.make(Limits()).remove()
        except OSError as error:
            self.close()
            raise CannotIsolate(
                f"no control group can be made here ({error}); run the worker as a service with a "
                "tree of its own (systemd: Delegate=yes)"
            ) from error

    def make(self, limits: Limits) -> Group:
        """A group for one bot; OSError where none can be made."""
        self._made += 1
        folders = tuple(f"{root}/{self._made}" for root in self._roots)
        group: Group = self._kind(folders)
        try:
            for folder in folders:
                os.mkdir(folder)
            group.bound(
                # /tmp is memory too, and is bounded by itself.
                memory_bytes=limits.memory_bytes + limits.tmp_bytes,
                processes=limits.processes,
            )
        except OSError:
            group.remove()
            raise
        return group

    def close(self) -> None:
        """Remove what is left, which is empty by then."""
        for root in self._roots:
            with suppress(FileNotFoundError):
                for folder in root.iterdir():
                    if folder.is_dir():
                        _remove(str(folder))
            _remove(str(root))


def _places() -> tuple[type[Group], tuple[Path, ...]]:
    """The folders of our own groups in which groups for bots can be made."""
    own: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    mounts = _mounts()
    if all(name in mounts and name in own for name in _V1_TREES):
        return _GroupV1, tuple(_below(*mounts[name], own[name]) for name in _V1_TREES)
    if "" not in mounts or "" not in own:
        raise FileNotFoundError("control groups are not mounted")
    here = _below(*mounts[""], own[""])
    if here.name == f"{_PREFIX}worker":  # another process of our worker has moved us
        return _GroupV2, (here.parent,)
    offered = (here / "cgroup.controllers").read_text().split()
    if missing := {"memory", "pids"} - set(offered):
        raise FileNotFoundError(f"{here} has no {' and '.join(sorted(missing))} controller")
    _move_to_a_leaf(here)
    return _GroupV2, (here,)


def _move_to_a_leaf(here: Path) -> None:
    """A group of version 2 that has processes cannot hand controllers on: they move below it. A
    worker's processes start together, so the leaf is one for all of them."""
    leaf = here / f"{_PREFIX}worker"
    leaf.mkdir(exist_ok=True)
    for pid in (here / "cgroup.procs").read_text().split():
        (leaf / "cgroup.procs").write_text(pid)
    (here / "cgroup.subtree_control").write_text("+memory +pids")


def _below(mount: Path, root: str, group: str) -> Path:
    """The folder of a group in a mount that shows the tree from `root` on."""
    return mount / os.path.relpath(group, root)


def _mounts() -> dict[str, tuple[Path, str]]:
    """Where each controller of version 1 is mounted, and version 2 under the empty name, and which
    part of its tree is shown there."""
    found: dict[str, tuple[Path, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        root, path = before.split()[3:5]
        place = (Path(path), root)
        kind, _, options = after.split()[:3]
        if kind == "cgroup2":
            found.setdefault("", place)
        elif kind == "cgroup":
            for controller in options.split(","):
                found.setdefault(controller, place)
    return found


def _clean(place: Path) -> None:
    """Remove what a worker that was killed has left; its processes are gone, or go now."""
    for root in place.glob(f"{_PREFIX}[0-9]*"):
        if Path(f"/proc/{root.name.split('-')[1]}").exists():
            continue
        for folder in (*root.glob("*/"), root):
            with suppress(OSError):  # another worker cleans up too
                freezer = folder / "freezer.state"
                if freezer.exists():
                    freezer.write_text("THAWED")
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
                folder.rmdir()


def _remove(folder: str) -> None:
    """The kernel needs a moment after the last process has ended."""
    deadline = time.monotonic() + _REMOVE_S
    while True:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return
