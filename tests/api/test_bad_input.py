"""What a stranger sends: every answer is a problem that says what was wrong, and never a 500."""

import base64
import io
import threading

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from bots import accounts
from bots.limits import TooOften, take
from bots.models import Token, User
from tests.api.test_bots import upload
from tests.builders import make_bot, package

pytestmark = [pytest.mark.django_db, pytest.mark.db]
PROBLEM = "application/problem+json"
LISTS = ["bots", "submissions", "players", "ladders", "ledger", "matches", "brackets"]


@pytest.fixture(autouse=True)
def _fresh_counts():
    cache.clear()


@pytest.mark.parametrize("junk", [b"p=abc", b"p=", b"p=nan", b"p=\x00", b"o=x", b"\xff\xfe", b""])
@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_that_nobody_gave_out(visitor, name, junk):
    cursor = base64.urlsafe_b64encode(junk).decode()
    response = visitor.get(f"/api/v1/{name}/", {"cursor": cursor})
    assert response.status_code in (200, 404)
    if response.status_code == 404:
        assert response["Content-Type"] == PROBLEM


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/players/%00/",
        "/api/v1/brackets/%00/standings/",
        "/api/v1/ladders/x/ratings/?player=%00",
        "/api/v1/bots/?name=%00",
    ],
)
def test_a_nul_in_the_address(visitor, address):
    response = visitor.get(address)
    assert (response.status_code, response["Content-Type"]) == (400, PROBLEM)
    assert "NUL" in response.json()["detail"]
    assert Client().get("/players/%00/").status_code == 400


@pytest.mark.parametrize("name", ["bots", "submissions", "matches"])
@pytest.mark.parametrize("number", ["+{}", "-{}", "{}_", "0_{}", " {}", "{}.0", "９{}", "9" * 40])
def test_an_id_is_written_in_one_way(visitor, name, number):
    address = f"/api/v1/{name}/{number.format(1)}/"
    response = visitor.get(address)
    assert (response.status_code, response["Content-Type"]) == (404, PROBLEM)
    assert Client().get(f"/{name}/{number.format(1)}/").status_code == 404


def test_json_that_is_nested_too_deeply(visitor):
    response = visitor.generic(
        "POST", "/api/v1/sign-up/", b"[" * 100_000, content_type="application/json"
    )
    assert (response.status_code, response["Content-Type"]) == (400, PROBLEM)


def test_half_a_surrogate_pair_is_answered(caller):
    organiser = caller("organise", staff=True)
    response = organiser.api.generic(
        "POST",
        "/api/v1/brackets/",
        b'{"slug":"a","title":"t","game":"deca-slayer","format":"\\ud800","rules":{}}',
        content_type="application/json",
    )
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "format"


@pytest.mark.parametrize("ties", [[[]], [{}], "wins", [1]])
def test_tie_breaks_of_the_wrong_kind(caller, ties):
    bracket = {
        "slug": "a",
        "title": "t",
        "game": "deca-slayer",
        "format": "swiss",
        "rules": {"rounds": 1, "tie_breaks": ties},
    }
    response = caller("organise", staff=True).api.post("/api/v1/brackets/", bracket)
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "rules.tie_breaks"


def test_a_time_control_that_no_match_can_keep(caller):
    bracket = {
        "slug": "a",
        "title": "t",
        "game": "deca-slayer",
        "format": "swiss",
        "rules": {"rounds": 1},
        "time_control": {"bank_ms": 150_000},
    }
    response = caller("organise", staff=True).api.post("/api/v1/brackets/", bracket)
    assert response.status_code == 400
    assert "too long" in response.json()["detail"]


def test_an_unknown_address_under_the_api_is_a_problem(visitor):
    response = visitor.get("/api/v1/nowhere/")
    assert (response.status_code, response["Content-Type"]) == (404, PROBLEM)
    assert "/api/v1/docs/" in response.json()["detail"]


@pytest.mark.parametrize("name", ["x" * 250 + ".py", "x" * 201 + ".py"])
def test_a_name_that_is_too_long(caller, name):
    ada = caller("submit")
    response = upload(ada.api, make_bot(ada.player), b"print()\n", name)
    assert response.status_code == 400, response.content
    assert "200" in response.json()["detail"] or "characters" in response.json()["detail"]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(caller, monkeypatch):
    from django.core.files.uploadedfile import InMemoryUploadedFile, TemporaryUploadedFile

    for kind in (InMemoryUploadedFile, TemporaryUploadedFile):
        monkeypatch.setattr(kind, "read", lambda self, *_: pytest.fail("it was read"))
    ada = caller("submit")
    file = io.BytesIO(b"#" * 10_000_001)
    file.name = "bot.py"
    address = f"/api/v1/bots/{make_bot(ada.player).pk}/upload/"
    response = ada.api.post(address, {"package": file}, format="multipart")
    assert response.status_code == 400
    assert "10,000,000" in response.json()["detail"]


def test_rights_come_before_the_form(caller):
    ada, bob = caller("submit"), caller("submit")
    address = f"/api/v1/bots/{make_bot(ada.player).pk}/upload/"
    assert bob.api.post(address, {}, format="multipart").status_code == 403


def test_a_key_revokes_itself_and_no_other(caller):
    ada = caller("read")
    other, _ = accounts.make_token(user=ada.user, name="b", scopes=["admin"])
    refused = ada.api.delete(f"/api/v1/tokens/{other.pk}/")
    assert refused.status_code == 403
    assert "admin" in refused.json()["detail"]
    own = Token.objects.exclude(pk=other.pk).get()
    assert ada.api.delete(f"/api/v1/tokens/{own.pk}/").status_code == 204


def test_a_key_that_only_submits_is_shown_no_log(caller):
    ada = caller("submit")
    response = upload(ada.api, make_bot(ada.player), package())
    assert response.status_code == 201
    assert "log" not in response.json()


def test_names_that_could_mislead_are_refused(visitor):
    form = {"email": "a@example.org", "password": "correct horse battery", "handle": "ada"}
    for name in ("a\u202eb", "a\x1b[31m", "a\nb", "a\u200bb"):
        response = visitor.post("/api/v1/sign-up/", form | {"name": name})
        assert response.status_code == 400, name
        assert response.json()["errors"][0]["field"] == "name"
    assert not User.objects.exists()


def test_guessing_passwords_is_slowed_down():
    client = Client()
    form = {"username": "ada@example.org", "password": "wrong"}
    pages = [client.post("/log-in/", form).content.decode() for _ in range(11)]
    assert "Too many tries" not in pages[9]
    assert "Too many tries" in pages[10]
    api = APIClient()
    key = {"email": "eve@example.org", "password": "x", "name": "a", "scopes": ["read"]}
    answers = [api.post("/api/v1/tokens/", key).status_code for _ in range(11)]
    assert answers == [401] * 10 + [429]


def test_a_limit_counts_each_caller_alone():
    for _ in range(3):
        take("test", "ada", times=3, seconds=60)
    take("test", "bob", times=3, seconds=60)
    with pytest.raises(TooOften, match="1 minutes"):
        take("test", "ADA", times=3, seconds=60)


@pytest.mark.django_db(transaction=True)
def test_the_same_sign_up_at_once_makes_one_account():
    form = {"email": "a@example.org", "password": "correct horse battery", "handle": "ada"}
    answers = []

    def sign_up():
        answers.append(APIClient().post("/api/v1/sign-up/", form).status_code)
        connection.close()

    threads = [threading.Thread(target=sign_up) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, 400, 400, 400, 400]
    assert User.objects.count() == 1
