"""Events: each kind with its fields and its place, section 14 of the rules."""

from tests.engine.kunlun.positions import GAME, act, cards, position, roll

FIELDS = {
    "setup": {"first", "clans"},
    "clan": {"player", "clan"},
    "action": {"player", "action"},
    "turn": {"player", "round", "hand"},
    "draw": {"player", "count"},
    "cards": {"player", "cards"},
    "shuffle": {"player", "count"},
    "wave": {"wave", "lord", "zone"},
    "miasma": {"player", "card", "result"},
    "discard": {"player", "card", "to"},
    "lose": {"player", "amount"},
    "displace": {"player", "card"},
    "place": {"player", "card"},
    "muster": {"player", "card", "kept"},
    "call": {"player", "card"},
    "use": {"player", "card"},
    "burn": {"player", "card", "to"},
    "slay": {"player", "card", "strength", "reward"},
    "sweep": {"player", "cards", "reward", "leaves"},
    "creature": {"player", "joins", "leaves"},
    "infect": {"player", "card"},
    "acquire": {"player", "card", "cost", "development"},
    "alchemy": {"player", "cards"},
    "pay": {"player", "card", "price"},
    "roll": {"player", "card", "stake", "die", "bonus", "gained"},
    "end": {"reason", "scores", "ranks"},
}


def test_fields_of_every_kind():
    """Plays by first and by last legal actions, until every kind of event has come up."""
    met = set()
    for number in range(40):
        state = GAME.new_initial_state(2 + number % 3, f"{number:064x}", {"clans": "choose"})
        step = 0
        while not state.is_terminal():
            (player,) = state.current_players()
            legal = [a for a in state.legal_actions(player) if a != "abstain"] or ["abstain"]
            state.apply_action(player, legal[0] if step % (number + 2) else legal[-1])
            step += 1
        for event in state.events:
            fields = set(event) - {"kind", "visible_to"}
            assert fields == FIELDS[event["kind"]]
            secret = event["kind"] == "cards" and event["visible_to"] is not None
            assert event["visible_to"] == ([event["player"]] if secret else None)
        met |= {event["kind"] for event in state.events}
        if met == set(FIELDS):
            break
    assert met == set(FIELDS)


def kinds(state):
    return [event["kind"] for event in state.events]


def test_an_action_comes_before_its_effects():
    state = act(
        position(
            "2 thunders",
            zone="fox-enchantress, mud-ghoul",
            now={"slain": 0},
            others=({"tokens": 1},),
        ),
        "slay mud-ghoul",
    )
    assert state.events == [
        {"kind": "action", "player": 0, "action": "slay mud-ghoul", "visible_to": None},
        {
            "kind": "slay",
            "player": 0,
            "card": "mud-ghoul",
            "strength": 3,
            "reward": 1,
            "visible_to": None,
        },
    ]


def test_slaying_in_the_order_of_its_steps():
    state = position(
        "5 thunders, blades",
        zone="fox-enchantress, azure-dragon, plague-crow",
        others=({"tokens": 1},),
    )
    act(state, "slay fox-enchantress")
    assert kinds(state) == ["action", "slay", "lose"]
    act(state, "slay plague-crow")
    assert kinds(state)[3:] == ["action", "slay", "infect"]
    lord = position("5 thunders, 2 diligence", zone="moon-hare", others=({"tokens": 1},))
    act(lord, "slay hungry-ghost-sage")
    assert kinds(lord) == ["action", "slay", "sweep", "infect"]
    assert lord.events[2] == {
        "kind": "sweep",
        "player": 0,
        "cards": [],
        "reward": 0,
        "leaves": ["moon-hare"],
        "visible_to": None,
    }


def test_a_sweep_is_told_even_if_empty():
    state = act(position("2 thunders"), "slay hungry-ghost-sage")
    assert state.events[2] == {
        "kind": "sweep",
        "player": 0,
        "cards": [],
        "reward": 0,
        "leaves": [],
        "visible_to": None,
    }


def test_chiselling_is_told_as_a_discard():
    state = position("diligence", regalia="silver-tooth, profane-seal")
    act(state, "turn profane-seal", "chisel silver-tooth")
    assert state.events[-1] == {
        "kind": "discard",
        "player": 0,
        "card": "silver-tooth-miasma",
        "to": "abyss",
        "visible_to": None,
    }


def test_calling_and_alchemy_tell_of_no_shuffle():
    state = position("reserve", clan="kichen", ready="drum, 2 diligence", tokens=2)
    act(state, "turn reserve", "call drum", "alchemy")
    act(state, state.legal_actions(0)[0])
    assert kinds(roll(state, 2, die=1)) == [
        *("action", "action", "call", "action", "alchemy", "action", "action", "roll"),
    ]


def test_the_new_hand_is_for_its_owner():
    state = act(position("diligence", ready="contemplation", waiting="thunders"), "end turn")
    assert kinds(state) == ["action", "shuffle", "draw", "cards", "turn"]
    assert state.events[3] == {
        "kind": "cards",
        "player": 0,
        "visible_to": [0],
        "cards": cards("diligence, contemplation, thunders"),
    }


def test_the_end():
    state = act(position("5 thunders", lord="supreme-villain", wave=7), "slay supreme-villain")
    since = len(state.events)
    act(state, "end turn")
    assert [event["kind"] for event in state.events[since:]] == ["action", "end"]
