"""What a bracket or a season will cost before it starts: matches, plays, CPU, and time.

Counts follow from the rules; times from what the last matches of the game took on this
installation. Where none has been played, there is no guess.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import F, Sum

from bots.faults import UserFault
from engine import games
from tournaments import leagues, workers
from tournaments.bracket_rules import KNOCKOUT
from tournaments.duplicate import rotations_for
from tournaments.lifecycle.deciding import AHEAD
from tournaments.lifecycle.plans import plan_for
from tournaments.lifecycle.schedules import TABLES_AT_ONCE, schedule_drawings
from tournaments.models import Attempt, Bracket, Play, Season, Stage
from tournaments.pairing import CannotDraw
from tournaments.pairing.tables import table_sizes
from tournaments.seasons.rules import playoff_seats

Format = Stage.Format

# The matches whose times are taken for those to come.
LAST_MATCHES = 200
_SEED = "0" * 64


@dataclass(frozen=True, slots=True)
class Forecast:
    """matches, plays: at most; cpu_s: CPU seconds of the bots; wall_s: seconds from the start to
    the end on `slots` of `workers`, when they play nothing else; both None where nothing is known.
    basis: what the numbers rest on."""

    matches: int
    plays: int
    cpu_s: float | None
    wall_s: float | None
    workers: int
    slots: int
    basis: str


@dataclass(frozen=True, slots=True)
class TableToPlay:
    """seats; deals: matches at most, of `plays` each; in_turn: of these so many must be played one
    after another."""

    seats: int
    deals: int
    plays: int
    in_turn: int = 1

    @property
    def seats_in_match(self) -> int:
        """Seats in all plays of one match."""
        return self.seats * self.plays


Rounds = list[list[TableToPlay]]


def forecast(bracket: Bracket) -> Forecast:
    """What a bracket takes with the entries that it has. UserFault where they are too few."""
    entries = bracket.entries.filter(withdrawn_at=None).count()
    rounds: Rounds = []
    for stage in bracket.stages.order_by("number"):
        try:
            rounds += _rounds(stage.format, stage.rules, entries)
        except CannotDraw as error:
            raise UserFault(f"Stage {stage.number} cannot be drawn: {error}") from None
        entries = min(entries, stage.rules["advance"] or entries)
    sooner = any(
        stage.format in KNOCKOUT and (stage.rules["sequential"] or "double" in stage.format)
        for stage in bracket.stages.all()
    )
    return _cost(bracket.game, bracket.edition, rounds, sooner=sooner)


def forecast_season(season: Season) -> Forecast:
    """What a season takes with the entries that it has; its calendar is not looked at."""
    rules = season.rules
    entries = season.entries.filter(withdrawn_at=None).count()
    sizes = leagues.division_sizes(
        entries, rules["division_size"], least=rules["min_size"], most=rules["divisions"]
    )
    try:
        each = [_rounds(Format.ROUND_ROBIN, rules, size) for size in sizes]
    except CannotDraw as error:
        raise UserFault(f"A division cannot be drawn: {error}") from None
    # All divisions play a match day at the same time.
    days: Rounds = [[table for day in of for table in day] for of in zip(*each, strict=True)]
    if rules["playoff"]:
        seats = playoff_seats(games.get(season.game, season.edition))
        days.append([TableToPlay(seats, rules["playoff_deals"], seats)] * (len(sizes) - 1))
    return _cost(season.game, season.edition, days, sooner=rules["playoff"])


def _rounds(format: str, rules: Mapping[str, Any], entries: int) -> Rounds:
    """The tables of each round of a stage."""
    if format in KNOCKOUT:
        return _knockout(format, rules, entries)
    if format == Format.SWISS:
        sizes = table_sizes(entries, rules["table_size"], rules["min_size"]).sizes
        if not sizes:
            raise CannotDraw(f"{entries} entries cannot fill a table of {rules['min_size']}")
        return [[_table(size, rules) for size in sizes]] * int(rules["rounds"])
    groups = rules.get("groups")
    fields = leagues.snake(range(entries), groups) if groups else [list(range(entries))]
    drawings = schedule_drawings(
        tuple(map(tuple, fields)),
        groups is not None,
        rules["table_size"],
        rules["min_size"],
        _SEED,
        bool(rules.get("double")),
        rules.get("match_days"),
        TABLES_AT_ONCE,
    )
    return [[_table(len(table.entries), rules) for table in tables] for tables in drawings]


def _table(seats: int, rules: Mapping[str, Any], in_turn: int = 1) -> TableToPlay:
    plays = rotations_for(seats, rules.get("rotations", 0))
    return TableToPlay(seats, rules["deals"], plays, in_turn)


def _knockout(format: str, rules: Mapping[str, Any], entries: int) -> Rounds:
    in_turn = 1
    if rules["sequential"]:
        in_turn += -(-(rules["deals"] - rules["least_deals"]) // AHEAD)
    rounds: dict[int, list[TableToPlay]] = {}
    for table in plan_for(format, rules, entries).tables:
        seats = len(table.sources)
        rounds.setdefault(table.round, []).append(_table(seats, rules, in_turn))
    return [rounds[number] for number in sorted(rounds)]


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one seat in one play: seconds of the bot's CPU, and of the clock; from how many plays."""

    cpu_s: float
    wall_s: float
    matches: int
    plays: int


def measured(game: str, edition: str) -> Measured | None:
    """What the last matches of a game took here; None when there are none."""
    recent = list(
        Attempt.objects.filter(
            state=Attempt.State.FINISHED, match__game=game, match__edition=edition
        )
        .order_by("-id")
        .values_list("match", "match__players", "match__rotations")[:LAST_MATCHES]
    )
    if not recent:
        return None
    pks = [pk for pk, *_ in recent]
    took = Attempt.objects.filter(state=Attempt.State.FINISHED, match__in=pks).aggregate(
        all=Sum(F("ended_at") - F("started_at"))
    )["all"]
    seats = sum(players * rotations for _, players, rotations in recent)
    cpu_ms = sum(
        sum(each) for each in Play.objects.filter(match__in=pks).values_list("cpu_ms", flat=True)
    )
    return Measured(
        cpu_s=cpu_ms / 1000 / seats,
        wall_s=(took or timedelta()).total_seconds() / seats,
        matches=len(recent),
        plays=sum(rotations for *_, rotations in recent),
    )


def _cost(game: str, edition: str, rounds: Rounds, *, sooner: bool) -> Forecast:
    tables = [table for each in rounds for table in each]
    seats = _seats(tables)
    live = list(workers.live())
    slots = sum(worker.slots for worker in live)
    known = measured(game, edition)
    title = games.get(game, edition).title
    words = []
    cpu = wall = None
    if known is None:
        words.append(f"No match of {title} has been played here yet: nothing is known of its time.")
    else:
        cpu = seats * known.cpu_s
        words.append(
            f"The last {known.matches} matches of {title} here ({known.plays} plays) took "
            f"{known.cpu_s:.2f} s of CPU and {known.wall_s:.2f} s by the clock for each seat in "
            "each play."
        )
    if not slots:
        words.append("No worker lives that takes work.")
    elif known is not None:
        wall = sum(_round_s(each, known.wall_s, slots) for each in rounds)
        words.append(
            f"{len(live)} workers play {slots} matches at once, if they play nothing else."
        )
    if sooner:
        words.append("At most: tables may be decided sooner.")
    return Forecast(
        matches=sum(table.deals for table in tables),
        plays=sum(table.deals * table.plays for table in tables),
        cpu_s=cpu,
        wall_s=wall,
        workers=len(live),
        slots=slots,
        basis=" ".join(words),
    )


def _seats(tables: Iterable[TableToPlay]) -> int:
    """Seats in all plays."""
    return sum(table.deals * table.seats_in_match for table in tables)


def _round_s(tables: Sequence[TableToPlay], seat_s: float, slots: int) -> float:
    """A round ends when its work is done, and not before its longest chain of matches."""
    chain = max((table.in_turn * table.seats_in_match for table in tables), default=0)
    return max(_seats(tables) * seat_s / slots, chain * seat_s)
