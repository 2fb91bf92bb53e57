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
ROUNDS_A_WAVE = {2: 3.6, 3: 2.3, 4: 2.0}  # by players
ROUNDS_MORE_FOR_THE_FIRST = {2: 6.0, 3: 4.0, 4: 3.5}
ATTACK = 0.66
PURITY = 0.43  # in a long game, with LITTLE_PURITY in a hand
LONG = 16.0  # turns; what is bought late hardly comes to hand any more
LITTLE_PURITY, MUCH_PURITY = 3.0, 9.0  # with as much, more of it is worth nothing
CONTEMPLATION = 0.5  # more than its Purity: it is the way to the dear cards
FRENZY = 1.5  # with MUCH_ATTACK in a hand
MUCH_ATTACK = 12.0
HARVEST = 0.2
PURGE = 0.35
BURN = 0.6
MUSTER = 0.1
CALL = 1.5  # average cards: it is a chosen one
RISK_BONUS = 0.15
LEADEN = -0.7
TOLL = -1.0
PASSIVE = {"profane-seal": 0.05, "purple-gold-gourd": 0.15}
SLOT = 0.1  # of the Regalia zone, for each turn
MOST_FOR_A_MIASMA = 1.8


class Purse:
    """Prices of this moment, by my deck and by how long the game will still go on."""

    def __init__(self, observation):
        self.me = observation["seats"][observation["you"]]
        self.turns = turns_left(observation)
        self.deck = Counter(self.me["hand"])
        self.deck.update(self.me["unseen"])
        self.deck.update(self.me["waiting"])
        self.size = max(HAND, self.deck.total())
        self.visits = self.turns * HAND / (self.size + 1)  # of one card to my hand
        self.immortals = sum(
            count for name, count in self.deck.items() if CARDS[name].kind == "immortal"
        )
        self.artifacts = sum(map(is_artifact, self.me["regalia"]))
        time = min(1.0, self.turns / LONG)
        need = (MUCH_PURITY - self._in_a_hand("purity")) / (MUCH_PURITY - LITTLE_PURITY)
        strong = min(1.5, max(0.2, self._in_a_hand("attack") / MUCH_ATTACK))
        self.per_purity = PURITY * time * min(1.0, max(0.0, need))
        self.contemplation = CONTEMPLATION * time
        self.per_frenzy = FRENZY * strong
        self.harvest = HARVEST * time
        self.purge = PURGE * time
        self.average = 0.0  # of a card of my deck; drawing cards count it, so they come second
        self._cards = {}
        self.average = max(0.0, sum(n * self.card(name) for name, n in self.deck.items()))
        self.average /= self.size
        self._cards = {}

    def _in_a_hand(self, column):
        """The Attack or Purity of an average hand and of all that lies before me."""
        lying = self.me["regalia"] + ([self.me["creature"]] if self.me["creature"] else [])
        deck = sum(count * getattr(CARDS[name], column) for name, count in self.deck.items())
        return deck * HAND / self.size + sum(getattr(CARDS[name], column) for name in lying)

    # Cards of the deck

    def card(self, name):
        """Worth of a card each time that it comes to hand."""
        if name not in self._cards:
            self._cards[name] = self._card(name, CARDS[name])
        return self._cards[name]

    def _card(self, name, card):
        if card.kind == "artifact":
            return self._used_up(card)
        worth = ATTACK * (card.attack + self._leadership(name, card))
        worth += self.per_purity * card.purity + self.per_frenzy * card.frenzy
        worth += self.harvest * card.harvest + BURN * card.burn
        if name == "contemplation":
            worth += self.contemplation
        if card.turn == "draw":
            worth += card.turn_value * self.average
        elif card.turn == "muster":
            worth += self.average * self.immortals / self.size + MUSTER
        elif card.turn == "call":
            worth += self.average * CALL
        elif card.turn == "purge":
            worth += self.purge
        return worth + {"leaden": LEADEN, "toll": TOLL}.get(card.effect, 0.0)

    def _used_up(self, card):
        """An Artifact that comes back through the deck whenever it has been used."""
        each = {"attack": ATTACK, "purity": self.per_purity, "draw": self.average}
        return each[card.use] * card.use_value if card.use else 0.0

    def _leadership(self, name, card):
        """Attack that an Immortal adds, on the average."""
        others = (HAND - 1) / self.size  # of each card of the deck, beside it in hand
        if card.leadership == "pair":
            return min(1.0, others * self.deck[name])
        if card.leadership == "clan":
            return card.leadership_value * others * self.immortals
        if card.leadership == "burned":  # every second one is
            return card.leadership_value * others * self.deck["disciple-of-the-flame"] / 2
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
            return self.turns * (self.each_turn(name) - SLOT)
        return self.visits * (self.card(name) - self.average)

    def infection(self, name):
        """What taking a Miasma costs: there are ways to get rid of it."""
        return min(MOST_FOR_A_MIASMA, -self.lost(name))

    # What lies before me

    def each_turn(self, name):
        """Worth of an Artifact, settled Miasma or Creature for each turn that it lies there."""
        card = CARDS[name]
        if card.use:
            return self._used_up(card) * HAND / self.size
        worth = ATTACK * card.attack + self.per_purity * card.purity
        worth += self.per_frenzy * card.frenzy + self.harvest * (card.harvest or card.fortune)
        worth += self.average * card.hand_bonus + RISK_BONUS * card.risk_bonus
        return worth + PASSIVE.get(name, 0.0)

    def artifact(self, name):
        """A new Artifact: its score, and what it does once it has come to hand and is placed."""
        score = CARDS[name].development
        regalia = self.me["regalia"]
        better = self.each_turn(name)
        if len(regalia) == SLOTS:
            better -= min(map(self.each_turn, filter(is_artifact, regalia)), default=better)
        if name in regalia or better <= 0:
            return score - self.visits * self.average  # it only takes places in my hands
        wait = self.size / HAND
        return score + better * max(0.0, self.turns - wait) - self.average * min(1.0, self.visits)

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
