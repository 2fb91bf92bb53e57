"""An example for Slawia: slayers where most glory is to be won, monsters where they suit you.

To play it, write games = ["slawia"] and entry = "slawia.py" into bot.toml. Change `choose` and make
it yours. What you `print` goes to your log.
"""

from slayer import run

# Cards of which more is better, the best last.
SLAYERS = ["rogue", "mage", "ranger", "exterminator", "warrior-5", "warrior-6"]
WEAK_MONSTERS = ["vila", "chochlik", "skarbnik", "mimic", "vodnik", "topielec"]


def choose(observation, legal_actions, info):
    if observation["phase"] == "card":
        return card(observation, legal_actions)
    if observation["phase"] == "place":
        return place(observation, legal_actions)
    if observation["phase"] == "mark":
        return mark(observation, legal_actions)
    return legal_actions[-1]  # keep the order, the tokens and the Ranger's space


def card(observation, legal_actions):
    """The strongest slayer; then a weak monster where I am ahead somewhere, else the deck."""
    slayers = [action for action in legal_actions if action.startswith("play ")]
    if slayers:
        return max(slayers, key=lambda action: SLAYERS.index(object_of(action)))
    weak = [action for action in legal_actions if object_of(action) in WEAK_MONSTERS]
    waiting = [entry for entry in open_entries(observation) if lead(observation, entry) > 0]
    return weak[0] if weak and waiting else legal_actions[-1]


def place(observation, legal_actions):
    entries = {entry["location"]: entry for entry in open_entries(observation)}
    is_slayer = observation["held"]["card"] in SLAYERS

    def worth(action):
        entry = entries[object_of(action)]
        if is_slayer:  # most glory, where I am not ahead already
            return entry["points"][0] - 2 * (lead(observation, entry) > 0)
        return lead(observation, entry)  # where I am ahead the hunt should come soon

    return max(legal_actions, key=worth)


def open_entries(observation):
    return [entry for entry in observation["table"] if entry and not entry["used"]]


def lead(observation, entry):
    """My strength at a location less that of the strongest other house."""
    strengths = [0] * observation["players"]
    for card in entry["slayers"]:
        if card["owner"] is not None and not card["tokens"]:
            strengths[card["owner"]] += card["strength"]
    mine = strengths.pop(observation["me"])
    return mine - max(strengths)


def mark(observation, legal_actions):
    """The strongest monster."""
    monsters = observation["table"][observation["focus"]]["monsters"]
    return max(legal_actions, key=lambda action: monsters[int(object_of(action)) - 1]["strength"])


def object_of(action):
    return action.partition(" ")[2]


run(choose)
