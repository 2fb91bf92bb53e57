"""Greedy: fights every battle with its strongest cards and takes the most points.

It never thinks of the next round. A first example of a whole Deca Slayer bot: each phase of the
game has its function.
"""

from cards import MONSTERS, POINTS, best_power, bonus, card_of, power, types
from handicap import handicapped
from slayer import run


def choose(observation, legal_actions, info):
    """One decision: the observation says what it is about in `phase`."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    decide = PHASES[observation["phase"]]
    return decide(observation, legal_actions)


def play(observation, legal_actions):
    """The strongest card for the slot; of equal ones, the one that is good for less else."""
    me = observation["seats"][observation["you"]]
    _, steps = MONSTERS[observation["row"][0]["monster"]]
    mode, slots = steps[observation["step"]]
    cards_put_down = sum(1 for card in me["played"] if card["step"] == observation["step"])
    of_type = slots[cards_put_down] if len(slots) > 1 else slots[0]
    added = bonus(me, of_type)

    def strength(action):
        card = card_of(action)
        return power(card, of_type, added), -types(card)

    plays = [action for action in legal_actions if action.startswith("play ")]
    best = max(plays, key=strength)
    if "pass" in legal_actions and strength(best)[0] == 0:
        return "pass"
    if mode == "any number" and is_ahead(observation):
        return "pass"
    if mode == "round and round":  # any card of the type is as good as another
        return min(plays, key=strength)
    return best


def is_ahead(observation):
    """Whether my cards on the table are worth more than anybody else's."""
    totals = [sum(card["power"] for card in seat["played"]) for seat in observation["seats"]]
    mine = totals.pop(observation["you"])
    return mine > max(totals)


def treasure(observation, legal_actions):
    return max(legal_actions, key=points)


def recruit(observation, legal_actions):
    return max(legal_actions, key=lambda action: worth(card_of(action), observation))


def discard(observation, legal_actions):
    return min(legal_actions, key=lambda action: worth(card_of(action), observation))


def points(action):
    return POINTS[card_of(action)]


def worth(card, observation):
    """A hero's highest power, and a little for each further type."""
    me = observation["seats"][observation["you"]]
    return best_power(card, me) + types(card)


def take_back(observation, legal_actions):
    return legal_actions[-1]


def keep_treasures(observation, legal_actions):
    return "pass"


def outrank(observation, legal_actions):
    return "outrank"


def transmute(observation, legal_actions):
    """At the end: the smallest treasure for a random one, if it is smaller than a usual one."""
    swaps = [action for action in legal_actions if action != "pass"]
    least = min(swaps, key=points)
    return least if points(least) < 6 else "pass"


PHASES = {
    "play": play,
    "take-back": take_back,
    "outrank": outrank,
    "treasure": treasure,
    "curse": discard,
    "recruit": recruit,
    "exchange": keep_treasures,
    "limit": discard,
    "alchemy": transmute,
}


if __name__ == "__main__":
    run(handicapped(choose))
