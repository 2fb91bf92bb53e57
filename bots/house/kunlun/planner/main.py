"""Planner: buys for the turns to come, and slays what it can without opening the way for others.

Cards have a worth in Development tokens (worth.py), by how often they will still come to hand. The
attacks of a turn are searched through (raid.py), and what is left for the others counts against
them (rivals.py), so a Lord is weakened only if nobody else can slay him then.
"""

from itertools import combinations

from alchemy import Alchemy
from cards import CARDS, card_of
from chance import with_handicap
from raid import Raid
from rivals import Rivals
from slayer import run
from worth import Purse, is_artifact

DRAWING = (
    "turn cloud-stride-incantation",
    "turn master-of-the-beacon",
    "turn disciple-of-the-drum",
    "turn sage-of-the-hidden-reserve",
    "use talisman-of-expedition",
)
BURN_BONUS = 3
FLAG = 0.5
A_TURN = 2.5  # what there is in a turn besides the attacks


def choose(observation, legal_actions, info):
    """One decision: the step that is owed says what it is about, else it is my turn."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    if "proceed" in legal_actions:
        return start(observation)
    pending = observation["pending"]
    if pending:
        return STEPS[pending["kind"]](observation, legal_actions, Purse(observation))
    if observation["phase"] == "clans":
        return legal_actions[0]
    return in_turn(observation, set(legal_actions))


def start(observation):
    """A turn is given up only to get rid of a bad Miasma."""
    purse = Purse(observation)
    worst = min((name for name in purse.me["hand"] if not is_artifact(name)), key=purse.lost)
    if CARDS[worst].kind != "miasma":
        return "proceed"
    attack = observation["now"]["attack_left"]
    if CARDS[worst].effect == "turn":
        attack += CARDS[worst].attack
    raid = Raid(observation, purse, Rivals(observation))
    forgone = raid.best(attack)[0] - raid.best(0)[0] + A_TURN
    return "abstain" if -purse.lost(worst) > forgone else "proceed"


def in_turn(observation, legal):
    purse = Purse(observation)
    action = placing(legal, purse) or next((a for a in DRAWING if a in legal), None)
    if action:
        return action
    raid = Raid(observation, purse, Rivals(observation))
    extra, prey = best_raid(raid, observation, legal, purse)
    buys, gain = best_buys(observation, legal, purse)
    if flag_helps(observation, legal, purse, gain):
        return "use heart-sutra-flag"
    if buys and not (prey and helps_buying(prey[0], observation, purse, gain)):
        return f"acquire {buys[0]}"
    if extra:
        return extra
    if prey:
        return f"slay {prey[0]}"
    if "alchemy" in legal:
        return "alchemy"
    return thinning(legal, purse) or "end turn"


def placing(legal, purse):
    """The best Artifact in hand, if there is room or a lesser one makes room."""
    names = [card_of(action) for action in legal if action.startswith("place ")]
    if not names:
        return None
    best = max(names, key=purse.each_turn)
    regalia = purse.me["regalia"]
    if len(regalia) < 3 or purse.each_turn(best) > min(
        purse.each_turn(name) for name in regalia if is_artifact(name)
    ):
        return f"place {best}"
    return None


def best_raid(raid, observation, legal, purse):
    """What to do before the attacks to have more Attack, if anything, and the first to slay."""
    attack = observation["now"]["attack_left"]
    value, prey = raid.best(attack)
    extra = None
    for action in (
        "use six-demon-bell",
        "burn disciple-of-the-flame",
        "turn parted-veil-incantation",
    ):
        if action not in legal:
            continue
        name = card_of(action)
        card = CARDS[name]
        for count in range(1, (purse.me["hand"].count(name) if card.burn else 1) + 1):
            more, cost = card.use_value, 0.1
            if card.burn:
                more = count * (BURN_BONUS + 2 * pyres(purse))
                cost = count * max(0.2, purse.lost(name))
            veil = card.turn == "veil"
            other, other_prey = raid.best(attack + more, count * card.burn, veil)
            if other - cost > value:
                value, prey, extra = other - cost, other_prey, action
    return extra, prey


def pyres(purse):
    return purse.me["hand"].count("master-of-the-pyre")


def helps_buying(enemy, observation, purse, gain):
    """Whether slaying first lets me buy better."""
    if enemy in ("black-tortoise", "golden-qilin", "jade-regent"):
        return True
    card = CARDS[enemy]
    if card.curse == "dim" or card.serenity:
        return False
    left = observation["now"]["purity_left"]
    return any(
        purse.me["tokens"] < CARDS[name].development <= purse.me["tokens"] + card.reward
        and CARDS[name].cost <= left
        and purse.new(name) > gain
        for name, count in purse.me["list"].items()
        if count
    )


def best_buys(observation, legal, purse):
    """The cards to acquire, the best first, as many as the turn allows together; what it brings."""
    names = [card_of(action) for action in legal if action.startswith("acquire ")]
    return bought(observation, names, observation["now"]["purity_left"], purse)


def bought(observation, names, purity, purse):
    gains = {name: gain for name in names if (gain := purse.new(name)) > 0}
    lord = observation["lord"]
    levy = lord is not None and CARDS[lord["card"]].technique == "levy"
    best, best_gain = [], 0.0
    for count in range(1, max(1, min(2, observation["now"]["acquisitions_left"])) + 1):
        for chosen in combinations(gains, count):
            cost = sum(CARDS[name].cost + levy for name in chosen)
            gain = sum(gains[name] for name in chosen)
            if cost <= purity and gain > best_gain:
                best, best_gain = sorted(chosen, key=gains.get, reverse=True), gain
    return best, best_gain


def flag_helps(observation, legal, purse, gain):
    """Whether 4 Purity more are worth using the Heart Sutra Flag."""
    if "use heart-sutra-flag" not in legal or not observation["now"]["acquisitions_left"]:
        return False
    supply = observation["isles"] | purse.me["list"]
    names = [
        name
        for name, count in supply.items()
        if count and CARDS[name].development <= purse.me["tokens"]
    ]
    purity = observation["now"]["purity_left"] + CARDS["heart-sutra-flag"].use_value
    return bought(observation, names, purity, purse)[1] > gain + FLAG


def thinning(legal, purse):
    """Bad cards leave the deck for good."""
    if "turn profane-seal" in legal:
        return "turn profane-seal"
    hand = sorted((n for n in purse.me["hand"] if not is_artifact(n)), key=purse.lost)
    if "shed pure-heart" in legal:
        others = [name for name in hand if name != "pure-heart"][:2]
        if len(others) == 2 and purse.lost(others[1]) + 0.5 * purse.lost("pure-heart") < 0:
            return "shed pure-heart"
    if "turn pure-heart" in legal:
        rest = [name for name in hand if name != "pure-heart"]
        if rest and purse.lost(rest[0]) < 0:
            return "turn pure-heart"
    return None


# Steps that are owed


def discard(observation, legal_actions, purse):
    return min(legal_actions, key=lambda action: purse.lost(card_of(action)))


def displace(observation, legal_actions, purse):
    return min(legal_actions, key=lambda action: purse.each_turn(card_of(action)))


def seal(observation, legal_actions, purse):
    return min(legal_actions, key=lambda action: purse.card(card_of(action)))


def call(observation, legal_actions, purse):
    return max(legal_actions, key=lambda action: CARDS[card_of(action)].attack)


def infect(observation, legal_actions, purse):
    """The one of them that is furthest ahead."""
    return max(
        legal_actions, key=lambda action: observation["seats"][int(card_of(action))]["score"]
    )


def creature(observation, legal_actions, purse):
    new, old = observation["pending"]["card"], purse.me["creature"]
    better = purse.each_turn(new) > purse.each_turn(old)
    return "replace creature" if better else "keep creature"


def pick(observation, legal_actions, purse):
    alchemy = Alchemy(observation, purse)
    return max(legal_actions, key=lambda action: alchemy.best(card_of(action))[0])


def price(observation, legal_actions, purse):
    return Alchemy(observation, purse).best(observation["pending"]["card"])[1]


STEPS = {
    "abstain": discard,
    "forced": discard,
    "purge": discard,
    "miasma": displace,
    "place": displace,
    "seal": seal,
    "call": call,
    "infect": infect,
    "creature": creature,
    "alchemy": pick,
    "price": price,
}


if __name__ == "__main__":
    run(with_handicap(choose))
