"""Pages of seasons: divisions with who goes up and down, the calendar, and the seasons beside."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.tournaments.chosen import settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import bots
from tournaments import lifecycle, seasons

pytestmark = [pytest.mark.django_db, pytest.mark.db, pytest.mark.usefixtures("broker")]
RULES = {"division_size": 4, "match_days": 3, "table_size": 2, "deals": 1, "up": 1, "min_size": 2}


def page(address):
    response = Client().get(address)
    assert response.status_code == 200
    return response.content.decode()


def league(count, *, slug="league-1", **rules):
    """A started season of Kunlun, and strengths by submission: the first is the strongest."""
    season = seasons.create_season(
        slug=slug, title="The First", game="kunlun", rules=RULES | rules, organiser=None
    )
    strength = {}
    for number, bot in enumerate(bots(count)):
        seasons.enter_season(season=season, bot=bot, user=None)
        strength[bot.active_id] = float(-number)
    return season, strength


def play(season, strength, days):
    for _ in range(days):
        settle_all(strength)
        lifecycle.advance()
        seasons.advance()
    season.refresh_from_db()


def zones(html, division):
    """Sign and bot of each line of a division's table."""
    table = html.split(f'id="division-{division}"')[1].split("</table>")[0]
    found = {}
    for row in re.findall(r"<tr class.*?</tr>", table, re.S):
        sign = re.search(r'<span class="zone" title="([^"]*)">(.)', row)
        found[re.search(r">(b\d+)<", row)[1]] = sign.groups() if sign else None
    return found


def test_an_open_season_shows_its_rules_and_entries():
    league(3)
    shown = page("/seasons/league-1/")
    assert "b3" in shown
    assert "when the organiser says so" in shown
    assert "entrants a division</dt><dd>4</dd>" in shown
    assert "The First" in page("/seasons/")


def test_a_running_season_marks_zones_by_sign_and_word_and_shows_its_calendar():
    season, strength = league(8, playoff=True)
    seasons.start_season(season=season, user=None)
    play(season, strength, 1)
    shown = page("/seasons/league-1/")
    assert "Divisions, provisional" in shown
    assert list(zones(shown, 1).values()) == [
        ("champion", "★"), None, ("play-off", "⇅"), ("goes down", "▼"),
    ]  # fmt: skip
    assert list(zones(shown, 2).values()) == [
        ("goes up", "▲"), ("play-off", "⇅"), None, None,
    ]  # fmt: skip
    states = re.findall(r'<span class="state [^"]*">([^<]+)</span>', shown)
    assert states == ["running", "finished", "running", "to come"]
    assert 'href="/brackets/league-1-d2/?round=2#rounds"' in shown
    assert "Of the season" in page("/brackets/league-1-d1/")
    assert "league-1-d1" not in page("/brackets/")


def test_a_finished_season_has_a_champion_and_leads_to_the_next():
    season, strength = league(8)
    seasons.start_season(season=season, user=None)
    play(season, strength, 4)
    assert season.state == "finished"
    following = seasons.roll_over(season=season, user=None, slug="league-2", title="The Second")
    shown = page("/seasons/league-1/")
    assert re.search(r"★ Champion: <a[^>]*>b1</a>", shown)
    assert "provisional" not in shown
    assert zones(shown, 1)["b4"] == ("goes down", "▼")
    assert zones(shown, 2)["b5"] == ("goes up", "▲")
    assert '<a href="/seasons/league-2/">The Second</a>' in shown
    assert '<a href="/seasons/league-1/">The First</a>' in page("/seasons/league-2/")
    assert following.number == 2


def test_who_has_left_is_marked_and_the_act_has_its_reason():
    season, strength = league(8)
    seasons.start_season(season=season, user=None)
    play(season, strength, 1)
    entry = season.entries.select_related("bot__player", "season").last()
    seasons.withdraw(entry=entry, user=None, reason="<i>Gone fishing</i>")
    shown = page("/seasons/league-1/")
    assert zones(shown, 2)["b8"] == ("has left", "✕")
    assert "results dropped" in shown
    assert "&lt;i&gt;Gone fishing&lt;/i&gt;" in shown
    assert re.search(r"withdraw: player-\d+/b8", shown)


def test_the_number_of_queries_grows_with_divisions_only():
    counts = {}
    for size in (3, 8):
        season, _ = league(2 * size, slug=f"of-{size}", division_size=size)
        seasons.start_season(season=season, user=None)
        Client().get(f"/seasons/of-{size}/")  # what is read once in a process
        with CaptureQueriesContext(connection) as seen:
            page(f"/seasons/of-{size}/")
        counts[size] = len(seen)
    assert counts[3] == counts[8] <= 30
