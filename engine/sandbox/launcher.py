"""The back end on our own launcher: bots begin as copies of an interpreter that is ready to run.

There is one launcher for each worker process. It has user, mount, network and host name namespaces
of its own and, in them, a template of the root that bots get. For each bot it makes one clone(2) of
itself into further namespaces; the copy gives up all that it could do (`inner/cage.py`), waits for
the first message, and is then the bot: a Python program runs in it as it is, anything else replaces
it. So a bot is PID 1 of its namespace, costs no start of an interpreter, and dies with the
launcher, which dies with its worker.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from . import confinement, probe, programs, seccomp, selftest
from .api import CannotIsolate, Limits, MachineFailure, Program
from .cgroups import Group, Groups
from .grouped_bot import GroupedBot
from .isolating import Isolating
from .launcher_bot import LauncherBot
from .launcher_process import CannotLaunch, LauncherProcess, Setup
from .programs import Runtime
from .streams import PollStreams, pipe


class Launcher(Isolating):
    """Programs in isolation. Making one attacks it from inside first; CannotIsolate names every
    hole, or what is missing."""

    def __init__(self, tier: str) -> None:
        super().__init__()
        self.name = tier
        self._rules = {"ns+cgroup": seccomp.SEVERAL, "landlock": seccomp.SEALED}.get(
            tier, seccomp.SINGLE
        )
        if tier == "landlock":
            self.namespaces = ()
        with ExitStack() as opened:
            self._groups = Groups() if tier == "ns+cgroup" else None
            if self._groups:
                opened.callback(self._groups.close)
            self._python, self._process = self._launch_process()
            opened.callback(self._process.close)
            self._python_version = self._process.python
            self._runtimes["python"] = self._python
            self.landlock = self._process.landlock > 0
            self.several_processes = self._groups is not None
            opened.callback(super().close)
            selftest.check(self)
            self._opened = opened.pop_all()

    def _launch_process(self) -> tuple[Runtime, LauncherProcess]:
        others = [
            runtime
            for language in programs.LANGUAGES
            if language != "python"
            for runtime in programs.runtimes(language)
        ]
        places = {path for runtime in others for path in runtime.binds} | {"/proc"}
        tried = []
        for python in programs.runtimes("python"):
            setup = self._setup(python, places)
            try:
                process = LauncherProcess(python.command, setup, self.identity, self.machine)
            except CannotLaunch as error:
                tried.append(str(error))
            else:
                return python, process
        raise CannotIsolate(
            f"our launcher cannot work here as the bots' user {self.identity.uid}: "
            + ("; ".join(tried) or f"there is no Python; install {programs.PACKAGES['python']}")
        )

    def _setup(self, python: Runtime, places: set[str]) -> Setup:
        return Setup(
            tier=self.name,
            filter=seccomp.program(self.machine, self._rules),
            binds=python.binds,
            places=tuple(sorted(places)),
        )

    def _working_runtime(self, language: str) -> tuple[Runtime, str]:
        if not self.namespaces:
            raise CannotIsolate(
                f"{language} bots cannot run here: without user namespaces no program can be kept "
                f"from the files of this machine, only a Python bot. {probe.HELP}"
            )
        return probe.working_runtime(self, language)

    def _run(
        self, program: Program, runtime: Runtime, limits: Limits, random_seed: int
    ) -> LauncherBot:
        if runtime.language == "python":
            entry = f"{self.inside(program.folder)}/{program.entry}"
            return self._start(program.folder, runtime, (), limits, entry, random_seed)
        return self.launch(program.folder, runtime, runtime.run(program, limits), limits)

    def inside(self, folder: Path) -> str:
        return super().inside(folder) if self.namespaces else str(folder.absolute())

    def kernel_limits(self, limits: Limits, runtime: Runtime) -> dict[str, int]:
        found = super().kernel_limits(limits, runtime)
        if not self.namespaces and not self.identity.other:
            # The kernel would count everything else that our own user runs.
            del found["nproc"]
        return found

    def launch(
        self, folder: Path, runtime: Runtime, command: Sequence[str], limits: Limits
    ) -> LauncherBot:
        return self._start(folder, runtime, command, limits)

    def _start(
        self,
        folder: Path,
        runtime: Runtime,
        command: Sequence[str],
        limits: Limits,
        entry: str = "",
        random_seed: int = 0,
    ) -> LauncherBot:
        kernel_limits = self.kernel_limits(limits, runtime).items()
        request = {
            "folder": str(folder.absolute()),
            "command": command,
            "entry": entry,
            "random_seed": random_seed,
            "binds": () if runtime.language == "python" else runtime.binds,
            "proc": runtime.proc,
            "tmp_bytes": limits.tmp_bytes,
            "tmp_files": limits.tmp_files,
            "limits": {confinement.number_of(name): value for name, value in kernel_limits},
        }
        with ExitStack() as ours, ExitStack() as theirs:
            try:
                stdin_end, stdin = pipe(theirs, ours)
                stdout, stdout_end = pipe(ours, theirs)
                stderr, stderr_end = pipe(ours, theirs)
                status, status_end = pipe(ours, theirs)
            except OSError as error:
                raise MachineFailure(f"no pipe could be made: {error}") from error
            group = self._make_group(limits)
            doors: list[int] = []
            thaw: list[int] = []
            if group:
                ours.callback(group.remove)
                doors, thaw = group.doors(), group.thawing()
                for fd in (*doors, *thaw):
                    theirs.callback(os.close, fd)
            pipes = (stdin_end, stdout_end, stderr_end, status_end)
            cpu = self._pin.cpu if self._pin else None
            pid, pidfd = self._process.start(request, pipes, doors, thaw, cpu=cpu)
            ours.pop_all()  # the bot owns them from here on
        streams = PollStreams(stdin, stdout, stderr, end_fd=pidfd, stderr_bytes=limits.stderr_bytes)
        known: dict[str, Any] = {
            "pid": pid,
            "pidfd": pidfd,
            "status": status,
            "limits": limits,
            "running": self._bots,
            "pin": self._pin,
        }
        if group:
            return GroupedBot(self._process, streams, group=group, **known)
        return LauncherBot(self._process, streams, **known)

    def _make_group(self, limits: Limits) -> Group | None:
        if self._groups is None:
            return None
        try:
            return self._groups.make(limits)
        except OSError as error:
            raise MachineFailure(f"no control group could be made for a bot: {error}") from error

    def close(self) -> None:
        self._opened.close()
