"""What the demonstration makes, and that a second start makes nothing twice."""

import pytest

from bots import submissions
from bots.models import Bot, Submission, User
from deploy import demo
from engine import games
from tests.tournaments.chosen import settle_all
from tests.tournaments.conftest import broker, files  # noqa: F401 (fixtures)
from tournaments import entrants, lifecycle, seasons
from tournaments.models import Bracket, Season, SeasonEntry

pytestmark = [pytest.mark.django_db, pytest.mark.db, pytest.mark.usefixtures("broker", "files")]


@pytest.fixture(autouse=True)
def one_game(monkeypatch):
    """All games are treated alike; one is enough."""
    game = games.get(demo.LARGE_GAME)
    monkeypatch.setattr(demo.games, "all", lambda: [game])


def qualify_all():
    for submission in Submission.objects.filter(state="uploaded"):
        assert submissions.start_check(submission)
        assert submissions.qualify(submission, log="")
        entrants.activate(submission=submission, user=None)


def play(found):
    versions = Submission.objects.order_by("-id").values_list("pk", flat=True)
    strength = {pk: float(rank) for rank, pk in enumerate(versions)}
    for _ in range(50):
        if all(each.state == "finished" for each in found):
            return
        settle_all(strength)
        for pk in Bracket.objects.filter(state="running").values_list("pk", flat=True):
            lifecycle.advance_bracket(pk)
        seasons.advance()
        for each in found:
            each.refresh_from_db()
    pytest.fail("it does not end")


def test_a_season_of_three_divisions_and_the_next_one():
    demo.make_logins()
    demo.make_bots()
    qualify_all()
    organiser = User.objects.get(email=demo.ORGANISER)
    found = demo.start_seasons(organiser)
    assert len(found) == 1
    for season in found:
        assert [division.entries.count() for division in season.divisions.all()] == [4, 4, 4]
        assert season.match_days.count() == 6
    # Four players, each with three bots of every game.
    assert SeasonEntry.objects.values("bot__player").distinct().count() == 4
    assert demo.days_played(found) == (0, 3 * 6 + 1)
    # Who starts again goes on with what is there.
    demo.make_bots()
    assert Bot.objects.count() == 12 + 3
    assert demo.start_seasons(organiser) == found
    assert Season.objects.count() == 1

    play(found)
    assert demo.days_played(found) == (19, 19)
    # Bots of known strength that play as they should come out in their order.
    lines = demo.results(found)
    assert [line for line in lines if "within" in line] == [
        f"{season.title}: 18 of 18 within its divisions" for season in found
    ]
    assert sum("(promoted)" in line for line in lines) == 2
    for _ in range(2):
        demo.next_seasons(organiser, found)
    assert Season.objects.filter(number=2, state="entry").count() == 1


def test_the_large_swiss_has_bots_of_its_own(monkeypatch):
    monkeypatch.setattr(demo, "LARGE_FIELD", 8)
    demo.make_logins()
    demo.make_bots(large=True)
    qualify_all()
    organiser = User.objects.get(email=demo.ORGANISER)
    brackets = demo.start_brackets(organiser, large=True)
    assert [bracket.entries.count() for bracket in brackets] == [12, 8]
    large = brackets[-1]
    tables = large.stages.get().rounds.get().tables.all()
    assert [table.seats.count() for table in tables] == [4] * 2


def test_pairs_in_the_known_order_are_counted():
    bots = [Bot(pk=pk) for pk in (1, 2, 4, 3)]
    assert demo.known_order(bots) == (5, 6)
