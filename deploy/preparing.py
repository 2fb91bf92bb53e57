"""What an installation needs before its processes start: tables of this version, static files."""

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.bootstrap import SERVICE, stamp_of
from deploy.installation import CHECKOUT, Installation
from deploy.servers import ServerError
from deploy.servers.postgres import tail


def prepare(installation: Installation, environment: Mapping[str, str]) -> None:
    """Migrate the database; collect static files where they have changed. Raises ServerError."""
    running = {"migrate": _manage(installation, environment, "migrate", "--noinput")}
    stamp, now = installation.data / "static-made-from", fingerprint(CHECKOUT)
    stale = not stamp.exists() or stamp.read_text() != now
    if stale:
        running["collectstatic"] = _manage(
            installation, environment, "collectstatic", "--noinput", "--clear"
        )
    try:
        for name, process in running.items():
            if process.wait() != 0:
                log = installation.data / "logs" / f"{name}.log"
                raise ServerError(f"`manage.py {name}` failed; {log} ends with:\n{tail(log)}")
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    if stale:
        stamp.write_text(now)


def fingerprint(checkout: Path) -> str:
    """What the static files are made from: the packages, and the checkout's own files."""
    digest = hashlib.sha256(stamp_of(str(checkout), SERVICE).encode())
    for path in sorted(checkout.glob("*/static/**/*")):
        found = path.stat()
        digest.update(
            f"{path.relative_to(checkout)} {found.st_size} {found.st_mtime_ns}\n".encode()
        )
    return digest.hexdigest()


def _manage(
    installation: Installation, environment: Mapping[str, str], *arguments: str
) -> subprocess.Popen[bytes]:
    with (installation.data / "logs" / f"{arguments[0]}.log").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, CHECKOUT / "manage.py", *arguments],
            cwd=CHECKOUT,
            env={**environment, "SLAYER_NO_VENV": "1"},  # this interpreter has been checked
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
