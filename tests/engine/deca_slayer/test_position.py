"""Positions: what is refused, with a message that says what is wrong (rules, section 11)."""

import copy
import json

import pytest

from tests.engine.deca_slayer.positions import GAME, act, position, seen
from tests.engine.states import DELETE, changed, paths


def dealt():
    state = GAME.new_initial_state(4, "00" * 31 + "2a", {"guilds": True, "princesses": 1})
    return json.loads(json.dumps(state.to_dict()))


def test_events_may_be_left_out():
    set_up = dealt()
    assert GAME.state_from_dict(set_up).to_dict() == set_up
    del set_up["events"]
    assert GAME.state_from_dict(set_up).events == []


def test_a_position_is_independent_of_what_it_was_made_of():
    set_up = dealt()
    state = GAME.state_from_dict(set_up)
    before = json.dumps(state.to_dict())
    for value in set_up.values():
        if isinstance(value, list):
            value.clear()
    written = state.to_dict()
    written["row"][0]["open"].clear()
    written["seats"][0]["hidden"][0].clear()
    written["chance"].clear()
    assert json.dumps(state.to_dict()) == before


def test_lists_that_are_kept_sorted_are_sorted():
    set_up = dealt()
    set_up["seats"][0]["hidden"][0].reverse()
    set_up["monsters_removed"].reverse()
    assert GAME.state_from_dict(set_up).to_dict() == dealt()


FORM = [
    ("game", "kunlun", "game must be 'deca-slayer', not 'kunlun'"),
    ("game", DELETE, "game must be 'deca-slayer', not None"),
    ("edition", "2", "edition must be '1', not '2'"),
    ("edition", 1, "edition must be '1', not 1"),
    ("players", 7, "for 3 to 6 players, not 7"),
    ("players", 3, "seats must have an entry for each of 3 players, not 4"),
    ("players", True, "for 3 to 6 players, not True"),
    ("players", DELETE, "for 3 to 6 players"),
    ("options", {"guilds": 1, "princesses": 1}, "option 'guilds'"),
    ("options", {"x": 1}, "unknown option 'x'"),
    ("options", DELETE, "position lacks options"),
    ("seed", "00", "64 lower-case hex digits"),
    ("seed", None, "64 lower-case hex digits"),
    ("seed", DELETE, "64 lower-case hex digits"),
    ("turn", DELETE, "position lacks turn"),
    ("extra", 1, "position has unknown fields: 'extra'"),
    ("chance", [], "chance must be an object"),
    ("chance.heroes", -1, "chance.heroes must be a whole number"),
    ("chance.heroes", 0, "chance.heroes must be a whole number"),
    ("chance.heroes", 2**70, "not a number of 71 bits"),
    ("chance.heroes", "66", "chance.heroes must be a whole number"),
    ("round", 0, "round must be a whole number from 1 to 10, not 0"),
    ("round", 11, "round must be a whole number"),
    ("round", True, "round must be a whole number"),
    ("round", 1.0, "round must be a whole number"),
    ("phase", "sleep", "phase must be the name of a phase, not 'sleep'"),
    ("phase", [], "phase must be the name of a phase, not a list"),
    ("start", 4, "start must be a whole number from 0 to 3, not 4"),
    ("turn", 4, "turn must be a whole number from 0 to 3, not 4"),
    ("turn", "1", "turn must be a whole number"),
    ("step", -1, "step must be a whole number"),
    ("attached", None, "attached must be a whole number"),
    ("passed", [0, 0], "passed must hold different seats"),
    ("passed", {}, "passed must be a list, not an object"),
    ("values", [1, 2, 3], "values must be null or 4 numbers, not 3"),
    ("values", [1, 2, 3, -4], r"values\[3\] must be a whole number"),
    ("order", [0, 1, 2], "order must be null or all 4 seats"),
    ("order", [0, 1, 2, 2], "order must hold different seats"),
    ("owed", "2", "owed must be a whole number"),
    ("picks", -1, "picks must be a whole number"),
    ("hired", 0, "hired must be true or false, not 0"),
    ("shuffles", 1, r"seats\[0\].hidden must have shuffles \+ 1 = 2 lists, not 1"),
    ("display", ["dwarf"], r"display\[0\] must be the name of a hero, not 'dwarf'"),
    ("display", [["knight"]], r"display\[0\] must be the name of a hero, not a list"),
    ("row", None, "row must be a list, not None"),
    ("row.0", [], r"row\[0\] must be an object, not a list"),
    ("row.0.monster", "griff", r"row\[0\].monster must be the name of a monster"),
    ("row.1.closed", "dragon", r"row\[1\].closed must be the name of a treasure"),
    ("row.1.closed", DELETE, r"row\[1\] lacks closed"),
    ("row.1.seen_by", [9], r"row\[1\].seen_by\[0\] must be a whole number"),
    ("row.1.face", "up", r"row\[1\] has unknown fields: 'face'"),
    ("seats", {}, "seats must be a list"),
    ("seats.0", None, r"seats\[0\] must be an object, not None"),
    ("seats.0.guild", "guild", r"seats\[0\].guild must be the name of a guild"),
    ("seats.0.hidden", [], r"seats\[0\].hidden must have shuffles \+ 1 = 1 lists, not 0"),
    ("seats.0.hidden", ["knight"], r"seats\[0\].hidden\[0\] must be a list, not 'knight'"),
    ("seats.0.played", [{}], r"seats\[0\].played\[0\] lacks step, slot, type, card, princesses"),
    ("seats.0.sealed", [], r"seats\[0\].sealed must be an object"),
    ("seats.0.sealed", {"card": 3, "princesses": 0}, r"sealed.card must be the name of a hero"),
    ("events", {}, "events must be a list"),
    ("events", [{}], r"events\[0\] must be an object with a kind"),
    ("events", [{"kind": "draw"}], r"events\[0\] lacks visible_to"),
    ("events", [{"kind": "x", "visible_to": 3}], r"events\[0\].visible_to must be a list"),
    ("events", [{"kind": "x", "visible_to": [7]}], r"visible_to\[0\] must be a whole number"),
    ("events", [{"kind": "x", "visible_to": None, "y": {1}}], r"events\[0\].y must be a JSON"),
]


@pytest.mark.parametrize(("path", "value", "message"), FORM)
def test_wrong_form(path, value, message):
    with pytest.raises(ValueError, match=message):
        GAME.state_from_dict(changed(dealt(), path, value))


@pytest.mark.parametrize("value", [None, [], "position", 3])
def test_not_an_object(value):
    with pytest.raises(ValueError, match="a position is an object"):
        GAME.state_from_dict(value)


def test_every_field_of_every_wrong_type_is_a_value_error():
    """Whatever stands in a field, the refusal is a ValueError with a message."""
    state = GAME.state_from_dict(dealt())
    set_up = act(state, "1 play wizard").to_dict()
    assert GAME.state_from_dict(set_up).to_dict() == set_up

    fields = list(paths(set_up))
    assert len(fields) > 80
    for path in fields:
        for value in (object(), 1.5, -7, "nonsense", ["nonsense"], {"non": "sense"}, DELETE):
            # A stream may be unused, a treasure may be unseen: no field is missing then.
            if value is DELETE and path.startswith(("chance.", "row.1.seen_by.")):
                continue
            with pytest.raises(ValueError, match=r"\w"):
                GAME.state_from_dict(changed(set_up, path, value))


def test_cards_must_add_up():
    def refusal(path, value, set_up=None):
        with pytest.raises(ValueError, match="does not add up") as caught:
            GAME.state_from_dict(changed(set_up or dealt(), path, value))
        return str(caught.value)

    assert "berserker 2 times instead of 3" in refusal("display.0", "knight")
    assert "knight 3 times instead of 2" in refusal("display.0", "knight")
    assert "princess 2 times instead of 1" in refusal("attached", 1)
    assert "princess 0 times instead of 1" in refusal("seats.2.hidden.0.3", "wizard")
    assert "hydra 0 times instead of 1" in refusal("row.0.monster", "golem")
    assert "dragon 0 times instead of 1" in refusal("monster_deck.0", "golem")
    assert "riches-8 2 times instead of 1" in refusal("row.0.open.0", "riches-8")
    assert "dragon 1 times instead of 0" in refusal("seats.0.treasures", ["dragon"])
    assert "a guild of its own" in refusal("seats.0.guild", "royal-regulars")
    assert "a guild of its own" in refusal("seats.0.guild", None)
    plain = GAME.new_initial_state(3, "00" * 32).to_dict()
    assert "every seat's guild is null" in refusal("seats.0.guild", "royal-regulars", plain)


def test_the_dragon_at_the_end():
    """In `end` it lies with its owner or on the discard pile, and nowhere else."""
    set_up = position(
        "dragon",
        hands=["", "", ""],
        round=10,
        step=1,
        phase="treasure",
        turn=0,
        order=[0, 1, 2],
        treasures={0: "dragon"},
    )
    end = act(set_up, "0 take riches-10").to_dict()
    assert end["phase"] == "end"
    assert GAME.state_from_dict(end).to_dict() == end
    moved = copy.deepcopy(end)
    moved["seats"][0]["treasures"].remove("dragon")
    with pytest.raises(ValueError, match="dragon 0 times instead of 1"):
        GAME.state_from_dict(moved)
    moved["treasure_discard"].append("dragon")
    assert GAME.state_from_dict(moved).scores() == [10, 11, 0]
    moved["monsters_defeated"].append("dragon")
    with pytest.raises(ValueError, match="dragon 1 times instead of 0"):
        GAME.state_from_dict(moved)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("turn", None, "turn is a seat outside a simultaneous step"),
        ("step", 2, "step is below 2 while this monster is fought"),
        ("step", 3, "step is at most 2 with this monster"),
        ("owed", 1, "owed is above 0 in phase curse"),
        ("picks", 1, "picks is above 0 in phase recruit"),
        ("hired", True, "hired is true only in phases exchange and limit"),
        ("seats.0.sealed", {"card": "jester", "princesses": 0}, "sealed is null outside"),
        ("row.0.closed", "riches-12", "add up"),
        ("phase", "end", "add up"),
        ("phase", "recruit", "picks is above 0 in phase recruit"),
        ("phase", "treasure", "order holds all seats in phase treasure"),
        ("phase", "take-back", "values holds numbers in phase take-back"),
        ("phase", "outrank", "order holds all seats in phase outrank"),
        ("phase", "alchemy", "turn is the alchemy-guild"),
        ("phase", "limit", "order holds all seats in phase limit"),
        ("phase", "curse", "owed is above 0 in phase curse"),
    ],
)
def test_a_position_stands_at_a_decision(path, value, message):
    set_up = position("hydra", hands=["jester bard", "scout", "scout"]).to_dict()
    with pytest.raises(ValueError, match=message):
        GAME.state_from_dict(changed(set_up, path, value))


def test_turns_that_pass_by_themselves_are_no_decisions():
    with pytest.raises(ValueError, match="holds at least 2 cards"):
        position("troll", hands=["jester", "scout", "scout"])
    with pytest.raises(ValueError, match="holds at least 1 cards"):
        position("golem", hands=["", "scout", "scout"])
    with pytest.raises(ValueError, match="the last one left passes by itself"):
        position("golem", hands=["jester", "scout", "scout"], passed=[1, 2])
    with pytest.raises(ValueError, match="turn is a seat that has not passed"):
        position("golem", hands=["jester", "scout", "scout"], passed=[0])
    with pytest.raises(ValueError, match="somebody still owes an answer"):
        position("vampire", hands=["", "", ""])
    with pytest.raises(ValueError, match="turn is null in a simultaneous step"):
        position("vampire", hands=["jester", "scout", "scout"], turn=0)
    with pytest.raises(ValueError, match="nobody has a decision"):
        position("dragon", hands=["jester", "scout", "scout"], round=10)


def test_phases_after_the_battle():
    hands = ["jester", "scout", "scout"]
    common = {"step": 2, "order": [0, 1, 2], "values": [3, 0, 0], "open": "riches-8 riches-9"}

    def refusal(**fields):
        with pytest.raises(ValueError, match="does not add up") as caught:
            position("hydra", hands=hands, **{**common, **fields})
        return str(caught.value)

    assert "turn is rank 1" in refusal(phase="treasure", turn=1)
    assert "no action in phase treasure" in refusal(phase="treasure", turn=0, open="")
    assert "turn is rank 1 or 2" in refusal(phase="curse", turn=2, owed=1)
    assert "for rank 2" in refusal(phase="curse", turn=0, owed=1)
    assert "owed is at most" in refusal(phase="curse", turn=0, owed=2, open="riches-8")
    assert "something to exchange" in refusal(phase="exchange", turn=0)
    assert "above its limit of 8" in refusal(phase="limit", turn=0)
    assert "no action in phase recruit" in refusal(phase="recruit", turn=0, picks=1)
    assert "picks is at most 2" in refusal(phase="recruit", turn=0, picks=3, display="knight")
    assert "turn is a seat in phase treasure" in refusal(phase="treasure", turn=None)
    assert "same value as the seat above" in refusal(
        phase="outrank", turn=1, guilds={1: "royal-regulars"}
    )
    assert "put down a performer" in refusal(
        phase="take-back", turn=1, guilds={1: "performers-guild"}
    )


def test_sealed_cards_are_in_the_hand():
    def refusal(sealed):
        set_up = position(
            "vampire", hands=["jester princess", "scout", "scout"], princesses=2
        ).to_dict()
        with pytest.raises(ValueError, match="does not add up") as caught:
            GAME.state_from_dict(changed(set_up, "seats.0.sealed", sealed))
        return str(caught.value)

    assert "are in the hand" in refusal({"card": "knight", "princesses": 0})
    assert "are in the hand" in refusal({"card": "princess", "princesses": 1})
    assert "null as long as nothing is sealed" in refusal({"card": None, "princesses": 0})


def test_a_set_position_plays_on_to_its_end():
    """Cards spread freely: few monsters and treasures left, and still no crash."""
    state = position(
        "hydra",
        hands=["jester", "scout", "scout"],
        open="riches-8",
        treasure_deck="riches-9",
        closed="riches-5 riches-6",
        monster_deck=["dragon"],
        monsters_removed=[
            *("demon", "cyclops", "vampire", "basilisk", "griffin", "gazer", "troll"),
            *("wyvern", "golem", "harpy", "wraith", "cerberus"),
        ],
    )
    while not state.is_terminal():
        player = state.current_players()[0]
        state.apply_action(player, state.legal_actions(player)[0])
    assert seen(state)["phase"] == "end"


def play_out(set_up):
    state = GAME.state_from_dict(set_up)
    while deciders := state.current_players():
        state.apply_action(deciders[0], state.legal_actions(deciders[0])[0])
    return state


@pytest.mark.parametrize("round", [1, 5])
def test_nothing_follows_the_dragon_even_in_an_early_round_of_a_set_position(round):
    hands = ["knight cleric", "wizard", "archer"]
    set_up = position(
        "dragon", hands=hands, open="riches-1 riches-2", round=round, step=1,
        phase="treasure", turn=0, order=[0, 1, 2], treasures={0: "dragon"},
    )  # fmt: skip
    state = play_out(set_up.to_dict())
    assert seen(state)["round"] == round
    assert GAME.state_from_dict(state.to_dict()).scores() == state.scores()


def test_nothing_follows_the_tenth_round_even_if_a_set_position_recruits_in_it():
    hands = ["knight", "", ""]
    set_up = position(
        "hydra", hands=hands, phase="recruit", turn=2, order=[0, 1, 2], picks=2, step=1,
        display="bard bard ranger ranger", values=[9, 0, 0], round=3,
    ).to_dict()  # fmt: skip
    set_up["round"] = 10
    state = play_out(set_up)
    assert seen(state)["round"] == 10


def test_a_seat_whose_slots_are_filled_before_its_turn_is_passed_over():
    """The troll's slots are filled in order from the start player; seat 0 has filled its two."""
    set_up = position(
        "troll",
        hands=["knight wizard sniper", "scout scout", "archer archer"],
        open="riches-1 riches-2",
    )
    filled = act(set_up, "0 play knight", "0 play wizard").to_dict()
    filled["start"] = 1
    state = act(GAME.state_from_dict(filled), "1 pass", "2 pass")
    assert seen(state)["phase"] == "treasure"
    assert state.current_players() == (0,)
