"""The table of Slawia shows what a watcher may know, from every view, at every moment."""

import random
import re

import pytest
from django.template.loader import render_to_string

from engine import games
from frontend import tables
from tests.engine.slawia.positions import at, position

GAME = games.get("slawia")
SEED = "0" * 64  # the deal of the rules page's example; what lies there is written on it


def shown(state, viewer=None):
    template, board = tables.board("slawia", state.observation(viewer))
    assert template == "frontend/tables/slawia.html"
    context = {"board": board, "deciding": state.current_players(), "bots": [None] * state.players}
    return board, " ".join(render_to_string(template, context).split())


def titles(cards):
    return [card["title"] for card in cards]


@pytest.fixture
def state():
    return GAME.new_initial_state(2, SEED)


def test_first_deal_lies_there(state):
    board, page = shown(state)
    assert titles(board["table"]) == ["Nameless Caves", "Honey Grove", "Cursed Well"]
    assert [titles(place["monsters"]) for place in board["table"]] == [
        ["Striga"], ["Striga"], ["Chochlik"],
    ]  # fmt: skip
    assert titles(board["lair"]) == ["Topielec", "Poludnica", "Stolem"]
    assert [seat["starts"] for seat in board["seats"]] == [False, True]
    assert "6 / 3 / 2" in page  # glory of the Nameless Caves
    assert "Unknown Region" in page
    assert "Impending Danger" in page
    assert page.count(">free</li>") == 4 + 5 + 3
    assert page.count(">to come</li>") == 3 + 3 + 2


def test_board_has_24_spaces_after_the_first_with_12_of_the_day():
    board, page = shown(position(time=13))
    assert [space["number"] for space in board["spaces"]] == list(range(25))
    assert [space["number"] for space in board["spaces"] if space["side"] == "day"] == list(
        range(6, 18)
    )
    assert '<span class="day now">13</span>' in page
    assert page.count(" now") == 1
    assert 'aria-label="Time 13 of 24, day"' in page


def test_rows_show_strengths_that_count_now():
    # A Mage has 2 for the Warrior beside it; the Zmey counts 0 under a token; the cursed one too.
    row = at("nameless-caves", "zmey+1.2 striga", "0:mage 1:warrior-5 0:ranger!")
    board, page = shown(position(row))
    place = board["table"][0]
    assert [card["strength"] for card in place["monsters"]] == [0, 3]
    assert [card["strength"] for card in place["slayers"]] == [4, 5, 0]
    assert (place["monster_total"], place["slayer_total"], place["holds"]) == (3, 9, True)
    assert "token 2 of seat 1" in page
    assert "Ranger <b>0</b> <small>cursed</small>" in page
    assert board["seats"][1]["tokens"] == 1
    assert len(place["free"]) == 1


@pytest.mark.parametrize(("time", "threshold", "spaces"), [(0, 4, 4), (6, 3, 5)])
def test_dusk_dawn_has_a_monster_more_by_night_and_a_space_more_by_day(time, threshold, spaces):
    place = shown(position(at("noon-fields", "topielec"), time=time))[0]["table"][0]
    assert (place["threshold"], place["spaces"]) == (threshold, spaces)
    assert len(place["free"]) == spaces
    assert len(place["missing"]) == threshold - 1


def test_hands_are_public_and_the_held_card_is_named(state):
    state.apply_action(1, "play mage")
    board, _ = shown(state)
    assert [len(seat["hand"]) for seat in board["seats"]] == [6, 5]
    # Impending Danger binds the first slayer, so that the place is not asked.
    assert titles(board["table"][2]["slayers"]) == ["Mage"]
    state.apply_action(1, "play ranger")
    assert "Seat 1 holds <b>Ranger</b>, strength 3, from the hand." in shown(state)[1]


def test_trophies_have_faces_for_their_owner_only():
    state = position(trophies={0: "zmey leshy"}, glory=[4, 0])
    board, page = shown(state, 0)
    assert titles(board["seats"][0]["trophies"]) == ["Zmey", "Leshy"]
    assert "4 glory + 5 ◆" in page
    for viewer in (None, 1):
        board, page = shown(state, viewer)
        assert board["seats"][0]["trophies"] == []
        assert page.count('"back">trophy') == 2
        assert "Zmey" not in page
        assert "Leshy" not in page


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_moment_of_a_play_can_be_drawn_from_every_view(players):
    state = GAME.new_initial_state(players, f"{players:064x}")
    dice = random.Random(players)
    while True:
        viewer = dice.choice([None, *range(players)])
        board, page = shown(state, viewer)
        assert not re.search(r"\b[a-z]+-(?:5|6|ferry|mill|fields|grove|road|pass)\b", page)
        for number, seat in enumerate(state.observation(viewer)["seats"]):
            drawn = board["seats"][number]
            assert titles(drawn["hand"]) or not seat["hand"]
            assert len(drawn["trophies"]) + len(drawn["backs"]) == seat["trophies"]
        if state.is_terminal():
            break
        [player] = state.current_players()
        state.apply_action(player, dice.choice(state.legal_actions(player)))
    assert "the end" in page
    for score, rank in zip(state.scores(), state.ranks(), strict=True):
        assert f"rank {rank} with {score}" in page
