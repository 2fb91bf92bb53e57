"""What the others can do before I am in turn again.

Their hands are hidden, but not the cards that a hand and the Ready deck have together, so the
Attack of a hand has a known mean and spread.
"""

from bisect import bisect_right

from cards import CARDS
from zone import reward, strengths, targets

CAUTION = {2: 0.5, 3: 0.35, 4: 0.3}  # of what another player gains, by players
LATER = 0.7  # a player further away finds less
SPREAD = 1.2


class Rivals:
    """The other seats, the next one first."""

    def __init__(self, observation):
        players, you = observation["players"], observation["you"]
        dread = observation["lord"] and CARDS[observation["lord"]["card"]].technique == "dread"
        order = [(you + step) % players for step in range(1, players)]
        self.attacks = []  # (Attack, how much it counts)
        weight = CAUTION[players]
        for seat in order:
            mean, spread = attack_of(observation["seats"][seat])
            mean -= 2 * bool(dread)
            for attack, chance in ((mean - spread, 0.25), (mean, 0.5), (mean + spread, 0.25)):
                self.attacks.append((attack, chance * weight))
            weight *= LATER
        self._known = {}

    def take(self, lord, zone):
        """How much the others' next attacks on what lies there hurt."""
        key = (lord, zone)
        if key not in self._known:
            self._known[key] = self._take(lord, zone)
        return self._known[key]

    def _take(self, lord, zone):
        if lord is None:  # a new wave is laid out
            return 0.0
        strength = strengths(lord, zone)
        prey = sorted(
            (strength[name], reward(lord, zone, name)) for name in targets(lord, zone, 0, False)
        )
        needed, best = [], []
        for power, gain in prey:
            needed.append(power)
            best.append(max(gain, best[-1] if best else 0))
        total = 0.0
        for attack, weight in self.attacks:
            found = bisect_right(needed, attack)
            if found:
                total += weight * best[found - 1]
        return total


def attack_of(seat):
    """Mean and spread of the Attack of a seat's hidden hand."""
    sure, pool = list(seat["sure"]), dict(seat["unseen"])
    for name in sure:
        pool[name] -= 1
    always = sure + seat["regalia"] + ([seat["creature"]] if seat["creature"] else [])
    mean = float(sum(CARDS[name].attack + 0.5 * CARDS[name].leadership_value for name in always))
    drawn, cards = seat["hand_count"] - len(sure), sum(pool.values())
    if not drawn or not cards:
        return mean, 0.0
    total = squares = 0.0
    for name, count in pool.items():
        card = CARDS[name]
        attack = card.attack + card.leadership_value + 1.5 * card.burn + 1.5 * card.turn_value
        total += count * attack
        squares += count * attack * attack
    average = total / cards
    left_behind = (cards - drawn) / max(1, cards - 1)
    variance = drawn * max(0.0, squares / cards - average**2) * left_behind
    return mean + drawn * average, SPREAD * variance**0.5
