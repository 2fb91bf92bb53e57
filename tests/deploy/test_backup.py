"""Backups are tested by restoring them: all rows, the ledger, the files."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from io import StringIO

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from deploy import asking, backup, restore
from deploy.installation import CHECKOUT
from engine import replay
from engine.verify import verify
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tournaments import archive, dispatch, ladders, ledger, workers
from tournaments.models import Match, Play, Rating, RatingChange

pytestmark = pytest.mark.django_db(transaction=True)


def quiet(text):
    pass


def storage_in(settings, folder):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder)},
        },
    }


@pytest.fixture
def season(settings, tmp_path, redis_url):
    """A ladder on which matches were played, one is running and one waits."""
    storage_in(settings, tmp_path / "files")
    ladder = ladders.open_ladder("deca-slayer")
    workers.register("w@test", workers.Description("1", "3.11", ["python"], 1, "bubblewrap"))
    bots = [entrant() for _ in range(3)]
    for _ in range(2):
        match = ladder_match(ladder, bots)
        claim = claimed(match)
        outcome = dispatch.finish(**ids(claim), result=report(claim))
        assert outcome.verdict == dispatch.Verdict.ACCEPTED, outcome
    claimed(ladder_match(ladder, bots))
    ladder_match(ladder, bots)
    assert ledger.check(ladder) == []
    return ladder


@contextmanager
def new_database():
    """An empty database beside the tests' own; within the block Django uses it."""
    ours = connection.settings_dict["NAME"]
    name = f"{ours}_restored"
    with psycopg.connect(**asking.database_parameters(), autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        connection.close()
        connection.settings_dict["NAME"] = name
        try:
            yield
        finally:
            connection.close()
            connection.settings_dict["NAME"] = ours
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def all_rows():
    """Every row of every table, as the database writes them."""
    with psycopg.connect(**asking.database_parameters()) as found:
        return {
            name: sorted(
                row[0]
                for row in found.execute(
                    sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(name))
                )
            )
            for name in backup.table_names(found)
        }


def foreign_keys():
    with psycopg.connect(**asking.database_parameters()) as found:
        return restore._foreign_keys(found)


def test_a_restored_installation_is_the_same_in_every_row_and_file(
    season, settings, tmp_path, monkeypatch
):
    before = all_rows()
    assert len(before["tournaments_play"]) == 6
    assert len(before["tournaments_ratingchange"]) == 9
    made = backup.make(tmp_path / "copy", say=quiet)
    assert made.files == 2 + 3  # of two matches, and packages
    assert backup.check(tmp_path / "copy") == made

    with new_database():
        # Another file of that name is there.
        storage_in(settings, tmp_path / "other")
        name = next(backup.listed_files(tmp_path / "copy")).name
        default_storage.save(name, ContentFile(b"another"))
        with pytest.raises(backup.BackupError, match="another file"):
            restore.bring_back(tmp_path / "copy", overwrite=False, say=quiet)
        # The power goes off in the middle.
        storage_in(settings, tmp_path / "elsewhere")
        with monkeypatch.context() as patch:
            patch.setattr(restore, "_load_table", break_off(restore._load_table))
            with pytest.raises(RuntimeError):
                restore.bring_back(tmp_path / "copy", overwrite=False, say=quiet)
        assert Rating.objects.count() == Match.objects.count() == 0
        keys = foreign_keys()
        assert len(keys) > 40
        # Then it works.
        restore.bring_back(tmp_path / "copy", overwrite=False, say=quiet)
        assert all_rows() == before
        assert foreign_keys() == keys
        ladder = ladders.open_of("deca-slayer")
        assert ledger.check(ladder) == []
        assert RatingChange.objects.count() == 9
        for play in Play.objects.select_related("match"):
            record = replay.loads(archive.replay(play))
            verify(record)
            assert record.seed == play.match.seed
        # Keys go on where they were, and the service does as well.
        [running] = Match.objects.filter(state="running")
        [waiting] = Match.objects.filter(state="queued")
        claim = claimed(waiting)
        assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
        another = ladder_match(ladder, [each.submission for each in running.contestants.all()])
        assert another.pk == max(running.pk, waiting.pk) + 1
        assert ledger.check(ladder) == []


def break_off(load):
    def breaks(target, path, table):
        if table.name == "tournaments_play":
            raise RuntimeError("the power is off")
        load(target, path, table)

    return breaks


def test_what_is_there_is_not_overwritten_unless_it_is_asked_for(season, tmp_path):
    backup.make(tmp_path / "copy", say=quiet)
    before = all_rows()
    Match.objects.filter(state="queued").update(priority=77)
    changed = all_rows()
    with pytest.raises(backup.BackupError, match="the database is not empty: bots_bot"):
        restore.bring_back(tmp_path / "copy", overwrite=False, say=quiet)
    assert all_rows() == changed
    connection.close()
    with psycopg.connect(**asking.database_parameters()) as other:
        other.execute("SELECT 1")
        with pytest.raises(backup.BackupError, match="stop the service first"):
            restore.bring_back(tmp_path / "copy", overwrite=True, say=quiet)
    assert all_rows() == changed
    said = StringIO()
    call_command("restore", tmp_path / "copy", overwrite=True, stdout=said)
    assert "Every ladder's ledger folds to its ratings." in said.getvalue()
    after = all_rows()
    for rows in (before, after):
        del rows["tournaments_ladder"]  # looking at a ledger counts as a change of its ladder
    assert after == before


def test_every_byte_of_a_backup_counts(season, tmp_path):
    copy = tmp_path / "copy"
    backup.make(copy, say=quiet)
    assert copy.stat().st_mode & 0o077 == 0
    assert len([path for path in copy.rglob("*") if path.is_file()]) > 40
    with pytest.raises(backup.BackupError, match="exists already"):
        backup.make(copy, say=quiet)
    for path in (
        copy / "tables/tournaments_match.copy.gz",
        copy / "files.jsonl",
        next((copy / "files/matches").rglob("*.slym")),
    ):
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(backup.BackupError, match="is not what was written"):
            backup.check(copy)
        path.unlink()
        with pytest.raises(backup.BackupError, match="missing"):
            backup.check(copy)
        path.write_bytes(data)
    backup.check(copy)
    # One of a newer version.
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["migrations"].append(["tournaments", "9999_from_the_future"])
    path.write_text(json.dumps(manifest))
    with pytest.raises(backup.BackupError, match="9999_from_the_future"):
        restore.bring_back(copy, overwrite=False, say=quiet)
    path.unlink()
    with pytest.raises(backup.BackupError, match="no whole backup"):
        backup.check(copy)


def test_a_file_that_is_lost_is_told_and_everything_else_saved(season, tmp_path):
    lost = Match.objects.exclude(archive="").first().archive.name
    default_storage.delete(lost)
    said = StringIO()
    call_command("backup", tmp_path / "copy", stdout=StringIO(), stderr=said)
    assert f"1 files to which rows refer, {lost} first" in said.getvalue()
    made = backup.check(tmp_path / "copy")
    assert made.missing == [lost]
    assert made.files == 2 + 3 - 1


def test_a_backup_that_breaks_off_leaves_nothing(season, tmp_path, monkeypatch):
    def full(source, out):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "_pass_on", full)
    with pytest.raises(backup.BackupError, match="No space left on device"):
        backup.make(tmp_path / "copy", say=quiet)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("copy")]


def test_no_name_leads_out_of_the_folder(tmp_path):
    for name in ("../secret", "/etc/passwd", "a/../../b", ""):
        with pytest.raises(backup.BackupError, match="no name of a stored file"):
            backup.inside(tmp_path, name)


def test_a_killed_backup_leaves_nothing_that_passes_for_one(season, tmp_path):
    of = connection.settings_dict
    url = f"postgresql://{of['USER']}:{of['PASSWORD']}@/{of['NAME']}?host={of['HOST']}"
    process = subprocess.Popen(
        [sys.executable, CHECKOUT / "manage.py", "backup", tmp_path / "copy"],
        env={
            **os.environ, "SLAYER_NO_VENV": "1", "SLAYER_DEBUG": "1", "DATABASE_URL": url,
            "SLAYER_DATA_DIR": str(tmp_path),
        },
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    part = tmp_path / "copy.part"
    deadline = time.monotonic() + 60
    while not part.exists() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if (tmp_path / "copy").exists():  # it was quicker
        backup.check(tmp_path / "copy")
        return
    with pytest.raises(backup.BackupError, match="no whole backup"):
        backup.check(part)
    backup.make(tmp_path / "copy", say=quiet)
    assert not part.exists()
