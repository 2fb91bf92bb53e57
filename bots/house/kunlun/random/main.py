"""Any legal action, all equally likely, but never to abstain: what every other bot should beat."""

import random

from chance import any_action
from slayer import run


def choose(observation, legal_actions, info):
    return any_action(legal_actions, random)


if __name__ == "__main__":
    run(choose)
