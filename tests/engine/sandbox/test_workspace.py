"""Folders for programs: passed by bots, listed by nobody else, and swept after a killed worker."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from engine.sandbox import workspace
from engine.sandbox.workspace import sweep

HOLD = """
from engine.sandbox import workspace
with workspace() as folder:
    (folder / "1").mkdir()
    (folder / "1" / "main.py").write_text("pass")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "TMPDIR": tempfile.gettempdir(),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_others_may_pass_a_workspace_but_not_list_it() -> None:
    with workspace() as folder:
        assert folder.stat().st_mode & 0o777 == 0o711
    assert not folder.exists()


def test_what_a_killed_process_has_left_is_swept_and_what_is_in_use_is_not() -> None:
    killed, left = holder()
    living, used = holder()
    with workspace() as ours:
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        assert (left / "1" / "main.py").exists()

        assert sweep(older_than_s=0) == 1

        assert not left.exists()
        assert (used / "1" / "main.py").exists()
        assert ours.exists()
    living.communicate("\n")
    assert not used.exists()


def test_a_folder_that_has_just_been_made_is_left_alone(tmp_path: Path) -> None:
    # its maker may not have come to lock it
    made = tmp_path / "slayer-play-new"
    made.mkdir()
    assert sweep() == 0
    os.utime(made, (0, 0))
    assert sweep() == 1


def test_neither_a_link_nor_the_folder_of_somebody_else_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    (tmp_path / "slayer-play-link").symlink_to(target)
    if os.geteuid() == 0:
        other = tmp_path / "slayer-play-other"
        other.mkdir()
        os.chown(other, 65534, 65534)
        assert sweep(older_than_s=0) == 0
        assert other.exists()
    assert sweep(older_than_s=0) == 0
    assert target.exists()
