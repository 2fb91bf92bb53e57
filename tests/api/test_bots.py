import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from bots import submissions
from bots.models import Bot, Submission
from tests.builders import make_bot, make_submission, package

pytestmark = pytest.mark.db


def upload(api, bot, data, name="bot.zip", **fields):
    file = SimpleUploadedFile(name, data)
    return api.post(
        f"/api/v1/bots/{bot.pk}/upload/", {"package": file, **fields}, format="multipart"
    )


def test_a_bot_is_made_and_a_version_uploaded(caller):
    ada = caller("submit", "read")
    made = ada.api.post(
        "/api/v1/bots/", {"player": ada.player.handle, "game": "deca-slayer", "name": "wolf"}
    )
    assert made.status_code == 201, made.content
    bot = Bot.objects.get(pk=made.json()["id"])
    response = upload(ada.api, bot, package(), activate=True)
    assert response.status_code == 201, response.content
    assert response.json()["state"] == "uploaded"
    assert response.json()["activate"] is True
    submission = Submission.objects.get()
    assert submission.uploaded_by == ada.user
    data = ada.api.get(f"/api/v1/submissions/{submission.pk}/package/")
    assert b"".join(data.streaming_content) == submissions.package_of(submission).data


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"no zip", "bot.zip", "zip"),
        (package()[:200], "bot.zip", "zip"),
        (package(language="cobol"), "bot.zip", "python, javascript, java, native"),
        (package(games=("kunlun",)), "bot.zip", "kunlun"),
        (b"\xff\xfe\x00", "bot.py", "text"),
    ],
)
def test_a_bad_package_says_what_is_wrong_and_makes_nothing(caller, data, name, says):
    ada = caller("submit")
    response = upload(ada.api, make_bot(ada.player), data, name)
    assert response.status_code == 400
    problem = response.json()
    assert says in problem["detail"]
    assert problem["errors"][0]["field"] == "package"
    assert not Submission.objects.exists()


def test_a_missing_file_is_named(caller):
    ada = caller("submit")
    bot = make_bot(ada.player)
    response = ada.api.post(f"/api/v1/bots/{bot.pk}/upload/", {}, format="multipart")
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "package"


def test_the_token_of_another_player_uploads_and_activates_nothing(caller):
    ada, bob = caller("submit", "read"), caller("submit", "read")
    submission = make_submission(make_bot(ada.player))
    response = upload(bob.api, submission.bot, package())
    assert response.status_code == 403
    assert ada.player.handle in response.json()["detail"]
    assert bob.api.post(f"/api/v1/submissions/{submission.pk}/activate/").status_code == 403
    assert bob.api.post(f"/api/v1/bots/{submission.bot_id}/deactivate/").status_code == 403
    made = bob.api.post(
        "/api/v1/bots/", {"player": ada.player.handle, "game": "deca-slayer", "name": "mine"}
    )
    assert made.status_code == 403
    assert Submission.objects.count() == 1
    assert Bot.objects.count() == 1


def test_reason_log_and_package_are_for_the_owner_alone(caller, visitor):
    ada, bob, staff = caller("read"), caller("read"), caller("read", "admin", staff=True)
    submission = make_submission(make_bot(ada.player), qualified=False)
    submissions.start_check(submission)
    submissions.reject(submission, reason="It crashed.", log="the secret of my stderr")
    address = f"/api/v1/submissions/{submission.pk}/"
    assert "secret" in ada.api.get(address).json()["log"]
    for other in (bob.api, staff.api, visitor):
        body = other.get(address).content
        assert b"rejected" in body
        assert b"secret" not in body
        assert b"It crashed" not in body
        assert other.get(address + "package/").status_code in (401, 403)
    listed = ada.api.get("/api/v1/submissions/").content
    assert b"secret" not in listed


def test_a_key_without_read_sees_no_log(caller):
    ada = caller("submit")
    submission = make_submission(make_bot(ada.player))
    assert "log" not in ada.api.get(f"/api/v1/submissions/{submission.pk}/").json()


def test_activate_roll_back_deactivate(caller, visitor):
    ada = caller("submit")
    bot = make_bot(ada.player)
    first, second = make_submission(bot), make_submission(bot)
    third = make_submission(bot, qualified=False)
    for submission in (first, second, first):
        response = ada.api.post(f"/api/v1/submissions/{submission.pk}/activate/")
        assert response.status_code == 200, response.content
        shown = visitor.get(f"/api/v1/bots/{bot.pk}/").json()
        assert shown["active"]["number"] == submission.number
    refused = ada.api.post(f"/api/v1/submissions/{third.pk}/activate/")
    assert refused.status_code == 409
    assert "only a qualified version" in refused.json()["detail"]
    ada.api.post(f"/api/v1/bots/{bot.pk}/deactivate/")
    assert visitor.get(f"/api/v1/bots/{bot.pk}/").json()["active"] is None


def test_bots_are_filtered_and_paged(caller, visitor):
    ada, bob = caller("submit"), caller("submit")
    bots = [make_bot(ada.player) for _ in range(3)]
    active = make_submission(make_bot(bob.player))
    submissions.activate(active, user=None)

    def ids(query):
        return [row["id"] for row in visitor.get(f"/api/v1/bots/?{query}").json()["results"]]

    assert ids(f"player={ada.player.handle}") == [bot.pk for bot in reversed(bots)]
    assert ids("active=true") == [active.bot_id]
    assert ids("game=chess") == []
    page = visitor.get("/api/v1/bots/?limit=3").json()
    rest = visitor.get(page["next"]).json()
    assert [row["id"] for row in page["results"] + rest["results"]] == [
        active.bot_id, *[bot.pk for bot in reversed(bots)]
    ]  # fmt: skip
    assert visitor.get("/api/v1/submissions/?state=flying").status_code == 400


def test_unknown_games_say_which_are_known(caller, visitor):
    ada = caller("submit")
    bot = {"player": ada.player.handle, "game": "chess", "name": "wolf"}
    response = ada.api.post("/api/v1/bots/", bot)
    assert response.status_code == 400
    assert "deca-slayer" in response.json()["detail"]
    response = visitor.get("/api/v1/games/chess/")
    assert response.status_code == 404
    assert "deca-slayer" in response.json()["detail"]


def test_games_list_what_the_engine_has(visitor):
    [deca] = [g for g in visitor.get("/api/v1/games/").json() if g["name"] == "deca-slayer"]
    assert (deca["min_players"], deca["max_players"], deca["edition"]) == (3, 6, "1")
    assert [option["name"] for option in deca["options"]] == ["guilds", "princesses"]
    assert len(visitor.get("/api/v1/games/deca-slayer/").json()["actions"]) == 149
