"""The ways through the rest of my turn: slayers and a monster, each at another place."""

from functools import cached_property

from cards import MONSTERS, object_of
from places import places_of, with_monster, with_slayer

# Stand for what the deck may bring: cards of it that are weak, middling and strong.
USUAL_DRAWS = ("chochlik", "topielec", "striga", "poludnica", "leshy")


class Plans:
    """What each card adds at each place, and the best choice of them."""

    def __init__(self, observation, worth):
        self.observation = observation
        self.worth = worth
        self.me = observation["me"]
        self.seat = observation["seats"][self.me]
        self.places = places_of(observation)
        self.open = [place for place in self.places.values() if not place.used]
        self.hand = self.seat["hand"]
        self.before = {place.name: worth(place) for place in self.open}
        self.slayers_to_come = max(0, 3 - observation["step"])  # that of this step included
        self._second = {}

    def card(self, legal_actions):
        """The card that the best plan begins with."""
        slayers = [object_of(action) for action in legal_actions if action.startswith("play ")]
        monsters = [action for action in legal_actions if not action.startswith("play ")]
        options = {}
        for card in slayers:
            options[f"play {card}"] = max(
                gain + self.rest(place, card)
                for place, gain in self.slayer_gains(card, self.slayers_to_come == 2)
            )
        for action in monsters:
            options[action] = self.source(action)
        return max(legal_actions, key=options.get)

    def place(self, legal_actions):
        """Where the card that I hold goes, with the rest of the turn after it."""
        card = self.observation["held"]["card"]

        def total(action):
            place = self.places[object_of(action)]
            if card in MONSTERS:
                return self.monster_gain(card, place)
            return self.slayer_gain(card, place) + self.rest(place, card)

        return max(legal_actions, key=total)

    def slayer_gains(self, card, first):
        """(place, gain) for the places where the card may go."""
        places = [place for place in self.open if place.free]
        dangers = [place for place in places if place.ability == "impending-danger"]
        if first and dangers:
            places = dangers
        elif card == "ranger":
            places = [place for place in self.open if self.can_enter(place)]
        return [(place, self.slayer_gain(card, place)) for place in places]

    def can_enter(self, place):
        """Whether the Ranger can: there is a space, or a slayer of mine to change with."""
        return place.free or (place.own(self.me) and not place.has("vila"))

    def slayer_gain(self, card, place):
        tokens = self.seat["free_tokens"]
        after = with_slayer(place, self.me, card, tokens[0] if tokens else None)
        return max(map(self.worth, after)) - self.before[place.name]

    def monster_gain(self, card, place):
        return max(map(self.worth, with_monster(place, card))) - self.before[place.name]

    def rest(self, taken, card):
        """The most that the rest of the turn adds, after the card has been put down there."""
        if self.slayers_to_come == 0:
            return 0.0
        if self.slayers_to_come == 1:
            return self.best_monster(taken)
        choices = [
            gain + self.best_monster(taken, place)
            for other in self.hand
            if other != card
            for place, gain in self.second_gains(other)
            if place is not taken
        ]
        return max(choices, default=self.best_monster(taken))

    def best_monster(self, *taken):
        """The most that a monster adds, at another place than those."""
        return next((gain for gain, place in self.monsters if place not in taken), 0.0)

    @cached_property
    def monsters(self):
        """(gain, place) of the best monster for each place, the best place first."""
        best = []
        for place in self.open:
            drawn = [self.monster_gain(card, place) for card in USUAL_DRAWS]
            gains = [sum(drawn) / len(drawn)]
            if place.ability != "unknown-region":
                gains += [self.monster_gain(card, place) for card in self.observation["lair"]]
            best.append((max(gains), place))
        return sorted(best, key=lambda item: item[0], reverse=True)

    def second_gains(self, card):
        if card not in self._second:
            self._second[card] = self.slayer_gains(card, first=False)
        return self._second[card]

    def source(self, action):
        """What a monster from there adds at its best place."""
        if action == "deck":
            return sum(
                max(self.monster_gain(card, place) for place in self.open) for card in USUAL_DRAWS
            ) / len(USUAL_DRAWS)
        card = object_of(action)
        return max(
            self.monster_gain(card, place)
            for place in self.open
            if place.ability != "unknown-region"
        )
