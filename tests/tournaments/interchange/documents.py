"""Documents of brackets for tests that need no database."""

import random

from tournaments.pairing.fide_dutch import Game, PastRound
from tournaments.pairing.fide_dutch import draw as fide_draw
from tournaments.standings import TableResult, standings

RULES = {"table_size": 2, "tie_breaks": ["buchholz-cut-1", "buchholz", "sonneborn-berger"]}


def document(count, rounds, *, format="swiss", rules=RULES, rows=(), **changes):
    """A bracket of entries 11, 12, …; `rounds` are lists of tables."""
    return {
        "format": "slayer-league-bracket",
        "version": 1,
        "bracket": {
            "slug": "cup", "title": "The Cup", "game": "kunlun", "edition": "1", "options": {},
            "time_control": {}, "started_at": "2026-11-30T12:00:00+00:00", "ended_at": None,
        },
        "entries": [
            {
                "id": 10 + number, "player": "ada", "bot": f"wolf-{number}", "bot_id": 100 + number,
                "version": 1, "seeding": number, "withdrawn_at": None, "withdrawn_reason": "",
                "disqualified": False,
            }
            for number in range(1, count + 1)
        ],
        "stages": [
            {
                "number": 1, "format": format, "rules": rules, "groups": [],
                "field": [10 + number for number in range(1, count + 1)],
                "rounds": [
                    {
                        "number": number, "drawn_at": "2026-11-30T12:00:00+00:00",
                        "closed_at": "2026-11-30T13:00:00+00:00", "tables": tables,
                    }
                    for number, tables in enumerate(rounds, start=1)
                ],
                "standings": [
                    {
                        "rank": row.rank, "group": 0, "entry": row.entrant,
                        "points": float(row.points), "played": row.played, "byes": row.byes,
                        "withdrawn": row.withdrawn,
                        "tie_breaks": {
                            name: None if value is None else float(value)
                            for name, value in row.tie_breaks.items()
                        },
                    }
                    for row in rows
                ],
            }
        ],
        **changes,
    }  # fmt: skip


def table(number, *points, entries=(11, 12), places=None, **changes):
    """A closed table; its places follow from its points."""
    places = places or [1 + sum(other > mine for other in points) for mine in points]
    return {
        "number": number, "name": "", "group": 0, "bye": False, "left_out": False, "note": "",
        "closed_at": "2026-11-30T13:00:00+00:00", "matches": [number],
        "seats": [
            {
                "number": seat, "entry": entry, "version": 1, "points": value, "margin": 0.0,
                "place": place, "failures": 0,
            }
            for seat, (entry, value, place) in enumerate(zip(entries, points, places, strict=True))
        ],
        **changes,
    }  # fmt: skip


def fide_swiss(count, rounds, seed):
    """A Swiss drawn by FIDE's system with lots for results, as its document."""
    dice = random.Random(seed)
    field = [10 + number for number in range(1, count + 1)]
    past, tables, results = [], [], []
    for _ in range(rounds):
        drawn = fide_draw(field, past, f"{seed:064x}", field=field, rounds=rounds)
        row, games = [], []
        for number, (first, second) in enumerate(drawn.tables, start=1):
            score = dice.choice([0.0, 0.5, 1.0])
            row.append(table(number, score, 1 - score, entries=(first, second)))
            games.append(Game(first, second, score))
        results.append(
            [TableResult({game.first: game.score, game.second: 1 - game.score}) for game in games]
        )
        for entry in drawn.byes:
            bye = table(len(row) + 1, 0.5, entries=(entry,), places=[None], bye=True)
            row.append(bye)
            results[-1].append(TableResult({entry: 0}, bye=True))
        past.append(PastRound(tuple(games), tuple(drawn.byes)))
        tables.append(row)
    rules = RULES | {"rounds": rounds, "ruleset": "fide-dutch-2026"}
    rows = standings(field, results, tie_breaks=rules["tie_breaks"])
    return document(count, tables, rules=rules, rows=rows)
