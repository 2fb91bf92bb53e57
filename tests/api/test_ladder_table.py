"""/api/v1/ladders/<slug>/ratings/: served past the serializers, and remembered."""

from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api.serializers.bots import SubmissionRefSerializer
from api.serializers.ladders import RatingSerializer
from api.throttling import PerAddress
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import entrant, played
from tournaments import entrants, ladders, page_memory
from tournaments.models import Rating

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def ladder(db):
    cache.clear()
    page_memory._heads.clear()
    return ladders.open_ladder("deca-slayer")


@pytest.fixture
def address(ladder):
    return f"/api/v1/ladders/{ladder.slug}/ratings/"


@pytest.fixture
def remembering(settings):
    """As in an installation, but for so long that no test is too slow."""
    settings.TABLE_FRESH_S, settings.TABLE_PAGE_S = 600.0, 600.0


def test_rows_have_the_fields_that_are_described(visitor, address):
    entrant()
    [row] = visitor.get(address).json()["results"]
    assert list(row) == RatingSerializer.Meta.fields
    assert list(row["submission"]) == SubmissionRefSerializer.Meta.fields
    assert (row["mu"], row["sigma"], row["ordinal"]) == (25.0, 25 / 3, 0.0)


def test_links_lead_through_the_whole_table_and_back(visitor, address):
    versions = [entrant().pk for _ in range(5)]
    Rating.objects.filter(submission=versions[3]).update(mu=30)
    order = [versions[3], *versions[:3], versions[4]]
    page, found = visitor.get(address, {"limit": 2}).json(), []
    assert page["previous"] is None
    while True:
        found.append([row["submission"]["id"] for row in page["results"]])
        if page["next"] is None:
            break
        before, page = page, visitor.get(page["next"]).json()
        assert visitor.get(page["previous"]).json()["results"] == before["results"]
    assert found == [order[:2], order[2:4], order[4:]]
    assert [row["rank"] for row in page["results"]] == [2]  # newcomers are equals


@pytest.mark.parametrize("limit", ["0", "-1", "x", "", "٣", "9" * 30])
def test_a_limit_that_is_none_is_the_usual_one(visitor, address, limit):
    entrant()
    response = visitor.get(address, {"limit": limit})
    assert (response.status_code, len(response.json()["results"])) == (200, 1)


@pytest.mark.parametrize("cursor", ["x", "d0x1.8p+9999_1", "cD0tMQ==", "\x01"])
def test_a_cursor_that_no_page_gave_out(visitor, address, cursor):
    response = visitor.get(address, {"cursor": cursor})
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_the_same_page_is_sent_again_without_the_database(visitor, address, remembering):
    entrant()
    first = visitor.get(address)
    with CaptureQueriesContext(connection) as queries:
        second = visitor.get(address)
        unchanged = visitor.get(address, headers={"If-None-Match": first["ETag"]})
        other = visitor.get(address, headers={"If-None-Match": '"other"'})
    assert len(queries) == 0
    assert first.content == second.content == other.content
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged["ETag"] == first["ETag"]
    assert visitor.head(address)["ETag"] == first["ETag"]


def test_another_host_gets_links_of_its_own(visitor, address, remembering):
    entrant(), entrant()
    for host in ("localhost", "127.0.0.1"):
        page = visitor.get(address, {"limit": 1}, headers={"Host": host}).json()
        assert page["next"].startswith(f"http://{host}/api/v1/ladders/")


def test_a_change_of_the_table_shows_at_once_where_the_state_is_read(visitor, address, settings):
    settings.TABLE_FRESH_S, settings.TABLE_PAGE_S = 0.0, 600.0
    make_worker("one@here")
    versions = [entrant() for _ in range(3)]
    before = visitor.get(address)
    assert visitor.get(address)["ETag"] == before["ETag"]
    played(ladders.open_of("deca-slayer"), versions)
    after = visitor.get(address, headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert [row["matches"] for row in after.json()["results"]] == [1, 1, 1]
    entrants.deactivate(bot=versions[0].bot, user=None)
    assert len(visitor.get(address).json()["results"]) == 2
    entrants.activate(submission=versions[0], user=None)
    assert len(visitor.get(address).json()["results"]) == 3


def test_keys_are_looked_at_as_everywhere(visitor, caller, address, remembering):
    entrant()
    assert visitor.get(address).status_code == 200
    assert caller("read").api.get(address).json() == visitor.get(address).json()
    wrong = visitor.get(address, headers={"Authorization": "Bearer slay_wrong"})
    assert (wrong.status_code, wrong["Content-Type"]) == (401, "application/problem+json")
    assert visitor.post(address).status_code == 405


def test_pages_that_must_be_made_are_limited_by_address(visitor, address, monkeypatch, remembering):
    monkeypatch.setattr(PerAddress, "THROTTLE_RATES", {"anon": "2/min"})
    entrant()
    assert visitor.get(address, {"limit": 1}).status_code == 200
    assert visitor.get(address, {"limit": 2}).status_code == 200
    refused = visitor.get(address, {"limit": 3})
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert visitor.get(address, {"limit": 1}).status_code == 200  # costs nothing


def test_a_page_for_people_is_shared_by_those_without_a_cookie_only(
    caller, address, ladder, remembering
):
    owner = caller("read")
    mine = entrant(owner.player)
    entrant()
    page = f"/ladders/{ladder.slug}/"
    first = Client().get(page)
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(page).content == first.content
        etag = {"If-None-Match": first["ETag"]}
        assert Client().get(page, headers=etag).status_code == 304
    assert len(queries) == 0
    assert b'class="me"' not in first.content
    assert b"Log in" in first.content
    browser = Client()
    browser.force_login(owner.user)
    own = browser.get(page)
    assert own.content.count(b'class="me"') == 1
    assert f"/bots/{mine.bot_id}/".encode() in own.content
    assert not own.has_header("ETag")
    assert b"Log out" in own.content
    assert Client().get(page).content == first.content


def test_people_turn_the_pages_of_a_long_table(ladder, monkeypatch):
    monkeypatch.setattr("frontend.views.ladders.PAGE", 2)
    versions = [entrant() for _ in range(5)]
    seen, at, browser = [], "", Client()
    while True:
        response = browser.get(f"/ladders/{ladder.slug}/{at}")
        seen += [row["row"].submission for row in response.context["rows"]]
        if not response.context["page"].next:
            break
        at = f"?at={quote(str(response.context['page'].next))}"
        assert f'href="{at}">more' in response.content.decode()
    assert seen == [version.pk for version in versions]
    assert browser.get(f"/ladders/{ladder.slug}/?at=junk").status_code == 200
    assert browser.get("/ladders/no-such/").status_code == 404
