"""What every back end that isolates has in common: languages that were tried, bots, their user."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from . import confinement, programs, seccomp
from .api import Bot, CannotIsolate, Limits, MachineFailure, Program, Sandbox
from .cpus import Pin, Pins
from .identity import bot_identity
from .process import ProcessBot
from .programs import Runtime


class Isolating(Sandbox):
    """Programs in isolation, each language only once it has been tried in the sandbox itself."""

    isolated = True
    namespaces: tuple[str, ...] = ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")
    """The kinds of namespace that bots do not share with us."""
    landlock = False
    """Whether the kernel's Landlock holds the bots too."""
    several_processes = False
    """Whether a bot may have more than one process."""

    def __init__(self) -> None:
        try:
            self.machine = seccomp.machine_here()
        except ValueError as error:
            raise CannotIsolate(str(error)) from error
        self.identity = bot_identity()
        self._bots: set[ProcessBot] = set()
        self._pins = Pins()
        self._pin: Pin | None = None
        self._runtimes: dict[str, Runtime] = {}
        self._refusals: dict[str, str] = {}
        self._python_version: str | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        refused = self.refusals
        return tuple(name for name in programs.LANGUAGES if name not in refused)

    @property
    def refusals(self) -> Mapping[str, str]:
        for language in programs.LANGUAGES:
            self._choose(language)
        return MappingProxyType(self._refusals)

    @property
    def python_version(self) -> str | None:
        return self._python_version

    def start(self, program: Program, limits: Limits, *, random_seed: int = 0) -> Bot:
        self._choose(program.language)
        if program.language not in self._runtimes:
            raise CannotIsolate(self._refusals[program.language])
        programs.check_entry(program, machine=self.machine)
        if self.identity.other and not (program.folder / program.entry).stat().st_mode & 0o004:
            raise MachineFailure(f"{program.folder / program.entry} must be readable for all users")
        return self._run(program, self._runtimes[program.language], limits, random_seed)

    def _run(self, program: Program, runtime: Runtime, limits: Limits, random_seed: int) -> Bot:
        return self.launch(program.folder, runtime, runtime.run(program, limits), limits)

    @contextmanager
    def on_one_cpu(self) -> Iterator[None]:
        with self._pins.take() as self._pin:
            try:
                yield
            finally:
                self._pin = None

    def close(self) -> None:
        for bot in tuple(self._bots):
            bot.stop()

    def _choose(self, language: str) -> None:
        """Find what runs this language here, once, by trying it in the sandbox."""
        if language in self._runtimes or language in self._refusals:
            return
        try:
            runtime, version = self._working_runtime(language)
        except CannotIsolate as error:
            self._refusals[language] = str(error)
            return
        self._runtimes[language] = runtime
        if language == "python":
            self._python_version = version

    @abstractmethod
    def _working_runtime(self, language: str) -> tuple[Runtime, str]:
        """The first runtime of the language that works here, and its version, or CannotIsolate."""

    def inside(self, folder: Path) -> str:
        """Where a bot sees its own folder."""
        return "/bot"

    def namespace(self, bot: ProcessBot, kind: str) -> int:
        """The inode of one of a bot's namespaces."""
        return os.stat(f"/proc/{bot.pid}/ns/{kind}").st_ino

    def kernel_limits(self, limits: Limits, runtime: Runtime) -> dict[str, int]:
        """The limits that the kernel keeps a bot to, by the names of prlimit."""
        return confinement.kernel_limits(limits, runtime)

    @abstractmethod
    def launch(
        self, folder: Path, runtime: Runtime, command: Sequence[str], limits: Limits
    ) -> ProcessBot:
        """Start any command in the sandbox, with `folder` as /bot; MachineFailure if it fails."""
