"""Which enemies to slay in this turn, one after the other."""

from cards import CARDS
from rivals import Rivals
from zone import reward, strengths, targets, without

LAST_WAVE = 7
BURN_BONUS = 3

# In tokens
WIN = 8.0
HANDED_OVER = 6.0  # a game that ends without me as its winner
AMBUSH = 0.8
DIM = 0.3
SERENITY = 0.2  # a weak card less in the deck
USED_UP = 0.1
FLAME = 0.2  # at least


class Raid:
    """The search for the best attacks with what a turn has to offer."""

    def __init__(self, observation, purse):
        self.purse = purse
        self.rivals = Rivals(observation)
        self.now = observation["now"]
        self.lord = observation["lord"] and observation["lord"]["card"]
        self.zone = tuple(enemy["card"] for enemy in observation["zone"])
        self.is_last_wave = observation["wave"] == LAST_WAVE
        you = observation["you"]
        self.scores = [s["score"] for q, s in enumerate(observation["seats"]) if q != you]
        miasmas = observation["decks"]["miasmas"]
        costs = sum(count * purse.infection(name) for name, count in miasmas.items())
        self.infection = costs / sum(miasmas.values()) if miasmas else 0.0
        cards = [CARDS[name] for name in purse.me["hand"]]
        self.meditations = sum(card.kind == "meditation" for card in cards)
        self.immortals = sum(card.kind == "immortal" for card in cards)
        self.leaders = any(card.rank in ("master", "sage") for card in cards)

    def best(self, attack, burned=0, veil=False):
        """(worth, enemies in order) for so much Attack left."""
        self.left = self.immortals - burned
        self.veil = self.now["veil"] or veil
        slays, slain = self.now["slays_left"], self.now["slain"]
        return self._best(self.lord, self.zone, attack, slays, slain, 0)

    def _best(self, lord, zone, attack, slays, slain, tokens):
        best = -self.rivals.take(lord, zone), ()
        if not slays or (lord is None and not zone):
            return best
        strength = strengths(lord, zone)
        for name in targets(lord, zone, slain, self.veil):
            card = CARDS[name]
            if strength[name] > attack or not self._condition(card.condition, slain):
                continue
            worth, then = self._worth(card, name, lord, zone, tokens), ()
            if name != lord:  # with the Lord the whole wave falls
                slays_then = slays - 1 + (card.frenzy if card.kind == "servant" else 0)
                rest, then = self._best(
                    lord, without(zone, name), attack - strength[name], slays_then, slain + 1,
                    tokens + card.reward,
                )  # fmt: skip
                worth += rest
            if worth > best[0]:
                best = worth, (name, *then)
        return best

    def _condition(self, condition, slain):
        if condition == "first-attack":
            return slain == 0
        if condition == "master-or-sage":
            return self.leaders
        if condition == "two-meditations":
            return self.meditations >= 2
        return condition != "two-immortals" or self.left >= 2

    def _worth(self, card, name, lord, zone, tokens):
        if card.kind == "creature":
            return self.purse.creature(name)
        gained = reward(lord, zone, name)
        worth = gained + SERENITY * card.serenity
        if card.miasma and "purple-gold-gourd" not in self.purse.me["regalia"]:
            worth -= self.infection
        if card.curse == "envy":
            worth += 1.0
        elif card.curse == "infect":
            worth += self.infection / len(self.scores)
        elif card.curse == "pestilence":
            worth += self.infection
        elif card.curse == "ambush":
            worth -= AMBUSH
        elif card.curse == "dim":
            worth -= DIM
        if name == lord and self.is_last_wave:
            worth += self._end(self.purse.me["score"] + tokens + gained)
        return worth

    def _end(self, score):
        """Slaying the last Lord ends the game; of equal scores the slayer's is first."""
        above = sum(other > score for other in self.scores)
        return -HANDED_OVER * above / len(self.scores) if above else WIN


def best_raid(raid, legal):
    """The action that begins the best attacks, if any are worth it, and whom to slay.

    What gives more Attack, or parts the veil, comes first where that helps.
    """
    attack, hand = raid.now["attack_left"], raid.purse.me["hand"]
    best, prey = raid.best(attack)
    first = f"slay {prey[0]}" if prey else None
    for action, worth, found in _helped(raid, legal, attack, hand):
        if worth > best:
            best, prey, first = worth, found, action
    return first, prey


def _helped(raid, legal, attack, hand):
    """(action, worth, enemies) for each thing that helps an attack."""
    action = "use six-demon-bell"
    if action in legal:
        worth, found = raid.best(attack + CARDS["six-demon-bell"].use_value)
        yield action, worth - USED_UP, found
    action = "turn parted-veil-incantation"
    if action in legal:
        worth, found = raid.best(attack, veil=True)
        yield action, worth - USED_UP, found
    action = "burn disciple-of-the-flame"
    if action in legal:
        flame = "disciple-of-the-flame"
        each = BURN_BONUS + sum(
            CARDS[name].leadership_value for name in hand if CARDS[name].leadership == "burned"
        )
        stays = any(CARDS[name].phoenix for name in hand)  # in the deck, by the Sage
        cost = USED_UP if stays else max(FLAME, raid.purse.lost(flame))
        for count in range(1, hand.count(flame) + 1):
            worth, found = raid.best(attack + count * each, burned=count)
            yield action, worth - count * cost, found
