"""My own ways through the rest of a battle."""

from itertools import combinations

from cards import power

PRINCESS = "princess"


class Plan:
    """What I put down from here to the end of the battle, and the action that begins it."""

    def __init__(self, action, powers, skipped, left):
        self.action = action
        self.powers = powers  # of all my heroes, those on the table included
        self.skipped = skipped  # whether a slot stays empty
        self.left = left  # my hand afterwards


def plans(observation, legal_actions, battle):
    """All plans worth a thought that begin with a legal action."""
    you = battle.you
    grown = [Plan(None, battle.powers_down(you), battle.has_skipped(you), observation["hand"])]
    attached = observation["attached"] + (observation["sealed"] or {"princesses": 0})["princesses"]
    for number, (mode, of_type) in enumerate(battle.slots_left(you)):
        is_now = number == 0
        before, grown = grown, []
        for plan in before:
            for heroes, princess in ways(mode, of_type, plan.left, is_now):
                action = plan.action
                if is_now:
                    action = first_action(heroes, princess)
                    if action not in legal_actions:
                        continue
                powers = [power(hero, of_type, battle.bonus[you, of_type]) for hero in heroes]
                helpers = princess + (attached if is_now else 0)
                if helpers and powers and powers[0]:
                    powers[0] += 5 * helpers
                left = without(plan.left, [*heroes, *[PRINCESS] * princess])
                skipped = plan.skipped or not heroes
                grown.append(Plan(action, plan.powers + powers, skipped, left))
    return grown


def first_action(heroes, princess):
    if princess:
        return "add princess"
    return f"play {heroes[0]}" if heroes else "pass"


def ways(mode, of_type, hand, is_now):
    """What may be put down in one slot: (heroes, princesses that help the first of them)."""
    fitting = sorted((hero for hero in hand if power(hero, of_type)), reverse=True)
    if mode == "any number":
        fitting.sort(key=lambda hero: -power(hero, of_type))
        for count in range(len(fitting) + 1 if is_now else min(3, len(fitting)) + 1):
            # Now every choice of heroes is looked at, later only the strongest ones.
            chosen = dict.fromkeys(combinations(fitting, count)) if is_now else [fitting[:count]]
            yield from ((heroes, 0) for heroes in chosen)
        return
    yield (), 0
    for hero in dict.fromkeys(fitting):
        yield (hero,), 0
        if PRINCESS in without(hand, [hero]):
            yield (hero,), 1
    if is_now:  # a hero of another type is good for nothing but to be thrown away
        yield from (((hero,), 0) for hero in dict.fromkeys(hand) if not power(hero, of_type))


def without(hand, heroes):
    left = list(hand)
    for hero in heroes:
        left.remove(hero)
    return left
