"""Which system calls a bot may make, as a program for the kernel's filter (seccomp, classic BPF).

A call that is listed nowhere is answered with ENOSYS, so that language runtimes fall back to older
calls; a known call that no bot needs with EPERM; a call for another machine or the x32 ABI kills.

The filter sees each argument as 64 bits and compares the low 32 only: the kernel itself ignores the
high half of all arguments checked here, so comparing it would let a bot pass by setting it
(CVE-2019-10063 came of that).

A bot is as a rule ONE process, with as many threads as its limits allow: the clock of that process
is then everything it uses, and stopping it stops everything. fork, vfork and clone of a new process
are refused, except where a control group counts and stops the whole family.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence
from functools import cache

from .syscalls import NUMBERS

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
EPERM = 0x00050000 | errno.EPERM
ENOSYS = 0x00050000 | errno.ENOSYS

_X32_BIT = 0x40000000

_ALLOWED = """
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 sendfile copy_file_range
open openat openat2 creat close close_range lseek stat fstat lstat newfstatat statx statfs fstatfs
access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir
mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask truncate ftruncate fallocate
utime utimes utimensat futimesat fsync fdatasync fadvise64 readahead
getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
dup dup2 dup3 pipe pipe2 poll ppoll select pselect6
epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait epoll_wait_old epoll_pwait
epoll_pwait2 eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4
munmap mprotect mremap madvise msync mincore mlock mlock2 munlock mlockall munlockall brk membarrier
pkey_alloc pkey_free pkey_mprotect get_mempolicy mseal
getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups
getpgid getpgrp getsid setpgid setsid capget getpriority getrlimit setrlimit getrusage
times sysinfo uname getcpu getrandom
time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep
alarm pause getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun
timer_delete rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait
rt_sigqueueinfo rt_tgsigqueueinfo sigaltstack kill tkill tgkill restart_syscall
futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list get_robust_list
set_tid_address rseq arch_prctl set_thread_area get_thread_area
sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr
sched_get_priority_max sched_get_priority_min sched_rr_get_interval
execve execveat exit exit_group wait4 waitid
shutdown getsockname getpeername getsockopt setsockopt
"""

SINGLE, SEVERAL, SEALED = "single", "several", "sealed"
"""Three sets of rules: one process; several; one that cannot even become another program, for bots
that see the host's files (Landlock knows nothing of modes, owners and times)."""

_PROCESSES = "fork vfork"
_SEALED_OFF = """execve execveat setsid setpgid chmod fchmod fchmodat fchmodat2 chown fchown lchown
fchownat utime utimes utimensat futimesat"""

_DENIED = {
    "namespaces and mounts": """unshare setns mount umount2 pivot_root chroot move_mount open_tree
        open_tree_attr fsopen fsconfig fsmount fspick mount_setattr statmount listmount""",
    "other processes": """ptrace process_vm_readv process_vm_writev process_madvise process_mrelease
        kcmp pidfd_open pidfd_getfd pidfd_send_signal migrate_pages move_pages""",
    "kernel surface": """bpf perf_event_open userfaultfd io_uring_setup io_uring_enter
        io_uring_register keyctl add_key request_key fanotify_init fanotify_mark name_to_handle_at
        open_by_handle_at lookup_dcookie nfsservctl modify_ldt vmsplice splice tee memfd_secret
        io_setup io_destroy io_getevents io_submit io_cancel io_pgetevents landlock_create_ruleset
        landlock_add_rule landlock_restrict_self seccomp setxattr lsetxattr fsetxattr removexattr
        lremovexattr fremovexattr setxattrat removexattrat inotify_init inotify_init1
        inotify_add_watch inotify_rm_watch mknod mknodat""",
    "administration": """kexec_load kexec_file_load init_module finit_module delete_module
        create_module query_module get_kernel_syms reboot swapon swapoff acct quotactl quotactl_fd
        syslog sethostname setdomainname iopl ioperm vhangup uselib ustat sysfs _sysctl
        clock_settime clock_adjtime settimeofday adjtimex sync syncfs sync_file_range""",
    "memory that no limit counts": """memfd_create shmget shmat shmctl shmdt msgget msgsnd msgrcv
        msgctl semget semop semctl semtimedop mq_open mq_unlink mq_timedsend mq_timedreceive
        mq_notify mq_getsetattr remap_file_pages""",
    "fairness": """sched_setaffinity sched_setscheduler sched_setparam sched_setattr ioprio_set
        ioprio_get setpriority mbind set_mempolicy set_mempolicy_home_node""",
    "network and channels": "socket bind listen accept accept4 connect flock",
    "identity": """setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups
        capset""",
}

_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020000  # NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_MAP_SHARED_ANONYMOUS = 0x21  # would escape RLIMIT_DATA; the low bit is set in SHARED_VALIDATE too
_MSG_OOB = 0x1
_AF_UNIX = 1
_PERSONALITY_QUERY = 0xFFFFFFFF
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
# DUPFD GETFD SETFD GETFL SETFL DUPFD_CLOEXEC GETPIPE_SZ: no locks, leases, notices, pipe sizes
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX
_PRCTL = (2, 3, 7, 15, 16, 21, 23, 30, 38, 39, 41, 42, 0x53564D41)
# GET_PDEATHSIG GET_DUMPABLE GET_KEEPCAPS SET_NAME GET_NAME GET_SECCOMP CAPBSET_READ GET_TIMERSLACK
# SET_NO_NEW_PRIVS GET_NO_NEW_PRIVS SET_THP_DISABLE GET_THP_DISABLE SET_VMA

_Instruction = tuple[int, int, int, int]

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_NUMBER_AT, _MACHINE_AT = 0, 4


def _load_argument(index: int) -> _Instruction:
    return (_LOAD, 0, 0, 16 + 8 * index)  # the low half: both machines are little-endian


def _return(verdict: int) -> list[_Instruction]:
    return [(_RETURN, 0, 0, verdict)]


def _one_of(argument: int, values: Sequence[int]) -> list[_Instruction]:
    """Allow when the argument is one of the values, EPERM otherwise."""
    count = len(values)
    tests = [(_EQUAL, count - index, 0, value) for index, value in enumerate(values)]
    return [_load_argument(argument), *tests, *_return(EPERM), *_return(ALLOW)]


def _no_bit(argument: int, bits: int) -> list[_Instruction]:
    """Allow when none of the bits is set, EPERM otherwise."""
    return [
        _load_argument(argument),
        (_ANY_BIT, 0, 1, bits),
        *_return(EPERM),
        *_return(ALLOW),
    ]


def _not_all_bits(argument: int, bits: int) -> list[_Instruction]:
    """EPERM when all of the bits are set, allow otherwise."""
    return [
        _load_argument(argument),
        (_AND, 0, 0, bits),
        (_EQUAL, 0, 1, bits),
        *_return(EPERM),
        *_return(ALLOW),
    ]


_THREAD_ONLY: list[_Instruction] = [
    _load_argument(0),
    (_ANY_BIT, 1, 0, _CLONE_NEW),
    (_ANY_BIT, 1, 0, _CLONE_THREAD),
    *_return(EPERM),
    *_return(ALLOW),
]

_NO_NAMESPACES = _no_bit(0, _CLONE_NEW)

_CHECKED: dict[str, list[_Instruction]] = {
    "mmap": _not_all_bits(3, _MAP_SHARED_ANONYMOUS),
    "prlimit64": _one_of(0, (0,)),
    "prctl": _one_of(0, _PRCTL),
    "personality": _one_of(0, (0, _PERSONALITY_QUERY)),
    "ioctl": _one_of(1, _IOCTL),
    "fcntl": _one_of(1, _FCNTL),
    "socketpair": _one_of(0, (_AF_UNIX,)),
    "sendto": _no_bit(3, _MSG_OOB),
    "recvfrom": _no_bit(3, _MSG_OOB),
    "sendmsg": _no_bit(2, _MSG_OOB),
    "recvmsg": _no_bit(2, _MSG_OOB),
    "sendmmsg": _no_bit(3, _MSG_OOB),
    "recvmmsg": _no_bit(3, _MSG_OOB),
}


def _leaves(machine: str, rules: str) -> dict[int, list[_Instruction]]:
    """What to do for each listed call number of the machine."""
    numbers = NUMBERS[machine]
    checked = {**_CHECKED, "clone": _NO_NAMESPACES if rules == SEVERAL else _THREAD_ONLY}
    leaves = {numbers[name]: _return(ALLOW) for name in _ALLOWED.split() if name in numbers}
    for name in _PROCESSES.split():
        if name in numbers:
            leaves[numbers[name]] = _return(ALLOW if rules == SEVERAL else EPERM)
    sealed_off = [_SEALED_OFF] if rules == SEALED else []
    for names in (*_DENIED.values(), *sealed_off):
        leaves |= {numbers[name]: _return(EPERM) for name in names.split() if name in numbers}
    return leaves | {numbers[name]: code for name, code in checked.items()}


def _runs(leaves: dict[int, list[_Instruction]]) -> list[tuple[int, list[_Instruction]]]:
    """The number at which each run of calls with the same treatment begins, in order."""
    runs: list[tuple[int, list[_Instruction]]] = []
    for number in range(max(leaves) + 2):
        code = leaves.get(number, _return(ENOSYS))
        if not runs or runs[-1][1] != code:
            runs.append((number, code))
    return runs


def _search(runs: Sequence[tuple[int, list[_Instruction]]]) -> list[_Instruction]:
    """Binary search over the runs; a chain of tests would make the last call cost 300 steps."""
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    below, above = _search(runs[:middle]), _search(runs[middle:])
    first_above = runs[middle][0]
    if len(below) <= 255:
        return [(_AT_LEAST, len(below), 0, first_above), *below, *above]
    # A conditional jump reaches 255 instructions, the plain one any distance.
    return [(_AT_LEAST, 0, 1, first_above), (_JUMP, 0, 0, len(below)), *below, *above]


@cache
def program(machine: str, rules: str = SINGLE) -> bytes:
    """The filter for a machine ("x86_64" or "aarch64"), as an array of struct sock_filter.

    KeyError for other machines.
    """
    head: list[_Instruction] = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        *_return(KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32_BIT),
        *_return(KILL_PROCESS),
    ]
    code = head + _search(_runs(_leaves(machine, rules)))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def machine_here() -> str:
    """This machine's name in the tables here; ValueError names the machines that there are."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if machine not in AUDIT_ARCH:
        known = " and ".join(AUDIT_ARCH)
        raise ValueError(f"there is no system call filter for {machine!r}, only for {known}")
    return machine
