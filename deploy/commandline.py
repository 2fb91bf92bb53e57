"""What `manage.py` does inside its environment: settings, servers where a command needs them, help.

On a machine of its own the checkout is a whole installation: a command that needs the database
finds the servers of the installation that runs, or has them for as long as it takes.
"""

import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility, get_commands, load_command_class

from deploy import environment
from deploy.children import MARK
from deploy.installation import CHECKOUT, AlreadyRunning, Installation
from deploy.servers import ServerError, Servers

# These neither read the installation's data nor need its key.
PLAIN = {
    "help",
    "version",
    "test",
    "settings",
    "diffsettings",
    "makemessages",
    "compilemessages",
}
# These work on the installation, and start the servers themselves or need none.
WITHOUT_SERVERS = {"up", "demo", "check", "collectstatic", "spectacular"}
# What to do when the servers do not answer is for these to say.
WITH_WHAT_ANSWERS = {"doctor"}
LOCAL_HOSTS = "127.0.0.1,localhost,[::1]"


def run(arguments: list[str]) -> None:
    """Run one command; ends the process with its exit status when that is not 0."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    command = arguments[1] if len(arguments) > 1 else "help"
    plain = command in PLAIN or command.startswith("-") or {"-h", "--help"} & set(arguments)
    try:
        if plain:
            Utility(arguments).execute()
            return
        environment.read_all()  # before servers are started for nothing
        installation = Installation().prepare()
        set_environment(installation, own=command in ("up", "demo"))
        with servers_for(installation, command):
            Utility(arguments).execute()
    except (ServerError, environment.WrongValues, ImproperlyConfigured) as error:
        print(f"manage.py {command}: {error}", file=sys.stderr)
        sys.exit(1)


def set_environment(installation: Installation, *, own: bool) -> None:
    """Set what the settings read and nobody has named.

    Keys and hosts are made up only for an installation on this machine: where `DATABASE_URL` is
    set, an operator is at work, who has to name them (`own` says that the command keeps its own).
    """
    os.environ["SLAYER_DATA_DIR"] = str(installation.data)
    os.environ[MARK] = str(installation.data)
    if own or not os.environ.get("DATABASE_URL"):
        if not os.environ.get("SECRET_KEY"):
            os.environ["SECRET_KEY"] = installation.secret_key()
        os.environ.setdefault("SLAYER_ALLOWED_HOSTS", LOCAL_HOSTS)


@contextmanager
def servers_for(installation: Installation, command: str) -> Iterator[None]:
    """Servers for one command: those that run, else our own for the time of the block."""
    servers = Servers(installation.data, installation.programs, lasting=True)
    os.environ.update(servers.urls)
    with ExitStack() as stack:
        if command not in WITHOUT_SERVERS and servers.urls:
            try:
                running = stack.enter_context(installation.hold(command))
                stack.enter_context(servers)
                running.ready = True
                installation.tell(running)
            except AlreadyRunning:
                if not installation.ready():
                    raise
            except ServerError as error:
                if command not in WITH_WHAT_ANSWERS:
                    raise
                print(f"manage.py {command}: {error}", file=sys.stderr)
        yield


class Utility(ManagementUtility):
    """Django's, with a help that begins with the project's own commands."""

    def main_help_text(self, commands_only: bool = False) -> str:
        if commands_only:
            return super().main_help_text(commands_only=True)
        names = {
            name: app
            for name, app in get_commands().items()
            if isinstance(app, str) and _is_ours(app)
        }
        width = max(map(len, names), default=0)
        lines = ["Commands of this project (python3 manage.py COMMAND --help tells more):", ""]
        for name in sorted(names):
            help_text = load_command_class(names[name], name).help
            first = str(help_text).strip().splitlines()[0] if help_text else ""
            lines.append(f"  {name:<{width}}  {first}")
        others = sorted(name for name in get_commands() if name not in names)
        lines += ["", "Commands of Django and its packages:", "", *_columns(others)]
        return "\n".join(lines)


def _is_ours(app: str) -> bool:
    if not apps.is_installed(app):
        return False
    file = import_module(app).__file__
    return file is not None and str(CHECKOUT) == os.path.dirname(os.path.dirname(file))


def _columns(names: list[str]) -> list[str]:
    return textwrap.wrap(", ".join(names), width=96, initial_indent="  ", subsequent_indent="  ")
