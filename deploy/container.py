"""One process of an installation in a container of its own: `python -m deploy.container ROLE`.

The same commands that `manage.py up` starts, one to a container: whoever runs the containers starts
them again, so nothing here does. `check` tells whether the process of this container is well.
"""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from deploy import processes
from deploy.environment import WrongValues, read_all
from deploy.installation import CHECKOUT
from deploy.listening import CannotListen, listen

PORT = 8000
ANSWER_S = 5
REAPED_WITHIN_S = 60


def _web() -> None:
    listening = listen("0.0.0.0", PORT)
    os.set_inheritable(listening.fileno(), True)
    _become(processes.web(listening.fileno()))


def _migrate() -> None:
    """The tables of this version, and the workers' role, whose rights are by column."""
    for command in (["migrate", "--noinput"], ["worker_role"]):
        subprocess.run([sys.executable, CHECKOUT / "manage.py", *command], check=True)


def _become(role: processes.Role) -> None:
    command = [os.fspath(part) for part in role.command]
    os.chdir(CHECKOUT)
    os.execv(command[0], command)


ROLES: dict[str, Callable[[], None]] = {
    "web": _web,
    "worker": lambda: _become(processes.worker(1)),
    "housekeeper": lambda: _become(processes.housekeeper()),
    "beat": lambda: _become(processes.beat(Path(read_all()["SLAYER_DATA_DIR"] or "/data"))),
    "migrate": _migrate,
}


def check(role: str) -> str:
    """What is wrong with this container's process; empty when it is well."""
    if role == "web":
        return _web_is_wrong()
    if role in ("worker", "housekeeper"):
        return _worker_is_wrong("worker1" if role == "worker" else role)
    if role == "beat":
        return _nothing_is_reaped()
    return ""  # migrate ends by itself


def _web_is_wrong() -> str:
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=ANSWER_S)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        return f"/healthz does not answer: {error}"
    finally:
        connection.close()
    return "" if answer.status == 200 else f"/healthz answers with {answer.status}"


def _worker_is_wrong(name: str) -> str:
    from deploy.celery import app

    host = f"{name}@{socket.gethostname()}"
    answers = app.control.ping(destination=[host], timeout=ANSWER_S)
    return "" if answers else f"{host} does not answer through the broker"


def _nothing_is_reaped() -> str:
    """Beat has no ear; what comes of its ticks shows that it lives."""
    import django

    django.setup()
    from django.db import connection

    from tournaments import dispatch

    with closing(connection):
        last, now = dispatch.last_reap(), dispatch.database_now()
    if last is None:
        return "nobody has looked for lost attempts yet"
    age_s = (now - last).total_seconds()
    if age_s < REAPED_WITHIN_S:
        return ""
    return f"lost attempts were last looked for {age_s:.0f} s ago"


def role_of_this_container(command_line: bytes) -> str:
    """The role in the command line of a container's first process."""
    words = [word.decode(errors="replace") for word in command_line.split(b"\0") if word]
    for name in ("worker1", "housekeeper"):
        if any(word.startswith(f"{name}@") for word in words):
            return "worker" if name == "worker1" else name
    return next((word for word in words if word in ROLES), "web")


def main(arguments: list[str]) -> int:
    """Become the process of a role, or check it: status 1 when it is not well or cannot be."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    try:
        read_all()  # what is wrong with the settings is said before anything begins
        match arguments:
            case ["check"]:
                wrong = check(role_of_this_container(Path("/proc/1/cmdline").read_bytes()))
            case ["check", role] if role in ROLES:
                wrong = check(role)
            case [role] if role in ROLES:
                ROLES[role]()
                return 0
            case _:
                wrong = (
                    f"Say one of {', '.join(ROLES)}, or check and one of them, "
                    f"not {' '.join(arguments) or 'nothing'}"
                )
    except (WrongValues, CannotListen) as error:
        wrong = str(error)
    except subprocess.CalledProcessError as error:
        return error.returncode
    if wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
