"""Greedy: slays what gives most, acquires the dearest card, and tries Alchemy every turn.

It never thinks of the next turn. A first example of a whole Kunlun bot: what is owed and what may
be done in a turn have their functions.
"""

from cards import CARDS, card_of
from chance import with_handicap
from slayer import run

FOR_NOTHING = (
    "turn cloud-stride-incantation",
    "turn master-of-the-beacon",
    "turn disciple-of-the-drum",
    "turn sage-of-the-hidden-reserve",
    "use talisman-of-expedition",
    "use six-demon-bell",
    "use heart-sutra-flag",
    "turn profane-seal",
)
SLOTS = 3
BURN_BONUS = 3
ENOUGH_MEDITATIONS = 3
CREATURE = 2.5  # what one is worth, in tokens
DISCARDED_FIRST = ("miasma", "meditation", "spell", "immortal")


def choose(observation, legal_actions, info):
    """One decision: the step that is owed says what it is about, else it is my turn."""
    if observation["phase"] == "start":
        return "proceed"
    pending = observation["pending"]
    if pending:
        decide = STEPS.get(pending["kind"])
        return decide(observation, legal_actions) if decide else legal_actions[0]
    if observation["phase"] == "action":
        return in_turn(observation, legal_actions)
    return legal_actions[0]


def in_turn(observation, legal_actions):
    """What can be had for nothing first, then tokens, then cards."""
    for artifact in named("place", legal_actions):
        if is_worth_placing(observation, artifact):
            return f"place {artifact}"
    for action in FOR_NOTHING:
        if action in legal_actions:
            return action
    enemies = named("slay", legal_actions)
    if enemies:
        return "slay " + max(enemies, key=lambda enemy: reward(observation, enemy))
    if is_worth_burning(observation, legal_actions):
        return "burn disciple-of-the-flame"
    cards = [card for card in named("acquire", legal_actions) if is_wanted(observation, card)]
    if cards:
        return "acquire " + max(cards, key=lambda card: CARDS[card].cost)
    return "alchemy" if "alchemy" in legal_actions else "end turn"


def named(word, legal_actions):
    """What the legal actions with this first word name."""
    return [card_of(action) for action in legal_actions if action.startswith(f"{word} ")]


def is_worth_placing(observation, artifact):
    """Into a free slot, or instead of a lesser one."""
    regalia = observation["seats"][observation["you"]]["regalia"]
    placed = [CARDS[name].development for name in regalia if CARDS[name].kind == "artifact"]
    return len(regalia) < SLOTS or CARDS[artifact].development > min(placed)


def reward(observation, enemy):
    """Tokens for slaying it; a Lord brings those of all Servants that are left."""
    card = CARDS[enemy]
    if card.kind == "creature":
        return CREATURE
    if card.kind == "lord":
        return card.reward + sum(CARDS[other["card"]].reward for other in observation["zone"])
    return card.reward


def is_worth_burning(observation, legal_actions):
    """If it is for a Lord who stands alone."""
    now, lord = observation["now"], observation["lord"]
    if "burn disciple-of-the-flame" not in legal_actions or not lord or observation["zone"]:
        return False
    flames = observation["seats"][observation["you"]]["hand"].count("disciple-of-the-flame")
    return now["slays_left"] and lord["strength"] <= now["attack_left"] + BURN_BONUS * flames


def is_wanted(observation, card):
    """Purity is only for buying, so a few cards of it are enough; and no deck is made smaller."""
    if CARDS[card].kind == "meditation":
        return card != "diligence" and dear_meditations(observation) < ENOUGH_MEDITATIONS
    return card != "pure-heart"


def dear_meditations(observation):
    """How many of my cards they are."""
    me = observation["seats"][observation["you"]]
    decks = (me["unseen"], me["waiting"])
    return sum(
        me["hand"].count(card) + sum(deck.get(card, 0) for deck in decks)
        for card in ("contemplation", "enlightenment")
    )


# Steps that are owed


def give_up(observation, legal_actions):
    """The card that is worth least: a Miasma, else the cheapest of the first kind."""

    def worth(action):
        card = CARDS[card_of(action)]
        return DISCARDED_FIRST.index(card.kind), card.cost

    return min(legal_actions, key=worth)


def displace(observation, legal_actions):
    return min(legal_actions, key=lambda action: CARDS[card_of(action)].development)


def pick(observation, legal_actions):
    """The Artifact that brings most, whatever has to be risked for it."""
    tokens = observation["seats"][observation["you"]]["tokens"]

    def gain(action):
        development = CARDS[card_of(action)].development
        stakes = range(1, min(tokens, development - 1) + 1)
        return max(risked(development, stake) for stake in stakes)

    return max(legal_actions, key=gain)


def price(observation, legal_actions):
    """Paying brings as much as it costs; a risk may be better."""
    development = CARDS[observation["pending"]["card"]].development
    stakes = {action: int(card_of(action)) for action in legal_actions if action != "pay"}
    best = max(stakes, key=lambda action: risked(development, stakes[action]))
    return "pay" if "pay" in legal_actions and risked(development, stakes[best]) <= 0 else best


def risked(development, stake):
    """What a risk brings on the average: the die has to show what the stake lacks, and no 1."""
    needed = max(2, development - stake)
    return development * max(0, 7 - needed) / 6 - stake


STEPS = {
    "forced": give_up,
    "purge": give_up,
    "miasma": displace,
    "place": displace,
    "alchemy": pick,
    "price": price,
}


if __name__ == "__main__":
    run(with_handicap(choose))
