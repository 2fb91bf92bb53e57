"""The locations on the table, and what becomes of one when a card is put down there."""

from typing import NamedTuple

from cards import MONSTERS, SLAYERS, SPECIAL, WARRIORS


class Monster(NamedTuple):
    card: str
    tokens: tuple = ()  # of the players: (player, number)


class Slayer(NamedTuple):
    owner: int | None  # None: a Mimic
    card: str
    cursed: bool = False
    tokens: tuple = ()


class Place(NamedTuple):
    """A location as it lies there; spaces and threshold as they are now."""

    name: str
    ability: str
    sun: int
    points: tuple
    spaces: int
    threshold: int
    used: bool
    monsters: tuple
    slayers: tuple

    @property
    def is_due(self):
        """Whether enough monsters lie here for a hunt."""
        return len(self.monsters) >= self.threshold

    @property
    def free(self):
        return max(0, self.spaces - len(self.slayers))

    def has(self, monster):
        return any(other.card == monster for other in self.monsters)

    def own(self, player):
        """Indexes of the player's slayers."""
        return [index for index, slayer in enumerate(self.slayers) if slayer.owner == player]

    def strengths(self):
        """The strength of each card in the slayer row."""
        limit = 2 if self.has("likho") else 6
        bonus = 0 if self.has("vila") else 2
        warriors = sum(slayer.card in WARRIORS for slayer in self.slayers)
        return [
            0
            if slayer.cursed or slayer.owner is None
            else min(SLAYERS[slayer.card], limit)
            if slayer.card in WARRIORS
            else SLAYERS[slayer.card] + bonus * warriors * (slayer.card == "mage")
            for slayer in self.slayers
        ]

    def monster_total(self):
        factor = 2 ** sum(monster.card == "stolem" for monster in self.monsters)
        return sum(
            MONSTERS[monster.card][0] * (1 if monster.card in SPECIAL else factor)
            for monster in self.monsters
            if not monster.tokens
        )

    def shares(self, strengths):
        """The strength of each house that is here, the first one in the row first."""
        vila = self.has("vila")
        shares = {}
        for slayer, strength in zip(self.slayers, strengths, strict=True):
            if slayer.owner is not None:
                counted = strength if vila or not slayer.tokens else 0
                shares[slayer.owner] = shares.get(slayer.owner, 0) + counted
        return shares

    def ranking(self, strengths):
        """The houses that are here, the one that would get the most points first."""
        shares = self.shares(strengths)
        return sorted(shares, key=shares.get, reverse=True)


def places_of(observation):
    """The locations on the table by name, in the order of the slots."""
    return {entry["location"]: _place(entry) for entry in observation["table"] if entry}


def _place(entry):
    return Place(
        entry["location"],
        entry["ability"],
        entry["sun"],
        tuple(entry["points"]),
        entry["spaces"],
        entry["threshold"],
        entry["used"],
        tuple(Monster(card["card"], _tokens(card)) for card in entry["monsters"]),
        tuple(
            Slayer(card["owner"], card["card"], card["cursed"], _tokens(card))
            for card in entry["slayers"]
        ),
    )


def _tokens(card):
    return tuple(map(tuple, card["tokens"]))


# What may become of a place: a list where the player has a choice.


def with_slayer(place, player, card, token):
    """After the player has put down a slayer; `token`: the free one, or None."""
    entered = entered_with(place, player, card)
    if card == "ranger" and not place.has("vila"):
        swaps = [swapped(place, player, index) for index in place.own(player)]
        return [*swaps, entered] if place.free else swaps
    if place.has("vila"):
        return [entered]
    if card == "mage" and place.slayers:
        return [entered, reordered(entered, own_first(entered, player))]
    if card == "rogue" and place.slayers and token:
        return [left_marked(entered, (player, token))]
    if card == "exterminator" and token:
        return [
            marked(entered, index, (player, token)) for index in range(len(place.monsters))
        ] or [entered]
    return [entered]


def entered_with(place, player, card):
    """The slayer comes last; nothing follows."""
    return place._replace(slayers=(*place.slayers, Slayer(player, card)))


def swapped(place, player, index):
    """The Ranger takes the place of the slayer at the index."""
    row = list(place.slayers)
    row[index] = Slayer(player, "ranger")
    return place._replace(slayers=tuple(row))


def own_first(place, player):
    """Indexes of the row with the player's slayers in front."""
    own = place.own(player)
    return own + [index for index in range(len(place.slayers)) if index not in own]


def reordered(place, order):
    return place._replace(slayers=tuple(place.slayers[index] for index in order))


def left_marked(place, token):
    """The token lies on the card next to the Rogue, who is the last one."""
    *row, left, rogue = place.slayers
    return place._replace(
        slayers=(*row, left._replace(tokens=(*left.tokens, token)), rogue),
    )


def marked(place, index, token):
    row = list(place.monsters)
    row[index] = row[index]._replace(tokens=(*row[index].tokens, token))
    return place._replace(monsters=tuple(row))


def without_token(place, token):
    """After the token has been taken off whatever card it lies on."""
    return place._replace(
        monsters=tuple(_taken_off(card, token) for card in place.monsters),
        slayers=tuple(_taken_off(card, token) for card in place.slayers),
    )


def _taken_off(card, token):
    if token not in card.tokens:
        return card
    return card._replace(tokens=tuple(other for other in card.tokens if other != token))


def with_monster(place, card):
    """After a monster has been put down."""
    if card == "mimic" and place.free:
        return [place._replace(slayers=(*place.slayers, Slayer(None, card)))]
    laid = place._replace(monsters=(*place.monsters, Monster(card)))
    if card == "vodnik":
        return [laid._replace(slayers=laid.slayers[:-1])]
    if card == "bies":
        strengths = laid.strengths()
        highest = max(strengths, default=0)
        return [
            cursed(laid, index)
            for index, strength in enumerate(strengths)
            if strength == highest > 0
        ] or [laid]
    return [laid]


def cursed(place, index):
    row = list(place.slayers)
    row[index] = row[index]._replace(cursed=True)
    return place._replace(slayers=tuple(row))


def glory(place):
    """What each house would get for a hunt here as it is: glory by player."""
    strengths = place.strengths()
    if sum(strengths) < place.monster_total():
        return {}
    ranking = place.ranking(strengths)
    return dict(zip(ranking, (*place.points, 0, 0), strict=False))
