"""An example: fight for treasures that are worth it, with the strongest cards, else save them.

Change `choose` and make it yours. `print` writes to your log.
"""

from slayer import run

WORTH_A_FIGHT = 9  # victory points; the best treasure of the row has to have as many


def choose(observation, legal_actions, info):
    phase = observation["phase"]
    if phase == "play":
        return play(observation, legal_actions)
    if phase == "treasure":
        return max(legal_actions, key=treasure_points)
    return legal_actions[0]


def play(observation, legal_actions):
    best = max(treasure_points(f"take {name}") for name in observation["row"][0]["open"])
    if best < WORTH_A_FIGHT and "pass" in legal_actions:
        return "pass", f"the best treasure is worth {best}"
    plays = [action for action in legal_actions if action.startswith("play ")]
    return plays[0] if plays else legal_actions[0]


def treasure_points(action):
    """Points of a treasure by its name: take riches-7 → 7; others get a middling value."""
    tail = action.rsplit("-", 1)[-1]
    return int(tail) if tail.isdigit() else 5


run(choose)
