"""How the seat of a failed bot is played on, as the game says (`Game.stand_in`)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.chance import Chance
from engine.contract import Game


class StandIns:
    """The stand-ins of one play. Their streams come from the deal's seed, but are counted here:
    they are no part of the game's position."""

    def __init__(self, game: Game, seed: str) -> None:
        self._game = game
        self._chance = Chance(seed)

    def choose(self, seat: int, legal: Sequence[str]) -> str:
        """The seat's next action: the first legal one, or one from the stream `stand-in-<seat>`."""
        if self._game.stand_in == "first":
            return legal[0]
        return legal[self._chance.below(f"stand-in-{seat}", len(legal))]
