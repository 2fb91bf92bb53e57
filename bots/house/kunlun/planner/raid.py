"""Which enemies to slay in this turn, one after the other."""

from cards import CARDS
from zone import reward, strengths, targets, without

LAST_WAVE = 7
WIN = 8.0
HANDED_OVER = 6.0  # a game ended without winning it, when it may still be won
AMBUSH = 0.8
DIM = 0.3
SERENITY = 0.2  # a weak card less in the deck


class Raid:
    """The search for the best attacks with what a turn has to offer."""

    def __init__(self, observation, purse, rivals):
        self.observation = observation
        self.purse = purse
        self.rivals = rivals
        now = observation["now"]
        self.lord = observation["lord"] and observation["lord"]["card"]
        self.zone = tuple(enemy["card"] for enemy in observation["zone"])
        self.veil = now["veil"]
        self.others = observation["players"] - 1
        self.immune = "purple-gold-gourd" in purse.me["regalia"]
        miasmas = observation["decks"]["miasmas"]
        count = sum(miasmas.values())
        self.miasma = (
            sum(n * purse.infection(name) for name, n in miasmas.items()) / count if count else 0.0
        )
        self.holds = Counts(purse.me["hand"])

    def best(self, attack, burned=0, veil=False):
        """(value, enemies in order) for so much Attack left."""
        now = self.observation["now"]
        self.immortals = self.holds.immortals - burned
        self.parted = self.veil or veil
        return self._best(self.lord, self.zone, attack, now["slays_left"], now["slain"], 0)

    def _best(self, lord, zone, attack, slays, slain, tokens):
        best = -self.rivals.take(lord, zone), ()
        if not slays or (lord is None and not zone):
            return best
        strength = strengths(lord, zone)
        for name in targets(lord, zone, slain, self.parted):
            card = CARDS[name]
            if strength[name] > attack or not self._condition(card.condition, slain):
                continue
            value = self._value(card, name, lord, zone, tokens)
            if name == lord:
                rest, then = 0.0, ()
            else:
                rest, then = self._best(
                    lord, without(zone, name), attack - strength[name],
                    slays - 1 + card.frenzy * (card.kind == "servant"),
                    slain + 1, tokens + card.reward,
                )  # fmt: skip
            if value + rest > best[0]:
                best = value + rest, (name, *then)
        return best

    def _condition(self, condition, slain):
        if condition == "first-attack":
            return slain == 0
        if condition == "master-or-sage":
            return self.holds.leaders
        if condition == "two-meditations":
            return self.holds.meditations >= 2
        return condition != "two-immortals" or self.immortals >= 2

    def _value(self, card, name, lord, zone, tokens):
        if card.kind == "creature":
            return self.purse.creature(name)
        value = reward(lord, zone, name)
        if card.miasma and not self.immune:
            value -= self.miasma
        if card.curse == "envy":
            value += 1.0
        elif card.curse == "infect":
            value += self.miasma / self.others
        elif card.curse == "pestilence":
            value += self.miasma
        elif card.curse == "ambush":
            value -= AMBUSH
        elif card.curse == "dim":
            value -= DIM
        if card.serenity:
            value += SERENITY
        if name == lord and self.observation["wave"] == LAST_WAVE:
            value += self._end(tokens + reward(lord, zone, name))
        return value

    def _end(self, tokens):
        """Slaying the last Lord ends the game: who is ahead?"""
        seats = self.observation["seats"]
        mine = self.purse.me["score"] + tokens
        above = sum(
            seat["score"] > mine
            for number, seat in enumerate(seats)
            if number != self.observation["you"]
        )
        return -HANDED_OVER * above / self.others if above else WIN


class Counts:
    """What a hand holds for the conditions of some enemies."""

    def __init__(self, hand):
        cards = [CARDS[name] for name in hand]
        self.meditations = sum(card.kind == "meditation" for card in cards)
        self.immortals = sum(card.kind == "immortal" for card in cards)
        self.leaders = any(card.rank in ("master", "sage") for card in cards)
