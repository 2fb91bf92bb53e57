"""The Heart Eaters that lie there: how strong they are, and which may be attacked.

`lord` is a name or None, `zone` a sorted tuple of names.
"""

from cards import CARDS

CREATURE = 2.0  # to another player


def strengths(lord, zone):
    """The strength of each enemy, by name."""
    added = CARDS[lord].technique == "drill" if lord else 0
    added += sum(CARDS[name].technique == "banner" for name in zone)
    result, total = {}, 0
    for name in zone:
        card = CARDS[name]
        if card.kind == "creature":
            result[name] = card.strength
            continue
        strength = card.strength + added
        if card.technique == "horde":
            strength += zone.count(name) - 1
        elif card.technique == "banner":
            strength -= 1
        result[name] = strength
        total += strength
    if lord:
        result[lord] = CARDS[lord].strength + total
    return result


def targets(lord, zone, slain, veil):
    """Who may be attacked, their own conditions aside."""
    names = list(dict.fromkeys(zone))
    servants = [CARDS[name] for name in names if CARDS[name].kind == "servant"]
    if lord:
        names.append(lord)
    if veil:
        return names
    if slain == 0 and any(card.guardian for card in servants):
        names = [name for name in names if CARDS[name].guardian]
    open_ones = any(not card.shadow for card in servants)
    hidden = {"lord": bool(servants), "servant": open_ones}
    return [name for name in names if not (CARDS[name].shadow and hidden[CARDS[name].kind])]


def reward(lord, zone, name):
    """Tokens for slaying an enemy; a Lord brings those of all Servants."""
    card = CARDS[name]
    if card.kind == "creature":
        return CREATURE
    if name == lord:
        return card.reward + sum(CARDS[other].reward for other in zone)
    return card.reward


def without(zone, name):
    at = zone.index(name)
    return zone[:at] + zone[at + 1 :]
