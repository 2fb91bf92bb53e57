"""An example for Kunlun: slay what you can, acquire the dearest card, and risk a token.

To play it, write games = ["kunlun"] and entry = "kunlun.py" into bot.toml. Change `choose` and make
it yours. What you `print` goes to your log.
"""

from slayer import run

# What is tried in a turn, the first that is legal. Drawing comes before all that cards are for.
IN_TURN = ["place", "turn", "slay", "acquire", "alchemy", "end"]

# Rewards in Development tokens; a Lord brings those of all Servants that are left as well.
REWARDS = {
    "demon-smith": 6, "night-rider": 5, "miasma-master": 5, "corpse-puppeteer": 4,
    "thousand-eyes": 4, "ogre-butcher": 4, "shade-assassin": 3, "vermillion-bird": 3,
    "banner-fiend": 2, "iron-sentinel": 2, "fox-enchantress": 2, "plague-crow": 2, "blood-monk": 2,
    "hungry-ghost-sage": 5, "drum-marshal": 5, "veiled-empress": 6, "plague-abbot": 5,
    "gate-tyrant": 6, "jade-regent": 6, "supreme-villain": 10,
}  # fmt: skip

# What to acquire, the best first; Diligence not at all.
WANTED = [
    *("sage-of-the-jade-citadel", "sage-of-the-hidden-reserve", "sage-of-the-undying-ember"),
    *("sage-of-esoteric-swordplay", "master-of-the-crucible", "master-of-the-beacon"),
    *("master-of-the-pyre", "master-of-the-drawn-blade", "five-thunders-incantation"),
    *("whirling-blades-incantation", "enlightenment", "disciple-of-the-alembic", "contemplation"),
    *("disciple-of-the-flame", "disciple-of-the-drum", "disciple-of-the-scabbard"),
]

# What to discard, the first that is there: a Miasma, then what hardly helps any more.
UNWANTED = ["miasma", "diligence", "pure-heart", "disciple"]


def choose(observation, legal_actions, info):
    if "proceed" in legal_actions:
        return "proceed"
    if "end turn" in legal_actions:
        return in_turn(observation, legal_actions)
    if legal_actions[0].startswith("discard"):
        return min(legal_actions, key=how_much_wanted)
    if "risk 1" in legal_actions:
        return "risk 1", f"{observation['pending']['card']} would be worth more"
    return legal_actions[0]


def in_turn(observation, legal_actions):
    for word in IN_TURN:
        actions = [action for action in legal_actions if action.split()[0] == word]
        if word == "slay":
            actions.sort(key=lambda action: reward(observation, card_of(action)))
        elif word == "acquire":
            actions = [action for action in actions if card_of(action) in WANTED]
            actions.sort(key=lambda action: -WANTED.index(card_of(action)))
        if actions:
            return actions[-1]
    return "end turn"


def reward(observation, enemy):
    servants = observation["zone"] if enemy == observation["lord"]["card"] else []
    return REWARDS.get(enemy, 1) + sum(REWARDS.get(other["card"], 1) for other in servants)


def how_much_wanted(action):
    """The place in the list of what can go; what is not in it stays the longest."""
    places = [place for place, part in enumerate(UNWANTED) if part in card_of(action)]
    return min(places, default=len(UNWANTED))


def card_of(action):
    return action.partition(" ")[2]


run(choose)
