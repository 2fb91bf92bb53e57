import pytest
from rest_framework.test import APIClient

from bots.models import Player, Token, User

pytestmark = pytest.mark.db

ADA = {"email": "ada@example.org", "password": "correct horse battery", "handle": "ada"}


def test_from_nothing_to_a_token(visitor):
    made = visitor.post("/api/v1/sign-up/", ADA)
    assert made.status_code == 201, made.content
    assert made.json()["handle"] == "ada"

    token = visitor.post(
        "/api/v1/tokens/",
        {
            "email": "ADA@example.org",
            "password": ADA["password"],
            "name": "laptop",
            "scopes": ["read"],
        },
    )
    assert token.status_code == 201, token.content
    key = token.json()["key"]

    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    me = api.get("/api/v1/me/").json()
    assert (me["email"], me["is_organiser"]) == ("ada@example.org", False)
    assert [player["handle"] for player in me["players"]] == ["ada"]
    [listed] = api.get("/api/v1/tokens/").json()["results"]
    assert "key" not in listed
    assert listed["prefix"] == key[: len(listed["prefix"])]


def test_scopes_may_be_sent_as_a_form(visitor):
    visitor.post("/api/v1/sign-up/", ADA, format="multipart")
    made = visitor.post(
        "/api/v1/tokens/",
        "email=ada@example.org&password=correct horse battery&name=a&scopes=read&scopes=submit",
        content_type="application/x-www-form-urlencoded",
    )
    assert made.json()["scopes"] == ["read", "submit"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"handle": "Ada!"}, "handle"),
        ({"password": "1234"}, "password"),
        ({"email": "nobody"}, "email"),
        ({"email": None}, "email"),
    ],
)
def test_a_bad_sign_up_names_the_field_and_makes_nothing(visitor, changes, field):
    response = visitor.post("/api/v1/sign-up/", ADA | changes)
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert (problem["status"], problem["title"]) == (400, "Bad Request")
    assert [error["field"] for error in problem["errors"]] == [field]
    assert not User.objects.exists()
    assert not Player.objects.exists()


def test_a_wrong_password_makes_no_token(visitor):
    visitor.post("/api/v1/sign-up/", ADA)
    wrong = {"email": ADA["email"], "password": "wrong", "name": "a", "scopes": ["read"]}
    response = visitor.post("/api/v1/tokens/", wrong)
    assert response.status_code == 401
    assert "do not fit together" in response.json()["detail"]
    assert not Token.objects.exists()


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer a b", "Bearer \xff"])
def test_a_wrong_key_is_refused_even_where_none_is_needed(visitor, header):
    visitor.credentials(HTTP_AUTHORIZATION=header)
    response = visitor.get("/api/v1/games/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_without_a_key_what_is_private_asks_for_one(visitor):
    response = visitor.get("/api/v1/me/")
    assert response.status_code == 401
    assert "scope 'read'" in response.json()["detail"]


def test_a_key_reaches_no_further_than_its_scopes(caller):
    reader = caller("read")
    bot = {"player": reader.player.handle, "game": "deca-slayer", "name": "wolf"}
    response = reader.api.post("/api/v1/bots/", bot)
    assert response.status_code == 403
    assert "has the scopes read; this needs 'submit'" in response.json()["detail"]


def test_the_scope_organise_needs_an_organiser_behind_it(caller):
    somebody = caller("organise", "admin")
    response = somebody.api.post("/api/v1/brackets/", {})
    assert response.status_code == 403
    assert "Only an organiser" in response.json()["detail"]


def test_a_key_without_admin_makes_no_other_keys(caller):
    somebody = caller("read", "submit")
    response = somebody.api.post("/api/v1/tokens/", {"name": "b", "scopes": ["admin"]})
    assert response.status_code == 403
    assert Token.objects.count() == 1


def test_a_revoked_key_is_dead_and_others_keys_are_out_of_reach(caller):
    ada, bob = caller("read"), caller("read")
    mine, theirs = Token.objects.get(user=ada.user), Token.objects.get(user=bob.user)
    assert ada.api.delete(f"/api/v1/tokens/{theirs.pk}/").status_code == 404
    assert bob.api.get("/api/v1/me/").status_code == 200
    assert ada.api.delete(f"/api/v1/tokens/{mine.pk}/").status_code == 204
    assert ada.api.get("/api/v1/me/").status_code == 401


def test_only_members_see_the_members(caller):
    ada, bob = caller("read"), caller("read")
    address = f"/api/v1/players/{ada.player.handle}/members/"
    assert ada.api.get(address).json() == [{"email": ada.user.email, "role": "owner"}]
    assert bob.api.get(address).status_code == 403


def test_nobody_else_reads_my_notices(caller):
    from bots.accounts import notify

    ada, bob = caller("read"), caller("read")
    notify(ada.player, kind="qualified", text="v1 qualified")
    [notice] = ada.api.get("/api/v1/notices/").json()["results"]
    assert bob.api.get("/api/v1/notices/").json()["results"] == []
    assert bob.api.post(f"/api/v1/notices/{notice['id']}/read/").status_code == 404
    assert ada.api.get("/api/v1/me/").json()["unread_notices"] == 1
    assert ada.api.post(f"/api/v1/notices/{notice['id']}/read/").json()["read_at"]
    assert ada.api.get("/api/v1/me/").json()["unread_notices"] == 0


def test_an_unknown_address_and_method_are_problems_too(visitor):
    response = visitor.get("/api/v1/bots/999/")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")
    response = visitor.delete("/api/v1/games/")
    assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json")
