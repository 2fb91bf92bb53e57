"""Brackets on their way: stages and rounds are opened and closed here alone.

`advance` is called over and over by a task. Each call looks at what the database says and does
the next step, so that any call may be lost, repeated, or run beside another.
"""

from tournaments.lifecycle.acts import change_rules, extend, pause, reseed, resume, start
from tournaments.lifecycle.closing import REPLACEMENTS
from tournaments.lifecycle.drawing import Drawing, draw_again, draw_round
from tournaments.lifecycle.rulings import (
    disqualify,
    drop_results,
    enter_late,
    leave,
    tables_in_all,
    void_table,
)
from tournaments.lifecycle.schedules import TABLES_AT_ONCE, DrawnTable
from tournaments.lifecycle.stages import ranking
from tournaments.lifecycle.standing import plan_of, standings_of
from tournaments.lifecycle.steps import advance, advance_bracket

__all__ = [
    "REPLACEMENTS",
    "TABLES_AT_ONCE",
    "Drawing",
    "DrawnTable",
    "advance",
    "advance_bracket",
    "change_rules",
    "disqualify",
    "draw_again",
    "draw_round",
    "drop_results",
    "enter_late",
    "extend",
    "leave",
    "pause",
    "plan_of",
    "ranking",
    "reseed",
    "resume",
    "standings_of",
    "start",
    "tables_in_all",
    "void_table",
]
