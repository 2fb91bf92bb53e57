"""What a bot has to know of the cards of Deca Slayer, edition 1."""

TYPES = ("melee", "ranged", "magic")

# Powers by type.
HEROES = {
    "guild-master": (8, 8, 8),
    "sword-master": (10, 0, 0),
    "paladin": (9, 0, 0),
    "knight": (8, 0, 0),
    "berserker": (7, 0, 0),
    "warrior": (6, 0, 0),
    "fighter": (5, 0, 0),
    "sniper": (0, 10, 0),
    "ninja": (0, 9, 0),
    "assassin": (0, 8, 0),
    "ranger": (0, 7, 0),
    "archer": (0, 6, 0),
    "scout": (0, 5, 0),
    "archmage": (0, 0, 10),
    "wizard": (0, 0, 9),
    "sorcerer": (0, 0, 8),
    "warlock": (0, 0, 7),
    "priest": (0, 0, 6),
    "cleric": (0, 0, 5),
    "bard": (4, 4, 0),
    "troubadour": (4, 0, 4),
    "minstrel": (0, 4, 4),
    "jester": (3, 3, 3),
    "princess": (5, 5, 5),
}

# Cards with that name.
COPIES = dict.fromkeys(HEROES, 3) | {
    "guild-master": 6,
    "sword-master": 2,
    "paladin": 2,
    "knight": 2,
    "sniper": 2,
    "ninja": 2,
    "assassin": 2,
    "archmage": 2,
    "priest": 4,
    "cleric": 4,
    "jester": 6,
    "princess": 0,  # the option says how many there are
}

# Placement, then the steps: (mode, types of the slots). "any number" and "up to one" are turns
# that may be passed without losing anything.
MONSTERS = {
    "dragon": ("total-power", [("all", ())]),
    "lich": (
        "highest-minimum",
        [("turn", ("ranged",)), ("turn", ("melee",)), ("turn", ("magic",))],
    ),
    "chimera": (
        "highest-minimum",
        [("turn", ("melee",)), ("turn", ("magic",)), ("turn", ("ranged",))],
    ),
    "cerberus": (
        "highest-minimum",
        [("turn", ("magic",)), ("turn", ("ranged",)), ("turn", ("melee",))],
    ),
    "demon": ("total-power", [("together", ("magic",)), ("any number", ("melee",))]),
    "cyclops": ("total-power", [("together", ("magic",)), ("any number", ("ranged",))]),
    "vampire": ("total-power", [("together", ("magic",)), ("up to one", ("magic",))]),
    "hydra": ("total-power", [("turn", ("magic",)), ("turn", ("melee",))]),
    "basilisk": ("total-power", [("turn", ("magic",)), ("turn", ("ranged",))]),
    "griffin": ("total-power", [("turn", ("ranged",)), ("turn", ("melee",))]),
    "gazer": ("highest-minimum", [("turn", ("melee", "ranged"))]),
    "troll": ("highest-minimum", [("turn", ("melee", "magic"))]),
    "wyvern": ("highest-minimum", [("turn", ("ranged", "magic"))]),
    "golem": ("last-man-standing", [("round and round", ("melee",))]),
    "harpy": ("last-man-standing", [("round and round", ("ranged",))]),
    "wraith": ("last-man-standing", [("round and round", ("magic",))]),
}

POINTS = {f"riches-{points}": points for points in range(1, 13)} | {
    "heros-war-banner": 1,
    "far-seeking-crystal": 2,
    "alluring-scroll": 3,
    "anima-staff": 4,
    "legendary-sword": 5,
    "marksmans-bow": 5,
    "twin-star-gemstone": 6,
    "gloves-of-charisma": 7,
    "mysterious-doll": 8,
    "crown-of-avarice": 9,
    "cursed-idol": 10,
    "dragon": 5,
}

# Treasures and guilds that make the owner's heroes stronger by 1, by type.
BONUSES = {
    "heros-war-banner": (1, 1, 1),
    "legendary-sword": (1, 0, 0),
    "marksmans-bow": (0, 1, 0),
    "anima-staff": (0, 0, 1),
    "fighters-guild": (1, 0, 0),
    "thieves-guild": (0, 1, 0),
    "mages-guild": (0, 0, 1),
}


def card_of(action):
    """The card that an action names: take riches-7 → riches-7."""
    return action.rsplit(" ", 1)[-1]


def bonus(seat, of_type):
    """What a seat of the observation adds to each of its heroes of a type."""
    column = TYPES.index(of_type)
    owned = [*seat["treasures"], seat["guild"]]
    return sum(BONUSES[card][column] for card in owned if card in BONUSES)


def power(card, of_type, added=0):
    """Power of a hero used as a type, with the bonus of its owner; 0 if it is not of the type."""
    printed = HEROES[card][TYPES.index(of_type)]
    return printed + added if printed else 0


def best_power(card, seat):
    """The highest power of a seat's hero, whatever type it is used as."""
    return max(power(card, of_type, bonus(seat, of_type)) for of_type in TYPES)


def types(card):
    """How many types a hero has."""
    return sum(1 for printed in HEROES[card] if printed)
