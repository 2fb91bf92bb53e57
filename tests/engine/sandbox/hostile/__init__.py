"""Programs that try to get out, to cheat or to do harm, each with what must come of it.

Needs nothing but the engine, so that it also runs as another user:

    python3 -m tests.engine.sandbox.hostile BACK_END [CASE …]

prints {case: what went wrong, or null}.
"""

from engine.sandbox import Sandbox
from tests.engine.sandbox.hostile import (
    honest,
    kernel,
    memory,
    output,
    processes,
    sight,
    times,
)
from tests.engine.sandbox.hostile.case import Case
from tests.engine.sandbox.hostile.case import run as run_case

CASES: dict[str, Case] = {}
for _theme in (times, memory, processes, output, sight, kernel, honest):
    assert not CASES.keys() & _theme.CASES.keys()
    CASES |= _theme.CASES


def run(sandbox: Sandbox, name: str) -> str | None:
    """Play one case among real surroundings; what went wrong, or None."""
    return run_case(sandbox, CASES[name])
