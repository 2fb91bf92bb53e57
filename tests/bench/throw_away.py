"""A bench on servers of its own, which are thrown away at its end."""

import os
import secrets
import signal
import sys

from deploy import children
from deploy.children import MARK
from deploy.installation import CHECKOUT, Installation
from deploy.scratch import scratch_folder
from deploy.servers import Servers


def run(module: str, *, lasting: bool) -> int:
    """Run `python -m module` with this program's arguments on a new PostgreSQL and Valkey.

    `lasting` ones write as safely as an installation's; the others never wait for the disk.
    Returns its exit status.
    """
    with (
        scratch_folder() as base,
        Servers(base, Installation().programs, lasting=lasting) as servers,
    ):
        data = base / "data"
        data.mkdir(mode=0o700)
        environment = {
            **os.environ,
            **servers.urls,
            "DJANGO_SETTINGS_MODULE": "deploy.settings",
            "SECRET_KEY": secrets.token_urlsafe(48),
            "SLAYER_DEBUG": "0",
            "SLAYER_ALLOWED_HOSTS": "testserver,127.0.0.1",
            "SLAYER_DATA_DIR": str(data),
            "SLAYER_BENCH": "1",
            MARK: str(base),
        }
        print(f"Servers for this run: {servers}.", flush=True)
        bench = children.spawn(
            [sys.executable, "-m", module, *sys.argv[1:]],
            cwd=CHECKOUT,
            env=environment,
            output=None,
            when_orphaned=signal.SIGTERM,
            own_session=False,
        )
        return bench.wait()


def needed() -> bool:
    """Whether this process is not yet the one on its own servers."""
    return "SLAYER_BENCH" not in os.environ
