"""Matches, ladders and brackets: who plays whom, and what it counted for."""

from tournaments.models.bracket import Bracket, Entry, Round, Stage, Table, TableSeat
from tournaments.models.ladder import Generation, Ladder, Rating, RatingChange
from tournaments.models.match import Attempt, Contestant, Match, Play, SeatFile
from tournaments.models.worker import Worker

__all__ = [
    "Attempt",
    "Bracket",
    "Contestant",
    "Entry",
    "Generation",
    "Ladder",
    "Match",
    "Play",
    "Rating",
    "RatingChange",
    "Round",
    "SeatFile",
    "Stage",
    "Table",
    "TableSeat",
    "Worker",
]
