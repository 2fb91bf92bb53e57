"""Random plays keep what must hold; 2,000 of them: `python3 -m tests.engine.kunlun.invariants`."""

from collections import Counter

from tests.engine.kunlun.invariants import play

RARE = (
    *("clan", "call", "creature", "sweep", "muster", "displace", "burn", "use", "lose", "infect"),
    *("pay", "roll", "miasma", "end waves", "end stalled"),
)
"""Without these the plays would say little."""


def test_random_plays():
    counts: Counter[str] = Counter()
    for number in range(0, 81, 3):
        counts += play(number + number // 3 % 3)
    assert {kind for kind in RARE if not counts[kind]} == set()
