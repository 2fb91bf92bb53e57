"""Bots that take more memory, files or threads than they may."""

from engine.sandbox import Limits
from tests.engine.sandbox.hostile.case import ANY, Case

CASES: dict[str, Case] = {
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
    "tmp_through_mappings": Case(
        # What is written through memory counts too: past the end of /tmp there is nothing.
        """
import mmap
facts()
def fill():
    for name in "ab":
        with open("/tmp/" + name, "wb+") as file:
            file.truncate(12 * 2**20)
            mapped = mmap.mmap(file.fileno(), 12 * 2**20)
            mapped.write(b"x" * 12 * 2**20)
say(attempt(fill))
""",
        reason="killed",
        signal=7,
        says="SIGBUS",
        on={"landlock": {"answers": ["EACCES"], "reason": None, "signal": None, "says": ""}},
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
}
