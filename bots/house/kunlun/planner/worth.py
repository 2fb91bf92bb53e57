"""What cards are worth to the planner: everything in Development tokens.

A card of the deck has a worth for each time that it comes to hand. What a new card brings is that
worth above the average card's, whose place in a hand it takes, times how often it will come.
"""

from collections import Counter

from cards import CARDS

WAVES = 7
FULL_ZONE = 8
HAND = 5
SLOTS = 3

# Found in matches against greedy bots and earlier planners.
ROUNDS_A_WAVE = {2: 4.0, 3: 2.7, 4: 2.4}  # by players
ROUNDS_MORE_FOR_THE_FIRST = {2: 6.0, 3: 4.0, 4: 3.5}
ATTACK = 0.45
PURITY = 0.5  # with LONG turns to come; what is bought late hardly comes to hand
LONG = 15.0
ENOUGH_PURITY = 6.5  # in a hand
FRENZY = 1.5  # with MUCH_ATTACK in a hand
MUCH_ATTACK = 12.0
HARVEST = 0.8
VEIL = 0.3
PURGE = 0.5
BURN = 0.8
IMMUNE = 0.15
LEADEN = -0.7
TOLL = -1.0
SLOT = 0.1
MOST_FOR_A_MIASMA = 1.5


class Purse:
    """Prices of this moment, by my deck and by how long the game will still go on."""

    def __init__(self, observation):
        self.me = observation["seats"][observation["you"]]
        self.turns = turns_left(observation)
        self.deck = Counter(self.me["hand"])
        self.deck.update(self.me["unseen"])
        self.deck.update(self.me["waiting"])
        self.size = max(HAND, sum(self.deck.values()))
        self.visits = self.turns * HAND / (self.size + 1)  # of one card to my hand
        regalia = [CARDS[name] for name in self.me["regalia"]]
        if self.me["creature"]:
            regalia.append(CARDS[self.me["creature"]])
        self.artifacts = sum(card.kind == "artifact" for card in regalia)
        share = HAND / self.size  # of the deck in a hand
        kinds = Counter()
        attack = purity = 0
        for name, count in self.deck.items():
            card = CARDS[name]
            kinds[card.kind] += count
            attack += count * card.attack
            purity += count * card.purity
        self.immortals = kinds["immortal"]
        self.attack = share * attack + sum(card.attack for card in regalia)
        self.purity = share * purity + sum(card.purity for card in regalia)
        time = min(1.0, self.turns / LONG)
        need = max(0.0, min(1.0, (ENOUGH_PURITY + 3 - self.purity) / 6))
        self.per_purity = PURITY * time * need
        self.per_frenzy = FRENZY * max(0.2, min(1.5, self.attack / MUCH_ATTACK))
        self.harvest = HARVEST * time * min(1.5, self.purity / ENOUGH_PURITY)
        self.average = 0.0
        self._cards = {}
        plain = sum(count * self.card(name) for name, count in self.deck.items())
        self.average = max(0.0, plain / self.size)
        self._cards = {}

    def card(self, name):
        """Worth of a card each time that it comes to hand."""
        if name not in self._cards:
            self._cards[name] = self._card(name, CARDS[name])
        return self._cards[name]

    def _card(self, name, card):
        if card.kind == "artifact":
            return self._used_up(card)
        worth = ATTACK * (card.attack + self._leadership(name, card))
        worth += self.per_purity * card.purity
        worth += self.per_frenzy * card.frenzy
        worth += self.harvest * card.harvest
        if card.turn == "draw":
            worth += card.turn_value * self.average
        elif card.turn == "muster":
            worth += self.average * self.immortals / self.size + 0.1
        elif card.turn == "call":
            worth += self.average * 1.5
        elif card.turn == "veil":
            worth += VEIL
        elif card.turn == "purge":
            worth += PURGE * min(1.0, self.turns / LONG)
        worth += BURN * card.burn
        if card.effect == "leaden":
            worth += LEADEN
        elif card.effect == "toll":
            worth += TOLL
        return worth

    def _used_up(self, card):
        """An Artifact that comes back through the deck whenever it has been used."""
        if card.use == "attack":
            return ATTACK * card.use_value
        if card.use == "purity":
            return self.per_purity * card.use_value
        if card.use == "draw":
            return self.average * card.use_value
        return 0.0

    def _leadership(self, name, card):
        """Attack that an Immortal adds by others, on the average."""
        others = HAND - 1
        if card.leadership == "pair":
            return min(1.0, others * self.deck[name] / self.size)
        if card.leadership == "clan":
            return card.leadership_value * others * self.immortals / self.size
        if card.leadership == "burned":
            flames = others * self.deck["disciple-of-the-flame"] / self.size
            return card.leadership_value * 0.5 * flames
        if card.leadership == "regalia":
            return card.leadership_value * min(SLOTS, self.artifacts + 0.5)
        return 0.0

    def new(self, name):
        """What acquiring a card brings in the rest of the game."""
        turns = max(0.0, self.turns - self.me["ready_count"] / HAND)  # it waits for a shuffle
        visits = turns * HAND / (self.size + 1)
        return visits * (self.card(name) - self.average) - CARDS[name].development

    def lost(self, name):
        """What discarding a card for good costs; less than nothing for a bad one."""
        if CARDS[name].effect == "settle":  # it would lie before me in every turn
            return -self.turns * (SLOT - self.each_turn(name))
        return self.visits * (self.card(name) - self.average)

    def infection(self, name):
        """What taking a Miasma costs: there are ways to get rid of it."""
        return min(MOST_FOR_A_MIASMA, -self.lost(name))

    def each_turn(self, name):
        """Worth of an Artifact or a Creature for each turn that it lies before me."""
        card = CARDS[name]
        if card.use:
            return self._used_up(card) * HAND / self.size
        worth = ATTACK * card.attack + self.per_purity * card.purity
        worth += self.per_frenzy * card.frenzy + self.harvest * (card.harvest or card.fortune)
        worth += self.average * card.hand_bonus
        worth += {"profane-seal": 0.05, "purple-gold-gourd": IMMUNE}.get(name, 0.0)
        worth += 0.15 * card.risk_bonus
        return worth

    def artifact(self, name):
        """A new Artifact: its score, and what it does once it has come to hand and is placed."""
        worth = CARDS[name].development
        placed = [self.each_turn(other) for other in self.me["regalia"] if is_artifact(other)]
        free = len(self.me["regalia"]) < SLOTS
        better = self.each_turn(name) - (0.0 if free else min(placed, default=99.0))
        wait = self.size / HAND
        if name in self.me["regalia"] or better <= 0:
            return worth - self.visits * self.average
        return worth + better * max(0.0, self.turns - wait) - self.average * min(1, self.visits)

    def creature(self, name):
        """A Creature instead of the one that I have."""
        old = self.each_turn(self.me["creature"]) if self.me["creature"] else 0.0
        return max(0.0, self.each_turn(name) - old) * max(0.0, self.turns - 1)


def is_artifact(name):
    return CARDS[name].kind == "artifact"


def turns_left(observation):
    """Turns that each player may still expect."""
    players = observation["players"]
    of_this_wave = len(observation["zone"]) / FULL_ZONE
    waves = WAVES - observation["wave"] + of_this_wave
    turns = 0.5 + waves * ROUNDS_A_WAVE[players]
    if observation["wave"] == 1:
        turns += of_this_wave * ROUNDS_MORE_FOR_THE_FIRST[players]
    return turns
