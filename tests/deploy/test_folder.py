"""The private storage in a folder: what it took is on the disk, and nothing is written over."""

import os
import stat

import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile, File

from deploy import folder as folder_module
from deploy.folder import PrivateFolder


@pytest.fixture
def synced(monkeypatch):
    """The files and folders that were written through to the disk, by their inodes."""
    found = []
    monkeypatch.setattr(os, "fsync", lambda handle: found.append(os.fstat(handle).st_ino))
    return found


@pytest.fixture
def folder(tmp_path):
    return PrivateFolder(location=str(tmp_path), base_url=None)


def test_a_file_is_on_the_disk_when_it_is_saved(folder, synced, tmp_path):
    # the first one of a folder, the next one, and one that is no bytes in memory
    with open(__file__, "rb") as source:
        for name, content in (
            ("matches/0/one", ContentFile(b"1")),
            ("matches/0/two", ContentFile(b"22")),
            ("matches/0/three", File(source)),
        ):
            synced.clear()
            assert folder.save(name, content) == name
            assert (tmp_path / name).stat().st_ino in synced
    assert (tmp_path / "matches/0/two").read_bytes() == b"22"
    assert stat.S_IMODE((tmp_path / "matches/0/two").stat().st_mode) & 0o133 == 0


def test_a_new_folders_entry_is_on_the_disk_too(folder, synced, tmp_path):
    folder.save("matches/0/one", ContentFile(b"1"))
    assert (tmp_path / "matches/0").stat().st_ino in synced


@pytest.mark.parametrize("count", [1, 5])
def test_files_that_are_saved_together_are_on_the_disk_at_the_end(
    folder, synced, tmp_path, monkeypatch, count
):
    folder.save("matches/0/first", ContentFile(b"0"))
    whole = []
    sync = folder_module._sync_file_system
    monkeypatch.setattr(
        folder_module, "_sync_file_system", lambda path: whole.append(path) or sync(path)
    )
    synced.clear()
    with folder.together():
        for number in range(count):
            folder.save(f"matches/0/{number}", ContentFile(b"1"))
        assert synced == whole == []
    assert whole == ([str(tmp_path / "matches/0/0")] if count > 1 else [])
    assert synced == ([] if count > 1 else [(tmp_path / "matches/0/0").stat().st_ino])


def test_without_a_call_for_all_each_file_is_written_through(folder, synced, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_module, "_sync_file_system", lambda path: False)
    with folder.together():
        for number in range(3):
            folder.save(f"matches/0/{number}", ContentFile(b"1"))
    assert {path.stat().st_ino for path in (tmp_path / "matches/0").iterdir()} <= set(synced)


def test_a_disk_that_fails_at_the_end_is_told(folder, tmp_path):
    block = folder.together()
    block.__enter__()
    for number in range(3):
        folder.save(f"matches/0/{number}", ContentFile(b"1"))
    gone = tmp_path.rename(tmp_path.with_name("gone"))
    with pytest.raises(FileNotFoundError):
        block.__exit__(None, None, None)
    gone.rename(tmp_path)


def test_a_name_that_is_taken_leaves_the_file_that_has_it(folder, tmp_path):
    assert folder.save("packages/one", ContentFile(b"1")) == "packages/one"
    other = folder.save("packages/one", ContentFile(b"2"))
    assert other != "packages/one"
    assert (tmp_path / "packages/one").read_bytes() == b"1"
    assert (tmp_path / other).read_bytes() == b"2"


@pytest.mark.parametrize("name", ["../out", "/etc/out", "matches/../../out", ""])
def test_nothing_is_written_outside(folder, tmp_path, name):
    with pytest.raises((SuspiciousFileOperation, OSError)):
        folder.save(name, ContentFile(b"1"))
    assert list(tmp_path.rglob("*")) == []
