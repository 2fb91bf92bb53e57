"""Bots that look around, and try to change or keep what they find."""

from tests.engine.sandbox.hostile.case import Case

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
}
