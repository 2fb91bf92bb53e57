"""An example for Deca Slayer: fight for good treasures with the strongest fitting hero, else save.

Change `choose` and make it yours. What you `print` goes to your log.
"""

from slayer import run

WORTH_A_FIGHT = 6  # points; one of the two treasures has to have as many

# Heroes by type, the strongest first.
HEROES = {
    "melee": "sword-master paladin guild-master knight berserker warrior fighter princess "
    "bard troubadour jester",
    "ranged": "sniper ninja guild-master assassin ranger archer scout princess "
    "bard minstrel jester",
    "magic": "archmage wizard guild-master sorcerer warlock priest cleric princess "
    "troubadour minstrel jester",
}

# What each monster asks for, step by step.
STEPS = {
    "lich": ["ranged", "melee", "magic"],
    "chimera": ["melee", "magic", "ranged"],
    "cerberus": ["magic", "ranged", "melee"],
    "demon": ["magic", "melee"],
    "cyclops": ["magic", "ranged"],
    "vampire": ["magic", "magic"],
    "hydra": ["magic", "melee"],
    "basilisk": ["magic", "ranged"],
    "griffin": ["ranged", "melee"],
    "gazer": ["melee ranged"],  # two heroes in one turn
    "troll": ["melee magic"],
    "wyvern": ["ranged magic"],
    "golem": ["melee"],
    "harpy": ["ranged"],
    "wraith": ["magic"],
}


def choose(observation, legal_actions, info):
    phase = observation["phase"]
    if phase == "play":
        return play(observation, legal_actions)
    if phase == "treasure":
        return max(legal_actions, key=lambda action: points(card_of(action)))
    if phase == "recruit":
        return max(legal_actions, key=lambda action: strength(card_of(action)))
    if phase in ("limit", "curse"):
        return min(legal_actions, key=lambda action: strength(card_of(action)))
    return legal_actions[0]


def play(observation, legal_actions):
    monster = observation["row"][0]
    best = max(points(name) for name in monster["open"])
    if best < WORTH_A_FIGHT and "pass" in legal_actions:
        return "pass", f"the best treasure is worth {best}"
    of_type = asked_type(observation, monster["monster"])
    for hero in HEROES[of_type].split():
        if f"play {hero}" in legal_actions:
            return f"play {hero}"
    return legal_actions[-1] if legal_actions[0] != "pass" else "pass"


def asked_type(observation, monster):
    """The type of the slot that is to be filled now."""
    me = observation["seats"][observation["you"]]
    slots = STEPS[monster][observation["step"]].split()
    filled = sum(1 for card in me["played"] if card["step"] == observation["step"])
    return slots[min(filled, len(slots) - 1)]


def points(treasure):
    """Points of a treasure by its name: riches-7 has 7; others get a middling value."""
    number = treasure.removeprefix("riches-")
    return int(number) if number.isdigit() else 5


def strength(hero):
    """How far up a hero stands in the list of its best type, and how many types it has."""
    ranks = [names.split().index(hero) for names in HEROES.values() if hero in names.split()]
    return len(ranks) - min(ranks)


def card_of(action):
    return action.rsplit(" ", 1)[-1]


run(choose)
