"""The page of packages and limits against the checks, the limits and the sandbox itself."""

import io
import json
import random
import zipfile
from pathlib import Path

import pytest
from django.conf import settings

from engine import package, sandbox
from engine.package import LANGUAGES, LIMITS, PackageError
from engine.package.manifest import parse_manifest
from engine.sandbox import Limits, Program
from engine.sandbox.programs import runtimes
from engine.sandbox.tiers import BACK_ENDS
from engine.wire import NOTE_LENGTH
from tests.frontend.docs_reader import code, plain, tables
from tests.frontend.docs_shell import Shell

GAME = "deca-slayer"
MANIFEST = {"games": [GAME], "language": "python", "entry": "main.py"}
TABLES = {table.name: table for table in tables("packages.md")}


def zipped(manifest=MANIFEST, **files) -> bytes:
    """A zip of a manifest and `main.py`; `files` are others, by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        if manifest is not None:
            text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in manifest.items())
            archive.writestr("bot.toml", text)
        for name, content in {"main.py": "pass\n", **files}.items():
            archive.writestr(name, content)
    return data.getvalue()


def with_link() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("bot.toml")
        link.create_system = 3
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return data.getvalue()


def refused() -> dict[str, bytes]:
    """What is uploaded to be refused with each of the page's messages."""
    return {
        "there is no bot.toml at the root of the package": zipped(None),
        "bot.toml must be at the root of the package, in small letters": zipped(
            None, **{"Bot.toml": ""}
        ),
        "bot.toml has an unknown key": zipped({**MANIFEST, "langauge": "python"}),
        "bot.toml lacks entry": zipped({"games": [GAME]}),
        "is not in the package": zipped({**MANIFEST, "entry": "Main.py"}),
        "but bot.toml's games lists": zipped({**MANIFEST, "games": ["kunlun"]}),
        "this is not a zip archive": b"not at all",
        "is a link; put the file itself in the package": with_link(),
        "are one name on systems that ignore case": zipped(**{"a.txt": "", "A.txt": ""}),
        "is not a Linux program for x86-64": zipped({**MANIFEST, "language": "native"}),
        "the most that one file may have": zipped(
            # A tenth of it does not pack, or it would be taken for a bomb.
            big=random.Random(0).randbytes(LIMITS.file // 10) + bytes(LIMITS.file)
        ),
        "is not UTF-8 text": zipped(**{"main.py": b"# \xe4\n"}),
    }


def check_keys(table):
    given = {"games": [GAME], "entry": "main.py"}
    optional = {"language": "python", "name": "x" * 80, "version": "x" * 80}
    assert {plain(name): needed == "yes" for name, needed, _ in table.rows} == {
        **dict.fromkeys(given, True),
        **dict.fromkeys(optional, False),
    }

    def manifest(keys):
        return parse_manifest("".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items()).encode())

    assert manifest(given).language == "python"
    assert manifest(given | optional).name == "x" * 80
    for name in given:
        with pytest.raises(PackageError, match=f"lacks {name}"):
            manifest({key: value for key, value in given.items() if key != name})
    for name in ("name", "version"):
        with pytest.raises(PackageError, match="at most 80"):
            manifest(given | {name: "x" * 81})
    with pytest.raises(PackageError, match="did you mean 'entry'"):
        manifest(given | {"entrance": "x"})


def check_languages(table):
    assert tuple(plain(cell) for cell in table.column(0)) == LANGUAGES
    entries = {"python": "main.py", "javascript": "main.js", "java": "main.jar", "native": "main"}
    seen = set()
    for language, _, command in table.rows:
        runtime = next(runtimes(plain(language)), None)
        if runtime is None:  # not on this machine
            continue
        entry = entries[plain(language)]
        program, *rest = runtime.run(Program(Path("/x"), plain(language), entry), Limits())
        name = program.rsplit("/", 1)[-1] if rest else program
        name = "python3" if plain(language) == "python" else name
        mib = Limits().memory_bytes // 2 >> 20
        rest = [part.replace(f"-Xmx{mib << 20}", f"-Xmx{mib}m") for part in rest]
        assert command.startswith(f"`{' '.join([name, *rest])}`")
        seen.add(plain(language))
    assert {"python", "native"} <= seen


def check_sizes(table):
    assert table.values() == {
        "the zip, or the `.py` file": f"{LIMITS.archive // 1_000_000} MB",
        "all files together": f"{LIMITS.total // 1_000_000} MB",
        "one file": f"{LIMITS.file // 1_000_000} MB",
        "files and folders": f"{LIMITS.entries}",
        "characters of a path": f"{LIMITS.path}",
        "levels of folders": f"{LIMITS.depth}",
        "unpacked size of a file, for each packed byte": f"{LIMITS.ratio}",
    }


def check_limits(table):
    limits = Limits()
    assert table.values() == {
        "memory": f"{limits.memory_bytes >> 20} MiB",
        "processes": "1",  # tried below
        "threads": f"{limits.processes}",
        "open files": f"{limits.open_files}",
        "size of a file that it writes": f"{limits.file_bytes >> 20} MiB",
        "all of `/tmp`": f"{limits.tmp_bytes >> 20} MiB",
        "files in `/tmp`": f"{limits.tmp_files}",
        "a line of output": f"{limits.line_bytes:,} bytes",
        "output for one request": f"{limits.turn_bytes:,} bytes",
        "output in the play": f"{limits.play_bytes >> 20} MiB",
        "standard error that is kept": f"{limits.stderr_bytes >> 10} KiB",
        "a note": f"{NOTE_LENGTH} characters",
    }


def check_refusals(table):
    assert [row[0] for row in table.rows] == list(refused())
    for message, data in refused().items():
        with pytest.raises(PackageError) as refusal:
            package.read(data, filename="bot.zip", game=GAME)
        assert message in str(refusal.value)


def check_quotas(table):
    rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    assert table.values() == {
        "uploads for a bot within 24 hours": f"{settings.UPLOADS_PER_BOT_AND_DAY}",
        "active bots of a player in a game": f"{settings.ACTIVE_BOTS_PER_GAME}",
        "bots of a player, all games": f"{settings.BOTS_PER_PLAYER}",
        "packages that a player stores": f"{settings.PLAYER_STORAGE_BYTES >> 20} MiB",
        "calls of the API in a minute, without a key, from one address": rates["anon"].removesuffix(
            "/min"
        ),
        "calls of the API in a minute, with a key": rates["user"].removesuffix("/min"),
    }


# ---------------------------------------------------------------- inside the sandbox

TRIES = {
    "open a network connection": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "start another program beside itself": "import subprocess; subprocess.run(['/bin/true'])",
    "fork": "import os; os.fork()",
    "write beside `/tmp`": "open('/bot/new', 'w')",
    "read `/etc/passwd`": "open('/etc/passwd')",
    "start a thread": "import threading; t = threading.Thread(target=int); t.start(); t.join()",
    "use `asyncio`": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "raise its own priority": "import os; os.setpriority(os.PRIO_PROCESS, 0, -1)",
}

# Answers one line: what comes of each try, and what it finds around it.
PROBE = """\
import json, os, socket, sys

def tried(text):
    try:
        exec(text, {})
    except OSError:
        return "refused"
    return "works"

tries = json.loads(sys.stdin.readline())
found = {name: tried(text) for name, text in tries.items()}
print(json.dumps({
    "tries": found,
    "variables": dict(os.environ),
    "exists": {path: os.path.exists(path) for path in PATHS},
    "bot": os.listdir("/bot"),
    "tmp": os.listdir("/tmp"),
    "folder": os.getcwd(),
    "written": tried("open('/tmp/new', 'w')"),
    "who": [os.getpid(), os.getuid(), socket.gethostname()],
}), flush=True)
sys.stdin.readline()
"""
DEVICES = tuple(f"/dev/{name}" for name in ("null", "random", "urandom", "zero", "tty", "shm"))
PATHS = ("/bot", "/tmp", "/usr", "/bin", "/lib", "/proc/self", "/etc/passwd", "/home", *DEVICES)


@pytest.fixture(scope="module")
def inside() -> dict:
    """What a bot finds in the sandbox."""
    with sandbox.workspace() as folder, sandbox.isolated(name="ns") as box:
        place = folder / "bot"
        place.mkdir(mode=0o755)
        (place / "main.py").write_text(f"PATHS = {PATHS!r}\n{PROBE}")
        bot = box.start(Program(place, "python", "main.py"), Limits())
        answer = bot.ask(json.dumps(TRIES).encode(), cpu_ms=5000)
        bot.stop()
    return json.loads(answer.line)


def check_paths(table, inside):
    there = {path for path, exists in inside["exists"].items() if exists}
    devices = [plain(cell) for cell in table.column(0)[3].split(", ")]
    assert there == {"/bot", "/tmp", "/usr", "/bin", "/lib", *devices}
    assert table.column(0)[:3] == ["`/bot`", "`/tmp`", "`/usr`"]
    assert inside["bot"] == ["main.py"]
    assert (inside["tmp"], inside["written"], inside["folder"]) == ([], "works", "/bot")
    assert table.rows[4] == ("`/proc`", "for Java only")
    proc = {language: next(runtimes(language), None) for language in LANGUAGES}
    assert all(found.proc == (name == "java") for name, found in proc.items() if found)


def check_variables(table, inside):
    shown = {plain(name): plain(value) for name, value in table.rows}
    # Python sets LC_CTYPE for itself (PEP 538), and bubblewrap PWD.
    also = {"LC_CTYPE": "C.UTF-8", "PWD": "/bot"}
    assert shown.items() <= inside["variables"].items() <= (shown | also).items()


def check_tries(table, inside):
    assert list(table.values()) == list(TRIES)
    assert table.values() == inside["tries"]


FORK_AND_WRITE = """
import os, sys
input()
forked = written = 0
try:
    while True:
        if os.fork() == 0:
            import time
            time.sleep(1000)
        forked += 1
except OSError:
    print(1 + forked, flush=True)
input()
try:
    while True:
        open(f"/tmp/{written}", "w").close()
        written += 1
except OSError:
    print("nothing can be written" if written == 0 else "making it fails", flush=True)
input()
"""


def check_sandboxes(table):
    assert [plain(cell) for cell in table.column(0)] == list(BACK_ENDS)
    seen = set()
    for name, processes, file_too_many, languages in table.rows:
        try:
            box = sandbox.isolated(minimum="landlock", name=plain(name))
        except sandbox.CannotIsolate:
            continue
        seen.add(plain(name))
        with sandbox.workspace() as folder, box:
            place = folder / "bot"
            place.mkdir(mode=0o755)
            (place / "main.py").write_text(FORK_AND_WRITE)
            bot = box.start(Program(place, "python", "main.py"), Limits())
            most = int(bot.ask(b"", cpu_ms=20_000).line)
            assert processes.split(",")[0] == str(most)
            try:
                what = bot.ask(b"", cpu_ms=20_000).line.decode()
            except sandbox.BotFailure as failure:
                what = f"`{failure.reason}`"
            bot.stop()
            assert file_too_many == what
            if languages == "Python":
                assert set(box.languages) == {"python"}
    assert "ns" in seen


CHECKS = {
    "bot.toml": check_keys,
    "Languages": check_languages,
    "Sizes": check_sizes,
    "While it plays": check_limits,
    "Common refusals": check_refusals,
    "Versions and quotas": check_quotas,
}
CHECKS_INSIDE = {
    "What a bot sees": check_paths,
    "What a bot sees #2": check_variables,
    "What a bot sees #3": check_tries,
}


def test_table_of_sandboxes():
    check_sandboxes(TABLES["While it plays #2"])


@pytest.mark.parametrize(
    "table",
    [t for t in tables("packages.md") if t.name not in {"While it plays #2", *CHECKS_INSIDE}],
    ids=str,
)
def test_table(table):
    CHECKS[table.name](table)


@pytest.mark.parametrize("name", CHECKS_INSIDE)
def test_table_of_what_is_inside_the_sandbox(name, inside):
    CHECKS_INSIDE[name](TABLES[name], inside)


def test_who_a_bot_is(inside):
    assert inside["who"] == [1, 1000, "bot"]


def test_packed_bytes_count_from_where_the_page_says():
    small, large = bytes(LIMITS.ratio_from), bytes(LIMITS.ratio_from + 1)
    package.read(zipped(data=small), filename="bot.zip", game=GAME)
    with pytest.raises(PackageError, match="zip bomb"):
        package.read(zipped(data=large), filename="bot.zip", game=GAME)


def test_zip_is_made_as_the_page_says(tmp_path):
    shell = Shell(tmp_path)
    folder = shell.folder / "mybot"
    folder.mkdir()
    (block,) = code("packages.md", "toml")
    (folder / "bot.toml").write_text(block.text)
    (folder / "main.py").write_text("pass\n")
    for block in code("packages.md", "sh"):
        shell.run(block.text)
    data = (shell.folder / "mybot.zip").read_bytes()
    assert package.read(data, filename="mybot.zip", game=GAME).manifest.name == "My first bot"
