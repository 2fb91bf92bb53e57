#!/usr/bin/env python3
"""Start of every command of the project: `python3 manage.py help` lists them.

Needs nothing but Python: the first command makes `.venv`, every later one uses it.
This file keeps to old syntax, so that an old Python gets as far as the message that it is old.
"""

import os
import sys

OLDEST = (3, 11)


def message_for_old_python():
    """What to say to a Python that is too old, naming a newer one where the PATH has one."""
    needs = ".".join(map(str, OLDEST))
    found = ".".join(map(str, sys.version_info[:2]))
    lines = [
        f"Slayer League needs Python {needs} or newer; this is Python {found} ({sys.executable})."
    ]
    for minor in (13, 12, 11):
        name = f"python3.{minor}"
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            if os.access(os.path.join(folder, name), os.X_OK):
                lines.append(
                    "This machine has a newer one. Run: " + name + " " + " ".join(sys.argv)
                )
                return "\n".join(lines)
    lines.append(
        "Install a newer one (Debian 12 and newer: apt-get install python3 python3-venv) "
        "and run this command with it."
    )
    return "\n".join(lines)


def main():
    if sys.version_info < OLDEST:
        sys.exit(message_for_old_python())
    checkout = os.path.dirname(os.path.abspath(__file__))
    if checkout not in sys.path:
        sys.path.insert(0, checkout)

    from deploy import bootstrap

    bootstrap.enter(checkout, sys.argv[1:])

    from deploy import commandline

    commandline.run(sys.argv)


if __name__ == "__main__":
    main()
