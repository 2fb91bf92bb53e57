"""The filter, run by a simulator of the kernel's classic BPF machine."""

import errno
import struct

import pytest

from engine.sandbox import seccomp
from engine.sandbox.syscalls import NUMBERS

MACHINES = ("x86_64", "aarch64")


def simulate(program: bytes, *, arch: int, number: int, args: tuple[int, ...] = ()) -> int:
    """The verdict on a call, by the kernel's rules (Documentation/networking/filter.rst)."""
    padded = [arg & (1 << 64) - 1 for arg in (*args, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator = at = 0
    while True:
        operation, if_true, if_false, k = code[at]
        at += 1
        if operation == 0x20:  # ld [k]
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif operation == 0x54:  # and #k
            accumulator &= k
        elif operation == 0x05:  # ja
            at += k
        elif operation == 0x15:  # jeq
            at += if_true if accumulator == k else if_false
        elif operation == 0x35:  # jge
            at += if_true if accumulator >= k else if_false
        elif operation == 0x45:  # jset
            at += if_true if accumulator & k else if_false
        elif operation == 0x06:  # ret #k
            return k
        else:
            raise AssertionError(f"the kernel's seccomp has no operation {operation:#x}")


def verdict(
    name: str | int, *args: int, machine: str = "x86_64", rules: str = seccomp.SINGLE
) -> str:
    number = NUMBERS[machine][name] if isinstance(name, str) else name
    found = simulate(
        seccomp.program(machine, rules), arch=seccomp.AUDIT_ARCH[machine], number=number, args=args
    )
    return {
        0x7FFF0000: "allow",
        0x80000000: "kill",
        0x00050000 | errno.EPERM: "EPERM",
        0x00050000 | errno.ENOSYS: "ENOSYS",
    }[found]


CLONE_THREAD_OF_GLIBC = 0x3D0F00  # VM FS FILES SIGHAND THREAD SYSVSEM SETTLS PARENT_ and CHILD_...
HIGH = 1 << 32


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        *((name, "allow") for name in ("read", "write", "openat", "futex", "execve", "exit_group")),
        *((name, "allow") for name in ("getrandom", "rt_sigaction", "kill", "fchmodat2", "rseq")),
        *((name, "EPERM") for name in ("unshare", "setns", "mount", "chroot", "ptrace", "bpf")),
        *((name, "EPERM") for name in ("io_uring_setup", "keyctl", "socket", "connect", "flock")),
        *((name, "EPERM") for name in ("memfd_create", "shmget", "mq_open", "inotify_add_watch")),
        *((name, "EPERM") for name in ("clock_settime", "reboot", "setpriority", "seccomp")),
        (435, "ENOSYS"),  # clone3: its flags lie in memory that the filter cannot read
        (1000, "ENOSYS"),
        (0x3FFFFFFF, "ENOSYS"),
    ],
)
def test_calls_without_conditions(machine: str, call: str | int, expected: str) -> None:
    assert verdict(call, machine=machine) == expected


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "args", "expected"),
    [
        ("clone", (CLONE_THREAD_OF_GLIBC,), "allow"),
        ("clone", (17,), "EPERM"),  # fork
        ("clone", (0x4111,), "EPERM"),  # vfork
        ("clone", (CLONE_THREAD_OF_GLIBC | 0x10000000,), "EPERM"),  # a new user namespace
        ("clone", (CLONE_THREAD_OF_GLIBC | 0x20000,), "EPERM"),  # a new mount namespace
        ("clone", (17 | 0x10000 << 32,), "EPERM"),  # the flag in the half that is ignored
        ("mmap", (0, 4096, 3, 0x22, -1, 0), "allow"),  # private, anonymous
        ("mmap", (0, 4096, 1, 0x01, 3, 0), "allow"),  # shared, of a file
        ("mmap", (0, 4096, 3, 0x21, -1, 0), "EPERM"),  # shared, anonymous
        ("mmap", (0, 4096, 3, 0x23, -1, 0), "EPERM"),  # SHARED_VALIDATE, anonymous
        ("mmap", (0, 4096, 3, HIGH | 0x21, -1, 0), "EPERM"),
        ("prlimit64", (0, 7), "allow"),
        ("prlimit64", (1, 7), "EPERM"),
        ("prlimit64", (HIGH, 7), "allow"),  # a pid has 32 bits: this is 0
        ("prctl", (15,), "allow"),  # PR_SET_NAME
        ("prctl", (1, 0), "EPERM"),  # PR_SET_PDEATHSIG
        ("prctl", (22,), "EPERM"),  # PR_SET_SECCOMP
        ("prctl", (35,), "EPERM"),  # PR_SET_MM
        ("prctl", (62,), "EPERM"),  # PR_SCHED_CORE
        ("prctl", (HIGH | 1, 0), "EPERM"),
        ("personality", (0xFFFFFFFF,), "allow"),
        ("personality", (0,), "allow"),
        ("personality", (0x0040000,), "EPERM"),  # ADDR_NO_RANDOMIZE
        ("ioctl", (0, 0x5401), "allow"),  # TCGETS
        ("ioctl", (0, 0x5421), "allow"),  # FIONBIO
        ("ioctl", (0, 0x5412), "EPERM"),  # TIOCSTI
        ("ioctl", (0, HIGH | 0x5412), "EPERM"),
        ("ioctl", (0x5401, 0x5412), "EPERM"),
        ("fcntl", (3, 4, 0x800), "allow"),  # F_SETFL
        ("fcntl", (3, 1030, 0), "allow"),  # F_DUPFD_CLOEXEC
        ("fcntl", (3, 6, 0), "EPERM"),  # F_SETLK
        ("fcntl", (3, 37, 0), "EPERM"),  # F_OFD_SETLK
        ("fcntl", (3, 1024, 0), "EPERM"),  # F_SETLEASE
        ("fcntl", (3, 1031, 1 << 20), "EPERM"),  # F_SETPIPE_SZ
        ("socketpair", (1, 1, 0), "allow"),  # AF_UNIX
        ("socketpair", (2, 1, 0), "EPERM"),
        ("sendto", (3, 0, 0, 0), "allow"),
        ("sendto", (3, 0, 0, 1), "EPERM"),  # MSG_OOB
        ("sendmsg", (3, 0, 1), "EPERM"),
        ("recvmsg", (3, 0, 0x40), "allow"),  # MSG_DONTWAIT
        ("recvmmsg", (3, 0, 1, 1), "EPERM"),
    ],
)
def test_calls_with_conditions(
    machine: str, call: str, args: tuple[int, ...], expected: str
) -> None:
    assert verdict(call, *args, machine=machine) == expected


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "args", "several", "sealed"),
    [
        ("clone", (CLONE_THREAD_OF_GLIBC,), "allow", "allow"),
        ("clone", (17,), "allow", "EPERM"),  # fork
        ("clone", (0x4111,), "allow", "EPERM"),  # vfork
        ("clone", (17 | 0x10000000,), "EPERM", "EPERM"),  # a new user namespace
        ("clone", (17 | 0x20000,), "EPERM", "EPERM"),  # a new mount namespace
        ("unshare", (0x10000000,), "EPERM", "EPERM"),
        ("execve", (), "allow", "EPERM"),
        ("execveat", (), "allow", "EPERM"),
        ("fchmodat", (), "allow", "EPERM"),
        ("fchownat", (), "allow", "EPERM"),
        ("utimensat", (), "allow", "EPERM"),
        ("setsid", (), "allow", "EPERM"),
        ("ptrace", (), "EPERM", "EPERM"),
        ("read", (), "allow", "allow"),
        (435, (), "ENOSYS", "ENOSYS"),
    ],
)
def test_other_rules(
    machine: str, call: str | int, args: tuple[int, ...], several: str, sealed: str
) -> None:
    assert verdict(call, *args, machine=machine, rules=seccomp.SEVERAL) == several
    assert verdict(call, *args, machine=machine, rules=seccomp.SEALED) == sealed


def test_several_processes_may_fork() -> None:
    assert verdict("fork", rules=seccomp.SEVERAL) == "allow"
    assert verdict("vfork", rules=seccomp.SEVERAL) == "allow"
    assert verdict("fork", rules=seccomp.SEALED) == "EPERM"


@pytest.mark.parametrize("call", ["fork", "vfork", "modify_ldt", "iopl", "uselib"])
def test_calls_that_only_x86_64_has(call: str) -> None:
    assert verdict(call) == "EPERM"
    assert call not in NUMBERS["aarch64"]


@pytest.mark.parametrize(
    ("machine", "arch"),
    [
        ("x86_64", 0x40000003),  # i386: int 0x80
        ("x86_64", 0xC00000B7),
        ("aarch64", 0x40000028),  # 32-bit ARM
        ("aarch64", 0xC000003E),
    ],
)
def test_calls_of_another_machine_kill(machine: str, arch: int) -> None:
    for number in range(600):
        assert simulate(seccomp.program(machine), arch=arch, number=number) == 0x80000000


def test_x32_calls_kill() -> None:
    assert all(verdict(0x40000000 | number) == "kill" for number in range(600))
    assert verdict(-1 & 0xFFFFFFFF) == "kill"


@pytest.mark.parametrize("machine", MACHINES)
def test_each_listed_call_has_one_treatment(machine: str) -> None:
    # given the lists as written, each call number must get what its list says: the binary search
    # is right if no number is treated differently
    known = NUMBERS[machine]
    allowed = {known[name] for name in seccomp._ALLOWED.split() if name in known}
    denied = {
        known[name] for names in seccomp._DENIED.values() for name in names.split() if name in known
    }
    denied |= {known[name] for name in seccomp._PROCESSES.split() if name in known}
    checked = {known[name] for name in (*seccomp._CHECKED, "clone")}
    assert not allowed & denied
    assert not checked & (allowed | denied)
    for number in range(max(known.values()) + 50):
        if number not in checked:
            expected = "allow" if number in allowed else "EPERM" if number in denied else "ENOSYS"
            assert verdict(number, machine=machine) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_a_program_is_one_that_the_kernel_takes(machine: str) -> None:
    # BPF_MAXINSNS; jumps only forward and inside; the last instruction returns
    program = seccomp.program(machine)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    assert len(code) <= 4096
    for at, (operation, if_true, if_false, k) in enumerate(code):
        if operation == 0x05:
            assert at + 1 + k < len(code)
        elif operation & 0x07 == 0x05:
            assert at + 1 + max(if_true, if_false) < len(code)
    assert code[-1][0] == 0x06


def test_numbers_are_the_kernels() -> None:
    # by hand from the kernel's own tables
    x86_64, aarch64 = NUMBERS["x86_64"], NUMBERS["aarch64"]
    assert (x86_64["read"], aarch64["read"]) == (0, 63)
    assert (x86_64["clone"], aarch64["clone"]) == (56, 220)
    assert (x86_64["execve"], aarch64["execve"]) == (59, 221)
    assert (x86_64["unshare"], aarch64["unshare"]) == (272, 97)
    assert (x86_64["io_uring_setup"], aarch64["io_uring_setup"]) == (425, 425)
    assert "open" not in aarch64
    for column in (x86_64, aarch64):
        assert len(set(column.values())) == len(column)


def test_an_unknown_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(ValueError, match="'riscv64', only for x86_64 and aarch64"):
        seccomp.machine_here()
