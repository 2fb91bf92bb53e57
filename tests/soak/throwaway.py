"""An installation for one soak: made in a folder of its own, with Django set up to reach it."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.faults.installation import Installation


@contextmanager
def throw_away(settings: Mapping[str, str], *, keep: bool = False) -> Iterator[Installation]:
    """Servers with tables and no process yet; all is ended, and removed unless something failed.

    Only inside the block can what needs Django be imported.
    """
    folder = Path(tempfile.mkdtemp(prefix="slayer-soak-", dir="/tmp"))
    installation = Installation(folder, settings)
    passed = False
    try:
        installation.start_servers()
        os.environ.update(
            installation.here,
            DJANGO_SETTINGS_MODULE="deploy.settings",
            SLAYER_DEBUG="1",
            SLAYER_LOG_LEVEL="ERROR",  # of this process; the others' logs are whole
        )
        import django

        django.setup()
        import deploy.celery  # noqa: F401 (the broker to send to)

        installation.migrate()
        yield installation
        passed = True
    finally:
        installation.end()
        if passed and not keep:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"Everything that was written is in {folder}")
