"""Monster Slayers of Slawia as a game and a state of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import check_seed
from engine.contract import Game, Json, State
from engine.games.slawia import ending, setup, tables, turn, view
from engine.games.slawia.actions import ACTIONS
from engine.games.slawia.board import Board
from engine.games.slawia.consistency import check_position
from engine.games.slawia.position import read_position, to_dict
from engine.games.slawia.resample import resample
from engine.position import read_head


class Slawia(Game):
    """Two to five houses of monster slayers hunt for glory and treasures."""

    name = tables.GAME
    title = tables.TITLE
    edition = tables.EDITION
    min_players = tables.MIN_PLAYERS
    max_players = tables.MAX_PLAYERS
    options = {}
    actions = ACTIONS
    stand_in = "uniform"

    def _deal(self, players: int, seed: str, options: Json) -> SlawiaState:
        board = setup.deal(players, seed)
        return SlawiaState(self, board, turn.advance(board))

    def state_from_dict(self, position: Mapping[str, Any]) -> SlawiaState:
        position, head = read_head(self, position)
        board = read_position(position, head)
        check_position(board)
        # Not advanced: a set position asks even for a single action.
        return SlawiaState(self, board, turn.legal(board))


class SlawiaState(State):
    """A play of Monster Slayers of Slawia at one decision, or at its end."""

    game: Slawia

    def __init__(self, game: Slawia, board: Board, actions: list[str]) -> None:
        self.game = game
        self.players = board.players
        self.options = {}
        self._board = board
        self._actions = actions
        """The legal actions of the active player; nobody changes the list."""

    def current_players(self) -> tuple[int, ...]:
        return () if self._board.phase == "over" else (self._board.active,)

    def _legal(self, player: int) -> list[str]:
        return self._actions if player == self._board.active else []

    def _apply(self, player: int, action: str) -> None:
        turn.apply(self._board, action)
        self._actions = turn.advance(self._board)

    def observation(self, player: int | None) -> Json:
        return view.observation(self._board, self.check_viewer(player))

    @property
    def events(self) -> list[Json]:
        return self._board.events

    def scores(self) -> list[int]:
        return ending.scores(self._board)

    def ranks(self) -> list[int]:
        return ending.ranks(self._board)

    def clone(self) -> SlawiaState:
        return SlawiaState(self.game, self._board.clone(), self._actions)

    def resample(self, player: int | None, seed: str) -> SlawiaState:
        board = self._board.clone()
        resample(board, self.check_viewer(player), check_seed(seed))
        return SlawiaState(self.game, board, self._actions)

    def to_dict(self) -> Json:
        return to_dict(self._board)
