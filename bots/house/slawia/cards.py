"""What a bot has to know of the cards of Monster Slayers of Slawia, edition 1."""

SLAYERS = {
    "rogue": 1,
    "mage": 2,
    "ranger": 3,
    "exterminator": 4,
    "warrior-5": 5,
    "warrior-6": 6,
}
WARRIORS = ("warrior-5", "warrior-6")

# Strength, treasures, copies.
MONSTERS = {
    "chochlik": (1, 0, 6),
    "skarbnik": (1, 1, 2),
    "topielec": (2, 0, 8),
    "striga": (3, 0, 8),
    "poludnica": (4, 1, 7),
    "basilisk": (5, 1, 5),
    "leshy": (6, 2, 3),
    "zmey": (7, 3, 3),
    "mimic": (1, 1, 2),
    "likho": (2, 0, 2),
    "bies": (2, 0, 2),
    "vodnik": (1, 0, 2),
    "vila": (0, 0, 2),
    "stolem": (2, 0, 2),
}
SPECIAL = ("mimic", "likho", "bies", "vodnik", "vila", "stolem")


def object_of(action):
    """What an action names: at old-mill → old-mill."""
    return action.rsplit(" ", 1)[-1]
