import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from bots import submissions
from bots.faults import Conflict, NotAllowed, QuotaExceeded, UserFault
from bots.models import Act, Bot, Notice, Submission
from tests.builders import make_bot, make_player, make_submission, package

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture(autouse=True)
def _files(tmp_path, settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


def files(tmp_path):
    return [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_upload_is_kept_as_it_came_and_waits_for_its_check(tmp_path):
    bot = make_bot()
    data = package(version="0.3 beta")
    submission = submissions.upload(bot=bot, data=data, filename="../x/bot.zip", user=None)
    assert (submission.number, submission.state) == (1, "uploaded")
    assert (submission.language, submission.entry) == ("python", "main.py")
    assert (submission.version, submission.filename) == ("0.3 beta", "bot.zip")
    assert submissions.package_of(submission).data == data
    assert len(files(tmp_path)) == 1


def test_versions_count_up_within_a_bot():
    bot = make_bot()
    assert [make_submission(bot).number for _ in range(3)] == [1, 2, 3]
    assert make_submission().number == 1


@pytest.mark.parametrize(
    ("data", "filename", "says"),
    [
        (b"no zip at all", "bot.zip", "zip"),
        (package()[:100], "bot.zip", "zip|damaged|cut"),
        (package(language="cobol"), "bot.zip", "python, javascript, java, native"),
        (package(games=("kunlun",)), "bot.zip", "kunlun"),
        (package(colour="red"), "bot.zip", "colour"),
        (b"\xff\xfe", "bot.py", "UTF-8"),
    ],
)
def test_a_bad_package_is_refused_and_nothing_is_left(tmp_path, data, filename, says):
    bot = make_bot()
    with pytest.raises(UserFault, match=says) as caught:
        submissions.upload(bot=bot, data=data, filename=filename, user=None)
    assert caught.value.field == "package"
    assert not Submission.objects.exists()
    assert files(tmp_path) == []


def test_only_members_upload_and_activate():
    user, player = make_player()
    stranger, _ = make_player()
    bot = make_bot(player)
    with pytest.raises(NotAllowed):
        submissions.upload(bot=bot, data=package(), filename="bot.zip", user=stranger)
    submission = submissions.upload(bot=bot, data=package(), filename="bot.zip", user=user)
    assert submission.uploaded_by == user
    with pytest.raises(NotAllowed):
        submissions.activate(submission, user=stranger)


def test_the_same_package_twice_is_pointed_out():
    bot = make_bot()
    data = package()
    submissions.upload(bot=bot, data=data, filename="bot.zip", user=None)
    with pytest.raises(Conflict, match="v1"):
        submissions.upload(bot=bot, data=data, filename="other.zip", user=None)


def test_uploads_a_day_are_limited_and_the_next_time_is_named(settings):
    settings.UPLOADS_PER_BOT_AND_DAY = 2
    user, player = make_player()
    bot = make_bot(player)
    first = make_submission(bot)
    make_submission(bot)
    with pytest.raises(QuotaExceeded, match="2 are allowed"):
        submissions.upload(bot=bot, data=package(), filename="bot.zip", user=user)
    Submission.objects.filter(pk=first.pk).update(uploaded_at=timezone.now() - timedelta(days=2))
    submissions.upload(bot=bot, data=package(), filename="bot.zip", user=user)


def test_storage_is_limited(settings):
    settings.PLAYER_STORAGE_BYTES = 10
    user, player = make_player()
    with pytest.raises(QuotaExceeded, match="10"):
        submissions.upload(bot=make_bot(player), data=package(), filename="bot.zip", user=user)


def test_a_check_moves_on_once_only():
    submission = make_submission(qualified=False)
    again = Submission.objects.get(pk=submission.pk)
    assert submissions.start_check(submission)
    assert not submissions.start_check(again)
    assert submissions.reject(submission, reason="It crashed.", log="exit code 1")
    assert not submissions.qualify(submission, log="")
    submission.refresh_from_db()
    assert submission.state == "rejected"
    assert submission.log == "It crashed.\n\nexit code 1\n"
    assert Notice.objects.get().kind == "rejected"


def test_our_fault_never_rejects():
    submission = make_submission(qualified=False)
    submissions.start_check(submission)
    assert submissions.not_checked(submission, log="the worker was lost")
    submission.refresh_from_db()
    assert (submission.state, "fault is ours" in submission.reason) == ("uploaded", True)
    assert submissions.start_check(submission)


def test_only_a_qualified_version_is_activated_also_an_older_one():
    bot = make_bot()
    first, second = make_submission(bot), make_submission(bot)
    third = make_submission(bot, qualified=False)
    assert submissions.activate(first, user=None) is None
    assert submissions.activate(second, user=None) == first
    with pytest.raises(Conflict, match="uploaded"):
        submissions.activate(third, user=None)
    assert submissions.activate(first, user=None) == second
    assert Bot.objects.get(pk=bot.pk).active == first


def test_active_bots_in_a_game_are_limited(settings):
    settings.ACTIVE_BOTS_PER_GAME = 1
    _, player = make_player()
    first = make_bot(player)
    submissions.activate(make_submission(first), user=None)
    second = make_submission(make_bot(player))
    with pytest.raises(QuotaExceeded, match="Deactivate one first"):
        submissions.activate(second, user=None)
    submissions.deactivate(first, user=None)
    submissions.activate(second, user=None)


def test_suspending_takes_out_of_play_and_is_logged():
    submission = make_submission()
    submissions.activate(submission, user=None)
    assert submissions.suspend(submission, reason="10 of its last 20 matches failed")
    assert Bot.objects.get(pk=submission.bot_id).active is None
    assert Act.objects.get().target == f"submission {submission.pk}"
    with pytest.raises(Conflict, match="10 of its last 20"):
        submissions.activate(submission, user=None)
    assert submissions.reinstate(submission, reason="mended", user=None)
    submissions.activate(submission, user=None)


@pytest.mark.parametrize(
    ("game", "name", "says"),
    [
        ("chess", "a", "deca-slayer"),
        ("deca-slayer", "A b", "lower-case"),
        ("deca-slayer", "", "lower-case"),
        ("deca-slayer", "x" * 41, "40"),
    ],
)
def test_a_bad_bot_is_refused(game, name, says):
    _, player = make_player()
    with pytest.raises(UserFault, match=says):
        submissions.create_bot(player=player, game=game, name=name, user=None)
    assert not Bot.objects.exists()


def test_names_are_unique_within_player_and_game():
    _, player = make_player()
    make_bot(player, name="wolf")
    with pytest.raises(Conflict, match="already"):
        make_bot(player, name="wolf")
    make_bot(name="wolf")


@pytest.mark.django_db(transaction=True)
def test_uploads_at_the_same_time_get_numbers_of_their_own():
    bot = make_bot()
    packages = [package(f"# {i}\nprint()\n") for i in range(4)]

    def upload(data: bytes) -> None:
        submissions.upload(bot=bot, data=data, filename="bot.zip", user=None)
        connection.close()

    threads = [threading.Thread(target=upload, args=(data,)) for data in packages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bot.submissions.values_list("number", flat=True)) == [1, 2, 3, 4]
