"""The page for people names what the game has: every card with its numbers, field and event."""

import random
import re
from importlib.resources import files

import pytest

from engine.games.slawia import tables, turn
from tests.engine.slawia.invariants import start
from tests.engine.slawia.positions import GAME

PAGE = files("engine.games.slawia").joinpath("rules.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
FIRST_CELLS = {name for row in ROWS for name in re.findall(r"`([a-z_-]+)`", row[0])}
ABILITIES = {
    "none": "–",
    "dusk-dawn": "Dusk/Dawn",
    "unknown-region": "Unknown Region",
    "impending-danger": "Impending Danger",
}
# All that stand in section 14 of the rules.
KINDS = """
start lair location aside shuffle turn draw slayer monster order recall token curse return discard
hunt glory trophy trophy-card time dusk dawn last-turn location-won location-lost skip score end
"""


@pytest.mark.parametrize("slayer", tables.SLAYERS.values(), ids=lambda slayer: slayer.name)
def test_slayers_of_the_page(slayer):
    (row,) = [row for row in ROWS if row[0] == slayer.title]
    assert row[1] == str(slayer.strength)
    assert (row[2] == "–") == (slayer.kind == "warrior")


@pytest.mark.parametrize("monster", tables.MONSTERS.values(), ids=lambda monster: monster.name)
def test_monsters_of_the_page(monster):
    (row,) = [row for row in ROWS if row[0] == monster.title]
    assert row[1:4] == [str(monster.strength), str(monster.treasures), str(monster.copies)]
    assert (row[4] == "–") == (not monster.special)


@pytest.mark.parametrize("location", tables.LOCATIONS.values(), ids=lambda location: location.name)
def test_locations_of_the_page(location):
    numbers = [str(number) for number in (location.slayers, location.threshold, location.sun)]
    points = "/".join(str(number) for number in location.points)
    assert [location.title, *numbers, points, ABILITIES[location.ability]] in ROWS


def test_numbers_of_the_board():
    assert (tables.LAST_SPACE, tables.DAY[0], tables.DAY[-1], tables.LAIR) == (24, 6, 17, 3)
    assert tables.SLOTS == {2: 3, 3: 4, 4: 4, 5: 5}
    assert list(tables.TOKENS) == [1, 2]


def test_fields_phases_and_events_of_the_page():
    state = GAME.new_initial_state(2, "00" * 32)
    assert set(state.observation(0)) <= FIRST_CELLS
    assert set(turn.PHASES) - {"over"} <= FIRST_CELLS
    assert set(KINDS.split()) <= FIRST_CELLS
    assert len(KINDS.split()) == 28
    words = set(re.findall(r"`([a-z_-]+)", PAGE))
    assert {name for entry in state.observation(0)["table"] for name in entry} <= words
    assert {name for seat in state.observation(0)["seats"] for name in seat} <= words


def test_actions_of_the_page():
    verbs = {
        re.sub(r" [A-Z]+$", "", text) for row in ROWS for text in re.findall("`([^`]+)`", row[1])
    }
    for action in GAME.actions:
        assert action in verbs or action.rpartition(" ")[0] in verbs


def test_every_event_is_on_the_page_with_its_fields():
    rng = random.Random(7)
    fields = {}
    for row in ROWS:
        for kind in re.findall(r"`([a-z-]+)`", row[0]):
            if len(row) == 2:
                fields.setdefault(kind, set()).update(re.findall(r"`([a-z]+)`", row[1]))
    for number in range(24):
        state = start(number, rng)
        while not state.is_terminal():
            player = state.current_players()[0]
            state.apply_action(player, rng.choice(state.legal_actions(player)))
        for event in state.events:
            assert set(event) - {"kind", "visible_to"} <= fields[event["kind"]], event["kind"]
