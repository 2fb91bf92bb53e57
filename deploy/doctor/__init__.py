"""What is wrong with an installation, and what to do about it: `python3 manage.py doctor`.

Each look at a part gives findings; none needs another part to be well, so a doctor can be asked
when the database or the broker is away, which is when one is.
"""

from collections.abc import Callable, Iterator

from deploy.doctor.database import look_at_database
from deploy.doctor.finding import Finding, Level
from deploy.doctor.machine import look_at_disk, look_at_python, look_at_sandbox, look_at_storage
from deploy.doctor.messages import look_at_broker, look_at_celery
from deploy.doctor.service import look_at_settings, look_at_workers

__all__ = ["LOOKS", "Finding", "Level", "examine"]

LOOKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "python": look_at_python,
    "settings": look_at_settings,
    "database": look_at_database,
    "broker": look_at_broker,
    "celery": look_at_celery,
    "disk": look_at_disk,
    "storage": look_at_storage,
    "sandbox": look_at_sandbox,
    "workers": look_at_workers,
}
"""By part, what looks at it."""


def examine(parts: list[str]) -> Iterator[Finding]:
    """Look at the parts. A look that itself breaks is a finding too."""
    for part in parts:
        try:
            yield from LOOKS[part]()
        except Exception as error:  # whatever it is, the other parts are still to be looked at
            yield Finding(
                Level.FAIL,
                part,
                f"could not be looked at: {type(error).__name__}: {error}",
                "this is a mistake in the doctor; the other findings stand",
            )
