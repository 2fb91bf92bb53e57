"""The table of Kunlun shows what a watcher may know, from every view, at every moment."""

import random
import re

import pytest
from django.template.loader import render_to_string

from engine import games
from engine.games.kunlun.tables import CARDS
from frontend import tables
from frontend.tables import kunlun
from tests.engine.kunlun.positions import position

GAME = games.get("kunlun")
SEED = "0" * 64  # the deal of the rules page: the hands and the wave below are written there


def shown(state, viewer):
    template, board = tables.board("kunlun", state.observation(viewer))
    assert template == "frontend/tables/kunlun.html"
    context = {"board": board, "deciding": state.current_players(), "bots": [None] * state.players}
    return board, render_to_string(template, context)


def played(state, *actions):
    for action in actions:
        [player] = state.current_players()
        state.apply_action(player, action)
    return state


def titles(cards):
    return [card["title"] for card in cards]


@pytest.fixture
def state():
    return GAME.new_initial_state(3, SEED)


def test_wave_lies_there_with_strengths_and_rewards(state):
    board, page = shown(state, None)
    assert (board["lord"]["title"], board["lord"]["strength"]) == ("Hungry Ghost Sage", 64)
    assert [(foe["title"], foe["strength"], foe["reward"]) for foe in board["zone"]] == [
        ("Mud Ghoul", 5, 1),
        ("Plague Crow", 6, 2),
        ("Vermillion Bird", 8, 3),
        ("Iron Sentinel", 7, 2),
        ("Banner Fiend", 5, 2),
        ("Banner Fiend", 5, 2),
        ("Thousand-Eyes", 9, 4),
        ("Demon Smith", 13, 6),
    ]
    assert "Round 1, wave 1 of 7" in page
    assert "Lords 6 · Servants 48 · Artifacts 14 · Miasmas 10" in page
    assert "reward 1, Guardian" in page
    assert "reward 2, Guardian" in page


def test_spectator_sees_the_hand_in_turn_and_the_backs_of_the_others(state):
    board, page = shown(state, None)
    assert titles(board["seats"][1]["hand"]) == 2 * ["Disciple of the Alembic"] + 3 * ["Diligence"]
    assert [len(seat["hand"]) for seat in board["seats"]] == [0, 5, 0]
    assert page.count('"back">hidden') == 10
    assert page.count("Ready deck and hand together") == 2


def test_seat_sees_its_own_hand_too(state):
    board, page = shown(state, 2)
    assert titles(board["seats"][2]["hand"]) == ["Disciple of the Scabbard"] + 4 * ["Diligence"]
    assert not board["seats"][0]["hand"]
    assert page.count('"back">hidden') == 5


def test_cards_that_everybody_knows_to_be_in_a_hand_are_no_backs(state):
    # Seat 1 held both Alembics and 3 Diligence; its Ready deck was 2 Diligence, so they are drawn
    # before the shuffle, and everybody knows.
    board, _ = shown(played(state, "proceed", "end turn"), 0)
    assert titles(board["seats"][1]["hand"]) == ["Diligence", "Diligence"]
    assert len(board["seats"][1]["unknown"]) == 3


def test_numbers_are_those_of_the_player_in_turn(state):
    board, page = shown(played(state, "proceed"), None)
    assert [bool(seat["numbers"]) for seat in board["seats"]] == [False, True, False]
    assert "Attack 4 of 4 · Purity 3 of 3 · attacks left 1 · acquisitions left 1" in page


def test_alchemy_lies_open_and_the_choice_is_named():
    state = position("diligence", tokens=4, artifacts="mirror, 2 profane-seal, tally")
    board, page = shown(played(state, "alchemy"), None)
    opened = ["Profane Seal", "Profane Seal", "Mirror of Still Water"]
    assert titles(board["owed"]["cards"]) == opened
    assert "laid open" in page
    _, page = shown(played(state, "pick mirror-of-still-water"), None)
    assert "for <b>Mirror of Still Water</b>, worth 4" in page


def test_regalia_and_turned_cards():
    state = position(
        "stride, diligence",
        ready="2 diligence",
        regalia="standard, silver-tooth",
        creature="moon-hare",
    )
    board, page = shown(played(state, "turn cloud-stride-incantation"), None)
    own = board["seats"][0]
    assert titles(own["regalia"]) == ["Nine Dragon Standard", "Silver-Tooth Miasma"]
    assert len(own["slots"]) == 1
    assert own["creature"]["title"] == "Moon Hare"
    assert "Cloud Stride Incantation (turned)" in page
    assert page.count("(turned)") == 1


def test_decks_are_told_as_far_as_the_viewer_may_know():
    other = {"hand": "2 flame", "ready": "thunders", "clan": "wu"}
    state = position("diligence", waiting="2 contemplation", abyss="fever-blood", others=(other,))
    board, page = shown(state, 0)
    hidden = {card["title"]: card["count"] for card in board["seats"][1]["unseen"]}
    assert hidden == {"Disciple of the Flame": 2, "Five Thunders Incantation": 1}
    assert "Waiting deck:</b> Contemplation ×2" in page
    assert "Abyss:</b> Fever-Blood Miasma" in page


def test_choice_of_clans_comes_before_the_wave():
    state = GAME.new_initial_state(2, SEED, {"clans": "choose"})
    board, page = shown(state, None)
    assert board["lord"] is None
    assert "choosing a clan" in page


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_moment_of_a_play_can_be_drawn_from_every_view(players):
    state = GAME.new_initial_state(players, f"{players:064x}")
    dice = random.Random(players)
    for _ in range(120):
        viewer = dice.choice([None, *range(players)])
        board, page = shown(state, viewer)
        assert not re.search(r"\b[a-z]+-(?:of|incantation|miasma)\b", page)  # names, no titles
        for number, seat in enumerate(state.observation(viewer)["seats"]):
            cards = board["seats"][number]
            assert len(cards["hand"]) + len(cards["unknown"]) == seat["hand_count"]
        [player] = state.current_players()
        legal = state.legal_actions(player)
        state.apply_action(player, "proceed" if "proceed" in legal else dice.choice(legal))


def test_every_card_has_something_to_say():
    assert [name for name in CARDS if not kunlun.about(CARDS[name])] == []
