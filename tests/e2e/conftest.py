"""A browser (Debian's chromium) on a real installation."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.e2e.installation import Site, running
from tests.e2e.looking import DESK
from tests.e2e.season import PASSWORD

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)

Open = Callable[..., Page]


@pytest.hookimpl(trylast=True)  # after the shuffling
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the installation comes last: it plays on and on, and would take the machine from
    the others."""
    items.sort(key=lambda item: "site" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with running() as site:
        yield site


# For a module only: while it is there, an event loop runs in this thread, and Django then refuses
# to touch the database for other tests.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not shutil.which(CHROMIUM):
        pytest.skip(f"there is no {CHROMIUM}; Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def logged_in() -> dict[str, Any]:
    """Cookies of people who have logged in, by handle."""
    return {}


class Troubles(list[str]):
    """What a page complained of: errors on its console, requests that failed."""

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.append(f"script: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") or "[DOM]" in message.text:
            self.append(f"console: {message.text} ({message.location.get('url')})")

    def _failed(self, request: Request) -> None:
        # A request that the browser itself gave up: it became a download, or the page was left.
        if request.failure != "net::ERR_ABORTED":
            self.append(f"{request.url}: {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.append(f"{response.url}: {response.status}")


@pytest.fixture
def troubles() -> Troubles:
    """Empty at the end of each test; one that wants trouble clears it."""
    return Troubles()


@pytest.fixture
def open_page(
    browser: Browser, site: Site, troubles: Troubles, logged_in: dict[str, Any]
) -> Iterator[Open]:
    """`open_page("alan")`: a page of alan's, without a name a stranger's; addresses are the site's.

    Each has cookies of its own. Console errors and failed requests of any of them fail the test.
    """
    contexts = []

    def make(
        handle: str = "", *, size: tuple[int, int] = DESK, scheme: Any = "light", **options: Any
    ) -> Page:
        if handle and handle not in logged_in:
            logged_in[handle] = _log_in(browser, site, handle)
        context = browser.new_context(
            base_url=site.url,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            storage_state=logged_in[handle] if handle else None,
            **options,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        troubles.watch(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert troubles == []


def _log_in(browser: Browser, site: Site, handle: str) -> Any:
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/log-in/")
    page.get_by_label("E-mail address").fill(site.season.people[handle])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/account/")
    state = context.storage_state()
    context.close()
    return state
