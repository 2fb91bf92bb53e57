"""Bots that start processes, or reach for those of others."""

from tests.engine.sandbox.hostile.case import ANY, LOOP_MS, Case

CLONES_INTO_NAMESPACES = """
facts()
say([attempt(call, "clone", flags | 17, 0, 0, 0, 0)
     for flags in (0x10000000, 0x20000, 0x40000000, 0x02000000)] + [attempt(call, 435, 0, 0)])
"""
CASES: dict[str, Case] = {
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
    "timer_bomb": Case(
        """
facts()
made = 0
def bomb():
    import ctypes
    global made
    number = ctypes.c_int()
    while True:
        call("timer_create", 0, 0, ctypes.addressof(number))
        made += 1
say([attempt(bomb), made <= 128])
""",
        answers=[["EAGAIN", True]],
    ),
    "first_thread_ends": Case(
        # The process lives on without it, and is still stopped, counted and asked.
        """
import ctypes, threading
def rest():
    while True:
        facts()
        begin = time.process_time()
        while time.process_time() - begin < 0.05: pass
        say("played")
threading.Thread(target=rest, daemon=True).start()
call("exit", 0)
""",
        asks=2,
        answers=["played"] * 2,
        holds=lambda outcome: all(50 <= used < 100 for used in outcome.cpu_ms[1:]),
    ),
    "first_thread_ends_in_silence": Case(
        """
import threading
facts()
os.close(1)
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
call("exit", 0)
""",
        reason="exit",
        says="closed its standard output",
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
}
