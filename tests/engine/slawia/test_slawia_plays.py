"""Random plays keep what must hold; 2,000 of them: `python3 -m tests.engine.slawia.invariants`."""

from collections import Counter

from tests.engine.slawia.invariants import play

RARE = ("recall", "curse", "skip", "return dusk", "return vodnik", "discard hunt", "shuffle")
"""Without these the plays would say little: a renewed deck, a card that drops out at dusk …"""


def test_random_plays():
    counts: Counter[str] = Counter()
    for number in range(80):
        counts += play(number)
    assert {kind for kind in RARE if not counts[kind]} == set()
