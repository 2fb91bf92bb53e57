"""The interface of every game: what the referee, the site, bots and tests rely on.

A game is a pure function of a deal (game, edition, players, options, seed) and the actions that
followed. A player is a seat number from 0. Decisions, actions, events, observations and positions
are plain JSON values; their field names are each game's own and stand on its rules page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from engine.chance import check_seed
from engine.errors import IllegalAction
from engine.fields import is_int, shown

Json = dict[str, Any]
"""A JSON object: string keys; values are None, bool, int, str, and lists and dicts of these."""


@dataclass(frozen=True)
class Option:
    """A choice that is made before the deal."""

    name: str
    title: str
    default: Any
    values: tuple[Any, ...] | None
    """All values, or None where the game's rules page gives a rule instead of a list."""


class Game(ABC):
    """One edition of one game: a description, and the way to states of it."""

    name: str
    title: str
    edition: str
    min_players: int
    max_players: int
    options: dict[str, Option]
    actions: tuple[str, ...]
    """Every action that the game can ever offer, in an order fixed for the edition."""
    stand_in: Literal["uniform", "first"]
    """How a failed seat is played on: a legal action at random, or always the first legal one."""

    @cached_property
    def action_index(self) -> dict[str, int]:
        """Index of every action in `actions`."""
        return {action: index for index, action in enumerate(self.actions)}

    def new_initial_state(
        self, players: int, seed: str, options: Mapping[str, Any] | None = None
    ) -> State:
        """The state at the first decision of a deal.

        `seed` is 64 lower-case hex digits; options left out take their default.
        ValueError: players out of range, an unknown option or value, a wrong seed.
        """
        self.check_players(players)
        return self._deal(players, check_seed(seed), self.check_options(options, players))

    @abstractmethod
    def _deal(self, players: int, seed: str, options: Json) -> State:
        """Set up the deal; all arguments are checked and complete."""

    @abstractmethod
    def state_from_dict(self, position: Mapping[str, Any]) -> State:
        """The state that `State.to_dict` wrote; ValueError says what does not add up."""

    def check_players(self, players: object) -> int:
        """Return the number of players; ValueError if the game cannot be played by as many."""
        if not is_int(players) or not self.min_players <= players <= self.max_players:
            raise ValueError(
                f"{self.title} is for {self.min_players} to {self.max_players} players,"
                f" not {shown(players)}"
            )
        return players

    def check_options(self, options: object, players: int) -> Json:
        """Return all options with their values; ValueError for an unknown option or value."""
        if options is None:
            options = {}
        if not isinstance(options, Mapping):
            raise ValueError(f"options are an object of names and values, not {shown(options)}")
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"unknown option {shown(name)}; {self.title} has: {known}")
        return {
            name: self.check_option(option, options.get(name, option.default), players)
            for name, option in self.options.items()
        }

    def check_option(self, option: Option, value: Any, players: int) -> Any:
        """Return the value; a game whose option has a rule instead of a list overrides this."""
        # Types count: True is not 1, so that every deal has exactly one way to be written.
        if not any(type(value) is type(known) and value == known for known in option.values or ()):
            allowed = ", ".join(repr(known) for known in option.values or ())
            raise ValueError(f"option {option.name!r} is one of {allowed}, not {shown(value)}")
        return value


class State(ABC):
    """One moment of a play, always at a decision or at the end."""

    game: Game
    players: int
    options: Json
    """Every option of the game with its value."""

    @abstractmethod
    def current_players(self) -> tuple[int, ...]:
        """The players who owe an action, ascending; empty when the play is over."""

    def legal_actions(self, player: int) -> list[str]:
        """What the player may do now, in the order of `game.actions`; empty when not to act."""
        self.check_seat(player)
        return list(self._legal(player))

    def apply_action(self, player: int, action: str) -> None:
        """Take an action and do everything automatic up to the next decision.

        IllegalAction names the action and the legal ones; the state is then untouched.
        """
        self.check_seat(player)
        legal = self._legal(player)
        if action not in legal:
            raise self._illegal(player, action, legal)
        self._apply(player, action)

    @abstractmethod
    def _legal(self, player: int) -> Sequence[str]:
        """The legal actions of a seat that exists."""

    @abstractmethod
    def _apply(self, player: int, action: str) -> None:
        """Take an action that is legal."""

    @abstractmethod
    def observation(self, player: int | None) -> Json:
        """All that the player (None: a spectator) may know now; callers must not change it."""

    @property
    @abstractmethod
    def events(self) -> list[Json]:
        """All events so far; each has `kind` and `visible_to`. Callers must not change them."""

    def is_terminal(self) -> bool:
        """Whether the play is over."""
        return not self.current_players()

    @abstractmethod
    def scores(self) -> list[int]:
        """The game's own points by seat, at any moment."""

    @abstractmethod
    def ranks(self) -> list[int]:
        """Places by seat, 1 is best; tied players share one and the next ones are skipped."""

    @abstractmethod
    def clone(self) -> State:
        """An independent copy."""

    @abstractmethod
    def resample(self, player: int | None, seed: str) -> State:
        """A clone in which what the player cannot know is dealt anew from the seed."""

    @abstractmethod
    def to_dict(self) -> Json:
        """The whole position as JSON values, loss-free, for `Game.state_from_dict`."""

    def check_seat(self, player: object) -> int:
        """Return the seat; ValueError if this play does not have it."""
        if not is_int(player) or not 0 <= player < self.players:
            last = self.players - 1
            raise ValueError(f"a player is a seat from 0 to {last}, not {shown(player)}")
        return player

    def check_viewer(self, player: object) -> int | None:
        """Return the seat, or None for a spectator; ValueError for anything else."""
        return None if player is None else self.check_seat(player)

    def _illegal(self, player: int, action: object, legal: Sequence[str]) -> IllegalAction:
        if legal:
            why = f"legal are: {', '.join(repr(name) for name in legal)}"
        elif deciders := self.current_players():
            why = f"no action is, for to decide is {', '.join(str(seat) for seat in deciders)}"
        else:
            why = "no action is, for the play is over"
        return IllegalAction(f"{shown(action)} is not legal for player {player}; {why}")


def may_see(event: Mapping[str, Any], player: int | None) -> bool:
    """Whether the player (None: a spectator) may see the event."""
    return event["visible_to"] is None or player in event["visible_to"]


def ranks_by(keys: Sequence[Any]) -> list[int]:
    """Places by seat for one sortable key each, the greatest is best: [3, 5, 5] -> [3, 1, 1]."""
    return [1 + sum(other > key for other in keys) for key in keys]
