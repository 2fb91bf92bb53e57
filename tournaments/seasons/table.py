"""A division's table."""

from dataclasses import dataclass

from tournaments import lifecycle
from tournaments.models import Division, SeasonEntry
from tournaments.standings import Row


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a division's table."""

    row: Row
    entry: SeasonEntry


def standings_of(division: Division) -> list[Line]:
    """A division's table, best first, those who have left last; `row.entrant` is the entry's id in
    the division's bracket. Empty before the start."""
    if division.bracket is None:
        return []
    stage = division.bracket.stages.get()
    bots = dict(division.bracket.entries.values_list("pk", "bot"))
    entries = {
        entry.bot_id: entry
        for entry in division.entries.select_related("bot__player", "submission")
    }
    rows = [Line(row, entries[bots[row.entrant]]) for row in lifecycle.standings_of(stage)]
    seed = {pk: number for number, pk in enumerate(stage.field)}
    # Who has left is below everybody who has not, whatever it won before.
    rows.sort(key=lambda line: (line.row.withdrawn, line.row.rank, seed[line.row.entrant]))
    return rows
