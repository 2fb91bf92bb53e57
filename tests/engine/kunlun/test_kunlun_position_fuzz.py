"""Damaged positions: each is refused with a ValueError, or it can be played to its end."""

import json
import random
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.plays import deals, moves, somewhere
from tests.engine.kunlun.positions import GAME
from tests.engine.states import places

PARTS = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 10**30, 0.5, "", "diligence", "pure-heart"),
    *("tiger-tally", "silver-tooth-miasma", "mud-ghoul", "moon-hare", "drum-marshal", "wu"),
)
PHASES = ("clans", "start", "abstain", "action", "over")
STEPS = (
    {"kind": "abstain"},
    {"kind": "miasma", "card": "silver-tooth-miasma"},
    {"kind": "place", "card": "tiger-tally"},
    {"kind": "forced"},
    {"kind": "purge", "left": 3, "keep": "pure-heart"},
    {"kind": "seal"},
    {"kind": "call"},
    {"kind": "infect"},
    {"kind": "creature", "card": "moon-hare"},
    {"kind": "alchemy", "cards": ["tiger-tally"]},
    {"kind": "price", "cards": ["tiger-tally"], "card": "tiger-tally"},
)
ZONES = ("zone", "servants", "lords", "artifacts", "miasmas", "abyss", "gone")
SEAT_ZONES = ("ready", "hand", "waiting", "regalia", "trophies", "sure")


def damage(position, rng):
    """One change: of a phase, of any value, of a field's presence, of steps or of a card's zone."""
    kind = rng.randrange(5)
    if kind == 0:
        position["phase"] = rng.choice(PHASES)
        position["turn"] = rng.randrange(position["players"])
        position["round"] = rng.choice([1, 99, 100, 101, 10**9])
        position["now"]["swept"] = rng.choice([True, False])
    elif kind == 1:
        holder, key = rng.choice(list(places(position)))
        holder[key] = rng.choice([*PARTS, [], {}, ["diligence"], rng.choice(STEPS)])
    elif kind == 2:
        holder, key = rng.choice(list(places(position)))
        del holder[key]
    elif kind == 3:
        position["pending"] = rng.choices(STEPS, k=rng.randint(1, 3))
        if rng.random() < 0.5:
            position["phase"] = rng.choice(["abstain", "action"])
        # Often enough the cards of the steps are taken from where they lie.
        for step in position["pending"]:
            for card in (*step.get("cards", ()), step.get("card")):
                zones = [zone for zone in zones_of(position) if card in zone]
                if zones and step["kind"] in ("alchemy", "price", "creature"):
                    rng.choice(zones).remove(card)
                elif zones:
                    rng.choice(zones).remove(card)
                    position["seats"][position["turn"]]["hand"].append(card)
    else:
        zones = zones_of(position)
        source, target = rng.choice([zone for zone in zones if zone]), rng.choice(zones)
        target.insert(rng.randrange(len(target) + 1), source.pop(rng.randrange(len(source))))


def zones_of(position):
    zones = [position[name] for name in ZONES]
    return zones + [seat[name] for seat in position["seats"] for name in SEAT_ZONES]


@settings(max_examples=300, deadline=None)
@given(deal=deals(GAME), changes=st.integers(1, 2))
def test_damaged_positions(deal, changes):
    rng = deal.random()
    position = json.loads(json.dumps(somewhere(deal, rng).to_dict()))
    for _ in range(changes):
        # The first change may have left nothing to change in that way.
        with suppress(TypeError, KeyError, AttributeError, IndexError, ValueError):
            damage(position, rng)
    try:
        state = GAME.state_from_dict(position)
    except ValueError:
        return
    loaded = state.to_dict()
    assert GAME.state_from_dict(loaded).to_dict() == loaded
    state.resample(0, "5e" * 32)
    for number, _ in enumerate(moves(state, random.Random(deal.choices))):
        if number % 20 == 0:
            for viewer in (None, 0):
                state.observation(viewer)
    assert state.is_terminal()
    assert GAME.state_from_dict(state.to_dict()).to_dict() == state.to_dict()
