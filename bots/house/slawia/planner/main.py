"""Planner: plans its whole turn, two slayers and a monster, before it plays the first card.

What a place is worth to it (outlook.py) is what the hunt there may bring, with the cards that are
still to come. A turn is the best choice of two slayers and a monster at three places (plans.py).
"""

from answers import answer
from handicap import handicapped
from outlook import outlook_of
from plans import Plans
from slayer import run


def choose(observation, legal_actions, info):
    """One decision: the observation says what it is about in `phase`."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    worth = outlook_of(observation)
    if observation["phase"] == "card":
        return Plans(observation, worth).card(legal_actions)
    if observation["phase"] == "place":
        return Plans(observation, worth).place(legal_actions)
    return answer(observation, legal_actions, worth)


if __name__ == "__main__":
    run(handicapped(choose))
