"""Damaged positions: each is refused with a ValueError, or it can be played to its end."""

import json
import random
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.plays import deals, moves, somewhere
from tests.engine.slawia.positions import GAME, LOCATIONS, MONSTERS, SLAYERS
from tests.engine.states import places

PARTS = (None, True, False, -1, 0, 1, 2, 3, 4, 24, 10**30, 0.5, "", *SLAYERS, *MONSTERS)
PHASES = ("card", "place", "swap", "order", "recall", "mark", "curse", "over")
ZONES = ("lair", "monster_deck", "location_deck", "location_discard")


def damage(position, rng):
    """One change: of a phase, of any value, of a field's presence, or a card moved elsewhere."""
    kind = rng.randrange(4)
    if kind == 0:
        position["phase"] = rng.choice(PHASES)
        position["step"] = rng.choice([1, 2, 3, 4])
        position["focus"] = rng.choice([None, 0, 1, 2])
        position["trigger"] = rng.choice([None, "rogue", "exterminator"])
        card, source = rng.choice([("ranger", "hand"), ("mage", "hand"), ("bies", "deck")])
        position["held"] = rng.choice([None, {"card": card, "from": source}])
    elif kind == 1:
        holder, key = rng.choice(list(places(position)))
        holder[key] = rng.choice([*PARTS, *LOCATIONS, [], {}, [0, 1], [["zmey", None]]])
    elif kind == 2:
        holder, key = rng.choice(list(places(position)))
        del holder[key]
    else:
        zones = [position[name] for name in ZONES] + position["hands"]
        zones += [slot[row] for slot in position["table"] for row in ("monsters", "slayers")]
        zones += [position["table"], position["monster_discard"], *position["monster_trophies"]]
        source, target = rng.choice([zone for zone in zones if zone]), rng.choice(zones)
        card = source[rng.randrange(len(source))]
        target.insert(rng.randrange(len(target) + 1), card)


@settings(max_examples=300, deadline=None)
@given(deal=deals(GAME), changes=st.integers(1, 3))
def test_damaged_slawia_positions(deal, changes):
    rng = deal.random()
    position = json.loads(json.dumps(somewhere(deal, rng).to_dict()))
    for _ in range(changes):
        # An earlier change may have left nothing to change in that way.
        with suppress(TypeError, KeyError, AttributeError, IndexError):
            damage(position, rng)
    try:
        state = GAME.state_from_dict(position)
    except ValueError:
        return
    loaded = state.to_dict()
    assert GAME.state_from_dict(loaded).to_dict() == loaded
    state.resample(0, "5e" * 32)
    for player, _ in moves(state, random.Random(deal.choices)):
        legal = state.legal_actions(player)
        assert len(set(legal)) == len(legal)
        for viewer in (None, 0):
            state.observation(viewer)
    assert state.is_terminal()
