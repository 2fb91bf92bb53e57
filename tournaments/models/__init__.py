"""Matches, ladders and brackets: who plays whom, and what it counted for."""

from tournaments.models.bracket import Bracket, Entry, Round, Stage, Table, TableSeat
from tournaments.models.ladder import Generation, Ladder, Rating, RatingChange
from tournaments.models.match import Attempt, Contestant, Match, Play
from tournaments.models.season import Division, MatchDay, Season, SeasonEntry
from tournaments.models.tally import Tallied, Tally
from tournaments.models.worker import Worker

__all__ = [
    "Attempt",
    "Bracket",
    "Contestant",
    "Division",
    "Entry",
    "Generation",
    "Ladder",
    "Match",
    "MatchDay",
    "Play",
    "Rating",
    "RatingChange",
    "Round",
    "Season",
    "SeasonEntry",
    "Stage",
    "Table",
    "TableSeat",
    "Tallied",
    "Tally",
    "Worker",
]
