"""What cards are worth to the planner, all in victory points."""

from cards import BONUSES, HEROES, MONSTERS, POINTS, TYPES, bonus

LAST_ROUND = 10
SMALLEST_HAND = 3  # below it a hand is filled up from the deck

# Tuned in matches against greedy bots and earlier planners.
CARD_SCALE = {3: 1.0, 4: 0.85, 5: 0.75, 6: 0.7}
ROUND_SCALE = (0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0)
FURTHER_TYPES = 0.35
BONUS_WORTH = 0.25
RANDOM_CARD = 1.4


def base_worth(power):
    """A hero of one type, at the usual demand for it."""
    return 0.6 + 0.025 * power * power


class Purse:
    """Values of this moment for one player: heroes and treasures, by what is still to come."""

    def __init__(self, observation):
        self.round = observation["round"]
        self.seats = observation["seats"]
        self.me = self.seats[observation["you"]]
        self.limit = self.me["hand_limit"]
        self.scale = CARD_SCALE[observation["players"]] * ROUND_SCALE[self.round]
        demand = self._demand(observation)
        added = {of_type: bonus(self.me, of_type) for of_type in TYPES}
        self._heroes = {
            hero: self.scale * self._hero(powers, demand, added) for hero, powers in HEROES.items()
        }
        self.random_card = self.scale * RANDOM_CARD

    @staticmethod
    def _demand(observation):
        """By type, how much the monsters in the row ask for it; 1 is usual."""
        demand = dict.fromkeys(TYPES, 1.0)
        coming = [entry["monster"] for entry in observation["row"][1:]]
        for monster in coming:
            slots = [of_type for _, slots in MONSTERS[monster][1] for of_type in slots]
            for of_type in TYPES:
                demand[of_type] += 0.15 * (slots.count(of_type) - 0.6)
        return demand

    @staticmethod
    def _hero(powers, demand, added):
        values = sorted(
            demand[of_type] * base_worth(power + added[of_type])
            for of_type, power in zip(TYPES, powers, strict=True)
            if power
        )
        return values[-1] + FURTHER_TYPES * sum(values[:-1])

    def hero(self, card):
        return self._heroes[card]

    def hand(self, cards, picks):
        """A hand after a battle, when `picks` heroes more come to it and it is filled or cut."""
        worths = sorted(map(self.hero, cards))
        size = len(worths) + picks
        if size < SMALLEST_HAND:
            return sum(worths) + (SMALLEST_HAND - size) * self.random_card
        return sum(worths[max(0, size - self.limit) :])

    def treasure(self, name, hand):
        """A treasure: its points, and what its effect does for me in the rounds to come."""
        rounds_left = LAST_ROUND - self.round
        worth = POINTS[name] + (self.me["guild"] == "merchants-guild")
        if name in BONUSES:
            worth += BONUS_WORTH * rounds_left * sum(BONUSES[name]) ** 0.5
        elif name == "twin-star-gemstone":
            worth += 8 if name in self.me["treasures"] else 0
        elif name == "alluring-scroll":
            worth += 2 * self.random_card
        elif name == "cursed-idol":
            worth -= sum(sorted(map(self.hero, hand))[:2])
        elif name == "crown-of-avarice":
            worth -= 0.3 * min(rounds_left, 4)
        elif name == "gloves-of-charisma":
            worth += 0.1 * rounds_left
        return worth
