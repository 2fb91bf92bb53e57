"""Runs the commands of a page in a real shell, against a real server.

`curl` and `zip` are small programs of our own with the options that the pages use, so that a test
machine needs neither.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.frontend.docs_reader import CHECKOUT

CURL = """
import sys
import urllib.error
import urllib.request

url, method, out, headers, form, parts = "", "", "", {}, [], []
arguments = iter(sys.argv[1:])
for argument in arguments:
    if argument == "-sf":
        continue
    if not argument.startswith("-"):
        url = argument
        continue
    value = next(arguments)
    if argument == "-X":
        method = value
    elif argument == "-o":
        out = value
    elif argument == "-H":
        name, _, text = value.partition(": ")
        headers[name.title()] = text
    elif argument == "-d":
        form.append(value)
    elif argument == "-F":
        parts.append(value)
    else:
        sys.exit(f"curl: this one does not know {argument}")
body = None
if form:
    body = "&".join(form).encode()
    headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
if parts:
    body = b""
    for part in parts:
        name, _, value = part.partition("=")
        body += f'--edge\\r\\nContent-Disposition: form-data; name="{name}"'.encode()
        if value.startswith("@"):
            body += f'; filename="{value[1:]}"\\r\\n\\r\\n'.encode() + open(value[1:], "rb").read()
        else:
            body += f"\\r\\n\\r\\n{value}".encode()
        body += b"\\r\\n"
    body += b"--edge--\\r\\n"
    headers["Content-Type"] = "multipart/form-data; boundary=edge"
request = urllib.request.Request(url, body, headers, method=method or None)
try:
    with urllib.request.urlopen(request) as response:
        data = response.read()
except urllib.error.HTTPError as error:
    print(url, error, error.read().decode(), file=sys.stderr)
    sys.exit(22)
if out:
    open(out, "wb").write(data)
else:
    sys.stdout.buffer.write(data + b"\\n")
"""

ZIP = """
import sys
import zipfile
from pathlib import Path

recursive, target, folder = sys.argv[1:]
assert recursive == "-r"
with zipfile.ZipFile(target, "w") as archive:
    for path in sorted(Path(folder).rglob("*")):
        archive.write(path)
"""


class Shell:
    """Variables live on from one block of commands to the next; `folder` is the current one."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self._kept = folder / "variables.sh"
        self._kept.write_text("")
        programs = folder / "programs"
        programs.mkdir()
        for name, text in {"curl": CURL, "zip": ZIP}.items():
            (programs / name).write_text(f"#!{sys.executable}{text}")
        (programs / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        for program in programs.iterdir():
            program.chmod(0o755)
        self._environment = {
            **variables,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(CHECKOUT),
        }

    def run(self, block: str) -> str:
        """Run the commands, each of which must succeed; returns what they print."""
        script = f"set -ea\n. {self._kept}\n{block}\nexport -p > {self._kept}\n"
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done.stdout
