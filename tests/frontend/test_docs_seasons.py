"""The page of seasons: rules, states and zones against the code, commands in a database."""

import re

import pytest

from engine import games
from frontend.views.seasons import ZONES
from tests.frontend import docs_commands
from tests.frontend.docs_reader import code, plain, tables, words_of
from tests.tournaments.chosen import settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import bots
from tournaments import leagues, lifecycle, seasons
from tournaments.models import Season

GAME = games.get("kunlun")


def check_states(table):
    assert [plain(cell) for cell in table.column(0)] == Season.State.values


def check_rules(table):
    names = [name for cell in table.column(0) for name in re.findall(r"`([^`]+)`", cell)]
    assert sorted(names) == sorted(seasons.RULES)
    full = seasons.check_rules({}, GAME)
    for cell, default, _ in table.rows:
        name = plain(cell)
        match default:
            case "none":
                assert full[name] is None
            case "no":
                assert full[name] is False
            case "`up`":
                assert full[name] == full["up"]
                assert seasons.check_rules({"up": 2}, GAME)[name] == 2
            case "half of `match_days`":
                assert full[name] == full["match_days"] // 2
            case "as of a [bracket](formats.md#rules)":
                assert full["table_size"] == 4
            case number:
                assert full[name] == int(number)


def check_zones(table):
    shown = {plain(name): sign for name, sign, _ in table.rows}
    assert set(shown) == {*leagues.Outcome, "playoff"}
    assert {name: sign for name, sign in shown.items() if sign} == {
        name: sign for name, (sign, _) in ZONES.items()
    }


CHECKS = {
    "From the entry to the next season": check_states,
    "Rules": check_rules,
    "Who plays where": check_zones,
}


@pytest.mark.parametrize("table", tables("seasons.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    assert f"values for {GAME.title}" in words_of("seasons.md")


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db
def test_a_season_by_the_commands_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    field = bots(8)
    (tmp_path / "entrants.csv").write_text("bot\n" + "".join(f"{bot}\n" for bot in field))
    first, then = (block.text for block in code("seasons.md", "sh"))
    said = docs_commands.run(first)
    assert said[1] == "8 entered"
    assert said[5].startswith("league-1: running")
    assert (tmp_path / "league-1.csv").read_text().count("\n") == 9
    season = Season.objects.get()
    assert season.match_days.get(number=2).deadline.year == 2099
    # The days are not waited for.
    season.match_days.update(starts_at=season.started_at)
    strength = {bot.active_id: -float(bot.pk) for bot in field}
    for _ in range(5):
        settle_all(strength)
        lifecycle.advance()
        seasons.advance()
    docs_commands.run(then)
    following = Season.objects.get(slug="league-2")
    assert following.rules["up"] == 2
    assert following.entries.filter(level=1).count() == 4
