"""Any legal action, all equally likely: what every other bot should beat."""

import random

from slayer import run


def choose(observation, legal_actions, info):
    return random.choice(legal_actions)


if __name__ == "__main__":
    run(choose)
