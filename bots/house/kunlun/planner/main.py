"""Planner: buys for the turns to come, and slays what it can without opening the way for others.

Cards have a worth in Development tokens (worth.py), by how often they will still come to hand. The
attacks of a turn are searched through (raid.py), and what is left for the others counts against
them (rivals.py), so a Lord is weakened only if nobody else can slay him then.
"""

from alchemy import Alchemy
from buying import best_buys, best_with_flag, could_buy_better
from cards import CARDS, card_of
from chance import with_handicap
from raid import Raid, best_raid
from slayer import run
from worth import SLOTS, Purse, is_artifact

DRAWING = (
    "turn cloud-stride-incantation",
    "turn master-of-the-beacon",
    "turn disciple-of-the-drum",
    "turn sage-of-the-hidden-reserve",
    "use talisman-of-expedition",
)
FLAG = 0.5  # what using up the Heart Sutra Flag has to bring
A_TURN = 2.5  # what there is in a turn besides the attacks


def choose(observation, legal_actions, info):
    """One decision: the step that is owed says what it is about, else it is my turn."""
    if len(legal_actions) == 1 or observation["phase"] == "clans":
        return legal_actions[0]  # the clans stand in the order in which I win with them
    purse = Purse(observation)
    if observation["pending"]:
        return STEPS[observation["pending"]["kind"]](observation, legal_actions, purse)
    if observation["phase"] == "start":
        return "abstain" if gives_up_the_turn(observation, purse) else "proceed"
    return in_turn(observation, set(legal_actions), purse)


def gives_up_the_turn(observation, purse):
    """Only to get rid of a Miasma, if that is worth more than the turn."""
    worst = min(without_artifacts(purse.me["hand"]), key=purse.lost)
    if CARDS[worst].kind != "miasma":
        return False
    attack = observation["now"]["attack_left"]
    if CARDS[worst].effect == "turn":
        attack += CARDS[worst].attack
    raid = Raid(observation, purse)
    forgone = raid.best(attack)[0] - raid.best(0)[0] + A_TURN
    return -purse.lost(worst) > forgone


def in_turn(observation, legal, purse):
    """Placing and drawing, then buying, then the attacks, then the rest.

    Buying comes first since an enemy may take Purity or a card of the hand; but some make it
    cheaper, or bring the tokens that a Sage costs.
    """
    action = placing(legal, purse) or next((each for each in DRAWING if each in legal), None)
    if action:
        return action
    first, prey = best_raid(Raid(observation, purse), legal)
    buys, gain = best_buys(observation, legal, purse)
    if "use heart-sutra-flag" in legal and best_with_flag(observation, purse) > gain + FLAG:
        return "use heart-sutra-flag"
    if buys and not (prey and could_buy_better(observation, prey[0], purse, gain)):
        return f"acquire {buys[0]}"
    if first:
        return first
    if "alchemy" in legal:
        return "alchemy"
    return thinning(legal, purse) or "end turn"


def placing(legal, purse):
    """The best Artifact in hand, if there is room or a lesser one makes room."""
    names = [card_of(action) for action in legal if action.startswith("place ")]
    if not names:
        return None
    best = max(sorted(names), key=purse.each_turn)
    regalia = purse.me["regalia"]
    lesser = min(map(purse.each_turn, filter(is_artifact, regalia)), default=0.0)
    if len(regalia) < SLOTS or purse.each_turn(best) > lesser:
        return f"place {best}"
    return None


def thinning(legal, purse):
    """Bad cards leave the deck for good."""
    if "turn profane-seal" in legal:
        return "turn profane-seal"
    others = [purse.lost(name) for name in without_artifacts(purse.me["hand"])]
    if "turn pure-heart" in legal or "shed pure-heart" in legal:
        others.remove(purse.lost("pure-heart"))
    others.sort()
    if "shed pure-heart" in legal and others[1] + 0.5 * purse.lost("pure-heart") < 0:
        return "shed pure-heart"
    if "turn pure-heart" in legal and others[0] < 0:
        return "turn pure-heart"
    return None


def without_artifacts(names):
    return [name for name in names if not is_artifact(name)]


# Steps that are owed


def discard(observation, legal_actions, purse):
    return min(legal_actions, key=lambda action: purse.lost(card_of(action)))


def displace(observation, legal_actions, purse):
    return min(legal_actions, key=lambda action: purse.each_turn(card_of(action)))


def call(observation, legal_actions, purse):
    return max(legal_actions, key=lambda action: purse.card(card_of(action)))


def infect(observation, legal_actions, purse):
    """The one of them that is furthest ahead."""
    seats = observation["seats"]
    return max(legal_actions, key=lambda action: seats[int(card_of(action))]["score"])


def creature(observation, legal_actions, purse):
    new, old = observation["pending"]["card"], purse.me["creature"]
    better = purse.each_turn(new) > purse.each_turn(old)
    return "replace creature" if better else "keep creature"


def pick(observation, legal_actions, purse):
    alchemy = Alchemy(purse)
    return max(legal_actions, key=lambda action: alchemy.best(card_of(action))[0])


def price(observation, legal_actions, purse):
    return Alchemy(purse).best(observation["pending"]["card"])[1]


STEPS = {
    "abstain": discard,
    "forced": discard,
    "purge": discard,
    "seal": discard,
    "miasma": displace,
    "place": displace,
    "call": call,
    "infect": infect,
    "creature": creature,
    "alchemy": pick,
    "price": price,
}


if __name__ == "__main__":
    run(with_handicap(choose))
