"""What a place on the table is worth: the hunt there as it may come out, in glory and treasures."""

import math
from functools import lru_cache

from cards import MONSTERS
from places import glory

# How hunts between planners came out, from places as they lay at the beginning of a turn.
STAYS_FREE = 0.55  # of the free spaces, for each monster that is missing
SLAYER = 6.7  # strength that a slayer adds who is still to come; the strong ones go where they pay
MONSTER = 3.2  # the same of a monster
MARGIN_VARIANCE = (10.0, 0.8, 35.0)  # of the slayers' lead: at any rate, by monster, by slayer
SHARE_VARIANCE = (0.5, 295.0)  # of the lead between houses: at any rate, by slayer of a house
NEWCOMER = 11.8  # share of a house that has no slayer here yet, if it comes
NEARER = 0.46  # strength that each position nearer to the location is worth
HUNTS_PER_SPACE = 0.34  # how soon a place with one monster missing has its hunt

# Found in matches against greedy bots and earlier planners.
PATIENCE = 0.93  # of the worth, for each monster that is missing
LOCATION = 0.1  # a location as a trophy: it decides between equals
TREASURE = 0.57  # treasures of a monster from the deck
LAST_SPACE = 24


def outlook_of(observation):
    """The worth of places to the player, at this time of the game."""
    me, players = observation["me"], observation["players"]
    spaces_left = LAST_SPACE - observation["time"]
    return lambda place: _outlook(place, me, players, spaces_left)


@lru_cache(maxsize=20_000)
def _outlook(place, me, players, spaces_left):
    if place.is_due:
        return lead(due(place, players), me)
    missing = place.threshold - len(place.monsters)
    in_time = 1.0 - math.exp(-HUNTS_PER_SPACE * spaces_left / missing)
    if not in_time:
        return 0.0
    return in_time * PATIENCE**missing * lead(expected(place, players, missing), me)


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
    coming = place.free * (1.0 - STAYS_FREE**missing)
    margin = sum(strengths) + SLAYER * coming - place.monster_total() - MONSTER * missing
    always, by_monster, by_slayer = MARGIN_VARIANCE
    success = chance(margin / math.sqrt(always + by_monster * missing + by_slayer * coming))

    each = coming / players
    always, by_slayer = SHARE_VARIANCE
    deviation = math.sqrt(always + by_slayer * each)
    treasure = (treasures(place) + TREASURE * missing) / place.threshold
    houses = _houses(place, strengths, players, min(1.0, each))
    gains = []
    for player, (share, taking_part) in enumerate(houses):
        before = sum(
            there * chance((theirs - share) / deviation)
            for other, (theirs, there) in enumerate(houses)
            if there and other != player
        )
        gains.append(success * taking_part * (points_at(place.points, before) + treasure))
    return gains


def _houses(place, strengths, players, newcomers):
    """For each player the share, and the chance to take part in the hunt at all."""
    shares = place.shares(strengths)
    houses = [(NEWCOMER, newcomers)] * players
    for row, (player, share) in enumerate(shares.items()):
        houses[player] = (share - NEARER * row, 1.0)
    return houses


def points_at(points, rank):
    """The points of a rank from 0, between two ranks in proportion."""
    ladder = (*points, 0, 0, 0)
    low = int(rank)
    part = rank - low
    return ladder[low] * (1 - part) + ladder[low + 1] * part


def chance(deviations):
    """That a normal variable is less than its mean and so many standard deviations."""
    return 0.5 + 0.5 * math.erf(deviations * 0.7071)
