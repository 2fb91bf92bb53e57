"""A handicap for house bots: a share of their decisions is taken at random.

The share lies in `handicap.json` beside this file and is 0 without it. So players of known order
can be made from one bot: the more it leaves to chance, the weaker it is.
"""

import json
import random
from pathlib import Path


def handicapped(choose):
    """`choose`, but for the share of decisions that the handicap leaves to chance."""
    settings = Path(__file__).with_name("handicap.json")
    share = json.loads(settings.read_text())["random_share"] if settings.exists() else 0.0
    if not share:
        return choose
    dice = None

    def sometimes_random(observation, legal_actions, info):
        nonlocal dice
        if dice is None:
            dice = random.Random(info["random_seed"])
        if dice.random() < share:
            return dice.choice(legal_actions)
        return choose(observation, legal_actions, info)

    return sometimes_random
