"""Answers to the questions that follow a card, for a bot that says what places are worth to it.

`worth(place)` is a number for a place as it lies there; the answer is the one after which the
places are worth the most. The two questions that make a turn, which card and where, are not here.
"""

from cards import object_of
from places import (
    cursed,
    entered_with,
    left_marked,
    marked,
    own_first,
    places_of,
    reordered,
    swapped,
    without_token,
)


def answer(observation, legal_actions, worth):
    place = list(places_of(observation).values())[slot_in_focus(observation)]
    question = QUESTIONS[observation["phase"]]
    return question(observation, legal_actions, place, worth)


def slot_in_focus(observation):
    """Its index among the slots that have a location."""
    return sum(1 for entry in observation["table"][: observation["focus"]] if entry)


def swap(observation, legal_actions, place, worth):
    me = observation["me"]
    index_of = {place.slayers[index].card: index for index in place.own(me)}

    def after(action):
        if action == "no swap":
            return worth(entered_with(place, me, "ranger"))
        return worth(swapped(place, me, index_of[object_of(action)]))

    return max(legal_actions, key=after)


def order(observation, legal_actions, place, worth):
    """My own slayers first, if that is better."""
    wanted = own_first(place, observation["me"])
    rest = [index + 1 for index in place.own(observation["me"])]
    rest = [position for position in rest if position not in observation["picked"]]
    if rest and worth(reordered(place, wanted)) > worth(place):
        return f"pick {rest[0]}"
    return "keep order"


def recall(observation, legal_actions, place, worth):
    """Both tokens are out: is one needed more here?"""
    places = list(places_of(observation).values())
    focus, me = places.index(place), observation["me"]

    def after(action):
        if action == "keep tokens":
            return sum(map(worth, places))
        token = (me, int(object_of(action)))
        others = [without_token(other, token) for other in places]
        here = others.pop(focus)
        return sum(map(worth, others)) + max(map(worth, with_token(here, token, observation)))

    return max(reversed(legal_actions), key=after)  # of equals, to keep them


def with_token(place, token, observation):
    """Where the token may come to lie."""
    if observation["trigger"] == "rogue":
        return [left_marked(place, token)]
    return [marked(place, index, token) for index in range(len(place.monsters))]


def mark(observation, legal_actions, place, worth):
    token = (observation["me"], observation["seats"][observation["me"]]["free_tokens"][0])
    return max(legal_actions, key=lambda action: worth(marked(place, position(action), token)))


def curse(observation, legal_actions, place, worth):
    return max(legal_actions, key=lambda action: worth(cursed(place, position(action))))


def position(action):
    """The index of the card that an action numbers: mark 2 → 1."""
    return int(object_of(action)) - 1


QUESTIONS = {"swap": swap, "order": order, "recall": recall, "mark": mark, "curse": curse}
