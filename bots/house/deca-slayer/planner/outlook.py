"""What each rank in the battle is worth, with the hand that is left at the end of the round."""

from battle import SAMPLES
from cards import HEROES, POINTS, best_power

TYPICAL_PICK = 7.0  # power of a recruit
TYPICAL_DRAW = 5.8  # power of a hero from the deck
TYPICAL_TREASURE = 6.0
SPENT_IN_ROUND_9 = 12.0  # power, at most
CLOSE = 6.0  # a lead in power that is safe


def picks(rank):
    """How many heroes a rank recruits."""
    return 1 if rank <= 2 else 2


class Outlook:
    """Victory points to expect from a rank: treasure, recruits, and the hand kept."""

    def __init__(self, observation, purse):
        self.purse = purse
        self.players = observation["players"]
        self.dragon = None  # in round 9 a DragonOutlook takes the place of the hand's worth
        monster = observation["row"][0]
        low, high = sorted(purse.treasure(t, observation["hand"]) for t in monster["open"])
        if monster["monster"] == "dragon":
            high += POINTS["dragon"]
        self.best_prize = high
        treasures = {1: high, 2: low}
        display = sorted(map(purse.hero, observation["display"]), reverse=True)
        self._sure = {}
        gone = 0  # the worst rank recruits first
        for rank in range(self.players, 0, -1):
            recruits = display[gone : gone + picks(rank)]
            gone += picks(rank)
            self._sure[rank] = treasures.get(rank, 0.0) + (
                sum(recruits) if purse.rounds_left > 1 else 0.0
            )

    def at(self, rank, left):
        kept = self.dragon or self.purse
        return self._sure[rank] + kept.hand(left, picks(rank))

    def expected(self, chances, left):
        """The mean over ranks; `chances` by rank from 1."""
        return sum(chance * self.at(rank, left) for rank, chance in enumerate(chances, 1) if chance)


class DragonOutlook:
    """In round 9: what a hand is worth in the last battle, where all heroes count."""

    def __init__(self, observation, battle, purse):
        dragon = observation["row"][1]
        closed = dragon["closed"]["treasure"]
        treasures = sorted(
            purse.treasure(name) if name else TYPICAL_TREASURE for name in (*dragon["open"], closed)
        )
        self.second, self.first = treasures[0], treasures[1] + POINTS["dragon"]
        self.limit = purse.me["hand_limit"]
        self.strength = {hero: best_power(hero, purse.me) for hero in HEROES}
        self.samples = [self._two_strongest(battle) for _ in range(SAMPLES)]
        self._known = {}

    def _two_strongest(self, battle):
        totals = []
        for seat, hand in battle.deal().items():
            total = sum(best_power(hero, battle.seats[seat]) for hero in hand) + 2 * TYPICAL_PICK
            if battle.slots_left(seat):
                total -= battle.dice.random() * SPENT_IN_ROUND_9
            totals.append(total)
        return sorted(totals)[-2:]

    def hand(self, heroes, picks):
        powers = sorted(self.strength[hero] for hero in heroes)
        size = len(heroes) + picks
        cut, drawn = max(0, size - self.limit), max(0, 3 - size)
        return self._of_total(sum(powers[cut:]) + picks * TYPICAL_PICK + drawn * TYPICAL_DRAW)

    def _of_total(self, total):
        if total not in self._known:
            worth = 0.0
            for second, first in self.samples:
                wins, is_second_or_better = chance(total - first), chance(total - second)
                worth += wins * self.first + (is_second_or_better - wins) * self.second
            self._known[total] = worth / len(self.samples)
        return self._known[total]


def chance(lead):
    """That a lead in expected power is one in the end."""
    return min(1.0, max(0.0, 0.5 + lead / (2 * CLOSE)))
