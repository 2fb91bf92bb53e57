"""What heroes and treasures are worth to the planner: everything in victory points."""

from cards import BONUSES, HEROES, MONSTERS, POINTS, TYPES, best_power, bonus

LAST_ROUND = 10
SMALLEST_HAND = 3  # below it a hand is filled up from the deck

# Found in matches against greedy bots and earlier planners.
HERO_SCALE = {3: 0.7, 4: 0.75, 5: 0.72, 6: 0.7}  # by players: more of them share the points
FURTHER_TYPES = 0.2
RANDOM_HERO = 1.4
BONUS_PER_ROUND = 0.25


def usual_worth(power):
    """A hero of one type, when its type is asked for as often as the others."""
    return 0.6 + 0.025 * power * power


class Purse:
    """Prices of this moment, by what is still to come."""

    def __init__(self, observation):
        self.rounds_left = LAST_ROUND - observation["round"]
        self.me = observation["seats"][observation["you"]]
        scale = HERO_SCALE[observation["players"]] if self.rounds_left else 0.0
        demand = demand_by_type([entry["monster"] for entry in observation["row"][1:]])
        self._heroes = {hero: scale * self._hero(hero, demand) for hero in HEROES}
        self.random_hero = scale * RANDOM_HERO

    def _hero(self, hero, demand):
        if self.rounds_left == 1:  # only the dragon is left, and there every hero counts once
            return usual_worth(best_power(hero, self.me))
        by_type = sorted(
            demand[of_type] * usual_worth(power + bonus(self.me, of_type))
            for of_type, power in zip(TYPES, HEROES[hero], strict=True)
            if power
        )
        return by_type[-1] + FURTHER_TYPES * sum(by_type[:-1])

    def hero(self, hero):
        return self._heroes[hero]

    def hand(self, heroes, picks):
        """A hand after the battle; `picks` heroes will come to it, then it is filled up or cut."""
        worths = sorted(map(self.hero, heroes))
        size = len(heroes) + picks
        drawn = max(0, SMALLEST_HAND - size)
        cut = max(0, size - self.me["hand_limit"])
        return sum(worths[cut:]) + drawn * self.random_hero

    def treasure(self, name, hand=()):
        """A treasure: its points, and what its effect does for me in the rounds to come."""
        worth = points(name, self.me)
        if name in BONUSES:
            worth += BONUS_PER_ROUND * self.rounds_left * sum(BONUSES[name]) ** 0.5
        elif name == "twin-star-gemstone" and name in self.me["treasures"]:
            worth += 8  # 10 each for the pair, instead of 6
        elif name == "alluring-scroll":
            worth += 2 * self.random_hero
        elif name == "cursed-idol":
            worth -= sum(sorted(map(self.hero, hand))[:2])
        elif name == "crown-of-avarice":
            worth -= 0.3 * min(self.rounds_left, 4)
        elif name == "gloves-of-charisma":
            worth += 0.1 * self.rounds_left
        return worth


def points(treasure, seat):
    """What a treasure alone counts for a seat at the end."""
    return POINTS[treasure] + (seat["guild"] == "merchants-guild")


def demand_by_type(monsters):
    """How much the monsters to come ask for each type; about 1."""
    demand = dict.fromkeys(TYPES, 1.0)
    for monster in monsters:
        asked = [of_type for _, slots in MONSTERS[monster][1] for of_type in slots]
        for of_type in TYPES:
            demand[of_type] += 0.15 * (asked.count(of_type) - 0.6)
    return demand
