"""Positions: what is refused, with a message that says what is wrong (rules, section 14)."""

import json

import pytest

from tests.engine.kunlun.positions import CREATURES, GAME, SEED, act, legal, position, seen
from tests.engine.states import DELETE, changed, paths


def dealt():
    state = GAME.new_initial_state(3, "0" * 64)
    return json.loads(json.dumps(state.to_dict()))


def test_fields():
    d = dealt()
    assert set(d) == {
        *("game", "edition", "players", "options", "seed", "drawn", "phase", "first", "turn"),
        *("round", "wave", "quiet", "stirred", "lord", "zone", "servants", "lords", "artifacts"),
        *("miasmas", "abyss", "gone", "isles", "seats", "now", "pending", "events"),
    }
    assert set(d["seats"][0]) == {
        *("clan", "list", "ready", "hand", "waiting", "regalia", "creature", "trophies"),
        *("tokens", "sure"),
    }
    assert d["now"] == {
        "attack_bonus": 0,
        "attack_spent": 0,
        "purity_bonus": 0,
        "purity_spent": 0,
        "slain": 0,
        "frenzy_bonus": 0,
        "leaden": False,
        "veil": False,
        "swept": False,
        "burned": 0,
        "acquired": 0,
        "from_isles": 0,
        "twins": 0,
        "alchemy": False,
        "hand_delta": 0,
        "turned": {},
        "used": [],
    }
    assert d["options"] == {"clans": "random", "first": "random"}
    assert (d["lord"], d["pending"]) == ("hungry-ghost-sage", [])


def test_events_may_be_left_out():
    d = dealt()
    assert GAME.state_from_dict(d).to_dict() == d
    del d["events"]
    assert GAME.state_from_dict(d).events == []


def test_a_position_is_independent_of_what_it_was_made_of():
    d = dealt()
    state = GAME.state_from_dict(d)
    before = json.dumps(state.to_dict())
    for value in d.values():
        if isinstance(value, (list, dict)):
            value.clear()
    written = state.to_dict()
    written["seats"][0]["list"].clear()
    written["seats"][0]["hand"].clear()
    written["now"]["turned"]["pure-heart"] = 1
    written["drawn"].clear()
    written["isles"].clear()
    assert json.dumps(state.to_dict()) == before


def test_lists_that_are_kept_sorted_are_sorted():
    d = dealt()
    d["zone"].reverse()
    d["seats"][0]["hand"].reverse()
    assert GAME.state_from_dict(d).to_dict() == dealt()


def test_a_card_that_is_not_counted_is_not_there():
    d = position("diligence", waiting="4 pure-heart").to_dict()
    assert d["isles"].pop("pure-heart") == 0
    assert GAME.state_from_dict(d).to_dict()["isles"]["pure-heart"] == 0


STEPS = [
    ("abstain", {}, "diligence", {"phase": "abstain"}),
    ("miasma", {"card": "silver-tooth-miasma"}, "silver-tooth", {"regalia": "tally, mirror, bell"}),
    ("place", {"card": "seven-star-sword"}, "sword", {"regalia": "tally, mirror, bell"}),
    ("forced", {}, "diligence", {}),
    ("purge", {"left": 2, "keep": None}, "diligence", {}),
    ("purge", {"left": 1, "keep": "pure-heart"}, "diligence, pure-heart", {}),
    ("seal", {}, "corpse-breath", {}),
    ("call", {}, "", {"clan": "kichen", "ready": "beacon"}),
    ("infect", {}, "", {}),
    ("creature", {"card": "moon-hare"}, "", {"creature": "azure-dragon"}),
    ("alchemy", {"cards": ["profane-seal", "tiger-tally"]}, "", {"tokens": 1}),
    (
        "price",
        {"cards": ["profane-seal", "tiger-tally"], "card": "tiger-tally"},
        "",
        {"tokens": 1},
    ),
]


@pytest.mark.parametrize(("kind", "fields", "hand", "others"), STEPS)
def test_every_kind_of_step_is_read_and_written(kind, fields, hand, others):
    step = {"kind": kind, **fields}
    state = position(hand, pending=[step], **others)
    assert state.to_dict()["pending"] == [step]
    assert seen(state)["pending"] == step
    assert legal(state)
    assert (
        GAME.state_from_dict(json.loads(json.dumps(state.to_dict()))).to_dict() == state.to_dict()
    )


FORM = [
    ("game", "deca-slayer", "game must be 'kunlun', not 'deca-slayer'"),
    ("edition", "2", "edition must be '1', not '2'"),
    ("edition", 1, "edition must be '1', not 1"),
    ("players", 5, "for 2 to 4 players, not 5"),
    ("players", 2, "seats must have an entry for each of 2 players, not 3"),
    ("players", True, "for 2 to 4 players, not True"),
    ("options", {"clans": "random", "first": True}, "option 'first'"),
    ("options", {"clans": "wu,kunlun", "first": 0}, "option 'clans'"),
    ("options", {"clans": "random", "first": 3}, "seat from 0 to 2, not 3"),
    ("options", {"clans": "random"}, "options lacks first"),
    ("options", {}, "options lacks clans, first"),
    ("options", DELETE, "position lacks options"),
    ("seed", "00", "64 lower-case hex digits"),
    ("seed", "AB" * 32, "64 lower-case hex digits"),
    ("drawn", [], "drawn must be an object"),
    ("drawn.first", 0, "drawn.first must be a whole number of at least|from 1"),
    ("drawn.first", True, "drawn.first must be a whole number"),
    ("phase", "end", "phase must be the name of a phase, not 'end'"),
    ("first", 3, "first must be a whole number from 0 to 2, not 3"),
    ("first", True, "first must be a whole number"),
    ("turn", -1, "turn must be a whole number from 0 to 2"),
    ("turn", None, "turn must be a whole number"),
    ("round", 0, "round must be a whole number of at least 1, not 0"),
    ("round", 1.0, "round must be a whole number"),
    ("wave", -1, "wave must be a whole number"),
    ("quiet", -1, "quiet must be a whole number"),
    ("quiet", False, "quiet must be a whole number"),
    ("stirred", 0, "stirred must be true or false, not 0"),
    ("stirred", DELETE, "position lacks stirred"),
    ("extra", 1, "position has unknown fields: 'extra'"),
    ("lord", "grave-imp", "lord must be the name of a card of kind lord, not 'grave-imp'"),
    ("lord", [], "lord must be the name of a card"),
    ("zone", None, "zone must be a list"),
    ("zone.0", "drum-marshal", r"zone\[0\] must be the name of a card of kind servant or creature"),
    ("servants.0", "dragon", r"servants\[0\] must be the name of a card"),
    ("lords.0", 7, r"lords\[0\] must be the name of a card of kind lord, not 7"),
    ("artifacts.0", "diligence", r"artifacts\[0\] must be the name of a card of kind artifact"),
    ("miasmas.0", "diligence", r"miasmas\[0\] must be the name of a card of kind miasma"),
    ("abyss", {}, "abyss must be a list, not an object"),
    ("gone", ["mud-ghoul"], r"gone\[0\] must be the name of a card of kind creature"),
    ("isles", [], "isles must be an object, not a list"),
    ("isles.pure-heart", -1, "isles.pure-heart must be a whole number"),
    ("isles.tiger-tally", 1, "isles has unknown fields: 'tiger-tally'"),
    ("seats", {}, "seats must be a list"),
    ("seats.0", None, r"seats\[0\] must be an object, not None"),
    ("seats.0.clan", "sect", r"seats\[0\].clan must be the name of a clan, not 'sect'"),
    ("seats.0.list.diligence", 1, r"seats\[0\].list has unknown fields: 'diligence'"),
    ("seats.0.list.disciple-of-the-flame", -2, r"seats\[0\].list.disciple-of-the-flame must be"),
    ("seats.0.hand.0", "mud-ghoul", r"seats\[0\].hand\[0\] must be the name of a card of kind"),
    ("seats.0.ready", "x", r"seats\[0\].ready must be a list"),
    (
        "seats.0.regalia",
        ["diligence"],
        r"regalia\[0\] must be the name of a card of kind artifact or",
    ),
    ("seats.0.creature", "mud-ghoul", r"seats\[0\].creature must be the name of a card of kind"),
    (
        "seats.0.trophies",
        ["moon-hare"],
        r"trophies\[0\] must be the name of a card of kind servant or",
    ),
    ("seats.0.tokens", -1, r"seats\[0\].tokens must be a whole number of at least 0, not -1"),
    ("seats.0.tokens", None, r"seats\[0\].tokens must be a whole number"),
    ("seats.0.sure", DELETE, r"seats\[0\] lacks sure"),
    ("now", None, "now must be an object, not None"),
    ("now.veil", 1, "now.veil must be true or false, not 1"),
    ("now.slain", -1, "now.slain must be a whole number"),
    ("now.attack_bonus", 0.5, "now.attack_bonus must be a whole number, not 0.5"),
    ("now.hand_delta", True, "now.hand_delta must be a whole number, not True"),
    ("now.twins", DELETE, "now lacks twins"),
    ("now.turned", {"diligence": 1}, "now.turned has unknown fields: 'diligence'"),
    ("now.turned", {"pure-heart": -1}, "now.turned.pure-heart must be a whole number"),
    ("now.used", ["pure-heart"], r"now.used\[0\] must be the name of a card of kind artifact"),
    ("pending", {}, "pending must be a list"),
    ("pending", [[]], r"pending\[0\] must be an object, not a list"),
    ("pending", [{}], r"pending\[0\] lacks kind"),
    ("pending", [{"kind": "sleep"}], r"pending\[0\].kind must be the name of a step"),
    ("pending", [{"kind": []}], r"pending\[0\].kind must be the name of a step"),
    ("pending", [{"kind": "miasma"}], r"pending\[0\] lacks card"),
    ("pending", [{"kind": "forced", "card": "x"}], r"pending\[0\] has unknown fields: 'card'"),
    ("pending", [{"kind": "place", "card": "x"}], r"pending\[0\].card must be the name of a card"),
    ("pending", [{"kind": "purge", "left": 0, "keep": None}], r"pending\[0\].left must be"),
    ("pending", [{"kind": "purge", "left": 1, "keep": "x"}], r"pending\[0\].keep must be"),
    ("pending", [{"kind": "alchemy", "cards": ["x"]}], r"pending\[0\].cards\[0\] must be"),
    ("events", {}, "events must be a list"),
    ("events", [{"kind": "x", "visible_to": [7]}], r"visible_to\[0\] must be a whole number"),
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
    d = position(
        "diligence, pure-heart",
        ready="2 thunders",
        waiting="scabbard",
        regalia="tally",
        creature="moon-hare",
        zone="mud-ghoul",
        abyss="fever-blood",
        gone="azure-dragon",
        pending=[{"kind": "purge", "left": 2, "keep": "pure-heart"}],
        now={"turned": {"pure-heart": 1}, "used": ["tiger-tally"]},
        others=({"hand": "5 diligence", "sure": "diligence", "trophies": "grave-imp"},),
        drawn={"die": 1},
        lord="drum-marshal",
    ).to_dict()
    assert GAME.state_from_dict(d).to_dict() == d
    fields = list(paths(d))
    assert len(fields) > 100
    # What may be missing: a stream that nobody used, a mark that nobody made, a step.
    optional = ("drawn.", "now.turned.", "now.used.", "seats.1.sure.")
    for path in fields:
        for value in (object(), 1.5, -7, "nonsense", ["nonsense"], {"non": "sense"}, DELETE):
            if value == -7 and path.split(".")[-1] in (
                *("attack_bonus", "purity_bonus", "frenzy_bonus", "hand_delta"),
            ):
                continue
            if value is DELETE and (path.startswith(optional) or path == "pending.0"):
                continue
            with pytest.raises(ValueError, match=r"\w"):
                GAME.state_from_dict(changed(d, path, value))


def refusal(d, path, value):
    with pytest.raises(ValueError, match="does not add up") as caught:
        GAME.state_from_dict(changed(d, path, value))
    return str(caught.value)


def test_groups_of_cards_are_complete():
    d = dealt()
    assert "Heart Eaters: 63 over all zones, not 64" in refusal(
        d, "zone", [*d["zone"], "grave-imp"]
    )
    assert "Heart Eaters: 63 over all zones, not 62" in refusal(d, "lord", None)
    assert "Heart Eaters: 63 over all zones, not 64" in refusal(d, "seats.0.creature", "moon-hare")
    assert "Artifacts and Miasmas: 45 over all zones, not 46" in refusal(
        d, "seats.1.regalia", ["tiger-tally"]
    )
    assert "Meditation cards: 52 over all zones, not 51" in refusal(d, "isles.diligence", 12)
    assert "Immortals of wu: 11 over all zones, not 10" in refusal(
        d, "seats.0.list.master-of-the-pyre", 3
    )
    huge = refusal(d, "isles.diligence", 10**30)
    assert "not a number of" in huge


def test_only_the_number_of_a_group_counts():
    d = dealt()
    d["servants"] = ["moon-hare"] * len(d["servants"])
    d["isles"]["pure-heart"] += 1
    d["artifacts"].pop()
    state = GAME.state_from_dict(d)
    assert seen(state)["decks"]["servants"] == {"moon-hare": 48}


def test_the_cards_of_some_steps_are_zones():
    d = position("diligence", tokens=1).to_dict()
    d["phase"] = "action"
    taken = d["artifacts"].pop()
    step = {"kind": "alchemy", "cards": [taken]}
    assert GAME.state_from_dict({**d, "pending": [step]})
    assert "45 over all zones, not 44" in refusal(d, "pending", [])
    assert "45 over all zones, not 46" in refusal(d, "pending", [{**step, "cards": [taken, taken]}])
    price = {"kind": "price", "cards": [taken], "card": taken}
    assert GAME.state_from_dict({**d, "pending": [price]})


def test_clans():
    assert "each seat has a clan in phase start" in refusal(
        changed(dealt(), "seats.0.list", {}), "seats.0.clan", None
    )
    choosing = GAME.new_initial_state(2, SEED, {"clans": "choose", "first": 0}).to_dict()
    assert GAME.state_from_dict(choosing).to_dict() == choosing
    act(one := GAME.state_from_dict(choosing), "clan wu")
    assert "turn is a seat without a clan" in refusal(one.to_dict(), "turn", 0)
    assert "no Ready deck and no hand before" in refusal(
        changed(choosing, "isles.diligence", 17), "seats.1.hand", ["diligence"]
    )
    assert "Meditation cards: 42 over all zones, not 43" in refusal(
        choosing, "isles.diligence", choosing["isles"]["diligence"] + 1
    )


def test_two_seats_of_one_clan():
    d = position("diligence").to_dict()
    d["seats"][1].update(clan="kunlun", list=d["seats"][0]["list"])
    with pytest.raises(ValueError, match="each seat has a clan of its own"):
        GAME.state_from_dict(d)


def test_immortals_lie_with_their_clan():
    d = position("scabbard", others=({"clan": "wu", "hand": "flame"},)).to_dict()
    d["seats"][0]["hand"], d["seats"][1]["hand"] = d["seats"][1]["hand"], d["seats"][0]["hand"]
    with pytest.raises(ValueError, match="no Immortals but its own clan's"):
        GAME.state_from_dict(d)


def test_the_regalia_zone():
    with pytest.raises(ValueError, match=r"seats\[0\].regalia has at most 3 cards"):
        position(regalia="tally, mirror, bell, flag")
    with pytest.raises(ValueError, match=r"seats\[0\].regalia has no Artifact twice"):
        position(regalia="2 profane-seal")
    assert position(regalia="2 silver-tooth, tally")


def test_sure_lies_within_the_hand():
    with pytest.raises(ValueError, match=r"the cards of seats\[1\].sure are in the hand"):
        position(others=({"hand": "diligence", "sure": "2 diligence"},))


@pytest.mark.parametrize("phase", ["start", "over"])
def test_nothing_is_owed_outside_a_turn(phase):
    with pytest.raises(ValueError, match=f"pending is empty in phase {phase}"):
        position("diligence", phase=phase, pending=[{"kind": "forced"}])


def test_the_first_step_can_be_answered():
    message = "the first step of pending needs an answer"
    with pytest.raises(ValueError, match=message):
        position("tally", pending=[{"kind": "forced"}])
    with pytest.raises(ValueError, match=message):
        position("silver-tooth", pending=[{"kind": "miasma", "card": "silver-tooth-miasma"}])
    with pytest.raises(ValueError, match=message):
        position("", pending=[{"kind": "place", "card": "tiger-tally"}], regalia="mirror")
    with pytest.raises(ValueError, match="pending holds a step in phase abstain"):
        position("diligence", phase="abstain")


def test_alchemy_can_be_answered():
    step = {"kind": "alchemy", "cards": ["tiger-tally"]}
    with pytest.raises(ValueError, match="has a token"):
        position(pending=[step])
    with pytest.raises(ValueError, match="a step alchemy is the first"):
        position("diligence", tokens=1, pending=[{"kind": "forced"}, step])
    with pytest.raises(ValueError, match=r"pending\[0\].cards holds the Artifacts"):
        position(tokens=1, pending=[{"kind": "alchemy", "cards": []}])
    price = {"kind": "price", "cards": ["tiger-tally"], "card": "mirror-of-still-water"}
    with pytest.raises(ValueError, match=r"pending\[0\].card is one of"):
        position(tokens=1, pending=[price])


def test_a_position_beyond_the_limits_ends():
    state = act(position("diligence", turn=1, round=250), "end turn")
    assert state.is_terminal()
    state = act(position("diligence", turn=1, quiet=99), "end turn")
    assert state.is_terminal()


def test_a_swept_wave_whose_lord_still_presides():
    """A set position may say so: he goes on presiding, and no card is lost."""
    state = act(position("diligence", zone="mud-ghoul", now={"swept": True}), "end turn")
    view = seen(state)
    assert (view["wave"], view["lord"]["card"]) == (2, "hungry-ghost-sage")
    assert len(view["zone"]) == 8
    assert GAME.state_from_dict(state.to_dict()).to_dict() == state.to_dict()


def test_waves_without_a_lord_and_with_few_servants():
    """The decks of a set position may be short: the play still comes to an end."""
    d = position("2 thunders").to_dict()
    rest = d["servants"][3:]
    d["servants"] = d["servants"][:3]
    d["gone"] = [name for name in rest if name in CREATURES]
    d["seats"][1]["trophies"] = [name for name in rest if name not in CREATURES] + d["lords"]
    d["lords"] = []
    state = act(GAME.state_from_dict(d), "slay hungry-ghost-sage", "end turn")
    assert (seen(state)["lord"], len(seen(state)["zone"])) == (None, 3)
    while not state.is_terminal():
        act(state, legal(state)[0])
