"""Kunlun as a game and a state of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import check_seed
from engine.contract import Game, Json, Option, State
from engine.fields import is_int, shown
from engine.games.kunlun import machine, score, setup, tables, view
from engine.games.kunlun.actions import ACTIONS
from engine.games.kunlun.board import Board
from engine.games.kunlun.consistency import check_position
from engine.games.kunlun.position import read_position, to_dict
from engine.games.kunlun.resample import resample
from engine.position import read_head


class Kunlun(Game):
    """Two to four clans of Immortals stand against seven waves of Heart Eaters."""

    name = tables.GAME
    title = tables.TITLE
    edition = tables.EDITION
    min_players = tables.MIN_PLAYERS
    max_players = tables.MAX_PLAYERS
    options = tables.OPTIONS
    actions = ACTIONS
    stand_in = "first"

    def check_option(self, option: Option, value: Any, players: int) -> Any:
        """The value, if it is one of the option's words or fits the number of players."""
        if option.name == "first":
            words: tuple[str, ...] = (tables.RANDOM,)
            fits = is_int(value) and 0 <= value < players
            right = f"a seat from 0 to {players - 1}"
        else:
            words = (tables.RANDOM, tables.CHOOSE)
            clans = value.split(",") if isinstance(value, str) else []
            fits = len(clans) == len(set(clans)) == players and set(clans) <= set(tables.CLANS)
            right = f"{players} different clans of {', '.join(tables.CLANS)} with commas between"
        if not fits and not (isinstance(value, str) and value in words):
            allowed = ", ".join(repr(word) for word in words)
            raise ValueError(f"option {option.name!r} is {allowed} or {right}, not {shown(value)}")
        return value

    def _deal(self, players: int, seed: str, options: Json) -> KunlunState:
        return KunlunState(self, setup.deal(players, options, seed))

    def state_from_dict(self, position: Mapping[str, Any]) -> KunlunState:
        position, head = read_head(self, position)
        board = read_position(position, *head)
        check_position(board)
        return KunlunState(self, board)


class KunlunState(State):
    """A play of Kunlun at one decision, or at its end."""

    game: Kunlun

    def __init__(self, game: Kunlun, board: Board) -> None:
        self.game = game
        self.players = board.players
        self.options = board.options
        self._board = board
        self._legal_now: list[str] | None = None

    def current_players(self) -> tuple[int, ...]:
        return machine.deciders(self._board)

    def _legal(self, player: int) -> list[str]:
        if player not in machine.deciders(self._board):
            return []
        # Asked at least twice at each decision: by the player, and to check the answer.
        if self._legal_now is None:
            self._legal_now = machine.legal(self._board)
        return self._legal_now

    def _apply(self, player: int, action: str) -> None:
        self._legal_now = None
        machine.apply(self._board, action)

    def observation(self, player: int | None) -> Json:
        return view.observation(self._board, self.check_viewer(player))

    @property
    def events(self) -> list[Json]:
        return self._board.events

    def scores(self) -> list[int]:
        return score.scores(self._board)

    def ranks(self) -> list[int]:
        return score.ranks(self._board)

    def clone(self) -> KunlunState:
        return KunlunState(self.game, self._board.clone())

    def resample(self, player: int | None, seed: str) -> KunlunState:
        board = self._board.clone()
        resample(board, self.check_viewer(player), check_seed(seed))
        return KunlunState(self.game, board)

    def to_dict(self) -> Json:
        return to_dict(self._board)
