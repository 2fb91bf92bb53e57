"""What is left behind is swept; what anything refers to never is."""

from datetime import timedelta

import pytest
from celery import current_app
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from tests.tournaments.rows import entrant, played
from tournaments import dispatch, ladders, leftovers, workers
from tournaments.dispatch import files as play_files
from tournaments.models import Match, Worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(broker, monkeypatch, worker):
    monkeypatch.setattr(play_files, "_SWEEP_AFTER", timedelta(seconds=-5))
    return played(ladders.open_ladder("deca-slayer"), [entrant() for _ in range(3)])


def lose(name):
    default_storage.save(name, ContentFile(b"x"))
    return name


def kept(match):
    rows = [Match.objects.get(pk=match.pk).archive.name]
    rows += [each.submission.package.name for each in match.contestants.all()]
    assert len(rows) == 1 + 3
    return all(map(default_storage.exists, rows))


def test_every_night_the_folders_of_the_last_days_are_looked_at(match):
    here = lose(f"matches/{match.pk // 1000}/1-1-0.slym")
    later = lose(f"matches/{match.pk // 1000 + 77}/1-1-0.slym")
    assert dispatch.sweep() == 2
    assert not default_storage.exists(here)
    assert not default_storage.exists(later)
    assert kept(match)


def test_folders_of_old_matches_are_left_alone_until_all_are_asked_for(match, monkeypatch):
    monkeypatch.setattr(play_files, "MATCHES", 1)  # each match has a folder of its own
    old = lose("matches/0/0-1-0.slym")
    assert dispatch.sweep() == 0
    assert default_storage.exists(old)
    # The match's own files lie in a folder of a thousand, which is none of its own now.
    Match.objects.update(archive="")
    assert dispatch.sweep(everything=True) >= 1
    assert not default_storage.exists(old)


def test_packages_without_a_version_are_swept_with_everything(match):
    bot = match.contestants.first().submission.bot
    lost = lose(f"packages/{bot.pk}/{'0' * 64}-9")
    assert dispatch.sweep() == 0
    assert dispatch.sweep(everything=True) == 1
    assert not default_storage.exists(lost)
    assert kept(match)


def test_a_database_that_knows_none_of_the_files_is_not_trusted(match, monkeypatch, caplog):
    monkeypatch.setattr(play_files, "_SUSPICIOUS", 2)
    folder = play_files.folder(match.pk + 9000)
    waits = Match.objects.values().get(pk=match.pk)
    waits |= {"id": match.pk + 9000, "state": "queued", "archive": ""}
    Match.objects.create(**waits)  # one is there, and has no file
    for number in range(3):
        lose(f"{folder}/9000-1-{number}.slym")
    assert dispatch.sweep(everything=True) == 0
    assert "is it the right one?" in caplog.text
    assert dispatch.sweep(everything=True, force=True) == 3
    assert kept(match)


def test_an_unfinished_match_keeps_its_folder_in_view(match):
    Match.objects.filter(pk=match.pk).update(ended_at=timezone.now() - timedelta(days=30))
    assert play_files._first_folder() == 0
    Match.objects.filter(pk=match.pk).update(state="running", ended_at=None)
    assert play_files._first_folder() == match.pk // 1000


def test_sessions_that_have_ended_go(match):
    for days in (-1, 1):
        session = SessionStore()
        session.create()
        Session.objects.filter(pk=session.session_key).update(
            expire_date=timezone.now() + timedelta(days=days)
        )
    leftovers.sweep()
    assert Session.objects.count() == 1


def test_listeners_that_are_long_gone_are_taken_out_of_the_broker(broker, monkeypatch):
    description = workers.Description("1", "3.11", [], 1, "ns")
    for name in ("gone@a", "here@a"):
        workers.register(name, description)
    Worker.objects.filter(name="gone@a").update(seen_at=timezone.now() - timedelta(days=8))
    with current_app.connection_for_write() as connection:
        client = connection.default_channel.client
        for name in ("gone@a", "here@a", "housekeeper@a"):
            client.sadd(leftovers._LISTENERS, f"\x06\x16\x06\x16{name}.celery.pidbox")
            client.lpush(f"{name}.celery.pidbox", "broadcast")
        client.lpush("match", "a message")
        client.lpush("1-2-3.reply.celery.pidbox", "answer")
        assert leftovers.sweep_broker() == (1, 0)
        assert client.scard(leftovers._LISTENERS) == 2
        assert not client.exists("gone@a.celery.pidbox")
        monkeypatch.setattr(leftovers, "IDLE_S", -1)
        assert leftovers.sweep_broker() == (0, 1)
        assert client.llen("match") == 1
        assert client.exists("here@a.celery.pidbox")
