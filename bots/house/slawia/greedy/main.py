"""Greedy: puts each card down where it stands best right after it.

It looks at what it would get if the hunts took place now, and never at what the others will do or
at its own next card.
"""

from answers import answer
from cards import MONSTERS, SLAYERS, object_of
from handicap import handicapped
from places import glory, places_of, with_monster, with_slayer
from slayer import run

NOT_YET = 0.5  # the worth of a point in a hunt that does not take place yet


def choose(observation, legal_actions, info):
    """One decision: the observation says what it is about in `phase`."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    if observation["phase"] == "card":
        return card(observation, legal_actions)
    if observation["phase"] == "place":
        return place(observation, legal_actions)
    return answer(observation, legal_actions, worth_to(observation))


def worth_to(observation):
    """What a place is worth to me: my points there, less what the others get on average."""
    me, others = observation["me"], observation["players"] - 1

    def worth(place):
        points = glory(place)
        mine = points.pop(me, 0)
        lead = mine - sum(points.values()) / others
        return lead if place.is_due else NOT_YET * lead

    return worth


def card(observation, legal_actions):
    """The card that can be put down best; the deck only if nothing is better than no change."""

    def best(action):
        if action == "deck":
            return 0.0, 0, 0
        name = object_of(action)
        return max(gain(observation, name, place) for place in open_places(observation, name))

    return max(legal_actions, key=best)


def place(observation, legal_actions):
    places, name = places_of(observation), observation["held"]["card"]
    return max(legal_actions, key=lambda at: gain(observation, name, places[object_of(at)]))


def open_places(observation, name):
    """Where a card may go, or a little more: the rules of a place are asked when it is held."""
    places = [place for place in places_of(observation).values() if not place.used]
    if name in MONSTERS:
        return [place for place in places if place.ability != "unknown-region"]
    return [place for place in places if place.free] or places


def gain(observation, name, place):
    """How much better I stand there after the card; of equals, the card where most is to be won."""
    worth, me = worth_to(observation), observation["me"]
    if name in MONSTERS:
        after = with_monster(place, name)
        return max(map(worth, after)) - worth(place), -place.points[0], 0
    tokens = observation["seats"][me]["free_tokens"]
    after = with_slayer(place, me, name, tokens[0] if tokens else None) or [place]
    return max(map(worth, after)) - worth(place), place.points[0], SLAYERS[name]


if __name__ == "__main__":
    run(handicapped(choose))
