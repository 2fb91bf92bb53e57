"""Private files in an S3-compatible store: a real one, in place of the folder."""

import time
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from celery import current_app
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from bots import submissions
from deploy import environment, storage
from engine import replay
from engine.verify import verify
from tests.builders import make_bot, make_player, package
from tests.deploy.object_store import ObjectStore, object_store
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tournaments import archive, dispatch, ladders
from tournaments.dispatch import files, results
from tournaments.models import Match, Play

__all__ = ["object_store"]


def read(link: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(link) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, {}, error.read()


def use(settings, variables: dict[str, str]) -> None:
    """Let these variables say where the service's private files lie."""
    values = environment.read_all(variables)
    settings.STORAGES = {**settings.STORAGES, "default": storage.private(values, Path("/nowhere"))}


@pytest.fixture
def bucket(object_store: ObjectStore, settings, monkeypatch):
    """The service's private storage is the store, emptied."""
    for key in object_store.stored():
        object_store.client().delete_object(Bucket="slayer-files", Key=key)
    use(settings, object_store.environment())
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    return object_store


def test_without_a_bucket_files_lie_in_the_folder() -> None:
    found = storage.private(environment.read_all({}), Path("/data/files"))
    assert found["BACKEND"] == "deploy.folder.PrivateFolder"
    assert found["OPTIONS"]["location"] == "/data/files"


def test_links_last_five_minutes_at_most() -> None:
    with pytest.raises(environment.WrongValues, match=r"SLAYER_S3_LINK_S must be .*0 to 300"):
        environment.read_all({"SLAYER_S3_LINK_S": "301"})
    values = environment.read_all({"SLAYER_S3_BUCKET": "files", "SLAYER_S3_LINK_S": "300"})
    assert storage.private(values, Path("/"))["OPTIONS"]["querystring_expire"] == 300
    with pytest.raises(environment.WrongValues, match="SLAYER_S3_ENDPOINT must be an address"):
        environment.read_all({"SLAYER_S3_ENDPOINT": "s3.example"})


def test_files_are_kept_found_and_removed_as_on_a_disk(bucket: ObjectStore) -> None:
    files = storages["default"]
    first = files.save("matches/0/1-1.slym", ContentFile(b"one"))
    second = files.save("matches/0/1-2.slym", ContentFile(b"two"))
    assert (first, second) == ("matches/0/1-1.slym", "matches/0/1-2.slym")
    with files.open(first, "rb") as file:
        assert file.read() == b"one"
    assert files.listdir("matches") == (["0"], [])
    assert sorted(files.listdir("matches/0")[1]) == ["1-1.slym", "1-2.slym"]
    files.delete(first)
    files.delete(first)
    with pytest.raises(FileNotFoundError):
        files.open(first, "rb")
    assert bucket.stored() == [second]


@pytest.mark.django_db
def test_a_match_lies_in_the_store_before_its_result_is_committed(bucket, monkeypatch) -> None:
    ladder, _ = ladders.open_ladder("deca-slayer"), make_worker("one@here")
    claim = claimed(ladder_match(ladder, [entrant() for _ in range(3)]))
    before_commit = []
    store = results._store

    def look(*args):
        before_commit.extend(bucket.stored())
        return store(*args)

    monkeypatch.setattr(results, "_store", look)
    assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
    stored = {*Match.objects.values_list("archive", flat=True)}
    assert len(stored) == 1
    assert stored <= set(before_commit)
    for play in Play.objects.all():
        verify(replay.loads(archive.replay(play)))
    # What no row refers to is swept, once it is old; what one does refer to stays.
    name = f"{files.folder(claim.match.pk)}/99-1-0.slym"
    left = storages["default"].save(name, ContentFile(b"of a killed worker"))
    assert dispatch.sweep() == 0
    monkeypatch.setattr(files, "_SWEEP_AFTER", timedelta(days=-1))
    assert dispatch.sweep() == 1
    assert left not in bucket.stored()
    assert stored <= set(bucket.stored())


@pytest.mark.django_db
def test_a_package_is_sent_by_a_link_that_ends(bucket, client, settings) -> None:
    settings.FILE_LINK_S = 60
    user, player = make_player()
    data = package()
    made = submissions.upload(bot=make_bot(player), data=data, filename="b.zip", user=None)
    address = f"/api/v1/submissions/{made.pk}/package/"

    client.force_login(make_player()[0])
    assert client.get(address).status_code == 403

    client.force_login(user)
    answer = client.get(address)
    assert answer.status_code == 302
    assert answer["Cache-Control"] == "private, no-store"
    assert bucket.owner[1] not in answer["Location"]
    status, headers, got = read(answer["Location"])
    assert (status, got) == (200, data)
    assert headers["Content-Disposition"].startswith('attachment; filename="')
    assert headers["Content-Type"] == "application/octet-stream"

    plain = answer["Location"].partition("?")[0]
    assert read(plain)[0] == 403  # the bucket is private
    other = answer["Location"].replace(made.package.name, "matches/0/1.slym")
    assert read(other)[0] == 403  # a link opens one file
    settings.FILE_LINK_S = 1
    short = client.get(address)["Location"]
    time.sleep(2.5)
    assert read(short)[0] == 403  # and not for ever


@pytest.mark.django_db
def test_without_links_the_site_sends_the_file_itself(bucket, client) -> None:
    user, player = make_player()
    data = package()
    made = submissions.upload(bot=make_bot(player), data=data, filename="b.zip", user=None)
    client.force_login(user)
    answer = client.get(f"/api/v1/submissions/{made.pk}/package/")
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == data


@pytest.mark.django_db
def test_a_store_that_is_away_leaves_the_match_as_it_was(bucket, settings) -> None:
    ladder, _ = ladders.open_ladder("deca-slayer"), make_worker("one@here")
    claim = claimed(ladder_match(ladder, [entrant() for _ in range(3)]))
    result = report(claim)
    use(settings, {**bucket.environment(), "SLAYER_S3_ENDPOINT": "http://127.0.0.1:9"})
    with pytest.raises(files.NotStored):
        dispatch.finish(**ids(claim), result=result)
    claim.match.refresh_from_db()
    assert claim.match.state == "running"
    assert not Play.objects.exists()


@pytest.mark.django_db
def test_a_workers_key_reads_packages_stores_what_a_match_leaves_and_no_more(
    bucket: ObjectStore, settings
) -> None:
    ladder, _ = ladders.open_ladder("deca-slayer"), make_worker("one@here")
    bots = [entrant() for _ in range(3)]
    claim = claimed(ladder_match(ladder, bots))
    use(settings, bucket.environment(bucket.worker))
    assert submissions.package_of(bots[0]).sha256 == bots[0].sha256
    assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
    archive_file = Match.objects.get().archive.name
    kept = storages["default"]
    for refused in (
        lambda: kept.open(archive_file, "rb").read(),
        lambda: kept.delete(archive_file),
        lambda: kept.delete(bots[0].package.name),
        lambda: kept.save("packages/1/mine", ContentFile(b"another bot")),
        lambda: kept.save("elsewhere", ContentFile(b"x")),
        lambda: kept.listdir("packages"),
    ):
        with pytest.raises(ClientError) as error:
            refused()
        assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    assert archive_file in bucket.stored()
