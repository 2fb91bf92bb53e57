"""Everything that lies on the table, and the terms that all phases share (rules, section 2)."""

from __future__ import annotations

from bisect import insort
from typing import Any, NamedTuple

from engine.chance import Chance
from engine.contract import Json
from engine.games.slawia.tables import (
    DAY,
    MIMIC,
    RANGER,
    SLOTS,
    TOKENS,
    VILA,
    Location,
    slayer_order,
)

HAND = "hand"

Token = tuple[int, int]
"""An ability token: its player and its number."""


class SlayerCard(NamedTuple):
    """A card in a slayer row; a Mimic belongs to nobody."""

    owner: int | None
    card: str
    tokens: tuple[Token, ...] = ()
    """In the order in which they were placed."""
    cursed: bool = False


class MonsterCard(NamedTuple):
    """A card in a monster row."""

    card: str
    tokens: tuple[Token, ...] = ()


class Held(NamedTuple):
    """The card that was chosen and is not put down yet."""

    card: str
    source: str
    """hand, lair or deck"""


class Slot:
    """A place for one location, and the cards there."""

    __slots__ = ("location", "monsters", "slayers", "used")

    def __init__(self, location: Location | None = None) -> None:
        self.location = location
        self.used = False
        self.monsters: list[MonsterCard] = []
        self.slayers: list[SlayerCard] = []

    def clone(self) -> Slot:
        copy = Slot.__new__(Slot)
        copy.location = self.location
        copy.used = self.used
        copy.monsters = self.monsters.copy()
        copy.slayers = self.slayers.copy()
        return copy

    @property
    def place(self) -> Location:
        """The location, where there is one."""
        assert self.location is not None
        return self.location

    def has_monster(self, name: str) -> bool:
        return any(monster.card == name for monster in self.monsters)

    @property
    def has_vila(self) -> bool:
        """Whether the abilities of slayers are off here."""
        return self.has_monster(VILA)

    def swappable(self, player: int) -> bool:
        """Whether the player's Ranger has a slayer of his own here to change places with."""
        return any(slayer.owner == player and slayer.card != RANGER for slayer in self.slayers)


class Board:
    """The position of a play; field names are those of the rules page."""

    __slots__ = (
        "active",
        "chance",
        "events",
        "first",
        "focus",
        "glory",
        "hands",
        "held",
        "hunts",
        "lair",
        "last_turn",
        "location_deck",
        "location_discard",
        "location_trophies",
        "monster_deck",
        "monster_discard",
        "monster_trophies",
        "monsters_played",
        "phase",
        "picked",
        "players",
        "seed",
        "slayers_played",
        "step",
        "table",
        "time",
        "trigger",
        "turn",
    )

    def __init__(self, players: int, seed: str) -> None:
        self.players = players
        self.seed = seed
        self.chance = Chance(seed)
        self.first = 0
        self.turn = 0
        self.active = 0
        self.step = 1
        self.phase = "card"
        self.held: Held | None = None
        self.focus: int | None = None
        self.trigger: str | None = None
        self.picked: list[int] = []
        self.time = 0
        self.last_turn = False
        self.slayers_played = 0
        self.monsters_played = 0
        self.lair: list[str] = []
        # The end of a deck is its top.
        self.monster_deck: list[str] = []
        self.location_deck: list[str] = []
        self.monster_discard: list[tuple[str, int | None]] = []
        """Each with the hunt that it was left over from, face down; None: all saw it go there."""
        self.location_discard: list[str] = []
        self.table = [Slot() for _ in range(SLOTS[players])]
        self.hands: list[list[str]] = [[] for _ in range(players)]
        self.glory = [0] * players
        self.location_trophies: list[list[str]] = [[] for _ in range(players)]
        self.monster_trophies: list[list[tuple[str, int]]] = [[] for _ in range(players)]
        """Each with the hunt that it came from."""
        self.hunts: list[tuple[str, ...]] = []
        """For every hunt with a ranking, the names of its monster row."""
        self.events: list[Json] = []

    def clone(self) -> Board:
        """An independent copy; events are shared, for nobody changes them once they are made."""
        copy = Board.__new__(Board)
        copy.players = self.players
        copy.seed = self.seed
        copy.chance = self.chance.clone()
        copy.first = self.first
        copy.turn = self.turn
        copy.active = self.active
        copy.step = self.step
        copy.phase = self.phase
        copy.held = self.held
        copy.focus = self.focus
        copy.trigger = self.trigger
        copy.picked = self.picked.copy()
        copy.time = self.time
        copy.last_turn = self.last_turn
        copy.slayers_played = self.slayers_played
        copy.monsters_played = self.monsters_played
        copy.lair = self.lair.copy()
        copy.monster_deck = self.monster_deck.copy()
        copy.location_deck = self.location_deck.copy()
        copy.monster_discard = self.monster_discard.copy()
        copy.location_discard = self.location_discard.copy()
        copy.table = [slot.clone() for slot in self.table]
        copy.hands = [hand.copy() for hand in self.hands]
        copy.glory = self.glory.copy()
        copy.location_trophies = [names.copy() for names in self.location_trophies]
        copy.monster_trophies = [cards.copy() for cards in self.monster_trophies]
        copy.hunts = self.hunts.copy()
        copy.events = self.events.copy()
        return copy

    # Terms

    @property
    def day(self) -> bool:
        """Whether the time marker is on the day side."""
        return self.time in DAY

    def has_space(self, slot: Slot) -> bool:
        """Whether the slayer row of a location has a free space."""
        return len(slot.slayers) < slot.place.spaces(self.day)

    def open_slots(self) -> list[Slot]:
        """The locations where nothing has been played in this turn, topmost first."""
        return [slot for slot in self.table if slot.location is not None and not slot.used]

    @property
    def focused(self) -> Slot:
        """The slot that the decision is about."""
        assert self.focus is not None
        return self.table[self.focus]

    def free_tokens(self) -> list[list[int]]:
        """By seat the tokens that lie on no card, ascending."""
        out = {
            token
            for slot in self.table
            for row in (slot.slayers, slot.monsters)
            for card in row
            if card.tokens
            for token in card.tokens
        }
        return [
            [number for number in TOKENS if (player, number) not in out]
            for player in range(self.players)
        ]

    # What happens everywhere

    def event(self, kind: str, **fields: Any) -> None:
        """A public event."""
        self.events.append({"kind": kind, **fields, "visible_to": None})

    def private_event(self, kind: str, player: int, **fields: Any) -> None:
        """An event for one player's eyes."""
        self.events.append({"kind": kind, "player": player, **fields, "visible_to": [player]})

    def send_home(self, slayer: SlayerCard, location: str, reason: str) -> None:
        """A card that left a slayer row goes to its owner's hand, a Mimic on the discard pile.

        Its tokens are free again, for tokens are where they lie.
        """
        if slayer.owner is None:
            self.monster_discard.append((MIMIC, None))
            self.event("discard", card=MIMIC, location=location, reason=reason)
            return
        insort(self.hands[slayer.owner], slayer.card, key=slayer_order)
        self.event(
            "return", player=slayer.owner, card=slayer.card, location=location, reason=reason
        )
