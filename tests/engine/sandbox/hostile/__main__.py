"""Play cases on one back end and print what went wrong."""

import json
import sys

from engine.sandbox import MachineFailure, Sandbox, isolated
from tests.engine.sandbox.hostile import CASES, run


def outcome(sandbox: Sandbox, name: str) -> str | None:
    """What went wrong; a failure of the machine is this case's alone."""
    try:
        return run(sandbox, name)
    except MachineFailure as failure:
        return f"void: {failure}"


def main() -> None:
    back_end, *names = sys.argv[1:]
    with isolated(minimum="landlock", name=back_end) as sandbox:
        print(json.dumps({name: outcome(sandbox, name) for name in names or CASES}))


if __name__ == "__main__":
    main()
