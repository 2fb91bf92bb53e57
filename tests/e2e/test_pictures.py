"""The README's pictures are pages of today; `SLAYER_PICTURES=1` makes them anew."""

import os
import struct

import pytest

from deploy.installation import CHECKOUT
from tests.e2e.conftest import Open
from tests.e2e.installation import Site, until
from tests.e2e.looking import SCHEMES
from tests.e2e.season import GAME

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

FOLDER = CHECKOUT / "frontend" / "docs" / "images"
ANEW = os.environ.get("SLAYER_PICTURES") == "1"
MOST_BYTES = 150_000
SIZES = {"ladder": (1100, 520), "replay": (1100, 720)}


def ladder(site: Site) -> str:
    """The ladder; for a picture, when its bots can be told apart."""
    if ANEW:
        ratings = f"ladders/{GAME}-1/ratings/"
        until(
            lambda: min(row["matches"] for row in site.api(ratings)["results"]) >= 20,
            "twenty matches of each bot",
            within_s=400,
        )
    return f"/ladders/{GAME}-1/"


def replay(site: Site) -> str:
    """The middle of a play; for a picture, of three bots, whose table is seen as a whole."""
    match = site.match
    if ANEW:
        matches = site.api(f"matches/?game={GAME}&kind=ladder&state=finished")["results"]
        match = min(match["id"] for match in matches if match["players"] == 3)
    return f"/matches/{match}/plays/0/?step=40"


PICTURES = {"ladder": ladder, "replay": replay}


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PICTURES)
def test_picture(site: Site, open_page: Open, name: str, scheme: str) -> None:
    page = open_page(size=SIZES[name], scheme=scheme)
    page.goto(PICTURES[name](site))
    picture = page.screenshot()
    file = FOLDER / f"{name}-{scheme}.png"
    if ANEW:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(picture)
    kept = file.read_bytes()
    assert size_of(kept) == size_of(picture) == SIZES[name]
    assert len(kept) < MOST_BYTES
    assert f"frontend/docs/images/{file.name}" in (CHECKOUT / "README.md").read_text()
