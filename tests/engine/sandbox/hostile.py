"""Programs that try to get out, to cheat or to do harm, each with what must come of it.

Needs nothing but the engine, so that it also runs as another user:

    python3 -m tests.engine.sandbox.hostile BACK_END [CASE …]

prints {case: what went wrong, or null}.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.faults import escape
from engine.sandbox import (
    BotFailure,
    Limits,
    MachineFailure,
    Program,
    Remains,
    Sandbox,
    isolated,
    workspace,
)
from engine.sandbox.identity import bot_identity
from engine.sandbox.seccomp import _DENIED, machine_here
from engine.sandbox.syscalls import NUMBERS

# `facts()` waits for the next request; `call` is a raw system call.
PRELUDE = """
import errno, json, os, sys, time

def facts():
    return json.loads(sys.stdin.readline())

def say(value):
    print(json.dumps(value), flush=True)

def attempt(act, *args, **named):
    try:
        act(*args, **named)
    except OSError as error:
        return errno.errorcode[error.errno]
    except BaseException as error:
        return type(error).__name__
    return "done"

def call(name, *args):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    number = NUMBERS[name] if isinstance(name, str) else name
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args)) == -1:
        raise OSError(ctypes.get_errno(), "")

facts()
say("ready")
"""
PRELUDE = PRELUDE.replace("NUMBERS", repr(NUMBERS[machine_here()]))

START_MS = 4000.0
LOOP_MS = 200.0
ANY = -1
"""For a signal: whether the kernel or we were first to kill it does not matter."""


@dataclass(frozen=True)
class Outcome:
    answers: list[Any]
    failure: BotFailure | None
    remains: Remains
    cpu_ms: list[float]


@dataclass(frozen=True)
class Case:
    """A bot and what must come of it: its answers after the first, the reason of its failure (None:
    it plays on), the signal or exit code that ended it, and a further check of the outcome.

    `on` names what differs on some back end."""

    source: str
    answers: list[Any] | None = None
    reason: str | None = None
    signal: int | None = None
    exit_code: int | None = None
    says: str = ""
    asks: int = 1
    cpu_ms: float = 2000.0
    pause_s: float = 0.0
    limits: Limits = field(default_factory=Limits)
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    holds: Callable[[Outcome], bool] = lambda outcome: True
    prelude: bool = True
    on: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def case_of(name: str, back_end: str) -> Case:
    case = CASES[name]
    return replace(case, **case.on.get(back_end, {}))


def bot_folder(place: Path, case: Case) -> Path:
    folder = place / "bot"
    folder.mkdir()
    folder.chmod(0o755)
    # A bot that is still alive after its last answer waits to be asked again.
    source = f"{PRELUDE}{case.source}\nfacts()\n" if case.prelude else case.source
    for name, content in {"main.py": source.encode(), **case.files}.items():
        path = folder / name
        path.write_bytes(content)
        path.chmod(0o755)
    for name, target in case.links.items():
        (folder / name).symlink_to(target)
    return folder


def play(sandbox: Sandbox, case: Case, *, facts: dict[str, Any] | None = None) -> Outcome:
    """Start the bot, ask it as often as the case says, stop it."""
    line = json.dumps(facts or {}).encode()
    answers: list[Any] = []
    used: list[float] = []
    failure = None
    with workspace() as place:
        program = Program(bot_folder(place, case), "python", "main.py")
        bot = sandbox.start(program, case.limits)
        try:
            for number in range(case.asks + 1):
                answer = bot.ask(line, cpu_ms=case.cpu_ms if number else START_MS)
                used.append(answer.cpu_ms)
                if number:
                    answers.append(json.loads(answer.line))
                time.sleep(case.pause_s)
        except BotFailure as error:
            failure = error
        finally:
            remains = bot.stop()
    return Outcome(answers, failure, remains, used)


def problem(case: Case, outcome: Outcome) -> str | None:
    """What differs from what must come of the case."""
    seen = (
        f"answers {repr(outcome.answers)[:2000]}, failure {outcome.failure!r} "
        f"({outcome.failure and outcome.failure.reason}), remains {outcome.remains!r}, "
        f"CPU {outcome.cpu_ms}"
    )
    reason = outcome.failure.reason if outcome.failure else None
    if reason != case.reason:
        return f"expected failure {case.reason!r}; {seen}"
    if case.answers is not None and outcome.answers != case.answers:
        return f"expected answers {case.answers!r}; {seen}"
    if case.says and (outcome.failure is None or case.says not in outcome.failure.message):
        return f"expected a message with {case.says!r}; {seen}"
    signal = outcome.remains.signal if case.signal == ANY else case.signal
    if (outcome.remains.signal, outcome.remains.exit_code) != (signal, case.exit_code):
        return f"expected signal {case.signal}, exit code {case.exit_code}; {seen}"
    if not case.holds(outcome):
        return f"the further check failed; {seen}"
    return None


@contextlib.contextmanager
def surroundings(place: Path) -> Iterator[dict[str, Any]]:
    """Real targets on the host: a readable file, a listening server, a process of the bots' own
    user. The bot is told where they are."""
    secret = place / "secret"
    secret.write_text("host secret\n")
    secret.chmod(0o644)
    victim = subprocess.Popen(["sleep", "60"], **bot_identity().popen_arguments())
    try:
        with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            unix.bind(f"\0slayer-test-{os.getpid()}")
            unix.listen()
            yield {
                "file": str(secret),
                "port": tcp.getsockname()[1],
                "abstract": unix.getsockname()[1:].decode(),
                "victim": victim.pid,
                "worker": os.getpid(),
            }
        if victim.poll() is not None:
            raise AssertionError("a bot reached a process of the host")
    finally:
        victim.kill()
        victim.wait()


def run(sandbox: Sandbox, name: str) -> str | None:
    """Play one case among real surroundings; what went wrong, or None.

    An attempt that is void, because the machine has too much to do, is made again.
    """
    case = case_of(name, sandbox.name)
    for tries_left in reversed(range(12)):
        with workspace() as place, surroundings(place) as facts:
            try:
                return problem(case, play(sandbox, case, facts=facts))
            except MachineFailure as failure:
                if not tries_left or "too much to do" not in str(failure):
                    raise
    raise AssertionError


def _all_denied() -> list[str]:
    known = NUMBERS[machine_here()]
    names = " ".join(_DENIED.values()).split()
    return [name for name in names if name in known]


CLONES_INTO_NAMESPACES = """
facts()
say([attempt(call, "clone", flags | 17, 0, 0, 0, 0)
     for flags in (0x10000000, 0x20000, 0x40000000, 0x02000000)] + [attempt(call, 435, 0, 0)])
"""
# With Landlock alone a bot sees which files there are, but opens and changes none.
OPEN_HOST_FILES = """
known = facts()
paths = [known["file"], "/etc/passwd", "/root", "/home", "/var", "/sys/kernel/osrelease",
         "/proc/1/environ", "/proc/self/mountinfo", "/run", "/dev/shm", "/dev/tty", "/dev/zero"]
say(sorted({attempt(open, path) for path in paths} | {attempt(open, "/nowhere")}))
"""
WRITE_HOST_FILES = """
import stat
while True:
    known = facts()
    here = os.getcwd()
    acts = [(open, path, "w") for path in
            (here + "/main.py", here + "/new", "/usr/new", "/new", "/tmp/new", "/dev/shm/new")]
    acts += [(os.mkdir, "/tmp/new"), (os.unlink, known["file"]), (os.symlink, "x", "/tmp/new"),
             (os.rename, known["file"], "/tmp/y"), (os.truncate, known["file"], 0)]
    refused = {attempt(*act) for act in acts}
    refused |= {attempt(os.chmod, known["file"], 0o777).replace("EPERM", "EACCES"),
                attempt(os.utime, known["file"]).replace("EPERM", "EACCES")}
    say("/".join(sorted(refused)))
"""

CASES: dict[str, Case] = {
    # Time
    "infinite_loop": Case("facts()\nwhile True: pass", reason="time", cpu_ms=LOOP_MS),
    "loop_in_a_system_call": Case(
        "facts()\nwhile True: os.stat('/')", reason="time", cpu_ms=LOOP_MS
    ),
    "loop_in_many_threads": Case(
        """
import threading
facts()
def burn():
    while True: pass
for _ in range(8): threading.Thread(target=burn, daemon=True).start()
burn()
""",
        reason="time",
        cpu_ms=LOOP_MS,
    ),
    "sleep_forever": Case("facts()\ntime.sleep(1000)", reason="wall", cpu_ms=50),
    "partial_line": Case(
        "facts()\nsys.stdout.write('{\"id\"'); sys.stdout.flush()\ntime.sleep(1000)",
        reason="wall",
        cpu_ms=50,
        holds=lambda outcome: outcome.failure.received == b'{"id"',
    ),
    "slow_import": Case(
        """
import time
begin = time.process_time()
while time.process_time() - begin < 0.7: pass
import json, sys
for line in sys.stdin: print('"played"', flush=True)
""",
        prelude=False,
        answers=["played"],
        holds=lambda outcome: 700 < outcome.cpu_ms[0] < 3000,
    ),
    "cpu_burn_each_move": Case(
        """
while facts() is not None:
    begin = time.process_time()
    while time.process_time() - begin < 0.05: pass
    say("burnt")
""",
        asks=4,
        answers=["burnt"] * 4,
        holds=lambda outcome: all(50 <= used < 100 for used in outcome.cpu_ms[1:]),
    ),
    "cpu_past_the_hard_limit": Case(
        "facts()\nwhile True: pass",
        cpu_ms=60_000,
        limits=Limits(cpu_s=1),
        reason="killed",
        signal=9,
        holds=lambda outcome: 400 < outcome.remains.cpu_ms < 1200,  # as last seen
    ),
    "hard_limit_raised": Case(
        """
import resource
facts()
say([attempt(resource.setrlimit, number, (1 << 40, 1 << 40))
     for number in (resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_DATA,
                    resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)])
""",
        answers=[["ValueError"] * 6],  # "not allowed to raise maximum limit"
    ),
    "think_on_opponents_time": Case(
        """
import threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
while True:
    facts()
    say("thought")
""",
        asks=2,
        pause_s=0.3,
        answers=["thought"] * 2,
        holds=lambda outcome: max(outcome.cpu_ms[1:]) < 100,  # of 300 ms
    ),
    "set_clock": Case(
        "facts()\nsay(attempt(time.clock_settime, time.CLOCK_REALTIME, 0.0))", answers=["EPERM"]
    ),
    "sigstop_self": Case(
        # A PID 1 cannot be stopped from inside its namespace.
        "import signal\nfacts()\nos.kill(os.getpid(), signal.SIGSTOP)\nsay('plays on')",
        answers=["plays on"],
        on={"landlock": {"answers": [], "reason": "wall", "cpu_ms": 50}},
    ),
    "ignore_signals": Case(
        """
import signal
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    attempt(signal.signal, number, signal.SIG_IGN)
facts()
while True: pass
""",
        reason="time",
        cpu_ms=LOOP_MS,
    ),
    # Memory, files, threads
    "alloc_private": Case(
        "facts()\nkept = []\nsay(attempt(lambda: [kept.append(b'x' * 2**22) for _ in range(500)]))",
        answers=["MemoryError"],
        holds=lambda outcome: 100 << 20 < outcome.remains.peak_memory_bytes < 300 << 20,
    ),
    "out_of_memory": Case(
        "facts()\nkept = [b'x' * 2**22 for _ in range(500)]",
        reason="exit",
        exit_code=1,
        holds=lambda outcome: (
            b"MemoryError" in outcome.remains.stderr
            and (outcome.remains.peak_memory_bytes or 0) > 100 << 20
        ),
        # There a bot that ends within milliseconds of its growth was last looked at before it.
        on={"bubblewrap": {"holds": lambda outcome: b"MemoryError" in outcome.remains.stderr}},
    ),
    "write_then_protect": Case(
        """
facts()
import ctypes, mmap
libc = ctypes.CDLL(None)
kept = []
while True:
    kept.append(mmap.mmap(-1, 2**25, flags=0x22))
    kept[-1].write(bytes(2**25))
    address = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))
    libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(2**25), 1)
""",
        cpu_ms=20_000,
        reason="killed",
        says="256 MiB of memory",
        holds=lambda outcome: outcome.remains.peak_memory_bytes < 2**31,
        on={"ns+cgroup": {"signal": ANY}},
    ),
    "write_then_protect_while_it_talks": Case(
        """
facts()
import ctypes, mmap
libc = ctypes.CDLL(None)
kept = []
while True:
    kept.append(mmap.mmap(-1, 2**20, flags=0x22))
    kept[-1].write(bytes(2**20))
    address = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))
    libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(2**20), 1)
    os.write(2, b".")
    time.sleep(0.001)
""",
        cpu_ms=20_000,
        reason="killed",
        says="256 MiB of memory",
        holds=lambda outcome: outcome.remains.peak_memory_bytes < 2**30,
        on={"ns+cgroup": {"signal": ANY}},
    ),
    "sleep_at_each_decision": Case(
        "while facts() is not None: time.sleep(0.3); say(1)",
        asks=9,
        cpu_ms=3000,
        limits=Limits(wait_s=1.0),
        reason="wall",
        says="waited for more than 1 s in this play",
        holds=lambda outcome: len(outcome.answers) in (3, 4),
    ),
    "sleep_while_it_talks": Case(
        "while facts() is not None:\n"
        "    for _ in range(60): os.write(2, b'.'); time.sleep(0.005)\n"
        "    say(1)",
        asks=9,
        cpu_ms=3000,
        limits=Limits(wait_s=1.0),
        reason="wall",
        says="waited for more than 1 s in this play",
    ),
    "memory_as_a_stack": Case(
        "import mmap\nfacts()\nkept = mmap.mmap(-1, 2**29, flags=0x122)\n"
        "kept[::4096] = bytes(2**17)\nsay('more than allowed')",
        cpu_ms=20_000,
        reason="killed",
        says="256 MiB of memory",
        on={"ns+cgroup": {"signal": ANY}},
    ),
    "alloc_shared": Case(
        """
import mmap
facts()
say([attempt(mmap.mmap, -1, 2**29, flags=flags) for flags in (0x21, 0x23)])
""",
        answers=[["EPERM", "EPERM"]],
    ),
    "alloc_shared_zero_device": Case(
        "facts()\nsay(attempt(os.open, '/dev/zero', os.O_RDWR))",
        answers=["ENOENT"],
        on={"landlock": {"answers": ["EACCES"]}},
    ),
    "page_tables": Case(
        "import mmap\nfacts()\nsay(attempt(mmap.mmap, -1, 2**33, flags=0x22, prot=mmap.PROT_READ))",
        answers=["ENOMEM"],
    ),
    "lock_memory": Case("facts()\nsay(attempt(call, 'mlockall', 3))", answers=["EPERM"]),
    "fill_tmp": Case(
        """
facts()
def fill():
    for number in range(40):
        with open(f"/tmp/{number}", "wb", buffering=0) as file: file.write(b"x" * 2**20)
result = attempt(fill)
made = [path for path in map("/tmp/{}".format, range(40)) if os.path.exists(path)]
say([result, sum(map(os.path.getsize, made)) >> 20])
""",
        answers=[["ENOSPC", 16]],
        on={"landlock": {"answers": [["EACCES", 0]]}},
    ),
    "many_files": Case(
        """
facts()
def fill():
    for number in range(10**6): open(f"/tmp/{number}", "w").close()
say([attempt(fill), sum(os.path.exists(f"/tmp/{number}") for number in range(2000))])
""",
        cpu_ms=20_000,
        answers=[["ENOSPC", 1023]],
        on={
            "bubblewrap": {"answers": None, "reason": "killed", "says": "files in /tmp"},
            "landlock": {"answers": [["EACCES", 0]]},
        },
    ),
    "many_files_little_by_little": Case(
        """
number = 0
def fill():
    global number
    for number in range(number, number + 1000): open(f"/tmp/{number}", "w").close()
while facts() is not None:
    say(attempt(fill))
""",
        asks=2,
        answers=["done", "ENOSPC"],
        on={
            "bubblewrap": {"answers": ["done"], "reason": "killed", "says": "files in /tmp"},
            "landlock": {"answers": ["EACCES", "EACCES"]},
        },
    ),
    "big_file": Case(
        "facts()\nsay(attempt(lambda: open('/tmp/x', 'wb', buffering=0).write(b'x' * 2**21)))\n"
        "facts()\nsay(attempt(os.truncate, '/tmp/x', 2**21))",
        asks=2,
        limits=Limits(file_bytes=2**20),
        answers=["done", "EFBIG"],
        on={"landlock": {"answers": ["EACCES", "ENOENT"]}},
    ),
    "open_files": Case(
        """
facts()
opened = []
def fill():
    while True: opened.append(os.open("/dev/null", os.O_RDONLY))
say([attempt(fill), len(opened)])
""",
        answers=[["EMFILE", 61]],
    ),
    "thread_bomb": Case(
        """
import threading
facts()
def bomb():
    while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
say([attempt(bomb), threading.active_count()])
""",
        holds=lambda outcome: (
            outcome.answers[0][0] == "RuntimeError" and 30 <= outcome.answers[0][1] <= 32
        ),
    ),
    "stack_overflow": Case(
        """
import ctypes
facts()
hook = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
down = hook(lambda depth: down(depth + 1))
sys.setrecursionlimit(10**9)
down(0)
""",
        reason="killed",
        signal=11,
        cpu_ms=10_000,
    ),
    "pending_signals": Case(
        """
import signal
facts()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
def queue():
    import ctypes
    info = ctypes.create_string_buffer(128)
    info[8:12] = (-1 & 0xFFFFFFFF).to_bytes(4, "little")
    for _ in range(10**5):
        call("rt_sigqueueinfo", os.getpid(), signal.SIGRTMIN, ctypes.addressof(info))
say(attempt(queue))
""",
        answers=["EAGAIN"],
    ),
    # Other processes
    "fork_bomb": Case(
        """
facts()
children = 0
def bomb():
    global children
    while True:
        if os.fork() == 0: time.sleep(1000)
        children += 1
say([attempt(bomb), children])
""",
        answers=[["EPERM", 0]],
        on={"ns+cgroup": {"answers": [["EAGAIN", 31]]}},
    ),
    "zombie_bomb": Case(
        """
facts()
children = 0
def bomb():
    global children
    while True:
        if os.fork() == 0: os._exit(0)
        children += 1
say([attempt(bomb), children])
""",
        answers=[["EPERM", 0]],
        on={"ns+cgroup": {"answers": [["EAGAIN", 31]]}},
    ),
    "fork_memory": Case(
        """
facts()
def share():
    for _ in range(8):
        if os.fork() == 0:
            kept = [b"x" * 2**22 for _ in range(25)]
            time.sleep(1000)
    time.sleep(1000)
say(attempt(share))
""",
        answers=["EPERM"],
        on={
            "ns+cgroup": {
                "answers": [],
                "cpu_ms": 20_000,
                "reason": "killed",
                "signal": ANY,
                "says": "used more than 256 MiB of memory",
                "holds": lambda outcome: 256 << 20 < outcome.remains.peak_memory_bytes < 280 << 20,
            }
        },
    ),
    "children_on_opponents_time": Case(
        """
facts()
def burn():
    if os.fork() == 0:
        while True: pass
say(attempt(burn))
while facts() is not None: say("thought")
""",
        asks=3,
        pause_s=0.3,
        answers=["EPERM", "thought", "thought"],
        holds=lambda outcome: max(outcome.cpu_ms[2:]) < 100,  # of 300 ms
        on={"ns+cgroup": {"answers": ["done", "thought", "thought"]}},
    ),
    "timer_on_opponents_time": Case(
        # The signal waits as long as the bot does: it must not have come long before the request.
        """
import signal
came = []
signal.signal(signal.SIGALRM, lambda *_: came.append(time.monotonic()))
facts()
signal.setitimer(signal.ITIMER_REAL, 0.1)
say("set")
facts()
say(len(came) == 1 and time.monotonic() - came[0] < 0.3)
""",
        asks=2,
        pause_s=0.6,
        answers=["set", True],
    ),
    "fork_by_raw_calls": Case(
        """
facts()
CLONE_VM, CLONE_VFORK, SIGCHLD = 0x100, 0x4000, 17
say([attempt(call, "clone", flags, 0, 0, 0, 0)
     for flags in (SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0x10000000 | 0x10000)]
    + [attempt(call, 435, 0, 0)])  # clone3, which threads of the C library try first
""",
        answers=[["EPERM", "EPERM", "EPERM", "EPERM", "ENOSYS"]],
        on={"ns+cgroup": {"source": CLONES_INTO_NAMESPACES}},
    ),
    "burn_in_children": Case(
        """
facts()
def burn():
    if os.fork() == 0:
        while True: pass
    os.wait()
say(attempt(burn))
""",
        answers=["EPERM"],
        cpu_ms=LOOP_MS,
        on={"ns+cgroup": {"answers": [], "reason": "time"}},
    ),
    "flood_by_children": Case(
        "import subprocess\nfacts()\nsay(attempt(subprocess.run, ['/usr/bin/yes']))",
        answers=["EPERM"],
        on={"ns+cgroup": {"answers": [], "reason": "flood"}},
    ),
    "multiprocessing": Case(
        """
import multiprocessing
facts()
say(attempt(lambda: multiprocessing.get_context("fork").Process(target=int).start()))
""",
        answers=["EPERM"],
        on={"ns+cgroup": {"answers": ["done"]}},
    ),
    "daemonize": Case(
        """
facts()
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in (0, 1, 2): os.close(fd)
        time.sleep(1000)
say([attempt(os.setsid), attempt(leave)])
""",
        answers=[["EPERM", "EPERM"]],  # it leads a session already
        on={"ns+cgroup": {"answers": [["EPERM", "done"]]}},
    ),
    "exec_yes": Case(
        "facts()\nsay(attempt(os.execv, '/usr/bin/yes', ['yes']))",
        reason="flood",
        on={"landlock": {"reason": None, "answers": ["EPERM"]}},
    ),
    "exec_another_python": Case(
        "facts()\nsay(attempt(os.execv, sys.executable, [sys.executable, '-S', '-c', "
        "'import socket\\ntry: socket.socket()\\nexcept OSError as error: "
        "print(error.errno, flush=True)\\ninput()']))",
        answers=[1],
        on={"landlock": {"answers": ["EPERM"]}},
    ),
    "exec_in_tmp": Case(
        """
import shutil
facts()
def run():
    shutil.copy("/usr/bin/true", "/tmp/true")
    os.execv("/tmp/true", ["true"])
say(attempt(run))
""",
        answers=["EACCES"],
        on={"bubblewrap": {"answers": [], "reason": "exit", "exit_code": 0}},
    ),
    "kill_all": Case(
        "facts()\nsay([attempt(os.kill, -1, 9), attempt(os.killpg, 2, 9)])",
        answers=[["ESRCH", "ESRCH"]],
        # To all others, which it may not signal: the call says yes all the same.
        on={"landlock": {"answers": [["done", "ESRCH"]]}},
    ),
    "kill_by_pid": Case(
        "known = facts()\nsay([attempt(os.kill, known[who], 9) for who in ('victim', 'worker')])",
        answers=[["ESRCH", "ESRCH"]],
        on={"landlock": {"answers": [["EPERM", "EPERM"]]}},
    ),
    "ptrace": Case(
        "known = facts()\nsay([attempt(call, 'ptrace', 16, known['victim'], 0, 0),"
        " attempt(call, 'process_vm_readv', known['worker'], 0, 0, 0, 0, 0)])",
        answers=[["EPERM", "EPERM"]],
    ),
    "prlimit": Case(
        """
import resource
known = facts()
say([attempt(resource.prlimit, known["victim"], resource.RLIMIT_CPU, (1, 1)),
     attempt(resource.prlimit, os.getpid(), resource.RLIMIT_CPU),
     attempt(resource.prlimit, 0, resource.RLIMIT_CPU)])
""",
        answers=[["EPERM", "EPERM", "done"]],
    ),
    "clear_pdeathsig": Case("facts()\nsay(attempt(call, 'prctl', 1, 0))", answers=["EPERM"]),
    "priorities": Case(
        """
facts()
say([attempt(os.setpriority, os.PRIO_PROCESS, 0, 5), attempt(os.sched_setaffinity, 0, {0}),
     attempt(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0))])
""",
        answers=[["EPERM", "EPERM", "EPERM"]],
    ),
    "traceme": Case("facts()\nsay(attempt(call, 'ptrace', 0, 0, 0, 0))", answers=["EPERM"]),
    "capabilities_back": Case(
        """
import ctypes
facts()
head = (0x20080522).to_bytes(4, "little") + bytes(4)
wanted = b"\\xff" * 24
pin = [ctypes.create_string_buffer(each) for each in (head, wanted)]
say([attempt(call, "capset", *map(ctypes.addressof, pin)), attempt(call, "prctl", 47, 2, 21, 0, 0),
     attempt(call, "prctl", 28, 0), attempt(call, "prctl", 8, 1)])
""",
        answers=[["EPERM"] * 4],
    ),
    "lower_own_limits": Case(
        "import resource\nfacts()\nresource.setrlimit(resource.RLIMIT_CPU, (0, 0))\n"
        "while True: pass",
        cpu_ms=20_000,
        reason="killed",
        signal=9,
        says="hard limit of CPU time",
    ),
    # Other memory
    "own_memory_file": Case(
        "facts()\n"
        "say([attempt(os.open, f'/proc/{who}/mem', 2) for who in ('self', '1', 'thread-self')])",
        answers=[["ENOENT"] * 3],
        on={"landlock": {"answers": [["EACCES"] * 3]}},
    ),
    "many_mappings": Case(
        """
import mmap
facts()
kept = []
def fill():
    for number in range(10**6):
        kept.append(mmap.mmap(-1, 4096, flags=0x22, prot=1 + number % 2 * 2))
say([attempt(fill), len(kept) < 66_000])
""",
        cpu_ms=20_000,
        answers=[["ENOMEM", True]],
    ),
    "pipe_memory": Case(
        """
facts()
filled = 0
def fill():
    global filled
    while True:
        _, into = os.pipe2(os.O_NONBLOCK)
        filled += os.write(into, bytes(2**20))
say([attempt(fill), filled])
""",
        answers=[["EMFILE", 30 * 65536]],
    ),
    "hidden_descriptors": Case(
        # Descriptors that are on their way in a socket are open files too.
        """
import socket
facts()
one, other = socket.socketpair()
file = os.open("/dev/null", os.O_RDONLY)
sent = 0
def hide():
    global sent
    while True:
        socket.send_fds(one, [b"x"], [file] * 10)
        sent += 10
say([attempt(hide), sent <= 80])
""",
        answers=[["ETOOMANYREFS", True]],
    ),
    "sparse_file": Case(
        """
facts()
def grow():
    with open("/tmp/x", "wb") as file: file.truncate(2**30)
say(attempt(grow))
""",
        answers=["EFBIG"],
        on={"landlock": {"answers": ["EACCES"]}},
    ),
    "deep_folders": Case(
        """
facts()
def dig():
    os.chdir("/tmp")
    for _ in range(5000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
say(attempt(dig))
""",
        cpu_ms=20_000,
        answers=["ENOSPC"],
        on={
            "bubblewrap": {"answers": None, "reason": "killed", "says": "files in /tmp"},
            "landlock": {"answers": ["EACCES"]},
        },
    ),
    "link_own_files_elsewhere": Case(
        "facts()\nsay(attempt(os.link, 'main.py', '/tmp/main.py') in ('EXDEV', 'EPERM', 'EACCES'))",
        answers=[True],
    ),
    # Output
    "close_everything": Case(
        "facts()\nos.closerange(0, 64)\ntime.sleep(1000)",
        reason="exit",
        says="closed its standard output",
    ),
    "output_to_nowhere": Case(
        "facts()\nos.dup2(os.open('/dev/null', os.O_WRONLY), 1)\nsay('lost')\ntime.sleep(1000)",
        reason="exit",
        says="closed its standard output",
    ),
    "pipes_that_do_not_block": Case(
        "for fd in (0, 1, 2): os.set_blocking(fd, False)\nimport select\n"
        "select.select([0], [], [])\nfacts()\nsay('played')\nselect.select([0], [], [])",
        answers=["played"],
    ),
    "flood_lines": Case("facts()\nwhile True: print('x' * 100)", reason="flood"),
    "flood_no_newline": Case(
        "facts()\nwhile True: sys.stdout.write('x' * 4096)",
        reason="flood",
        says="65536",
        holds=lambda outcome: outcome.failure.received == b"x" * 200,
    ),
    "huge_json": Case("facts()\nsay('x' * 2**20)", reason="flood", says="65536"),
    "longest_line": Case("facts()\nsay('x' * 65534)", answers=["x" * 65534]),
    "one_byte_too_long": Case("facts()\nsay('x' * 65535)", reason="flood", says="65536"),
    "two_lines": Case(
        "facts()\nos.write(1, b'1\\n2\\n')\ntime.sleep(9)", reason="flood", says="one line"
    ),
    "much_output_over_the_play": Case(
        "while facts() is not None: say('x' * 1000)",
        asks=20,
        limits=Limits(play_bytes=10_000),
        reason="flood",
        says="10000 bytes in one play",
        holds=lambda outcome: len(outcome.answers) == 9,
    ),
    "stderr_flood": Case(
        "facts()\nfor _ in range(160): sys.stderr.write('e' * 65536)\nsay('played')",
        answers=["played"],
        holds=lambda outcome: outcome.remains.stderr == b"e" * 65536 and outcome.remains.stderr_cut,
    ),
    "close_stdout": Case(
        "facts()\nos.close(1)\ntime.sleep(1000)", reason="exit", says="closed its standard output"
    ),
    "close_stdout_and_loop": Case(
        "facts()\nos.close(1)\nwhile True: pass",
        cpu_ms=20_000,
        reason="exit",
        says="closed its standard output",
    ),
    "stdout_kept_elsewhere": Case(
        # A common trick, so that stray prints do not break the protocol.
        "kept = os.dup(1)\nos.dup2(2, 1)\nfacts()\ntime.sleep(0.4)\nprint('stray', flush=True)\n"
        "os.write(kept, b'1\\n')",
        answers=[1],
        holds=lambda outcome: outcome.remains.stderr == b"stray\n",
    ),
    "close_stdin": Case("facts()\nos.close(0)\nsay('played')\ntime.sleep(9)", answers=["played"]),
    "exit_silently": Case("facts()\nos._exit(0)", reason="exit", exit_code=0, says="code 0"),
    "answer_and_exit": Case(
        "facts()\nsay('bye')\nos._exit(3)",
        asks=2,
        answers=["bye"],
        reason="exit",
        exit_code=3,
        says="code 3",
    ),
    "traceback": Case(
        "facts()\nraise KeyError('nothing here')",
        reason="exit",
        exit_code=1,
        holds=lambda outcome: b"KeyError: 'nothing here'" in outcome.remains.stderr,
    ),
    "segfault": Case(
        "import ctypes\nfacts()\nctypes.string_at(0)", reason="killed", signal=11, says="SIGSEGV"
    ),
    "abort": Case(
        "facts()\nos.abort()",
        reason="killed",
        signal=11,  # PID 1 ignores SIGABRT
        on={"landlock": {"signal": 6}},
    ),
    "kill_itself": Case(
        "facts()\nos.kill(os.getpid(), 9)\nsay('plays on')",
        answers=["plays on"],  # PID 1 again
        on={"landlock": {"answers": [], "reason": "killed", "signal": 9}},
    ),
    "stderr_is_worker_log": Case(
        "facts()\nos.write(2, b'\\x1b[2J\\x07\\xff\\n')\nsay('played')",
        answers=["played"],
        holds=lambda outcome: (
            outcome.remains.stderr == b"\x1b[2J\x07\xff\n"
            and escape(outcome.remains.stderr) == r"\x1b[2J\x07\xff\n"
        ),
    ),
    # What can be seen
    "read_host_files": Case(
        """
known = facts()
paths = [known["file"], "/etc/passwd", "/root", "/home", "/var", "/sys", "/proc/1/environ",
         "/proc/self/mountinfo", "/run", "/dev/shm", "/dev/tty", "/dev/zero", "/bot/../etc/passwd"]
say([sorted({attempt(os.stat, path) for path in paths}), attempt(os.listdir, "/dev")])
""",
        answers=[[["ENOENT"], "EACCES"]],
        on={
            "bubblewrap": {"answers": [[["ENOENT"], "done"]]},
            "landlock": {"source": OPEN_HOST_FILES, "answers": [["EACCES", "ENOENT"]]},
        },
    ),
    "env_secrets": Case(
        # bwrap adds PWD, and Python LC_CTYPE where the locale is C.
        "facts()\nsay({name: os.environ[name] for name in os.environ\n"
        "     if name not in ('LC_CTYPE', 'PWD')})",
        answers=[{"PATH": "/usr/bin", "HOME": "/tmp", "PYTHONHASHSEED": "0"}],
    ),
    "write_code_and_persist": Case(
        """
facts()
say([attempt(open, path, "w") for path in ("/bot/main.py", "/bot/new", "/usr/new", "/new",
                                           "/dev/new")])
facts()
seen = os.listdir("/tmp")
open("/tmp/new", "w").close()
say(seen)
""",
        asks=2,
        answers=[["EROFS"] * 5, []],
        on={"landlock": {"source": WRITE_HOST_FILES, "answers": ["EACCES"] * 2}},
    ),
    "inherited_fds": Case(
        """
facts()
def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
say([fd for fd in range(4096) if is_open(fd)])
""",
        answers=[[0, 1, 2]],
    ),
    "reopen_pipes": Case(
        "facts()\nsay([attempt(os.open, path, 1) for path in ('/dev/stdout', '/dev/fd/1')])",
        answers=[["ENOENT", "ENOENT"]],
        on={"landlock": {"answers": None}},  # its own pipes: nothing is gained
    ),
    "symlink_in_bot_dir": Case(
        "facts()\nsay([attempt(open, name) for name in ('passwd', 'up')])",
        links={"passwd": "/etc/passwd", "up": "../../../../etc/passwd"},
        answers=[["ELOOP", "ELOOP"]],
        on={
            "bubblewrap": {"answers": [["ENOENT", "ENOENT"]]},
            "landlock": {"answers": [["EACCES", "EACCES"]]},
        },
    ),
    "identity": Case(
        """
import socket
facts()
say([os.getpid(), os.getuid(), os.getgid(), socket.gethostname(),
     attempt(os.setuid, 0), attempt(os.setgroups, [0])])
""",
        answers=[[1, 1000, 1000, "bot", "EPERM", "EPERM"]],
        on={
            "landlock": {
                "answers": None,
                "holds": lambda outcome: (
                    outcome.answers[0][1] != 0 and outcome.answers[0][4:] == ["EPERM", "EPERM"]
                ),
            }
        },
    ),
    "determinism": Case(
        "import random\nfacts()\nrandom.seed(811)\n"
        "say([hash('slayer') == HASH, list({'a', 'b', 'c'}) == list({'a', 'b', 'c'})])".replace(
            "HASH", "hash(str('slay') + 'er')"
        ),
        answers=[[True, True]],
    ),
    # Ways out
    "network": Case(
        """
import socket
known = facts()
families = [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET,
            socket.AF_VSOCK, socket.AF_ALG, 21]
def to_host():
    socket.create_connection(("127.0.0.1", known["port"]), timeout=1)
say([sorted({attempt(socket.socket, family, kind) for family in families for kind in (1, 2, 3)}),
     attempt(to_host), attempt(call, "connect", 0, 0, 0), attempt(call, "bind", 0, 0, 0)])
""",
        answers=[[["EPERM"], "EPERM", "EPERM", "EPERM"]],
    ),
    "sockets_of_other_families": Case(
        "import socket\nfacts()\n"
        "say([attempt(call, 'socketpair', family, 1, 0, 0) for family in (2, 10, 16, 30)])",
        answers=[["EPERM"] * 4],
    ),
    "ipc": Case(
        """
import fcntl
facts()
file = sys.stdin if not os.access("/tmp", os.W_OK) or attempt(open, "/tmp/x", "w") != "done" \\
    else open("/tmp/x", "w")
say([attempt(call, "shmget", 1, 4096, 0o1600), attempt(call, "msgget", 1, 0o1600),
     attempt(call, "semget", 1, 1, 0o1600), attempt(call, "mq_open", 0, 0, 0, 0),
     attempt(os.memfd_create, "x"), attempt(fcntl.flock, file, fcntl.LOCK_SH),
     attempt(fcntl.lockf, file, fcntl.LOCK_SH), attempt(fcntl.fcntl, file, 1024, 0),
     attempt(fcntl.fcntl, file, 1031, 2**20), attempt(call, "keyctl", 0, 0, 0)])
""",
        answers=[["EPERM"] * 10],
    ),
    "new_userns": Case(
        """
facts()
say([attempt(call, "unshare", 0x10000000), attempt(call, "clone", 0x10000000 | 17, 0, 0, 0, 0),
     attempt(call, "setns", 0, 0), attempt(call, "mount", 0, 0, 0, 0, 0),
     attempt(os.chroot, "/tmp")])
""",
        answers=[["EPERM"] * 5],
    ),
    "exotic_kernel": Case(
        # Without fork: a raw vfork that the filter let pass would run this program twice.
        f"facts()\nsay([attempt(call, name, 0, 0, 0, 0, 0, 0) for name in {_all_denied()!r}])",
        answers=[["EPERM"] * len(_all_denied())],
    ),
    "unknown_calls": Case(
        "facts()\nsay([attempt(call, number, 0, 0, 0) for number in (181, 183, 400, 500, 99999)])",
        answers=[["ENOSYS"] * 5],
    ),
    "tiocsti": Case(
        """
import fcntl
facts()
say([attempt(fcntl.ioctl, 0, number) for number in (0x5412, 0x541C, 0x8933)])
""",
        answers=[["EPERM"] * 3],
    ),
    "tiocsti_with_a_high_half": Case(
        "facts()\nsay(attempt(call, 'ioctl', 0, 0x5412 | 1 << 32, 0))", answers=["EPERM"]
    ),
    "personality": Case(
        "facts()\nsay([attempt(call, 'personality', 0x0040000),"
        " attempt(call, 'personality', 0xFFFFFFFF)])",
        answers=[["EPERM", "done"]],
    ),
    "device_nodes": Case(
        "facts()\nsay([attempt(os.mknod, '/tmp/x', 0o60666, 0x800), attempt(os.mkfifo, '/tmp/f')])",
        answers=[["EPERM", "EPERM"]],
    ),
    # What an honest bot needs
    "honest_tools": Case(
        """
import asyncio, concurrent.futures, hashlib, math, random, select, socket, tempfile, threading
facts()
async def slept():
    await asyncio.sleep(0.01)
    return await asyncio.to_thread(lambda: 1)
def scratch():
    with tempfile.TemporaryFile() as file:
        file.write(b"x" * 10**6)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    total = sum(pool.map(lambda number: number * number, range(100)))
one, other = socket.socketpair()
one.send(b"hello")
say([asyncio.run(slept()), total, other.recv(9).decode(), len(os.urandom(8)), sys.stdin.encoding,
     sys.stdout.isatty(), os.path.basename(os.getcwd()), sorted(os.listdir(".")), attempt(scratch)])
""",
        answers=[[1, 328350, "hello", 8, "utf-8", False, "bot", ["main.py"], "done"]],
        on={
            "landlock": {
                "answers": [[1, 328350, "hello", 8, "utf-8", False, "bot", ["main.py"], "ENOENT"]]
            }
        },
    ),
    "imports_beside_the_entry": Case(
        "import mine\nfacts()\nsay(mine.VALUE)",
        files={"mine.py": b"VALUE = 7\n"},
        answers=[7],
    ),
}

if machine_here() == "x86_64":
    CASES["x32_abi"] = Case(
        "facts()\ncall(0x40000000 | 39)", reason="killed", signal=31, says="SIGSYS"
    )
    CASES["32_bit_calls"] = Case(
        """
import ctypes, mmap
page = mmap.mmap(-1, 4096, flags=0x22, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
facts()
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
say("called")
""",
        reason="killed",
        signal=31,
    )


def main() -> None:
    back_end, *names = sys.argv[1:]
    with isolated(minimum="landlock", name=back_end) as sandbox:
        print(json.dumps({name: run(sandbox, name) for name in names or CASES}))


if __name__ == "__main__":
    main()
