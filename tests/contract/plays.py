"""Random plays of any game, for the contract suite."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from engine import games
from engine.contract import Game, Option, State

GAMES = games.all()
LONGEST = 20_000
"""Decisions after which a play is taken to have no end."""


@dataclass(frozen=True)
class Deal:
    """A deal, and a number from which the choices of the players follow."""

    game: Game
    players: int
    options: dict[str, Any]
    seed: str
    choices: int

    def start(self) -> State:
        return self.game.new_initial_state(
            players=self.players, seed=self.seed, options=self.options
        )

    def random(self) -> random.Random:
        return random.Random(self.choices)

    def viewers(self) -> list[int | None]:
        return [None, *range(self.players)]


def _clans(players: int) -> list[Any]:
    return ["random", "choose", ",".join(("wu", "kunlun", "kontong", "kichen")[:players])]


def _first(players: int) -> list[Any]:
    return ["random", *range(players)]


# Values of the options that have a rule instead of a list, by number of players.
VALUES_BY_RULE: dict[tuple[str, str], Callable[[int], list[Any]]] = {
    ("kunlun", "clans"): _clans,
    ("kunlun", "first"): _first,
}


def option_values(game: Game, option: Option, players: int) -> Sequence[Any]:
    """Values of an option to play with: all, or some where the rules page gives a rule."""
    return option.values or VALUES_BY_RULE[game.name, option.name](players)


@st.composite
def deals(draw: st.DrawFn, game: Game) -> Deal:
    """Any number of players, any options, any seed."""
    players = draw(st.integers(game.min_players, game.max_players))
    options = {
        name: draw(st.sampled_from(option_values(game, option, players)))
        for name, option in game.options.items()
    }
    return Deal(
        game,
        players,
        options,
        draw(st.binary(min_size=32, max_size=32)).hex(),
        draw(st.integers(0, 2**32 - 1)),
    )


def moves(state: State, rng: random.Random) -> Iterator[tuple[int, str]]:
    """Play the state to its end at random; each move is given before it is made."""
    for _ in range(LONGEST):
        deciders = state.current_players()
        if not deciders:
            return
        player = rng.choice(deciders)
        action = rng.choice(state.legal_actions(player))
        yield player, action
        state.apply_action(player, action)
    raise AssertionError(f"no end after {LONGEST} decisions")


def play_out(state: State, rng: random.Random) -> list[tuple[int, str]]:
    """Play to the end; the moves made."""
    return list(moves(state, rng))


def somewhere(deal: Deal, rng: random.Random) -> State:
    """A state from anywhere in the play, its end included."""
    state = deal.start()
    made = play_out(state.clone(), rng)
    for player, action in made[: rng.randint(0, len(made))]:
        state.apply_action(player, action)
    return state


def plain(value: Any) -> str:
    """The value as JSON text; fails for what JSON does not have."""
    return json.dumps(value, sort_keys=True, allow_nan=False)
