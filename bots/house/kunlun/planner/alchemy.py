"""Alchemy: which Artifact, and how many tokens to pay or risk for it."""

from cards import CARDS

LAST_TOKEN = 0.3  # without one there is no Alchemy in the next turn


class Alchemy:
    """What paying and risking bring with what I have."""

    def __init__(self, purse):
        self.purse = purse
        self.tokens = purse.me["tokens"]
        hand = [CARDS[name] for name in purse.me["hand"] if CARDS[name].kind == "immortal"]
        in_force = hand + [CARDS[name] for name in purse.me["regalia"]]
        self.bonus = sum(card.risk_bonus for card in in_force)
        self.discount = sum(card.alchemy_discount for card in in_force)

    def best(self, name):
        """(what it brings, action) for an Artifact."""
        return max(self._ways(name))

    def _ways(self, name):
        development = CARDS[name].development
        worth = self.purse.artifact(name)
        price = max(1, development - self.discount)
        if price <= self.tokens:
            yield worth - self._cost(price), "pay"
        for stake in range(1, min(self.tokens, development - 1) + 1):
            chance = _chance(development - stake - self.bonus)
            yield worth * chance - self._cost(stake), f"risk {stake}"

    def _cost(self, spent):
        return spent + LAST_TOKEN * (spent == self.tokens)


def _chance(needed):
    """That the die shows so much, and not a 1."""
    return max(0, 7 - max(2, needed)) / 6
