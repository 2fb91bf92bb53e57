"""Planner: fights where the treasure is worth the heroes that it takes.

Heroes and treasures have a price in victory points (worth.py). For a battle it guesses how the
others will fare (battle.py), goes through what it could put down itself (plans.py), and takes the
plan with the best outlook (outlook.py): treasure, recruits, and the hand that is kept.
"""

from battle import Battle, dice_of
from cards import POINTS, card_of, power
from handicap import handicapped
from outlook import DragonOutlook, Outlook
from plans import plans, without
from slayer import run
from worth import Purse, points


def choose(observation, legal_actions, info):
    """One decision: the observation says what it is about in `phase`."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    decide = PHASES[observation["phase"]]
    return decide(observation, legal_actions, info)


def play(observation, legal_actions, info):
    purse = Purse(observation)
    outlook = Outlook(observation, purse)
    battle = Battle(observation, outlook.best_prize, dice_of(info, observation))
    if purse.rounds_left == 1:
        outlook.dragon = DragonOutlook(observation, battle, purse)
    mode, _ = battle.steps[battle.step]
    if mode == "round and round":
        return stay_or_pass(observation, legal_actions, battle, outlook)
    samples = battle.their_keys()
    chances = {}  # of each rank, by my key

    def expected(plan):
        key = battle.key(battle.you, plan.powers, plan.skipped)
        if key not in chances:
            ranks = [1 + sum(other > key for other in keys) for keys in samples]
            chances[key] = [
                ranks.count(rank) / len(samples) for rank in range(1, battle.players + 1)
            ]
        return outlook.expected(chances[key], plan.left)

    return max(plans(observation, legal_actions, battle), key=expected).action


def stay_or_pass(observation, legal_actions, battle, outlook):
    """Play goes round and round until one is left: how far do I go, and for which rank?"""
    of_type = battle.steps[0][1][0]
    hand = observation["hand"]
    mine = sorted((hero for hero in hand if power(hero, of_type)), key=outlook.purse.hero)
    samples = [sorted(staying, reverse=True) for staying in battle.their_staying()]

    def expected(target, most):
        total = 0.0
        for staying in samples:
            needed = staying[target - 1] + 1 if len(staying) >= target else 0
            used = min(most, needed)
            rank = 1 + sum(count >= used for count in staying)
            total += outlook.at(rank, without(hand, mine[:used]))
        return total

    options = [(target, most) for most in range(len(mine) + 1) for target in (1, 2)]
    _, most = max(options, key=lambda option: expected(*option))
    return f"play {mine[0]}" if most else "pass"


def treasure(observation, legal_actions, info):
    purse, hand = Purse(observation), observation["hand"]
    return max(legal_actions, key=lambda action: purse.treasure(card_of(action), hand))


def recruit(observation, legal_actions, info):
    purse = Purse(observation)
    return max(legal_actions, key=lambda action: purse.hero(card_of(action)))


def discard(observation, legal_actions, info):
    purse = Purse(observation)
    return min(legal_actions, key=lambda action: purse.hero(card_of(action)))


def take_back(observation, legal_actions, info):
    """It costs nothing."""
    purse = Purse(observation)
    performers = [action for action in legal_actions if action != "pass"]
    return max(performers, key=lambda action: purse.hero(card_of(action)))


def outrank(observation, legal_actions, info):
    """Up to a rank with a treasure; further below, the lower rank recruits earlier."""
    order, values = observation["order"], observation["values"]
    place = order.index(observation["you"])
    tied = [seat for seat in order[:place] if values[seat] == values[order[place]]]
    reachable = place - len(tied)
    return "outrank" if reachable < 2 else "pass"


def exchange(observation, legal_actions, info):
    """Treasures for heroes, where the points are fewer than the heroes are worth."""
    purse, hand = Purse(observation), observation["hand"]

    def gain(action):
        if action == "pass":
            return 0.0
        drawn = 3 if action == "use mysterious-doll" else 2
        now, later = purse.hand(hand, 0), purse.hand(hand, drawn) + drawn * purse.random_hero
        return later - now - purse.treasure(card_of(action))

    return max(legal_actions, key=gain)


def transmute(observation, legal_actions, info):
    """The game is over but for this: the least treasure for one of those never seen."""
    me = observation["seats"][observation["you"]]
    seen = list(observation["treasure_discard"])
    for seat in observation["seats"]:
        seen += seat["treasures"]
    unseen = [POINTS[name] for name in POINTS if name not in (*seen, "dragon")]
    swaps = [action for action in legal_actions if action != "pass"]
    least = min(swaps, key=lambda action: points(card_of(action), me))
    mean = sum(unseen) / len(unseen) if unseen else 0.0
    return least if POINTS[card_of(least)] < mean else "pass"


PHASES = {
    "play": play,
    "take-back": take_back,
    "outrank": outrank,
    "treasure": treasure,
    "curse": discard,
    "recruit": recruit,
    "exchange": exchange,
    "limit": discard,
    "alchemy": transmute,
}


if __name__ == "__main__":
    run(handicapped(choose))
