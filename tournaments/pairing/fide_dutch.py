"""Swiss rounds at tables of two by FIDE's Dutch system, for brackets that ask for it.

The rules are those of FIDE Handbook C.04.3 as approved on 2026-02-01, as gacrux carries them out.
Colour is the seat: who has White sits first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.metadata import version
from typing import Any

from gacrux.gacruxexeptions import GacruxNoLegalPairing
from gacrux.pairingdutch import pairing_dutch

from tournaments.pairing import CannotDraw
from tournaments.pairing.lots import lots
from tournaments.pairing.swiss import Draw, Reason

RULESET = "fide-dutch-2026"
MOST_ENTRANTS = 300
"""Exact pairing takes seconds for as many, and for a few thousand hours and gigabytes."""

POINTS = {
    "W": Decimal(1),
    "D": Decimal("0.5"),
    "L": Decimal(0),
    "Z": Decimal(0),
    "F": "W",
    "H": "D",
    "P": "D",
    "A": "Z",
    "U": "Z",
}
"""Points of a result by its TRF letter; a bye ("P") is worth a draw."""


@dataclass(frozen=True, slots=True)
class Game:
    """One earlier table: who sat first and second, and who came out above.

    score: of the first: more than 1/2 above, 1/2 level, less below. played: False where nothing
    was played: the two have not met and had no seats. It was a forfeit, of both where `score` is
    None, or no contest, which gives 1/2 to both.
    """

    first: int
    second: int
    score: float | None
    played: bool = True


@dataclass(frozen=True, slots=True)
class PastRound:
    """One closed round; byes: who had the bye. Who is in neither was absent and got nothing."""

    games: tuple[Game, ...]
    byes: tuple[int, ...] = ()


def draw(
    present: Iterable[int],
    past: Sequence[PastRound],
    seed: str,
    *,
    field: Sequence[int],
    rounds: int,
) -> Draw:
    """Draw the next round; `seed` (64 hex digits) draws nothing but who sits first at the top.

    present: whom to pair; past: all earlier rounds; field: everybody who was ever in the event, by
    start number, the strongest first; rounds: how many the event has. The reasons name the
    ruleset. CannotDraw for more than 300 present, for fewer than two, and where the rules allow no
    pairing at all. ValueError for input that contradicts itself.
    """
    number = {entrant: i for i, entrant in enumerate(field, start=1)}
    here = set(present)
    _check(number, field, here, past, rounds)
    colour = _first_colour(past, number) or ("w" if lots(seed, "colour")() < 0.5 else "b")
    event = _event(number, here, past, rounds, colour)
    engine = pairing_dutch(
        event, len(past) + 1, {"experimental": [], "verbose": 0, "top_color": colour}
    )
    try:
        brackets = engine.compute_pairing(False)
    except GacruxNoLegalPairing as error:
        raise CannotDraw(
            f"{RULESET} allows no pairing of these {len(here)} entrants: everybody left has met, "
            "had the bye or is bound to the same seat. Fewer rounds, or the ruleset "
            "of this project, would do"
        ) from error
    pairs = sorted(
        (pair for bracket in brackets for pair in bracket["pairs"]), key=lambda pair: pair["board"]
    )
    tables = tuple((field[p["w"] - 1], field[p["b"] - 1]) for p in pairs if p["b"])
    byes = tuple(field[p["w"] - 1] for p in pairs if not p["b"])
    reasons = [Reason("ruleset", (), f"Paired by {RULESET} (gacrux {version('gacrux')}).")]
    reasons += [
        Reason("bye", (entrant,), f"The field is odd; {RULESET} gives it the bye.")
        for entrant in byes
    ]
    return Draw(tables, byes, tuple(reasons))


def _check(
    number: dict[int, int],
    field: Sequence[int],
    here: set[int],
    past: Sequence[PastRound],
    rounds: int,
) -> None:
    if len(here) > MOST_ENTRANTS:
        raise CannotDraw(
            f"{RULESET} is offered for up to {MOST_ENTRANTS} entrants, not for {len(here)}: an "
            "exact pairing would take minutes to hours. The ruleset of this project would do"
        )
    if len(here) < 2:
        raise CannotDraw(f"{len(here)} entrants cannot fill a table: it takes 2")
    if len(number) < len(field):
        raise ValueError(f"an entrant is there twice: {list(field)}")
    if len(past) >= rounds:
        raise ValueError(f"all of the {rounds} rounds are there already")
    strange = here - number.keys()
    for index, earlier in enumerate(past, start=1):
        seated = [e for game in earlier.games for e in (game.first, game.second)]
        seated += earlier.byes
        strange |= set(seated) - number.keys()
        if len(set(seated)) < len(seated):
            raise ValueError(f"an entrant is there twice in round {index}")
    if strange:
        raise ValueError(f"{sorted(strange)} are not in the field")


def _first_colour(past: Sequence[PastRound], number: dict[int, int]) -> str | None:
    """The colour that the strongest of round 1 had: it was drawn then, and holds for all rounds."""
    games = past[0].games if past else ()
    if not games:
        return None
    top = min(games, key=lambda game: min(number[game.first], number[game.second]))
    return "w" if number[top.first] < number[top.second] else "b"


def _event(
    number: dict[int, int],
    here: set[int],
    past: Sequence[PastRound],
    rounds: int,
    colour: str,
) -> dict[str, Any]:
    """The event as gacrux takes it (its "chessjson")."""
    results: list[dict[str, Any]] = []
    for index, earlier in enumerate(past, start=1):
        for game in earlier.games:
            first, second = _letters(game)
            results.append(
                _result(
                    index,
                    game.played,
                    {"cid": number[game.first], "result": first},
                    {"cid": number[game.second], "result": second},
                )
            )
        results += [
            # gacrux takes the bye for a game that was played, against nobody.
            _result(index, True, {"cid": number[entrant], "result": "P"}, None)
            for entrant in earlier.byes
        ]
    return {
        "tournamentNo": 1,
        "tournamentType": "Swiss",
        "numRounds": rounds,
        "currentRound": len(past) + 1,
        "teamTournament": False,
        "teamSize": 0,
        "topColor": colour,
        "pairingSystem": ["dutch"],
        "rankOrder": ["PTS"],
        "scoreSystem": {"game": dict(POINTS), "match": dict(POINTS)},
        "competitors": [
            # gacrux would draw a missing "random" from the generator of the whole process.
            {"cid": i, "present": entrant in here, "orgrank": i, "rank": i, "random": i}
            for entrant, i in number.items()
        ],
        "gameList": results,
        "matchList": [],
    }


def _result(
    number: int, played: bool, white: dict[str, Any], black: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": 0,
        "round": number,
        "white": white,
        "black": black,
        "played": played,
        "rated": played and black is not None,
    }


def _letters(game: Game) -> tuple[str, str]:
    """The results of both sides; a loss by forfeit is "Z"."""
    loss = "L" if game.played else "Z"
    if game.score is None:
        if game.played:
            raise ValueError(f"{game.first} and {game.second} played without a score")
        return loss, loss
    if game.score == 0.5:
        return "D", "D"
    return ("W", loss) if game.score > 0.5 else (loss, "W")
