"""Damaged positions: each is refused with a ValueError, or it can be played to its end."""

import json
import random
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.plays import deals, moves, somewhere
from tests.engine.deca_slayer.positions import GAME
from tests.engine.states import places

PARTS = (None, True, False, -1, 0, 1, 2, 3, 7, 10**30, 0.5, "", "knight", "riches-3", "dragon")
PHASES = (
    *("play", "take-back", "outrank", "treasure", "curse"),
    *("recruit", "exchange", "limit", "alchemy", "end"),
)
ZONES = ("display", "hero_deck", "hero_discard", "monster_deck", "monsters_removed")


def damage(position, rng):
    """One change: of a phase, of any value, of a field's presence, or a card moved elsewhere."""
    kind = rng.randrange(4)
    if kind == 0:
        position["phase"] = rng.choice(PHASES)
        position["turn"] = rng.choice([None, 0, 1, 2])
        position["order"] = rng.choice([None, position["order"], [0, 1, 2]])
        position["values"] = rng.choice([position["values"], [4, 4, 0]])
        position["owed"], position["picks"] = rng.randrange(3), rng.randrange(3)
    elif kind == 1:
        holder, key = rng.choice(list(places(position)))
        holder[key] = rng.choice([*PARTS, [], {}, [0, 1, 2], ["knight"]])
    elif kind == 2:
        holder, key = rng.choice(list(places(position)))
        del holder[key]
    else:
        zones = [position[name] for name in ZONES]
        zones += [cards for seat in position["seats"] for cards in seat["hidden"]]
        zones += [seat["treasures"] for seat in position["seats"]]
        zones += [entry["open"] for entry in position["row"]]
        source, target = rng.choice([zone for zone in zones if zone]), rng.choice(zones)
        target.insert(rng.randrange(len(target) + 1), source.pop(rng.randrange(len(source))))


@settings(max_examples=400)
@given(deal=deals(GAME), changes=st.integers(1, 2))
def test_damaged_positions(deal, changes):
    rng = deal.random()
    position = json.loads(json.dumps(somewhere(deal, rng).to_dict()))
    for _ in range(changes):
        if isinstance(position.get("seats"), list):
            # The first change may have left nothing to change in that way.
            with suppress(TypeError, KeyError, AttributeError, IndexError):
                damage(position, rng)
    try:
        state = GAME.state_from_dict(position)
    except ValueError:
        return
    loaded = state.to_dict()
    assert GAME.state_from_dict(loaded).to_dict() == loaded
    state.resample(0, "5e" * 32)
    for _ in moves(state, random.Random(deal.choices)):
        for viewer in (None, 0):
            state.observation(viewer)
    assert state.is_terminal()
