"""What a tournament report holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

MOST_PLAYERS = 9999
"""A starting-rank number has four columns."""

RESULTS = "10=+-WDLHFUZ"
"""Win, loss, draw; forfeit win and loss; the same of games too short to be rated; half-point,
full-point and pairing-allocated bye; zero-point bye."""
BYES = "HFUZ"
POINTS = {"W": Decimal(1), "D": Decimal("0.5"), "L": Decimal(0), "A": Decimal(0)}
"""Record 162 without a record: win, draw, loss, absence. P (pairing-allocated bye) is worth a win
and X (unknown) a draw unless it is said otherwise."""


class TrfError(ValueError):
    """Something in a report that is wrong: where, and what would be right."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(where + message)
        self.line, self.column = line, column


@dataclass(frozen=True, slots=True)
class Game:
    """One round of one player. opponent 0: none; colour: w, b or -; result: one of RESULTS."""

    opponent: int
    colour: str
    result: str


@dataclass(frozen=True, slots=True)
class Player:
    """A record 001. number: the starting rank, from 1; points, rank and rating None: not said."""

    number: int
    name: str
    sex: str = ""
    title: str = ""
    rating: int | None = None
    federation: str = ""
    fide_number: str = ""
    birth: str = ""
    points: Decimal | None = None
    rank: int | None = None
    games: tuple[Game, ...] = ()


@dataclass(frozen=True, slots=True)
class Bye:
    """A record 240: byes known before a round. kind: F, H or Z."""

    kind: str
    round: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Acceleration:
    """A record 250: fictitious points in the rounds first…last for the numbers low…high."""

    points: Decimal
    first: int
    last: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A record 260: players who cannot meet in the rounds first…last."""

    first: int
    last: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Abnormal:
    """A record 299: points out of the common. kind: W D L F H Z + - or blank (penalty or bonus);
    round 0: all rounds."""

    kind: str
    points: Decimal
    round: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A tournament. Texts are those of the records named; empty where a record is missing.

    rounds: as scheduled (142, XXR), None when not said. first_colour: W or B (152, XXC), "" when
    not said. points: by letter of record 162. ranking: federation and method (172). tie_breaks:
    codes of 202; standing_order: codes of 212, points among them. by_rank: JaVaFo's `XXC rank`.
    others: records of other programs, kept as they were.
    """

    name: str
    players: tuple[Player, ...]
    city: str = ""
    federation: str = ""
    start: str = ""
    end: str = ""
    kind: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    times: str = ""
    dates: tuple[str, ...] = ()
    rounds: int | None = None
    first_colour: str = ""
    points: dict[str, Decimal] = field(default_factory=dict)
    ranking: tuple[str, str] | None = None
    program: str = ""
    type_code: str = ""
    tie_breaks: tuple[str, ...] = ()
    standing_order: tuple[str, ...] = ()
    clock: str = ""
    byes: tuple[Bye, ...] = ()
    accelerations: tuple[Acceleration, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    abnormal: tuple[Abnormal, ...] = ()
    by_rank: bool = False
    comments: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def played(self) -> int:
        """Rounds of which anything is recorded."""
        return max((len(player.games) for player in self.players), default=0)

    def worth(self, game: Game) -> Decimal:
        """Points of a game by record 162 (records 299 apart)."""
        letter = {"1": "W", "+": "W", "W": "W", "F": "W", "=": "D", "D": "D", "H": "D"}.get(
            game.result, {"0": "L", "L": "L", "U": "P"}.get(game.result, "A")
        )
        if letter == "P" and "P" not in self.points:
            letter = "W"
        return self.points.get(letter, POINTS.get(letter, Decimal(0)))
