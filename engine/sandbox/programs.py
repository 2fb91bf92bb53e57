"""How a program of each language is run inside the sandbox, and with what of this machine."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .api import MIB, BotFailure, Limits, Program

LANGUAGES = ("python", "javascript", "java", "native")
PYTHON_FLAGS = ("-S", "-s", "-B")
"""Neither site packages nor bytecode files. Not -I, which would make Python ignore PYTHONHASHSEED;
not -P, so that a bot can import the files beside its entry."""

_OLDEST_PYTHON_3 = 11
_PYTHON_CHECK = """
import asyncio, hashlib, json, math, random, sys, threading
print("%d.%d.%d" % sys.version_info[:3])
"""

_ELF_HEADER, _PROGRAM_HEADER, _PT_LOAD = 64, 56, 1
_ELF_MACHINE = {"x86_64": 62, "aarch64": 183}


@dataclass(frozen=True)
class Runtime:
    """What runs the programs of one language.

    `command` comes before the entry; `check` is a command that prints one line with the version;
    `binds` are paths outside /usr that it reads; `proc` says that it needs a /proc of its own;
    `address_bytes` bounds its address space, whose page tables no other limit counts.
    """

    language: str
    command: tuple[str, ...]
    check: tuple[str, ...]
    binds: tuple[str, ...] = ()
    proc: bool = False
    address_bytes: int = 4096 * MIB

    def run(self, program: Program, limits: Limits) -> tuple[str, ...]:
        """The command that runs a program, as seen from inside."""
        heap = f"-Xmx{limits.memory_bytes // 2}"  # the rest is for what a JVM needs beside
        options = (heap, "-jar") if self.language == "java" else ()
        return (*self.command, *options, f"/bot/{program.entry}")


NATIVE = Runtime("native", (), ())

PACKAGES = {
    "python": "Python 3.11 or newer where all users can read it (Debian: python3)",
    "javascript": "Node.js (Debian: nodejs)",
    "java": "a Java runtime (Debian: default-jre-headless)",
}
"""What to install for a language."""

_HUGE = 64 * 1024 * MIB  # V8 and the JVM reserve far more addresses than they use


def runtimes(language: str) -> Iterator[Runtime]:
    """What could run programs of the language on this machine, the best first."""
    if language == "native":
        yield NATIVE
    elif language == "python":
        yield from _pythons()
    elif language == "javascript" and (path := _system_program("node")):
        yield Runtime("javascript", (path,), (path, "-p", "process.version"), address_bytes=_HUGE)
    elif language == "java" and (path := _system_program("java")):
        yield _java(path)


def _pythons() -> Iterator[Runtime]:
    """Our own base interpreter, never its virtual environment; then the newest of the system."""
    own = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    prefix = os.path.realpath(sys.base_prefix)
    if prefix != "/" and (_below(own, prefix) or _below(own, "/usr")):
        yield _python(own, () if _below(prefix, "/usr") else (prefix,))
    minors = (
        int(match[1])
        for path in Path("/usr/bin").glob("python3.*")
        if (match := re.fullmatch(r"python3\.(\d+)", path.name))
    )
    for minor in sorted(minors, reverse=True):
        if minor >= _OLDEST_PYTHON_3:
            yield _python(f"/usr/bin/python3.{minor}", ())


def _python(path: str, binds: tuple[str, ...]) -> Runtime:
    command = (path, *PYTHON_FLAGS)
    return Runtime("python", command, (*command, "-c", _PYTHON_CHECK), binds)


def _java(path: str) -> Runtime:
    # Serial collector: bots are small, and parallel collectors start a thread for every CPU.
    command = (path, "-XX:+UseSerialGC", "-XX:-UsePerfData")
    # Debian keeps the configuration in /etc and links to it; without it a JVM does not start.
    config = os.path.dirname(os.path.realpath(Path(path).parent.parent / "lib" / "jvm.cfg"))
    return Runtime(
        "java",
        command,
        (*command, "-Xmx64m", "-Xinternalversion"),
        () if _below(config, "/usr") else (config,),
        proc=True,  # the JVM finds its libraries by way of /proc/self
        address_bytes=_HUGE,
    )


def _system_program(name: str) -> str | None:
    for folder in ("/usr/local/bin", "/usr/bin"):
        path = os.path.realpath(f"{folder}/{name}")
        if _below(path, "/usr") and os.access(path, os.X_OK):
            return path
    return None


def _below(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder


def check_entry(program: Program, *, machine: str | None) -> None:
    """Raise BotFailure("start") for an entry that cannot be executed.

    `machine` is this machine's name ("x86_64"); None leaves native programs to the system.
    """
    path = program.folder / program.entry
    if not os.path.isfile(path) or os.path.islink(path):
        raise BotFailure("start", f"the entry {program.entry!r} is not a file of the package")
    if program.language != "native" or machine is None:
        return
    if not path.stat().st_mode & 0o111:
        raise BotFailure("start", f"the entry {program.entry!r} is not executable (mode 0755)")
    _check_elf(program.entry, path, machine)


def _check_elf(entry: str, path: Path, machine: str) -> None:
    """The kernel refuses a program of a wrong format, and the C library would then try to run it
    as a shell script, with a message that nobody understands."""
    with path.open("rb") as file:
        head = file.read(_ELF_HEADER)
    if head.startswith(b"#!"):
        return
    expected = f"expected an ELF program for 64-bit Linux on {machine}, or a script that begins #!"
    if not head.startswith(b"\x7fELF") or len(head) < _ELF_HEADER:
        raise BotFailure("start", f"the entry {entry!r} is not a program; {expected}")
    bits, order = head[4], head[5]
    kind, number = struct.unpack("<HH", head[16:20])
    if (bits, order) != (2, 1) or kind not in (2, 3) or number != _ELF_MACHINE[machine]:
        raise BotFailure("start", f"the entry {entry!r} is for another machine; {expected}")
    if not _loads_something(path, head):
        raise BotFailure(
            "start", f"the entry {entry!r} is cut off or has nothing to run; {expected}"
        )


def _loads_something(path: Path, head: bytes) -> bool:
    """Whether the program headers are there and name a part of the file to load (elf(5): e_phoff,
    e_phentsize, e_phnum, PT_LOAD)."""
    (offset,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    if size != _PROGRAM_HEADER or offset > path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(offset)
        table = file.read(size * count)
    kinds = (struct.unpack_from("<I", table, at)[0] for at in range(0, len(table), size))
    return len(table) == size * count and _PT_LOAD in kinds
