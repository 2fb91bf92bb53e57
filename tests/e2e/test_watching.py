"""Watching a play: by buttons, by keyboard, as a seat or a spectator, without scripts, by link."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine import replay, verify
from tests.e2e.conftest import Open
from tests.e2e.installation import Site
from tests.e2e.looking import PHONE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def at(page: Page, step: int) -> None:
    """The page stands at this step, in the table, the list of decisions and the address."""
    expect(page.locator(".at")).to_have_text(re.compile(rf"^{step} of \d+$"))
    expect(page.locator(".moves [aria-current] .num")).to_have_text(str(step))


def last_step(page: Page) -> int:
    return int(page.locator(".at").inner_text().split()[-1])


def test_a_stranger_sees_the_last_replay_of_a_bot_after_four_clicks(
    site: Site, open_page: Open
) -> None:
    page = open_page(size=PHONE)
    page.goto("/")
    clicks = [
        page.get_by_role("link", name="Deca Slayer", exact=True),
        page.get_by_role("link", name="fighter"),
        page.locator("table.list tr", has=page.locator(".state.finished")).get_by_role("link"),
        page.get_by_role("link", name="watch play 0"),
    ]
    for link in clicks:
        link.first.click()
    page.wait_for_url(re.compile(r"/matches/\d+/plays/0/$"))
    at(page, 0)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Deca Slayer")


def test_stepping_by_buttons(site: Site, open_page: Open) -> None:
    page = open_page()
    page.goto(f"/matches/{site.match}/plays/0/")
    last = last_step(page)
    page.evaluate("window.untouched = true")
    for name, step in (
        ("One on", 1), ("One on", 2), ("One back", 1), ("End", last), ("One back", last - 1),
        ("Start", 0),
    ):  # fmt: skip
        page.get_by_role("link", name=name, exact=True).click()
        at(page, step)
    expect(page.get_by_role("link", name="One back")).to_be_disabled()
    # Any decision of the list.
    page.locator(".moves a").nth(7).click()
    at(page, 7)
    # Nothing of this loaded the page again, and each step is an address.
    assert page.evaluate("window.untouched")
    assert page.url.endswith("?step=7")
    page.go_back()
    at(page, 0)
    page.go_forward()
    at(page, 7)
    page.reload()
    at(page, 7)


def test_stepping_by_keyboard(site: Site, open_page: Open) -> None:
    page = open_page()
    page.goto(f"/matches/{site.match}/plays/1/")
    last = last_step(page)
    for key, step in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last),
        ("ArrowRight", last), ("ArrowLeft", last - 1), ("Home", 0), ("ArrowLeft", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        at(page, step)
    # However fast the key is pressed, each press counts.
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    at(page, 7)
    page.keyboard.press("Home")
    at(page, 0)
    # A button that is pressed by the keyboard keeps the focus, to be pressed again.
    page.get_by_role("link", name="One on").focus()
    for step in (1, 2, 3):
        page.keyboard.press("Enter")
        at(page, step)


def test_seat_sees_its_hand_and_the_spectator_no_hidden_card(site: Site, open_page: Open) -> None:
    page = open_page()
    page.goto(f"/matches/{site.match}/plays/0/")
    hands = page.locator(".seat ul[aria-label=hand]")
    seats = hands.count()
    # Before the first decision each has four cards that nobody else knows.
    expect(hands.locator(".back")).to_have_count(4 * seats)
    page.get_by_role("link", name="seat 1", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?step=0&seat=1$"))
    expect(hands.nth(1).locator(".back")).to_have_count(0)
    expect(hands.locator(".back")).to_have_count(4 * (seats - 1))
    # The view stays when one goes on.
    page.keyboard.press("ArrowRight")
    at(page, 1)
    expect(page).to_have_url(re.compile(r"\?step=1&seat=1$"))
    expect(hands.nth(1).locator(".back")).to_have_count(0)
    page.get_by_role("link", name="a spectator").click()
    expect(page).to_have_url(re.compile(r"\?step=1$"))
    assert hands.locator(".back").count() > 4 * (seats - 1)


def test_without_scripts_every_step_is_a_link(site: Site, open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"/matches/{site.match}/plays/0/?step=3&seat=2")
    at(page, 3)
    page.get_by_role("link", name="One on").click()
    at(page, 4)
    assert page.url.endswith("?step=4&seat=2")


def test_download_is_the_play(site: Site, open_page: Open) -> None:
    page = open_page()
    page.goto(f"/matches/{site.match}/plays/1/")
    with page.expect_download() as download:
        page.get_by_role("link", name="download").click()
    assert download.value.suggested_filename == f"match-{site.match}-play-1.replay"
    record = replay.loads(Path(download.value.path()).read_bytes())
    verify.verify(record)
    assert len(record.actions) == last_step(page)


def test_a_failure_leads_to_its_moment_and_to_its_log(site: Site, open_page: Open) -> None:
    page = open_page("grace")
    page.goto(f"/bots/{site.season.bots['brittle']}/")
    failure = page.locator("tr", has=page.get_by_role("link", name="log", exact=True)).first
    failure.get_by_role("link").first.click()
    # From its failure on a stand-in played for it.
    step = int(page.locator(".moves [aria-current] .num").inner_text())
    assert step > 0
    expect(page.locator(".moves a", has_text="stand-in").first).to_be_attached()
    page.go_back()
    failure.get_by_role("link", name="log").click()
    expect(page.locator(".message.error")).to_contain_text("exit")
    expect(page.locator("pre.log").last).to_contain_text("tables of four are not in my book")
    expect(page.locator(".moves")).to_contain_text("the first: ")
