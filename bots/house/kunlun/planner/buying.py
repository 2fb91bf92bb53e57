"""Which cards to acquire."""

from itertools import combinations

from cards import CARDS, card_of

AT_ONCE = 2  # cards that are thought of together
BETTER_SUPPLY = ("black-tortoise", "golden-qilin", "jade-regent")


def best_buys(observation, legal, purse):
    """The cards to acquire in this turn, the best first, and what they bring together."""
    names = sorted(card_of(action) for action in legal if action.startswith("acquire "))
    return _best_of(observation, names, observation["now"]["purity_left"], purse)


def best_with_flag(observation, purse):
    """What could be had with the Purity of a used Heart Sutra Flag as well."""
    if not observation["now"]["acquisitions_left"]:
        return 0.0
    names = [name for name in _supply(observation, purse) if _has_tokens(purse, name, 0)]
    purity = observation["now"]["purity_left"] + CARDS["heart-sutra-flag"].use_value
    return _best_of(observation, names, purity, purse)[1]


def could_buy_better(observation, enemy, purse, gain):
    """Whether slaying an enemy first may let me buy better than what brings `gain`."""
    if enemy in BETTER_SUPPLY:
        return True
    card = CARDS[enemy]
    if card.curse == "dim" or card.serenity:
        return False
    return any(
        _has_tokens(purse, name, card.reward)
        and not _has_tokens(purse, name, 0)
        and CARDS[name].cost <= observation["now"]["purity_left"]
        and purse.new(name) > gain
        for name in _supply(observation, purse)
    )


def _supply(observation, purse):
    supply = observation["isles"] | purse.me["list"]
    return [name for name, count in supply.items() if count]


def _has_tokens(purse, name, more):
    return CARDS[name].development <= purse.me["tokens"] + more


def _best_of(observation, names, purity, purse):
    gains = {name: gain for name in names if (gain := purse.new(name)) > 0}
    lord = observation["lord"]
    levy = lord is not None and CARDS[lord["card"]].technique == "levy"
    best, best_gain = [], 0.0
    # A second twin may be legal when no acquisition is left.
    for count in range(1, 1 + max(1, min(AT_ONCE, observation["now"]["acquisitions_left"]))):
        for chosen in combinations(gains, count):
            cost = sum(CARDS[name].cost + levy for name in chosen)
            gain = sum(gains[name] for name in chosen)
            if cost <= purity and gain > best_gain:
                best, best_gain = sorted(chosen, key=gains.get, reverse=True), gain
    return best, best_gain
