"""How a fresh copy of the launcher becomes a bot that can reach nothing."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from typing import Any

from . import kernel as k
from .kernel import Kernel

TEMPLATE = "/sys"
"""Where the launcher, in a mount namespace of its own, keeps the root that bots get copies of."""
STATUS_FD = 3
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")


@dataclass(frozen=True)
class Cage:
    """What is the same for all bots of a launcher."""

    kernel: Kernel
    tier: str
    uid: int
    gid: int
    filter: bytes
    """As `Kernel.prepare_filter` has prepared it."""
    landlock: int
    readable: list[str]

    @property
    def namespaces(self) -> bool:
        return self.tier.startswith("ns")

    @property
    def clone_flags(self) -> int:
        if not self.namespaces:
            return 0
        return k.CLONE_NEWUSER | k.CLONE_NEWNS | k.CLONE_NEWPID | k.CLONE_NEWIPC | k.CLONE_NEWUTS


def map_identity(inside_uid: int, inside_gid: int, uid: int, gid: int) -> None:
    """In a fresh user namespace: be this user and group, and nobody else."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inside_uid} {uid} 1"),
        ("gid_map", f"{inside_gid} {gid} 1"),
    ):
        file = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        os.write(file, text.encode())
        os.close(file)


def make_template(kernel: Kernel, binds: list[str], places: list[str]) -> None:
    """Build the root that all bots share: the system's programs, three devices, and mount points,
    all read-only. `binds` are paths outside /usr that are always there, `places` are those that
    some bots will need."""
    root = kernel.new_mount("tmpfs", k.NOSUID | k.NODEV, size="1m", nr_inodes="256", mode="0755")
    trees = {path: kernel.open_tree(path, recursive=True) for path in ("/usr", *binds)}
    links = {}
    for path in ("/lib", "/lib64", "/bin"):
        if os.path.islink(path):
            links[path] = os.readlink(path).lstrip("/")
        elif os.path.isdir(path):  # a system that has not merged it into /usr
            trees[path] = kernel.open_tree(path, recursive=True)
    for tree in trees.values():
        kernel.restrict_mount(tree, k.RDONLY | k.NOSUID | k.NODEV, recursive=True)
    # Not /dev/zero: a shared mapping of it is memory that RLIMIT_DATA does not count.
    devices = {path: kernel.open_tree(path) for path in _DEVICES}
    kernel.put_mount(os.dup(root), TEMPLATE)
    for path in (*trees, *places, "/bot", "/tmp", "/dev"):
        os.makedirs(TEMPLATE + path, 0o755, exist_ok=True)
    for path, target in links.items():
        os.symlink(target, TEMPLATE + path)
    for path, tree in trees.items():
        kernel.put_mount(tree, TEMPLATE + path)
    for path, device in devices.items():
        os.close(os.open(TEMPLATE + path, os.O_CREAT | os.O_WRONLY, 0o644))
        kernel.restrict_mount(device, k.RDONLY | k.NOSUID | k.NOEXEC)
        kernel.put_mount(device, TEMPLATE + path)
    kernel.restrict_mount(root, k.RDONLY)
    os.close(root)


def confine(cage: Cage, request: dict[str, Any], fds: list[int]) -> None:
    """In the fresh copy: give up everything. The order is not free: each step needs what a later
    one takes away. `fds` are standard input, output and error, the status pipe, and one
    cgroup.procs for each group to join."""
    kernel = cage.kernel
    for group in fds[4:]:
        os.write(group, b"0")
    if cage.namespaces:
        kernel.call("unshare", k.CLONE_NEWCGROUP)
        kernel.prctl(k.PR_SET_DUMPABLE, 1)  # or /proc/self would belong to root
        map_identity(1000, 1000, cage.uid, cage.gid)
        _enter(kernel, request)
        kernel.call("sethostname", b"bot", 3)
    else:
        os.chdir(request["folder"])
    for number, fd in enumerate(fds[:4]):
        os.dup2(fd, number, inheritable=number != STATUS_FD)
    kernel.call("close_range", STATUS_FD + 1, 0xFFFFFFFF, 0)
    kernel.no_new_privileges()
    kernel.drop_capabilities(privileged=cage.namespaces)
    if cage.landlock:
        kernel.landlock(cage.landlock, _rights(cage, request))
    os.umask(0o077)
    for number, value in request["limits"].items():
        _limit(int(number), value)
    kernel.prctl(k.PR_SET_PDEATHSIG, 9)  # changes of credentials clear it, so not before
    os.setsid()
    kernel.filter_calls(cage.filter)


def _enter(kernel: Kernel, request: dict[str, Any]) -> None:
    """Build this bot's root from the template, and go there for good."""
    mounts = {"bot": kernel.open_tree(request["folder"])}
    kernel.restrict_mount(mounts["bot"], k.RDONLY | k.NOSUID | k.NODEV | k.NOSYMFOLLOW)
    for path in request["binds"]:
        tree = mounts[path.lstrip("/")] = kernel.open_tree(path, recursive=True)
        kernel.restrict_mount(tree, k.RDONLY | k.NOSUID | k.NODEV, recursive=True)
    if request["proc"]:
        attributes = k.NOSUID | k.NODEV | k.NOEXEC
        mounts["proc"] = kernel.new_mount("proc", attributes, subset="pid", hidepid="invisible")
    root = kernel.open_tree(TEMPLATE, recursive=True)
    kernel.put_mount(os.dup(root), TEMPLATE)
    os.fchdir(root)
    for path, mount in mounts.items():
        kernel.put_mount(mount, path)
    size, files = request["tmp_bytes"], request["tmp_files"]
    options = f"size={size},nr_inodes={files},mode=1777"
    kernel.mount_at("tmp", "tmpfs", k.NOSUID | k.NODEV | k.NOEXEC, options)
    kernel.make_root()
    os.chdir("/bot")


def _rights(cage: Cage, request: dict[str, Any]) -> dict[str, int]:
    """Landlock's rights, by path. Not one for "/", so that a bot can tell that Landlock holds."""
    devices = dict.fromkeys(_DEVICES, k.DEVICE)
    if not cage.namespaces:
        readable = ("/usr", *cage.readable, request["folder"])
        return {**dict.fromkeys(readable, k.READ), **devices}
    programs = ["/usr", "/bot", *cage.readable, *request["binds"]]
    programs += ["/proc"] if request["proc"] else []
    return {**dict.fromkeys(programs, k.READ_AND_RUN), "/tmp": k.SCRATCH, **devices}


def _limit(number: int, value: int) -> None:
    """Soft and hard alike, because a PID 1 ignores the signal of a soft limit; never above our own
    hard limit, which nobody without privileges may pass."""
    hard = resource.getrlimit(number)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(number, (value, value))
