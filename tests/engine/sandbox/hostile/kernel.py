"""Bots that look for a way out through the network or the kernel."""

from engine.sandbox.seccomp import _DENIED, machine_here
from engine.sandbox.syscalls import NUMBERS
from tests.engine.sandbox.hostile.case import Case


def _all_denied() -> list[str]:
    known = NUMBERS[machine_here()]
    names = " ".join(_DENIED.values()).split()
    return [name for name in names if name in known]


CASES: dict[str, Case] = {
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
