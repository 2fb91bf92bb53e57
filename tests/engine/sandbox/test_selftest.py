"""The self-test can fail: each layer that is gone is missed, by the canary or from outside."""

import re
import resource
import struct
from collections.abc import Callable

import pytest

from engine.sandbox import CannotIsolate, Sandbox, launcher_process, seccomp
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.cgroups import Group
from engine.sandbox.identity import Identity
from engine.sandbox.launcher import Launcher
from engine.sandbox.launcher_bot import LauncherBot
from tests.engine.sandbox.conftest import back_ends_here

ORIGINAL_MODULES = launcher_process.modules()
ORIGINAL_PROGRAM = seccomp.program


def without(module: str, text: str, instead: str = "") -> dict[str, str]:
    """The launcher's modules with a piece of one replaced."""
    assert ORIGINAL_MODULES[module].count(text) == 1, text
    changed = ORIGINAL_MODULES[module].replace(text, instead)
    return {**ORIGINAL_MODULES, module: changed}


def refusal(made: str | Callable[[], Sandbox] = "ns") -> str:
    make = (lambda: Launcher(made)) if isinstance(made, str) else made
    with pytest.raises(CannotIsolate) as refused:
        make().close()
    assert "the sandbox does not hold on this machine: " in str(refused.value)
    return str(refused.value)


NO_FILTER = "    kernel.filter_calls(cage.filter)\n"


@pytest.mark.parametrize(
    ("module", "text", "instead", "hole"),
    [
        ("cage", NO_FILTER, "", "the system call filter is not active"),
        ("cage", "drop_capabilities(privileged=cage.namespaces)", "prctl(3)", "CapEff"),
        ("kernel", "if drop(_PR_CAPBSET_DROP, capability, 0, 0, 0)", "if True", "CapBnd"),
        ("cage", "    if cage.landlock:\n", "    if False:\n", "Landlock is not active"),
        ("cage", "kernel.prctl(k.PR_SET_PDEATHSIG, 9)", "pass", "it outlives what started it"),
        ("cage", 'kernel.call("close_range", STATUS_FD + 1, 0xFFFFFFFF, 0)', "pass", "open files"),
        ("cage", "| k.CLONE_NEWPID ", "", "shares our pid namespace"),
        ("cage", "| k.CLONE_NEWIPC ", "", "shares our ipc namespace"),
        ("cage", 'kernel.call("unshare", k.CLONE_NEWCGROUP)', "pass", "our cgroup namespace"),
        ("zygote", "| k.CLONE_NEWNET ", "", "shares our net namespace"),
        *(
            (
                "cage",
                "_limit(int(number), value)",
                f"{getattr(resource, number)} == int(number) or _limit(int(number), value)",
                hole,
            )
            for number, hole in (
                ("RLIMIT_DATA", "'Max data size'"),
                ("RLIMIT_NPROC", "'Max processes'"),
                ("RLIMIT_CPU", "'Max cpu time'"),
                ("RLIMIT_AS", "'Max address space'"),
                ("RLIMIT_FSIZE", "'Max file size'"),
            )
        ),
    ],
)
def test_a_layer_that_is_missing_is_missed(
    monkeypatch: pytest.MonkeyPatch, module: str, text: str, instead: str, hole: str
) -> None:
    changed = without(module, text, instead)
    monkeypatch.setattr(launcher_process, "modules", lambda: changed)
    assert hole in refusal()


def test_without_the_promise_of_no_new_privileges_nothing_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = without("cage", "    kernel.no_new_privileges()\n")
    monkeypatch.setattr(launcher_process, "modules", lambda: changed)
    with pytest.raises(CannotIsolate, match=r"could not be confined: .*landlock_restrict_self"):
        Launcher("ns")


def test_a_canary_that_may_do_everything_finds_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    # given no filter, no Landlock, no root of its own and the host's network
    modules = without("cage", NO_FILTER)
    cage = modules["cage"].replace("    if cage.landlock:\n", "    if False:\n")
    cage = cage.replace("    kernel.make_root()\n", "    os.chdir('/')\n")
    cage = cage.replace('    os.chdir("/bot")\n', "    os.chdir('/')\n")
    cage = cage.replace("        _enter(kernel, request)\n", "        os.symlink\n")
    zygote = modules["zygote"].replace("| k.CLONE_NEWNET ", "")
    zygote = zygote.replace(
        '        entry: str = request["entry"]\n',
        "        entry: str = request['folder'] + '/' + os.path.basename(request['entry'])\n",
    )
    monkeypatch.setattr(
        launcher_process, "modules", lambda: {**modules, "cage": cage, "zygote": zygote}
    )
    found = refusal()
    for hole in (
        "a host file can be read",
        "/etc/passwd can be read",
        "/proc/self/environ can be read",
        "the host's servers can be reached",
        "abstract sockets of the host can be reached",
        "it can make sockets",
        "it can make namespaces",
        "it can make memory that no limit counts",
        "it can map shared memory that no limit counts",
        "it can lock files against others",
        "it can start a second process",
    ):
        assert hole in found


# Not with Landlock alone: the canary's children would outlive it.
@pytest.mark.parametrize("tier", [name for name in back_ends_here() if name.startswith("ns")])
def test_a_filter_that_lets_everything_pass_is_found(
    monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    allow = struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)
    monkeypatch.setattr(seccomp, "program", lambda *_: allow)
    found = refusal(tier)
    assert "it can make sockets" in found
    assert ("it can start a second process" in found) == (tier != "ns+cgroup")


@pytest.mark.parametrize("make", [lambda: Launcher("ns"), Bubblewrap], ids=["ns", "bubblewrap"])
def test_a_filter_that_forgets_one_call_is_found(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Sandbox]
) -> None:
    for group, call, hole in (
        ("kernel surface", "io_uring_setup", "it can use io_uring"),
        ("memory that no limit counts", "memfd_create", "memory that no limit counts"),
        ("network and channels", "flock", "it can lock files against others"),
        ("fairness", "sched_setaffinity", "it can pin itself to a CPU"),
    ):
        fewer = re.sub(rf"\b{call}\b", "", seccomp._DENIED[group])
        with monkeypatch.context() as patch:
            patch.setitem(seccomp._DENIED, group, fewer)
            patch.setattr(seccomp, "_ALLOWED", f"{seccomp._ALLOWED} {call}")
            patch.setattr(seccomp, "program", ORIGINAL_PROGRAM.__wrapped__)
            assert hole in refusal(make)


def test_bots_that_go_on_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LauncherBot, "_suspend", lambda self: None)
    assert "a bot that is not asked goes on running" in refusal()


if "ns+cgroup" in back_ends_here():

    def test_children_that_go_on_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Group, "freeze", lambda self: None)
        assert "a bot that is not asked goes on running" in refusal("ns+cgroup")

    def test_bots_as_root_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "engine.sandbox.isolating.bot_identity", lambda: Identity(0, 0, other=False)
        )
        assert "for the kernel the bot is user 0" in refusal()


def test_the_landlock_tier_without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    call = 'return self.call("landlock_create_ruleset", None, 0, 1)'
    changed = without("kernel", call, "return 5")
    monkeypatch.setattr(launcher_process, "modules", lambda: changed)
    with pytest.raises(CannotIsolate, match="Landlock is version 5; 6 is needed"):
        Launcher("landlock")
