"""Deca Slayer as a game and a state of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.chance import check_seed
from engine.contract import Game, Json, State
from engine.games.deca_slayer import ending, rounds, setup, tables, view
from engine.games.deca_slayer.actions import ACTIONS
from engine.games.deca_slayer.board import Board
from engine.games.deca_slayer.consistency import check_position
from engine.games.deca_slayer.position import read_position, to_dict
from engine.games.deca_slayer.resample import resample
from engine.position import read_head


class DecaSlayer(Game):
    """Three to six guilds fight ten monsters for their treasures."""

    name = tables.GAME
    title = tables.TITLE
    edition = tables.EDITION
    min_players = tables.MIN_PLAYERS
    max_players = tables.MAX_PLAYERS
    options = tables.OPTIONS
    actions = ACTIONS
    stand_in = "uniform"

    def _deal(self, players: int, seed: str, options: Json) -> DecaSlayerState:
        board = setup.deal(players, options, seed)
        rounds.begin(board)
        return DecaSlayerState(self, board)

    def state_from_dict(self, position: Mapping[str, Any]) -> DecaSlayerState:
        position, head = read_head(self, position)
        board = read_position(position, *head)
        check_position(board)
        return DecaSlayerState(self, board)


class DecaSlayerState(State):
    """A play of Deca Slayer at one decision, or at its end."""

    game: DecaSlayer

    def __init__(self, game: DecaSlayer, board: Board) -> None:
        self.game = game
        self.players = board.players
        self.options = board.options
        self._board = board
        self._legal_now: dict[int, list[str]] = {}

    def current_players(self) -> tuple[int, ...]:
        return rounds.deciders(self._board)

    def _legal(self, player: int) -> list[str]:
        # Asked at least twice at each decision: by the player, and to check the answer.
        if player not in self._legal_now:
            self._legal_now[player] = rounds.legal(self._board, player)
        return self._legal_now[player]

    def _apply(self, player: int, action: str) -> None:
        self._legal_now = {}
        rounds.apply(self._board, player, action)

    def observation(self, player: int | None) -> Json:
        return view.observation(self._board, self.check_viewer(player))

    @property
    def events(self) -> list[Json]:
        return self._board.events

    def scores(self) -> list[int]:
        return ending.scores(self._board)

    def ranks(self) -> list[int]:
        return ending.ranks(self._board)

    def clone(self) -> DecaSlayerState:
        return DecaSlayerState(self.game, self._board.clone())

    def resample(self, player: int | None, seed: str) -> DecaSlayerState:
        board = self._board.clone()
        resample(board, self.check_viewer(player), check_seed(seed))
        return DecaSlayerState(self.game, board)

    def to_dict(self) -> Json:
        return to_dict(self._board)
