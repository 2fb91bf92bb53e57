"""Scores, ranks and the end of the game (rules, section 12)."""

from __future__ import annotations

from engine.contract import ranks_by
from engine.games.slawia.board import Board
from engine.games.slawia.tables import MONSTERS


def end(board: Board) -> None:
    """All reveal their trophies."""
    board.phase = "over"
    for player, score in enumerate(scores(board)):
        board.event(
            "score",
            player=player,
            glory=board.glory[player],
            trophies=[card for card, _ in board.monster_trophies[player]],
            treasures=treasures(board, player),
            score=score,
        )
    board.event("end", ranks=ranks(board))


def treasures(board: Board, player: int) -> int:
    """Treasures on the player's monster trophies."""
    return sum(MONSTERS[card].treasures for card, _ in board.monster_trophies[player])


def scores(board: Board) -> list[int]:
    """Glory by seat; with the treasures once the game is over."""
    if board.phase != "over":
        return board.glory.copy()
    return [glory + treasures(board, player) for player, glory in enumerate(board.glory)]


def ranks(board: Board) -> list[int]:
    """Highest score, then most location trophies, then most trophies, then shared."""
    return ranks_by(
        [
            (score, len(locations), len(locations) + len(monsters))
            for score, locations, monsters in zip(
                scores(board), board.location_trophies, board.monster_trophies, strict=True
            )
        ]
    )
