"""Every page, at both widths, in light and dark: as the URLconf lists them."""

import re

import pytest
from playwright.sync_api import Page

from engine import games
from frontend import urls
from frontend.views.docs import sources
from tests.e2e.conftest import Open, Troubles
from tests.e2e.installation import Site, until
from tests.e2e.looking import DESK, PHONE, wrong_for_the_keyboard, wrong_looks
from tests.e2e.season import BRACKET, GAME

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

# By name in the URLconf: who looks at it ("" is a stranger), and where it is in this season.
PAGES: dict[str, list[tuple[str, str]]] = {
    "home": [("", "/"), ("alan", "/")],
    "ladder": [("", f"/ladders/{GAME}-1/"), ("alan", f"/ladders/{GAME}-1/")],
    "player": [("", "/players/house/"), ("grace", "/players/grace/")],
    "new-bot": [("alan", "/bots/new/")],
    "bot": [("", "/bots/{fighter}/"), ("grace", "/bots/{brittle}/")],
    "upload": [("alan", "/bots/{fighter}/upload/")],
    "test-match": [("grace", "/submissions/{version}/test/")],
    "submission": [("", "/submissions/{version}/"), ("grace", "/submissions/{version}/")],
    "matches": [("", "/matches/"), ("", "/matches/?state=finished")],
    "match": [("", "/matches/{match}/"), ("grace", "/matches/{bracket_match}/")],
    "replay": [
        ("", "/matches/{match}/plays/0/"),
        ("", "/matches/{match}/plays/1/?step=25&seat=1"),
        ("", "/matches/{bracket_match}/plays/0/?step=9999"),
        *(
            ("", f"/matches/{{checks[{game.name}]}}/plays/0/?step={step}")
            for game in games.all()
            for step in (0, 40, 9999)
        ),
    ],
    "seat-log": [("grace", "/matches/{bracket_match}/plays/0/seats/{brittle_seat}/")],
    "brackets": [("", "/brackets/")],
    "bracket": [("", f"/brackets/{BRACKET}/"), ("", "/brackets/autumn-cup/")],
    "seasons": [("", "/seasons/")],
    "season": [("", "/seasons/winter-league/")],
    "workers": [("olga", "/workers/")],
    "docs": [("", "/docs/")],
    "docs-page": [("", f"/docs/{page}/") for page in sources() if page != "index"],
    "sign-up": [("", "/sign-up/")],
    "account": [("alan", "/account/")],
    "notices": [("grace", "/notices/")],
    "log-in": [("", "/log-in/")],
    "password_change": [("alan", "/account/password/")],
    "password_change_done": [("alan", "/account/password/done/")],
    "password_reset": [("", "/password-reset/")],
    "password_reset_done": [("", "/password-reset/sent/")],
    "password_reset_confirm": [("", "/password-reset/x/too-old/"), ("", "{mailed}")],
    "password_reset_complete": [("", "/password-reset/done/")],
}
NO_PAGES = {
    "activate": "a button's",
    "deactivate": "a button's",
    "mail-notices": "a button's",
    "worker-act": "a button's",
    "revoke-token": "a button's",
    "log-out": "a button's",
    "icon": "a picture",
    "replay-file": "a download, which the test of the replay page takes",
}


def test_no_page_is_forgotten() -> None:
    assert {path.name for path in urls.urlpatterns} == {*PAGES, *NO_PAGES}


def address(site: Site, page: Page, form: str) -> str:
    """The address with this season's numbers."""
    brittle = site.season.bots["brittle"]
    numbers: dict[str, object] = {
        **site.season.bots,
        "match": site.match,
        "bracket_match": site.bracket_match,
        "checks": site.checks,
    }
    if "{version}" in form:
        numbers["version"] = site.api(f"submissions/?bot={brittle}")["results"][0]["id"]
    if "{brittle_seat}" in form:
        numbers["brittle_seat"] = seat_of(site, brittle)
    if "{mailed}" in form:
        numbers["mailed"] = mailed_link(site, page)
    return form.format(**numbers)


def seat_of(site: Site, bot: int) -> int:
    """The bot's seat in the first play of the bracket's match."""
    match = site.api(f"matches/{site.bracket_match}/")
    (number,) = (
        contestant["number"]
        for contestant in match["contestants"]
        if contestant["submission"]["bot_id"] == bot
    )
    return match["plays"][0]["seats"].index(number)


def mailed_link(site: Site, page: Page) -> str:
    """Where the mail to somebody who forgot his password leads; without a mail server, mails are
    printed."""
    page.goto("/password-reset/")
    page.get_by_label("Email").fill("alan@example.org")
    page.get_by_role("button", name="Send the mail").click()
    page.wait_for_url("**/sent/")
    link = until(
        lambda: re.search(r"/password-reset/\S+/\S+-\S+/", site.log("web")), "the mail is printed"
    )
    return link[0]


@pytest.mark.parametrize("name", PAGES)
def test_page(site: Site, open_page: Open, name: str) -> None:
    for handle, form in PAGES[name]:
        page = open_page(handle)
        path = address(site, page, form)
        for width, height in (PHONE, DESK):
            page.set_viewport_size({"width": width, "height": height})
            response = page.goto(path)
            assert response is not None
            assert response.status == 200
            assert (page.title() == "Slayer League") == (name == "home")
            assert page.title().endswith("Slayer League")
            assert wrong_looks(page) == []
        assert wrong_for_the_keyboard(page) == []


@pytest.mark.parametrize(
    ("handle", "path", "status"),
    [("", "/nowhere/", 404), ("", "/matches/999999/", 404), ("alan", "/workers/", 403)],
)
def test_page_of_an_error(
    site: Site, open_page: Open, troubles: Troubles, handle: str, path: str, status: int
) -> None:
    page = open_page(handle, size=PHONE)
    response = page.goto(path)
    assert response is not None
    assert response.status == status
    assert wrong_looks(page) == []
    assert wrong_for_the_keyboard(page) == []
    assert page.get_by_role("link", name="To the ladders").is_visible()
    # The page itself is the only failed request.
    assert {trouble.split(": ")[0] for trouble in troubles} == {"console", site.url + path}
    troubles.clear()


def test_page_of_the_api(open_page: Open) -> None:
    page = open_page()
    page.goto("/api/v1/docs/")
    page.get_by_text("Slayer League API").wait_for()
    page.get_by_text("/api/v1/ladders/", exact=True).first.wait_for()
    assert "Slayer League" in page.title()


def test_a_card_with_a_mark_of_every_seat_fits_on_a_phone(site: Site, open_page: Open) -> None:
    # as a monster of Slawia has it in some plays only
    page = open_page("")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto("/")
    marks = " ".join(f"<small>token {number} of seat {number}</small>" for number in range(5))
    page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)",
        f'<ol class="hand"><li class="monster">Striga <b>0</b> {marks}</li></ol>',
    )
    assert wrong_looks(page) == []
