"""The newcomer's path in a real browser, with what the documentation says and nothing else."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from engine import replay, verify
from tests.e2e.conftest import Open
from tests.e2e.installation import Site
from tests.e2e.looking import PHONE
from tests.e2e.season import GAME, PASSWORD

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

CHECKED_MS = 180_000
"""For a check and for a first match, on a busy machine."""


def sign_up(page: Page, handle: str) -> None:
    page.get_by_label("E-mail address").fill(f"{handle}@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Handle").fill(handle)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/account/")


def make_bot(page: Page, name: str) -> None:
    page.get_by_label("Game").select_option(GAME)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Make it").click()
    page.wait_for_url("**/upload/")


def upload(page: Page, file: Path, *, activate: bool = True) -> None:
    page.get_by_label("Package").set_input_files(file)
    page.get_by_label("Activate it as soon as it qualifies").set_checked(activate)
    page.get_by_role("button", name="Upload", exact=True).click()


def reload_until(page: Page, what: Locator) -> None:
    """Look again and again until the page has it, as a person would."""
    for _ in range(90):
        if what.count():
            return
        page.wait_for_timeout(2000)
        page.reload()
    pytest.fail(f"{page.url} never had {what}")


def test_path_from_the_documentation_to_the_ladder(
    site: Site, open_page: Open, tmp_path: Path
) -> None:
    # The front page leads to the page for beginners, and that to the sign-up.
    page = open_page()
    page.goto("/")
    page.get_by_role("link", name="Write your first bot").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your first bot")
    mybot = tmp_path / "mybot.py"
    mybot.write_text(page.locator("pre code.language-python").first.inner_text())
    guide = page.url
    page.get_by_role("link", name="Sign up").last.click()
    sign_up(page, "nina")
    page.goto(guide)
    page.get_by_role("link", name="Make a bot").click()
    make_bot(page, "sea-wolf")
    upload(page, mybot, activate=False)

    # The check goes on before one's eyes: the page is not loaded again.
    page.wait_for_url("**/submissions/*/")
    page.evaluate("window.untouched = true")
    state = page.locator("#check .state").first
    expect(state).to_have_text(re.compile("uploaded|checking|qualified"))
    expect(state).to_have_text("qualified", timeout=CHECKED_MS)
    expect(page.locator("#check pre.log")).to_contain_text("Deca Slayer table of 3")
    assert page.evaluate("window.untouched")
    page.get_by_role("link", name="Notices").click()
    expect(page.locator("main")).to_contain_text("sea-wolf")
    page.get_by_role("link", name="look").first.click()

    # It is activated, and stands on the ladder at once, marked as one's own.
    page.get_by_role("button", name="Activate v1").click()
    expect(page.locator(".message.success")).to_have_text("v1 is active.")
    bot = page.url
    page.get_by_role("link", name="ladder", exact=True).click()
    row = page.locator("tr.me")
    expect(row).to_contain_text("sea-wolf")

    # Its first match comes by itself, and counts.
    page.goto(bot)
    finished = page.locator("table.list tr", has_text="ladder").filter(
        has=page.locator(".state.finished")
    )
    reload_until(page, finished)
    page.get_by_role("link", name="ladder", exact=True).click()
    assert int(row.locator("td").last.inner_text()) >= 1
    row.get_by_role("link", name="sea-wolf").click()

    # Its match, and the play of it.
    finished.last.get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    expect(page.locator("tr.me")).to_contain_text("sea-wolf")
    assert re.search(r"seed\s+[0-9a-f]{64}", page.locator("dl.facts").inner_text())
    page.get_by_role("link", name="watch play 0").click()
    expect(page.locator(".at")).to_have_text(re.compile(r"0 of \d+"))
    page.get_by_role("link", name="One on").click()
    expect(page.locator(".at")).to_have_text(re.compile(r"1 of \d+"))
    with page.expect_download() as download:
        page.get_by_role("link", name="download").click()
    data = Path(download.value.path()).read_bytes()
    verify.verify(replay.loads(data))


def test_package_that_is_none_is_refused_beside_its_field(open_page: Open, tmp_path: Path) -> None:
    page = open_page(size=PHONE)
    page.goto("/sign-up/")
    sign_up(page, "otto")
    page.get_by_role("link", name="New bot").click()
    make_bot(page, "broken")
    bad = tmp_path / "bot.zip"
    bad.write_bytes(b"PK\x03\x04 and nothing behind it")
    upload(page, bad, activate=False)
    field = page.locator(".field", has=page.get_by_label("Package"))
    expect(field.locator(".error")).to_contain_text("zip")
    # What was chosen is kept, and nothing was made.
    expect(page.get_by_label("Activate it as soon as it qualifies")).not_to_be_checked()
    page.get_by_role("link", name="broken").click()
    expect(page.locator("main")).to_contain_text("Nothing was uploaded yet.")


def test_what_was_typed_is_kept_and_each_error_stands_beside_its_field(open_page: Open) -> None:
    page = open_page()
    page.goto("/sign-up/")
    page.get_by_label("E-mail address").fill("olga@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Handle").fill("somebody-else")
    page.get_by_role("button", name="Sign up").click()
    field = page.locator(".field", has=page.get_by_label("E-mail address"))
    expect(field.locator(".error")).to_contain_text("has an account already")
    expect(page.get_by_label("Handle")).to_have_value("somebody-else")


CRASHING = """\
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type": "ready"}', flush=True)
    else:
        print("looking for <treasure>", file=sys.stderr)
        message["observation"]["treasure"]
"""


def test_bot_that_crashes_is_rejected_and_its_owner_sees_why(
    open_page: Open, tmp_path: Path
) -> None:
    page = open_page()
    page.goto("/sign-up/")
    sign_up(page, "petra")
    page.get_by_role("link", name="New bot").click()
    make_bot(page, "seeker")
    crashing = tmp_path / "seeker.py"
    crashing.write_text(CRASHING)
    upload(page, crashing)
    page.wait_for_url("**/submissions/*/")
    expect(page.locator("#check .state").first).to_have_text("rejected", timeout=CHECKED_MS)
    expect(page.locator(".message.error")).to_contain_text("exit")
    log = page.locator("pre.log")
    expect(log).to_contain_text("looking for <treasure>")
    expect(log).to_contain_text("KeyError: 'treasure'")
    assert not page.get_by_role("button", name="Activate").count()

    # A stranger learns that it was rejected, and nothing of its code.
    stranger = open_page()
    stranger.goto(page.url)
    expect(stranger.locator("#check .state").first).to_have_text("rejected")
    assert "KeyError" not in stranger.content()
    assert not stranger.locator("pre.log, .message").count()
