"""Alchemy: which Artifact, and how many tokens to risk for it."""

from cards import CARDS

LAST_TOKEN = 0.3  # without one there is no Alchemy in the next turn


class Alchemy:
    def __init__(self, observation, purse):
        self.purse = purse
        me = purse.me
        self.tokens = me["tokens"]
        in_force = [CARDS[name] for name in me["hand"] + me["regalia"]]
        self.bonus = sum(card.risk_bonus for card in in_force if card.kind != "miasma")
        self.discount = sum(card.alchemy_discount for card in in_force)
        artifacts = observation["decks"]["artifacts"]
        # The bonus of a Cinnabar Furnace counts where it lies, not in hand.
        self.bonus -= sum(name == "cinnabar-furnace" for name in me["hand"])
        self.artifacts = artifacts

    def ways(self, name):
        """(value, action) of paying or risking for an Artifact."""
        development = CARDS[name].development
        worth = self.purse.artifact(name)
        price = max(1, development - self.discount)
        if price <= self.tokens:
            yield worth - price - self._last(price), "pay"
        for stake in range(1, min(self.tokens, development - 1) + 1):
            gain = worth * chance(development - stake - self.bonus)
            yield gain - stake - self._last(stake), f"risk {stake}"

    def _last(self, spent):
        return LAST_TOKEN * (spent == self.tokens)

    def best(self, name):
        return max(self.ways(name))


def chance(needed):
    """That the die shows so much, and not a 1."""
    return max(0, 7 - max(2, needed)) / 6
