"""Everything that lies on the table, and how cards move (rules, sections 2, 5, 8 and 10).

Names are those of the rules page. Decks are lists whose last element is the top; what has no
order is kept sorted in table order.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import Any

from engine.chance import Chance
from engine.contract import Json
from engine.games.kunlun.tables import (
    CARDS,
    ISLES_LIMIT,
    REGALIA_SLOTS,
    SERVANTS_PER_WAVE,
    WAVES,
    in_order,
    table_order,
)

FIELDS_OF_STEP: dict[str, tuple[str, ...]] = {
    "abstain": (),
    "miasma": ("card",),
    "place": ("card",),
    "forced": (),
    "purge": ("left", "keep"),
    "seal": (),
    "call": (),
    "infect": (),
    "creature": ("card",),
    "alchemy": ("cards",),
    "price": ("cards", "card"),
}
"""The kinds of queued steps with the fields that each has."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that the player in turn still owes (rules, section 6)."""

    kind: str
    card: str = ""
    cards: tuple[str, ...] = ()
    left: int = 0
    keep: str | None = None

    def to_dict(self) -> Json:
        """The kind and the fields that a step of this kind has."""
        step: Json = {"kind": self.kind}
        for name in FIELDS_OF_STEP[self.kind]:
            value = getattr(self, name)
            step[name] = list(value) if name == "cards" else value
        return step


class Now:
    """What counts in the turn that goes on; all 0, false or empty when a turn begins."""

    __slots__ = (
        "acquired",
        "alchemy",
        "attack_bonus",
        "attack_spent",
        "burned",
        "frenzy_bonus",
        "from_isles",
        "hand_delta",
        "leaden",
        "purity_bonus",
        "purity_spent",
        "slain",
        "swept",
        "turned",
        "twins",
        "used",
        "veil",
    )

    def __init__(self) -> None:
        self.attack_bonus = 0
        self.attack_spent = 0
        self.purity_bonus = 0
        self.purity_spent = 0
        self.slain = 0
        self.frenzy_bonus = 0
        self.leaden = False
        self.veil = False
        self.swept = False
        self.burned = 0
        self.acquired = 0
        self.from_isles = 0
        self.twins = 0
        self.alchemy = False
        self.hand_delta = 0
        self.turned: dict[str, int] = {}
        """Copies in hand that are turned, by card."""
        self.used: list[str] = []
        """Artifacts that were turned or used up, sorted."""

    def clone(self) -> Now:
        copy = Now.__new__(Now)
        copy.attack_bonus = self.attack_bonus
        copy.attack_spent = self.attack_spent
        copy.purity_bonus = self.purity_bonus
        copy.purity_spent = self.purity_spent
        copy.slain = self.slain
        copy.frenzy_bonus = self.frenzy_bonus
        copy.leaden = self.leaden
        copy.veil = self.veil
        copy.swept = self.swept
        copy.burned = self.burned
        copy.acquired = self.acquired
        copy.from_isles = self.from_isles
        copy.twins = self.twins
        copy.alchemy = self.alchemy
        copy.hand_delta = self.hand_delta
        copy.turned = self.turned.copy()
        copy.used = self.used.copy()
        return copy

    @property
    def isles_left(self) -> int:
        """Acquisitions from the Isles that the turn still has at most."""
        return max(0, ISLES_LIMIT - self.from_isles)


class Seat:
    """What one player has."""

    __slots__ = (
        "clan",
        "creature",
        "hand",
        "immortals",
        "ready",
        "regalia",
        "sure",
        "tokens",
        "trophies",
        "waiting",
    )

    def __init__(self) -> None:
        self.clan: str | None = None
        self.immortals: dict[str, int] = {}
        """The Immortals List: the clan's three Immortals, 0 included; `list` in a position."""
        self.ready: list[str] = []
        self.hand: list[str] = []
        self.waiting: list[str] = []
        self.regalia: list[str] = []
        self.creature: str | None = None
        self.trophies: list[str] = []
        self.tokens = 0
        self.sure: list[str] = []
        """The cards of the hand that everybody knows to be there."""

    def clone(self) -> Seat:
        copy = Seat.__new__(Seat)
        copy.clan = self.clan
        copy.immortals = self.immortals.copy()
        copy.ready = self.ready.copy()
        copy.hand = self.hand.copy()
        copy.waiting = self.waiting.copy()
        copy.regalia = self.regalia.copy()
        copy.creature = self.creature
        copy.trophies = self.trophies.copy()
        copy.tokens = self.tokens
        copy.sure = self.sure.copy()
        return copy

    def has_free_slot(self) -> bool:
        return len(self.regalia) < REGALIA_SLOTS

    def artifacts_placed(self) -> list[str]:
        """The Artifacts in the Regalia zone."""
        return [name for name in self.regalia if CARDS[name].kind == "artifact"]

    def is_immune(self) -> bool:
        return any(CARDS[name].passive == "immune" for name in self.regalia)

    def discardable(self) -> list[str]:
        """The cards in hand that a discard can take: all but Artifacts (R8)."""
        return [name for name in self.hand if CARDS[name].kind != "artifact"]

    def has_cards_to_draw(self) -> bool:
        return bool(self.ready or self.waiting)


class Board:
    """The position of a play."""

    __slots__ = (
        "abyss",
        "artifacts",
        "chance",
        "events",
        "first",
        "gone",
        "isles",
        "lord",
        "lords",
        "miasmas",
        "now",
        "options",
        "pending",
        "phase",
        "players",
        "quiet",
        "round",
        "seats",
        "seed",
        "servants",
        "stirred",
        "turn",
        "wave",
        "zone",
    )

    def __init__(self, players: int, options: Json, seed: str) -> None:
        self.players = players
        self.options = options
        self.seed = seed
        self.chance = Chance(seed)
        self.phase = "clans"
        self.first = 0
        self.turn = 0
        self.round = 1
        self.wave = 0
        self.quiet = 0
        self.stirred = False
        self.lord: str | None = None
        self.zone: list[str] = []
        self.servants: list[str] = []
        self.lords: list[str] = []
        self.artifacts: list[str] = []
        self.miasmas: list[str] = []
        self.abyss: list[str] = []
        self.gone: list[str] = []
        self.isles: dict[str, int] = {}
        self.seats = [Seat() for _ in range(players)]
        self.now = Now()
        self.pending: list[Step] = []
        self.events: list[Json] = []

    def clone(self) -> Board:
        """An independent copy; events are shared, for nobody changes them once they are made."""
        copy = Board.__new__(Board)
        copy.players = self.players
        copy.options = self.options
        copy.seed = self.seed
        copy.chance = self.chance.clone()
        copy.phase = self.phase
        copy.first = self.first
        copy.turn = self.turn
        copy.round = self.round
        copy.wave = self.wave
        copy.quiet = self.quiet
        copy.stirred = self.stirred
        copy.lord = self.lord
        copy.zone = self.zone.copy()
        copy.servants = self.servants.copy()
        copy.lords = self.lords.copy()
        copy.artifacts = self.artifacts.copy()
        copy.miasmas = self.miasmas.copy()
        copy.abyss = self.abyss.copy()
        copy.gone = self.gone.copy()
        copy.isles = self.isles.copy()
        copy.seats = [seat.clone() for seat in self.seats]
        copy.now = self.now.clone()
        copy.pending = self.pending.copy()
        copy.events = self.events.copy()
        return copy

    # Who and where

    @property
    def seat(self) -> Seat:
        """The seat of the player in turn."""
        return self.seats[self.turn]

    def turn_order(self, first: int) -> list[int]:
        """All seats clockwise, from the given one on."""
        return [(first + i) % self.players for i in range(self.players)]

    def is_last_in_order(self) -> bool:
        """Whether a round ends with the turn that goes on."""
        return (self.turn + 1) % self.players == self.first

    def shows_hand(self, player: int) -> bool:
        """Whether the hand lies open because its owner is in turn (R3)."""
        return player == self.turn and self.phase in ("start", "action", "abstain")

    def has_technique(self, technique: str) -> bool:
        """Whether the presiding Lord has it."""
        return self.lord is not None and CARDS[self.lord].technique == technique

    # What is told

    def event(self, kind: str, **fields: Any) -> None:
        """A public event."""
        self.events.append({"kind": kind, **fields, "visible_to": None})

    def turn_event(self, kind: str, **fields: Any) -> None:
        """A public event of the player in turn."""
        self.event(kind, player=self.turn, **fields)

    # How cards move

    def leave_hand(self, card: str) -> None:
        """A card leaves the hand of the player in turn, an unturned copy first (R7)."""
        hand = self.seat.hand
        hand.remove(card)
        # Sure cards matter only while the hand is hidden; a set position may still name some.
        self.seat.sure = []
        turned = self.now.turned
        if card in turned:
            turned[card] = min(turned[card], hand.count(card))
            if not turned[card]:
                del turned[card]

    def discard(self, card: str) -> None:
        """A card goes home from the hand of the player in turn; never an Artifact."""
        self.leave_hand(card)
        kind = CARDS[card].kind
        if kind == "immortal":
            self.seat.immortals[card] += 1
            home = "list"
        elif kind == "miasma":
            put(self.abyss, card)
            home = "abyss"
        else:
            self.isles[card] += 1
            home = "isles"
        self.turn_event("discard", card=card, to=home)

    def displace(self, artifact: str) -> None:
        """An Artifact of the player in turn makes room in the Regalia zone."""
        self.seat.regalia.remove(artifact)
        put(self.seat.waiting, artifact)
        self.turn_event("displace", card=artifact)

    def lose_tokens(self, player: int, amount: int) -> None:
        """Tokens are lost, but no more than there are."""
        seat = self.seats[player]
        lost = min(amount, seat.tokens)
        if lost:
            seat.tokens -= lost
            self.event("lose", player=player, amount=lost)

    def take_miasma(self, player: int) -> None:
        """The top Miasma goes to the player's Waiting deck, if one is left (R17)."""
        seat = self.seats[player]
        if self.miasmas and not seat.is_immune():
            card = self.miasmas.pop()
            put(seat.waiting, card)
            self.event("infect", player=player, card=card)

    def shuffle_ready(self, player: int) -> None:
        self.chance.shuffle(f"ready-{player}", self.seats[player].ready)

    def top_card(self, player: int) -> str | None:
        """Take the top of the Ready deck, after a reshuffle if it is empty; None: none left."""
        seat = self.seats[player]
        if not seat.ready:
            if not seat.waiting:
                return None
            seat.ready, seat.waiting = seat.waiting, []
            self.shuffle_ready(player)
            self.event("shuffle", player=player, count=len(seat.ready))
        return seat.ready.pop()

    def draw(self, player: int, count: int) -> list[str]:
        """Draw cards into the hand, fewer if they run out; the cards drawn, sorted."""
        drawn: list[str] = []
        while len(drawn) < count and (card := self.top_card(player)) is not None:
            drawn.append(card)
        self.seats[player].hand = in_order(self.seats[player].hand + drawn)
        self.event("draw", player=player, count=len(drawn))
        return in_order(drawn)

    def draw_hand(self, player: int, count: int) -> None:
        """Draw a new hand; what its owner's opponents know of it is noted (rules, section 10)."""
        seat = self.seats[player]
        held = len(seat.ready)
        before = seat.ready.copy()
        drawn = self.draw(player, count)
        self.events.append(
            {"kind": "cards", "player": player, "cards": drawn, "visible_to": [player]}
        )
        if not seat.ready:
            seat.sure = drawn.copy()
        elif held <= len(drawn):
            seat.sure = in_order(before)
        else:
            seat.sure = []

    def lay_out_wave(self) -> None:
        """The next Lord presides over the next Servants.

        Only a set position still has some of a wave here; they stay.
        """
        self.wave += 1
        if self.lord is None and self.lords:
            self.lord = self.lords.pop()
        while self.servants and len(self.zone) < SERVANTS_PER_WAVE:
            put(self.zone, self.servants.pop())
        self.event("wave", wave=self.wave, lord=self.lord, zone=self.zone.copy())

    def is_last_wave(self) -> bool:
        return self.wave >= WAVES


def put(zone: list[str], card: str) -> None:
    """Put a card into a sorted zone."""
    insort(zone, card, key=table_order)
