"""The page for people names what the game has: every card with its numbers, field and event."""

import re
from importlib.resources import files

import pytest

from engine.games.deca_slayer import rounds, tables
from tests.engine.deca_slayer.positions import GAME
from tests.golden.plays import FOLDER

PAGE = files("engine.games.deca_slayer").joinpath("rules.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
FIRST_CELLS = {name for row in ROWS for name in re.findall(r"`([a-z_-]+)`", row[0])}


@pytest.mark.parametrize("hero", tables.HEROES.values(), ids=lambda hero: hero.name)
def test_heroes(hero):
    powers = [str(hero.powers.get(kind, "–")) for kind in tables.TYPES]
    copies = "0 to 2" if hero.name == "princess" else str(hero.count)
    assert [hero.title, *powers, copies] in ROWS


@pytest.mark.parametrize("monster", tables.MONSTERS.values(), ids=lambda monster: monster.name)
def test_monsters(monster):
    (row,) = [row for row in ROWS if row[0] == monster.title]
    types = [kind for step in monster.steps for kind in step.slots]
    assert re.findall("melee|ranged|magic", row[1]) == types
    assert ("face down" in row[1]) == (monster.steps[0].mode == "simultaneous")
    assert ("round and round" in row[1]) == (monster.steps[0].mode == "continuous")
    assert ("any number" in row[1]) == any(step.repeat for step in monster.steps)
    assert (
        row[2]
        == {
            "total-power": "total power",
            "highest-minimum": "weakest hero",
            "last-man-standing": "last one standing",
        }[monster.placement]
    )


@pytest.mark.parametrize("card", tables.TREASURES.values(), ids=lambda card: card.name)
def test_treasures(card):
    (row,) = [row for row in ROWS if row[0] == card.title]
    assert row[1] == str(card.vp)
    plain = tables.Treasure(card.name, card.title, card.count, card.vp, card.face)
    assert (row[2] == "–") == (card == plain)


@pytest.mark.parametrize("guild", tables.GUILDS.values(), ids=lambda guild: guild.name)
def test_guilds(guild):
    assert sum(row[0] == guild.title for row in ROWS) == 1


def test_fields_phases_and_events():
    state = GAME.new_initial_state(3, "00" * 32)
    assert set(state.observation(0)) <= FIRST_CELLS
    assert set(rounds.PHASES) - {"end"} <= FIRST_CELLS
    told = {
        line.split()[0]
        for file in FOLDER.glob("deca-slayer-1-*.txt")
        for line in file.read_text().splitlines()
        if line.startswith("    ")
    }
    assert len(told) == 21
    assert told <= FIRST_CELLS
