"""The private storage in a folder: what it took is on the disk, and nothing is written over."""

import os
import stat

import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile, File

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
