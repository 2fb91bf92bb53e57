"""The page for people names what the game has: every card with its numbers, field and event."""

import re
from importlib.resources import files

import pytest

from engine.games.kunlun import board, machine, tables
from tests.engine.kunlun.positions import GAME, SEED
from tests.engine.kunlun.test_kunlun_events import FIELDS

PAGE = files("engine.games.kunlun").joinpath("rules.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
FIRST_CELLS = {name for row in ROWS for name in re.findall(r"`([a-z_-]+)`", row[0])}


def row_of(title):
    (row,) = [row for row in ROWS if row[0] == title]
    return row


def number(value):
    return str(value) if value else "–"


@pytest.mark.parametrize("card", tables.CARDS.values(), ids=lambda card: card.name)
def test_cards(card):
    row = row_of(card.title)
    count = str(card.count)
    expected = {
        "immortal": [card.clan.capitalize(), count, str(card.cost), str(card.attack)],
        "meditation": [count, str(card.cost), number(card.attack), number(card.purity)],
        "spell": [count, str(card.cost), number(card.attack), number(card.purity)],
        "artifact": [count, str(card.development)],
        "miasma": [count],
        "servant": [count, str(card.strength), str(card.reward)],
        "creature": [count, str(card.strength)],
        "lord": [str(card.strength), str(card.reward)],
    }[card.kind]
    assert row[1:-1] == expected


# What the effect column of a card must say, by column of the table.
EFFECTS = {
    "frenzy": "Frenzy|one more attack",
    "fortune": "one more acquisition",
    "harvest": "Harvest",
    "turn": "turn: |less this turn|more this turn|more and",
    "burn": "burn: ",
    "shed": "shed: ",
    "use": "use: ",
    "risk_bonus": r"\+1 to your Alchemy rolls",
    "alchemy_discount": "1 less",
    "guardian": "Guardian",
    "shadow": "Shadow",
    "serenity": "must discard",
    "condition": "attacked only",
    "place_condition": "placed only",
    "permanent": "for good",
    "hand_bonus": "1 card larger",
    "twin": "never a third",
    "supreme": "always the seventh Lord",
}


@pytest.mark.parametrize("card", tables.CARDS.values(), ids=lambda card: card.name)
def test_effects(card):
    effect = row_of(card.title)[-1]
    for column, words in EFFECTS.items():
        if getattr(card, column):
            assert re.search(words, effect), column
    for column in ("turn_value", "use_value", "curse_value", "leadership_value", "toll"):
        if getattr(card, column):
            assert str(getattr(card, column)) in effect, column
    for word in ("Frenzy", "Harvest", "Guardian", "Shadow"):
        column = word.lower()
        if word in effect and not (card.curse or card.turn == "veil" or card.effect == "leaden"):
            assert getattr(card, column), word


def test_fields_phases_steps_and_events():
    state = GAME.new_initial_state(3, SEED)
    view = state.observation(0)
    assert set(view) <= FIRST_CELLS
    (seats,) = [row for row in ROWS if row[0] == "`seats`"]
    assert set(view["seats"][0]) <= set(re.findall(r"`([a-z_]+)`", seats[1]))
    (now,) = [row for row in ROWS if row[0] == "`now`"]
    assert set(view["now"]) <= set(re.findall(r"`([a-z_]+)`", now[1]))
    assert set(machine.PHASES) <= FIRST_CELLS
    for step, fields in board.FIELDS_OF_STEP.items():
        assert any(
            row[0] == f"`{step}`" and re.findall(r"`([a-z]+)`", row[1]) == list(fields)
            for row in ROWS
        ), step
    for kind, fields in FIELDS.items():
        assert any(
            f"`{kind}`" in row[0] and fields <= set(re.findall(r"`([a-z]+)`", row[1]))
            for row in ROWS
        ), kind


def test_every_action_word_is_named():
    words = {action.split()[0] for action in GAME.actions}
    assert words <= set(re.findall(r"`([a-z]+)[ `]", PAGE))


def test_constants():
    for text in (
        f"2 Disciples of your\nclan and {tables.START_DILIGENCE} Diligence",
        f"draw {tables.HAND_SIZE} new cards",
        f"top {tables.SERVANTS_PER_WAVE} cards of the Servant deck",
        f"after {tables.QUIET_ROUNDS} rounds in a row",
        f"after round {tables.ROUND_LIMIT}",
        "at\n  most two from the Isles",
        "three Artifacts are turned up",
        "room for three Artifacts",
    ):
        assert text in PAGE
    assert (tables.ISLES_LIMIT, tables.ALCHEMY_CARDS, tables.REGALIA_SLOTS) == (2, 3, 3)
