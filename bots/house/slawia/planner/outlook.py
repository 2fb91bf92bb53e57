"""What a place on the table is worth: the hunt there as it may come out, in glory and treasures."""

import math
from functools import lru_cache

from cards import MONSTERS
from places import glory

MONSTER = 2.9  # strength of a monster from the deck: mean …
MONSTER_VARIANCE = 3.7  # … and variance
SLAYER = 3.5  # the same of a house's slayers
SLAYER_SQUARE = 15.2

# Found in matches against greedy bots and earlier planners.
ARRIVALS = 1.0  # slayers that come for each monster that is missing, while there is space
PATIENCE = 0.85  # of the worth, for each monster that is missing
LOCATION = 0.1  # a location as a trophy: it decides between equals
LAST_SPACE = 24


def outlook_of(observation):
    """The worth of places to the player, at this time of the game."""
    me, players = observation["me"], observation["players"]
    patience = 0.0 if observation["last_turn"] else PATIENCE
    return lambda place: _outlook(place, me, players, patience)


@lru_cache(maxsize=20_000)
def _outlook(place, me, players, patience):
    if place.is_due:
        return lead(due(place, players), me)
    missing = place.threshold - len(place.monsters)
    weight = patience**missing
    return weight * lead(expected(place, players, missing), me) if weight else 0.0


def lead(gains, me):
    """My gains less what the others get on average."""
    return gains[me] - (sum(gains) - gains[me]) / (len(gains) - 1)


def due(place, players):
    """What each player gets in the hunt that takes place now."""
    gains = [0.0] * players
    treasure = treasures(place) / len(place.monsters)
    for rank, (player, points) in enumerate(glory(place).items()):
        gains[player] = points + (treasure if rank < len(place.monsters) else 0.0)
        if rank == 0:
            gains[player] += LOCATION
    return gains


def treasures(place):
    return sum(MONSTERS[monster.card][1] for monster in place.monsters)


def expected(place, players, missing):
    """What each player may expect of a hunt with monsters still missing."""
    strengths = place.strengths()
    coming = min(place.free, ARRIVALS * missing)
    margin = sum(strengths) + SLAYER * coming - place.monster_total() - MONSTER * missing
    spread = math.sqrt(MONSTER_VARIANCE * missing + 3.0 * coming + 0.5)
    success = chance(margin / spread)
    if success < 0.01:
        return [0.0] * players

    shares = place.shares(strengths)
    here = list(shares)
    each = coming / players  # slayers that each player sends
    deviation = math.sqrt(2 * each * (SLAYER_SQUARE - SLAYER * SLAYER / players)) or 0.01
    treasure = (treasures(place) + 0.57 * missing) / place.threshold
    gains = []
    for player in range(players):
        if player in shares:
            mine, taking_part = shares[player] + 0.1 - 0.01 * here.index(player), 1.0
        else:
            mine, taking_part = 0.0, min(1.0, each)
        rank = 0.0  # how many are expected before me
        for other in range(players):
            if other != player:
                if other in shares:
                    theirs, there = shares[other] + 0.1 - 0.01 * here.index(other), 1.0
                else:
                    theirs, there = 0.0, min(1.0, each)
                rank += there * chance((theirs - mine) / deviation)
        gains.append(success * taking_part * (points_at(place.points, rank) + treasure))
    return gains


def points_at(points, rank):
    """The points of a rank from 0, between two ranks in proportion."""
    ladder = (*points, 0, 0, 0)
    low = int(rank)
    part = rank - low
    return ladder[low] * (1 - part) + ladder[low + 1] * part


def chance(deviations):
    """That a normal variable is less than its mean and so many standard deviations."""
    return 0.5 + 0.5 * math.erf(deviations * 0.7071)
