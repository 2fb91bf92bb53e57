"""How well programs can be held on this machine: tiers, and the back ends that give them.

ns+cgroup   namespaces and all else, and a control group: up to 32 processes, memory to the byte
ns          namespaces, Landlock, a filter of system calls, the kernel's limits: one process
landlock    the same without namespaces, for Python bots only: files' names can still be seen
none        nothing holds
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from .api import CannotIsolate, Sandbox

TIERS = ("none", "landlock", "ns", "ns+cgroup")
"""From the weakest to the strongest."""
DEFAULT_MINIMUM = "ns"


def _launcher(tier: str) -> Callable[[], Sandbox]:
    def make() -> Sandbox:
        from .launcher import Launcher  # uses modules that other systems do not have

        return Launcher(tier)

    return make


def _bubblewrap() -> Sandbox:
    from .bubblewrap import Bubblewrap

    return Bubblewrap()


BACK_ENDS: dict[str, tuple[str, Callable[[], Sandbox]]] = {
    "ns+cgroup": ("ns+cgroup", _launcher("ns+cgroup")),
    "ns": ("ns", _launcher("ns")),
    "bubblewrap": ("ns", _bubblewrap),
    "landlock": ("landlock", _launcher("landlock")),
}
"""The tier of each back end and how to make it, by the name that records have; the best first."""


def isolated(*, minimum: str = DEFAULT_MINIMUM, name: str | None = None) -> Sandbox:
    """The best sandbox for uploaded programs that holds on this machine, tried out now.

    `minimum` is the weakest tier that will do; `name` asks for this back end and no other.
    CannotIsolate says what is missing and how to get it, ValueError that there is no such tier.
    """
    if minimum not in TIERS[1:]:
        raise ValueError(f"there is no tier {minimum!r}; there are {', '.join(TIERS[1:])}")
    if name is not None and name not in BACK_ENDS:
        raise ValueError(f"there is no back end {name!r}; there are {', '.join(BACK_ENDS)}")
    if sys.platform != "linux":
        raise CannotIsolate(f"bots can be isolated on Linux only, not on {sys.platform}")
    if name is not None:
        tier, make = BACK_ENDS[name]
        if TIERS.index(tier) < TIERS.index(minimum):
            raise CannotIsolate(f"{name} is of the tier {tier}; at least {minimum} is asked for")
        return make()
    tried = []
    for candidate, (tier, make) in BACK_ENDS.items():
        if TIERS.index(tier) < TIERS.index(minimum):
            continue
        try:
            return make()
        except CannotIsolate as error:
            tried.append(f"{candidate}: {error}")
    raise CannotIsolate("\n".join(tried))
