"""Seasons: divisions by level, match days, promotion and relegation, and the next season.

Each division is a bracket with one round robin whose rounds are the match days;
`tournaments.lifecycle` draws and closes them like any other. `advance` is called over and over.
"""

from tournaments.seasons.entering import create_season, enter_season
from tournaments.seasons.leaving import disqualify, withdraw
from tournaments.seasons.rolling import roll_over
from tournaments.seasons.rules import RULES, check_rules
from tournaments.seasons.running import advance, advance_season, postpone, start_season
from tournaments.seasons.table import Line, standings_of

__all__ = [
    "RULES",
    "Line",
    "advance",
    "advance_season",
    "check_rules",
    "create_season",
    "disqualify",
    "enter_season",
    "postpone",
    "roll_over",
    "standings_of",
    "start_season",
    "withdraw",
]
