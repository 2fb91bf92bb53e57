"""Everything that lies on the table, and the terms that all phases share (rules, section 4)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.chance import Chance
from engine.contract import Json
from engine.games.deca_slayer.tables import (
    GUILDS,
    HAND_LIMIT,
    HEROES,
    MONSTERS,
    OWNABLE,
    PRINCESS,
    Monster,
    Step,
    hero_order,
)

ATTACHED_BONUS = HEROES[PRINCESS].attached_bonus


class Played(NamedTuple):
    """A card that was put down in this battle."""

    step: int
    slot: int
    type: str
    card: str
    princesses: int


class Sealed(NamedTuple):
    """A face-down answer; it is complete once it has a card."""

    card: str | None
    princesses: int


class Seat:
    """What one player has."""

    __slots__ = ("guild", "hidden", "known", "played", "sealed", "treasures")

    def __init__(self) -> None:
        self.guild: str | None = None
        self.known: list[str] = []
        """Cards of the hand that everybody saw go there, sorted."""
        self.hidden: list[list[str]] = [[]]
        """The rest of the hand: list k holds, sorted, what was drawn after k reshuffles."""
        self.treasures: list[str] = []
        self.played: list[Played] = []
        self.sealed: Sealed | None = None

    def clone(self) -> Seat:
        copy = Seat.__new__(Seat)
        copy.guild = self.guild
        copy.known = self.known.copy()
        copy.hidden = [cards.copy() for cards in self.hidden]
        copy.treasures = self.treasures.copy()
        copy.played = self.played.copy()
        copy.sealed = self.sealed
        return copy

    @property
    def hand(self) -> list[str]:
        """All cards of the hand, in no order; sealed cards are still in it."""
        return self.known + [card for cards in self.hidden for card in cards]

    @property
    def hand_count(self) -> int:
        return len(self.known) + sum(map(len, self.hidden))

    def unsealed(self) -> list[str]:
        """The hand without the cards of the face-down answer."""
        hand = self.hand
        if self.sealed is not None:
            for _ in range(self.sealed.princesses):
                hand.remove(PRINCESS)
            if self.sealed.card is not None:
                hand.remove(self.sealed.card)
        return hand

    def add_known(self, card: str) -> None:
        insort(self.known, card, key=hero_order)

    def remove(self, card: str) -> None:
        """A card leaves the hand: a known copy first, then the one drawn longest ago (R2)."""
        for cards in (self.known, *self.hidden):
            if card in cards:
                cards.remove(card)
                return
        raise AssertionError(f"{card} is not in the hand")


@dataclass
class Entry:
    """A monster in the row with its two treasures."""

    monster: str
    open: list[str]
    closed: str | None
    seen_by: list[int]

    def clone(self) -> Entry:
        return Entry(self.monster, self.open.copy(), self.closed, self.seen_by.copy())


class Board:
    """The position of a play; field names are those of the rules page."""

    __slots__ = (
        "attached",
        "chance",
        "display",
        "events",
        "hero_deck",
        "hero_discard",
        "hired",
        "monster_deck",
        "monsters_defeated",
        "monsters_removed",
        "options",
        "order",
        "owed",
        "passed",
        "phase",
        "picks",
        "players",
        "round",
        "row",
        "seats",
        "seed",
        "shuffles",
        "start",
        "step",
        "treasure_deck",
        "treasure_discard",
        "turn",
        "values",
    )

    def __init__(self, players: int, options: Json, seed: str) -> None:
        self.players = players
        self.options = options
        self.seed = seed
        self.chance = Chance(seed)
        self.round = 1
        self.phase = "play"
        self.start = 0
        self.turn: int | None = None
        self.step = 0
        self.attached = 0
        self.passed: list[int] = []
        self.values: list[int] | None = None
        self.order: list[int] | None = None
        self.owed = 0
        self.picks = 0
        self.hired = False
        self.shuffles = 0
        self.row: list[Entry] = []
        # The end of a deck is its top.
        self.monster_deck: list[str] = []
        self.treasure_deck: list[str] = []
        self.hero_deck: list[str] = []
        self.monsters_removed: list[str] = []
        self.monsters_defeated: list[str] = []
        self.treasure_discard: list[str] = []
        self.hero_discard: list[str] = []
        self.display: list[str] = []
        self.seats = [Seat() for _ in range(players)]
        self.events: list[Json] = []

    def clone(self) -> Board:
        """An independent copy; events are shared, for nobody changes them once they are made."""
        copy = Board.__new__(Board)
        copy.players = self.players
        copy.options = self.options
        copy.seed = self.seed
        copy.chance = self.chance.clone()
        copy.round = self.round
        copy.phase = self.phase
        copy.start = self.start
        copy.turn = self.turn
        copy.step = self.step
        copy.attached = self.attached
        copy.passed = self.passed.copy()
        copy.values = self.values and self.values.copy()
        copy.order = self.order and self.order.copy()
        copy.owed = self.owed
        copy.picks = self.picks
        copy.hired = self.hired
        copy.shuffles = self.shuffles
        copy.row = [entry.clone() for entry in self.row]
        copy.monster_deck = self.monster_deck.copy()
        copy.treasure_deck = self.treasure_deck.copy()
        copy.hero_deck = self.hero_deck.copy()
        copy.monsters_removed = self.monsters_removed.copy()
        copy.monsters_defeated = self.monsters_defeated.copy()
        copy.treasure_discard = self.treasure_discard.copy()
        copy.hero_discard = self.hero_discard.copy()
        copy.display = self.display.copy()
        copy.seats = [seat.clone() for seat in self.seats]
        copy.events = self.events.copy()
        return copy

    # Who and where

    def turn_order(self) -> list[int]:
        """All seats, from the first player of the round on."""
        return [(self.start + i) % self.players for i in range(self.players)]

    def guild_seat(self, effect: str) -> int | None:
        """The seat whose guild has the effect; None if no guild in play has it."""
        for player, seat in enumerate(self.seats):
            if seat.guild is not None and getattr(GUILDS[seat.guild], effect):
                return player
        return None

    @property
    def monster(self) -> Monster:
        """This round's opponent."""
        return MONSTERS[self.row[0].monster]

    @property
    def step_now(self) -> Step:
        """The step of the battle that is going on."""
        return self.monster.steps[self.step]

    @property
    def ranked(self) -> list[int]:
        """`order`, in the phases in which it stands."""
        assert self.order is not None
        return self.order

    def simultaneous(self) -> bool:
        """Whether all players are deciding at the same time."""
        return self.phase == "play" and self.turn is None

    # What counts

    def power(self, player: int, card: str, kind: str, princesses: int) -> int:
        """Power of a card put down as that type: 0 with the wrong type, else with all bonuses."""
        base = HEROES[card].powers.get(kind)
        if base is None:
            return 0
        seat = self.seats[player]
        bonus = sum(kind in OWNABLE[treasure].power for treasure in seat.treasures)
        if seat.guild is not None and kind in GUILDS[seat.guild].power:
            bonus += 1
        return base + bonus + ATTACHED_BONUS * princesses

    def powers(self, player: int) -> list[int]:
        """Powers of the cards that the player has put down in this battle."""
        return [
            self.power(player, played.card, played.type, played.princesses)
            for played in self.seats[player].played
        ]

    def hand_limit(self, player: int) -> int:
        return HAND_LIMIT + sum(
            OWNABLE[treasure].hand_limit for treasure in self.seats[player].treasures
        )

    def vp(self, player: int) -> int:
        seat = self.seats[player]
        total = 0
        for name in seat.treasures:
            treasure = OWNABLE[name]
            paired = treasure.pair_vp and seat.treasures.count(name) == treasure.count
            total += treasure.pair_vp if paired else treasure.vp
        if seat.guild is not None:
            guild = GUILDS[seat.guild]
            total += guild.vp + guild.treasure_vp * len(seat.treasures)
        return total

    # What happens everywhere

    def event(self, kind: str, **fields: Any) -> None:
        """A public event."""
        self.events.append({"kind": kind, **fields, "visible_to": None})

    def private_event(self, kind: str, player: int, **fields: Any) -> None:
        """An event for one player's eyes."""
        self.events.append({"kind": kind, "player": player, **fields, "visible_to": [player]})

    def top_hero(self) -> str | None:
        """Take the top of the hero deck, after a reshuffle if it is empty; None: none left (R3)."""
        if not self.hero_deck:
            if not self.hero_discard:
                return None
            self.hero_deck, self.hero_discard = self.hero_discard, []
            self.chance.shuffle("heroes", self.hero_deck)
            self.shuffles += 1
            for seat in self.seats:
                seat.hidden.append([])
            self.event("reshuffle", count=len(self.hero_deck))
        return self.hero_deck.pop()

    def draw(self, player: int, count: int, reason: str) -> None:
        """The player draws heroes, fewer if the cards run out."""
        seat = self.seats[player]
        drawn: list[str] = []
        while len(drawn) < count and (card := self.top_hero()) is not None:
            insort(seat.hidden[self.shuffles], card, key=hero_order)
            drawn.append(card)
        self.event("draw", player=player, count=len(drawn), reason=reason)
        self.private_event("drawn", player, cards=drawn)

    def discard(self, cards: Iterable[str]) -> None:
        """Heroes go to the discard pile, which is kept sorted."""
        self.hero_discard += cards
        self.hero_discard.sort(key=hero_order)

    def place_monster(self) -> None:
        """Lay out the next monster with an open treasure and one face down."""
        deck = self.treasure_deck
        # A set position may have fewer treasures than its monsters need; a dealt one never has.
        shown = [deck.pop()] if deck else []
        entry = Entry(self.monster_deck.pop(), shown, deck.pop() if deck else None, [])
        self.row.append(entry)
        self.event("monster", monster=entry.monster, open=shown[0] if shown else None)

    def look(self) -> None:
        """Whoever may look at the face-down treasures looks at those not seen yet (R6)."""
        for entry in self.row:
            if entry.closed is None:
                continue
            for player, seat in enumerate(self.seats):
                if player not in entry.seen_by and (
                    any(OWNABLE[treasure].look for treasure in seat.treasures)
                    or (seat.guild is not None and GUILDS[seat.guild].look)
                ):
                    insort(entry.seen_by, player)
                    self.private_event("peek", player, monster=entry.monster, treasure=entry.closed)
