"""What is special about our own launcher: what bots inherit of it, and how it ends."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.sandbox import CannotIsolate, Limits, MachineFailure, Program, isolated, tiers
from engine.sandbox.launcher import Launcher
from tests.engine.sandbox.conftest import back_ends_here, wait_for_the_end_of

MakeProgram = Callable[..., Program]
ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)\n"
TIERS = [name for name in back_ends_here() if name != "bubblewrap"]


@pytest.fixture(params=TIERS)
def launcher(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    with Launcher(request.param) as made:
        yield made


def answer(launcher: Launcher, program: Program, request: object = None) -> object:
    bot = launcher.start(program, Limits())
    try:
        return json.loads(bot.ask(json.dumps(request).encode(), cpu_ms=20_000).line)
    finally:
        bot.stop()


def test_a_bot_leaves_nothing_to_the_next(launcher: Launcher, program: MakeProgram) -> None:
    # given a bot that breaks everything that it shares the beginning of its life with
    vandal = program(
        "import json, random, sys\ninput()\n"
        "print('true', flush=True)\n"
        "json.loads = json.dumps = None\nrandom.seed(1)\nsys.path.clear()\n"
        "sys.modules.clear()\ninput()"
    )
    honest = program(
        "import json, random, sys\nprint(json.dumps([json.loads(input()), sys.path[0]]))"
    )
    assert answer(launcher, vandal) is True

    # then the next one notices nothing
    assert answer(launcher, honest, 7) == [7, launcher.inside(honest.folder)]


# Looks through the memory around the heap and around objects: write(2) of what is not there fails.
SCAN = """
import ctypes, json, os, re
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
told = json.loads(input())
marks = [re.compile(mark.encode()) for mark in told]
seen, pages = [0] * len(marks), 0
out, into = os.pipe()
for middle in (libc.sbrk(ctypes.c_long(0)), id(object()), id(marks), id(ctypes)):
    for at in range((middle & ~4095) - 2**25, (middle & ~4095) + 2**25, 4096):
        if libc.write(into, ctypes.c_void_p(at), ctypes.c_size_t(4096)) == 4096:
            data = os.read(out, 4096)
            pages += 1
            for number, mark in enumerate(marks):
                seen[number] += len(mark.findall(data))
print(json.dumps([pages > 1000, seen]), flush=True)
"""


def test_a_bot_finds_nothing_of_others_in_its_memory(
    launcher: Launcher, place: Path, program: MakeProgram
) -> None:
    # given bots that ran from folders of a telling name, and one that still runs
    first, second = (place / f"opponent_folder-{number}" for number in (1, 2))
    for folder in (first, second):
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "main.py").write_text(ECHO)
        (folder / "main.py").chmod(0o644)
    gone = launcher.start(Program(first, "python", "main.py"), Limits())
    gone.ask(b"a secret of the first", cpu_ms=3000)
    gone.stop()
    running = launcher.start(Program(second, "python", "main.py"), Limits())
    running.ask(b"a secret of the second", cpu_ms=3000)

    # when another looks through its memory for traces of them, and for something that is there
    own = program(SCAN.replace("told =", "here = 'in my own memory'\ntold ="))
    marks = [
        "".join(f"[{char}]" for char in mark)  # so that the mark is not what is found
        for mark in ("opponent_folder", "a secret of", "in my own memory")
    ]
    try:
        looked, found = answer(launcher, own, marks)
    finally:
        running.stop()

    # then it finds only what is its own
    assert looked
    assert found[:2] == [0, 0]
    assert found[2] > 0


def test_nothing_of_the_worker_is_in_the_launcher(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(f"/proc/{launcher._process.pid}")
    if os.geteuid() == 0:  # it is closed to everybody else
        assert set((folder / "environ").read_bytes().split(b"\0")) <= {
            *(b"PATH=/usr/bin", b"HOME=/tmp", b"PYTHONHASHSEED=0", b"LC_CTYPE=C.UTF-8", b""),
        }
        assert b"/proc/" not in (folder / "cmdline").read_bytes()
        assert len(os.listdir(folder / "fd")) == 4  # standard input, output, error; the worker
    assert f"\nUid:\t{launcher.identity.uid}\t" in (folder / "status").read_text()


def test_a_dead_launcher_is_the_machines_fault(launcher: Launcher, program: MakeProgram) -> None:
    made = program(ECHO)
    bots = [launcher.start(made, Limits()) for _ in range(2)]
    for bot in bots:
        bot.ask(b"?", cpu_ms=3000)
    os.kill(launcher._process.pid, signal.SIGKILL)
    for bot in bots:
        wait_for_the_end_of(bot.pid)
        with pytest.raises(MachineFailure, match="the launcher of bots is gone"):
            bot.ask(b"?", cpu_ms=3000)
    with pytest.raises(MachineFailure, match="the launcher of bots is gone"):
        launcher.start(made, Limits())


def test_a_stuck_bot_keeps_nobody_waiting(launcher: Launcher, program: MakeProgram) -> None:
    # given a launcher that does not answer
    os.kill(launcher._process.pid, signal.SIGSTOP)
    launcher._process._control.settimeout(0.2)
    with pytest.raises(MachineFailure, match="the launcher of bots is gone: timed out"):
        launcher.start(program(ECHO), Limits())


def test_a_folder_that_is_gone_is_the_machines_fault(
    launcher: Launcher, program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = program(ECHO)
    bot = launcher.launch(made.folder / "gone", launcher._python, ("/bot/x",), Limits())
    try:
        with pytest.raises(MachineFailure, match=r"could not be confined: .*No such file"):
            bot.ask(b"?", cpu_ms=3000)
    finally:
        bot.stop()


def test_syntax_errors_are_told_as_python_tells_them(
    launcher: Launcher, program: MakeProgram
) -> None:
    bot = launcher.start(program("x = (\n"), Limits())
    with pytest.raises(Exception, match="exit code 1"):
        bot.ask(b"?", cpu_ms=3000)
    said = bot.stop().stderr.decode()
    entry = f"{launcher.inside(bot_folder(program))}/main.py"
    assert said.splitlines()[-1] == "SyntaxError: '(' was never closed"
    assert "launch" not in said
    assert entry.rpartition("/")[2] in said


def bot_folder(program: MakeProgram) -> Path:
    return program("").folder


def test_an_end_as_any_python_has_it(launcher: Launcher, program: MakeProgram) -> None:
    source = (
        "import atexit, sys, threading, time\n"
        "atexit.register(lambda: print('at exit', file=sys.stderr))\n"
        "def late(): time.sleep(0.05); print('thread', file=sys.stderr)\n"
        "threading.Thread(target=late).start()\n"
        "print(__name__, __file__.rpartition('/')[2], sys.argv[0] == __file__, flush=True)\n"
        "sys.exit(3)"
    )
    bot = launcher.start(program(source), Limits())
    assert bot.ask(b"?", cpu_ms=3000).line == b"__main__ main.py True"
    with pytest.raises(Exception, match="exit code 3"):
        bot.ask(b"?", cpu_ms=3000)
    assert bot.stop().stderr == b"thread\nat exit\n"


def test_many_bots_one_after_the_other_leave_nothing(
    launcher: Launcher, program: MakeProgram
) -> None:
    made = program(ECHO)

    def grown() -> tuple[int, int]:
        status = Path(f"/proc/{launcher._process.pid}/status").read_text()
        size = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        descriptors = os.listdir(f"/proc/{launcher._process.pid}/fd") if os.geteuid() == 0 else []
        return int(size.split()[1]), len(descriptors)

    for _ in range(20):
        answer_of(launcher, made)
    before, open_before = grown()
    for _ in range(100):
        answer_of(launcher, made)
    after, open_after = grown()
    assert after - before < 512  # KiB
    assert open_after == open_before


def answer_of(launcher: Launcher, made: Program) -> None:
    bot = launcher.start(made, Limits())
    bot.ask(b"?", cpu_ms=3000)
    bot.stop()


if "ns+cgroup" in TIERS:

    def test_frozen_bots_die_with_a_killed_worker(place: Path, program: MakeProgram) -> None:
        # given a bot of several processes that waits, frozen
        made = program(
            "import os\ninput()\nos.fork()\nos.getpid() == 1 and print(1, flush=True)\ninput()"
        )
        script = place / "worker.py"
        script.write_text(
            "import time\nfrom pathlib import Path\nfrom engine.sandbox import *\n"
            f"program = Program(Path({str(made.folder)!r}), 'python', 'main.py')\n"
            "sandbox = isolated(name='ns+cgroup')\n"
            "bot = sandbox.start(program, Limits())\nbot.ask(b'?', cpu_ms=3000)\n"
            "assert bot._group.frozen\nprint(bot.pid, flush=True)\ntime.sleep(100)\n"
        )
        worker = subprocess.Popen(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
            stdout=subprocess.PIPE,
        )
        with worker:
            assert worker.stdout
            pid = int(worker.stdout.readline())
            worker.kill()

        # then it dies, and the next worker removes its groups
        wait_for_the_end_of(pid)
        assert list(Path("/sys/fs/cgroup").glob(f"**/slayer-{worker.pid}-*"))
        time.sleep(0.1)
        isolated(name="ns+cgroup").close()
        assert not list(Path("/sys/fs/cgroup").glob(f"**/slayer-{worker.pid}-*"))


# The choice


def test_the_best_that_holds_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []

    def fails(name: str) -> Callable[[], object]:
        def make() -> object:
            chosen.append(name)
            raise CannotIsolate(f"not {name}")

        return make

    back_ends = {name: (tier, fails(name)) for name, (tier, _) in tiers.BACK_ENDS.items()}
    monkeypatch.setattr(tiers, "BACK_ENDS", back_ends)
    for minimum, expected in (
        ("landlock", ["ns+cgroup", "ns", "bubblewrap", "landlock"]),
        ("ns", ["ns+cgroup", "ns", "bubblewrap"]),
        ("ns+cgroup", ["ns+cgroup"]),
    ):
        chosen.clear()
        with pytest.raises(CannotIsolate) as refused:
            tiers.isolated(minimum=minimum)
        assert chosen == expected
        assert str(refused.value).splitlines() == [f"{name}: not {name}" for name in expected]


def test_the_minimum_must_be_a_tier() -> None:
    with pytest.raises(ValueError, match=r"no tier 'high'; there are landlock, ns, ns\+cgroup"):
        isolated(minimum="high")
    with pytest.raises(ValueError, match="no back end 'docker'"):
        isolated(name="docker")


def test_random_is_seeded_for_python_bots(launcher: Launcher, program: MakeProgram) -> None:
    source = "import random, sys\nfor line in sys.stdin: print(random.getrandbits(64), flush=True)"
    made = program(source)
    for seed in (811, 4294967295):
        expected = random.Random(seed).getrandbits(64)
        for _ in range(2):
            bot = launcher.start(made, Limits(), random_seed=seed)
            assert bot.ask(b"?", cpu_ms=3000).line == str(expected).encode()
            bot.stop()


@pytest.mark.parametrize(
    ("last", "exit_code", "stderr"),
    [
        ("", 0, b""),
        ("sys.exit(7)", 7, b""),
        ("sys.exit()", 0, b""),
        ("sys.exit('gone')", 1, b"gone\n"),
        ("sys.exit(256)", 0, b""),
        ("import atexit; atexit.register(print, 'at exit', file=sys.stderr)", 0, b"at exit\n"),
        (
            "import threading, time\n"
            "def late(): time.sleep(0.05); sys.stderr.write('thread')\n"
            "threading.Thread(target=late).start()",
            0,
            b"thread",
        ),
        ("sys.stderr = open(2, 'w', closefd=False); sys.stderr.write('kept')", 0, b"kept"),
        ("os.close(1); sys.stdout.write('lost')", 120, b""),
    ],
)
def test_a_python_bot_ends_as_any_python_program(
    launcher: Launcher, program: MakeProgram, last: str, exit_code: int, stderr: bytes
) -> None:
    source = f"import os, sys\nprint(input(), flush=True)\ninput()\n{last}\n"
    bot = launcher.start(program(source), Limits())
    bot.ask(b"1", cpu_ms=3000)
    bot.tell(b"end")
    remains = bot.stop()
    assert (remains.exit_code, remains.signal, remains.stderr) == (exit_code, None, stderr)
    plain = subprocess.run(
        [sys.executable, "-c", source], input=b"1\n2\n", capture_output=True, check=False, env={}
    )
    assert plain.returncode == exit_code
