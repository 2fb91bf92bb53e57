"""The brackets of a season: its divisions' and its play-offs'."""

from collections.abc import Sequence

from engine import games
from tournaments import brackets, leagues, lifecycle
from tournaments.models import Bracket, Division, Entry, Season, SeasonEntry
from tournaments.seasons.rules import OF_STAGE, playoff_seats
from tournaments.seasons.table import Line, standings_of

Tables = Sequence[tuple[Division, list[Line]]]


def open_division(season: Season, level: int, entries: Sequence[SeasonEntry]) -> None:
    """Make and start a division's bracket; the entries are given strongest first."""
    division = Division.objects.create(season=season, level=level, name=f"Division {level}")
    division.bracket = _bracket(
        season,
        slug=f"{season.slug}-d{level}",
        title=f"{season.title}, {division.name}",
        format="round-robin",
        rules={
            **{name: season.rules[name] for name in (*OF_STAGE, "match_days")},
            "seeding": "given",
        },
        entries=entries,
    )
    division.save(update_fields=["bracket"])
    SeasonEntry.objects.filter(pk__in=[entry.pk for entry in entries]).update(division=division)
    lifecycle.start(bracket=division.bracket, user=None)


def _bracket(
    season: Season,
    *,
    slug: str,
    title: str,
    format: str,
    rules: dict[str, object],
    entries: Sequence[SeasonEntry],
) -> Bracket:
    """A bracket of the season under its conditions, with these entries, strongest first."""
    organiser = season.organiser
    bracket = brackets.create_bracket(
        slug=slug,
        title=title,
        game=season.game,
        format=format,
        rules=rules,
        organiser=organiser if organiser is not None and organiser.is_staff else None,
        options=season.options,
        time_control=season.time_control,
        rated=season.rated,
        follow_active=season.rules["follow_active"],
        season=season,
    )
    Entry.objects.bulk_create(
        Entry(bracket=bracket, bot=entry.bot, submission=entry.submission, seeding=seeding)
        for seeding, entry in enumerate(entries, 1)
    )
    return bracket


def tables_of(season: Season) -> list[tuple[Division, list[Line]]]:
    """Every division with its table, the highest first."""
    return [
        (division, standings_of(division))
        for division in season.divisions.select_related("bracket", "playoff").order_by("level")
    ]


def gone_from(tables: Tables) -> set[int]:
    """Those who have withdrawn or were disqualified."""
    return {
        line.entry.pk
        for _, lines in tables
        for line in lines
        if line.entry.withdrawn_at is not None
    }


def _play_offs(season: Season, tables: Tables) -> list[leagues.PlayOff | None]:
    return leagues.play_offs(
        [[line.entry.pk for line in lines] for _, lines in tables],
        up=season.rules["up"],
        seats=playoff_seats(games.get(season.game, season.edition)),
        withdrawn=gone_from(tables),
    )


def open_play_offs(season: Season) -> bool:
    """Make the play-offs at the borders; False when there is none."""
    tables = tables_of(season)
    entries = {line.entry.pk: line.entry for _, lines in tables for line in lines}
    opened = False
    for (division, _), off in zip(tables, _play_offs(season, tables), strict=False):
        if off is None:
            continue
        pks = (off.holder, *off.challengers)
        division.playoff = _bracket(
            season,
            slug=f"{season.slug}-playoff-{division.level}",
            title=f"{season.title}, play-off for {division.name}",
            format="single-elimination",
            rules={
                "table_size": len(pks),
                "min_size": len(pks),
                "deals": season.rules["playoff_deals"],
                "sequential": False,
                "seeding": "given",
            },
            entries=[entries[pk] for pk in pks],
        )
        division.save(update_fields=["playoff"])
        lifecycle.start(bracket=division.playoff, user=None)
        opened = True
    return opened


def play_offs_of(
    tables: Tables,
) -> list[leagues.PlayOff | None]:
    """The play-offs as they were made: their entries by seed."""
    by_bot = {line.entry.bot_id: line.entry.pk for _, lines in tables for line in lines}
    found: list[leagues.PlayOff | None] = []
    for division, _ in tables:
        if division.playoff is None:
            found.append(None)
            continue
        bots = division.playoff.entries.order_by("seeding").values_list("bot", flat=True)
        holder, *challengers = [by_bot[bot] for bot in bots]
        found.append(leagues.PlayOff(holder, tuple(challengers)))
    return found


def winner_of(playoff: Bracket, seeded: Sequence[int]) -> int:
    """Who of `seeded` won: the first of those who have not left; if all have, the holder."""
    rows = {
        entry.pk: (seeded[number], entry.withdrawn_at is None)
        for number, entry in enumerate(playoff.entries.order_by("seeding"))
    }
    order = [rows[pk] for pk in lifecycle.ranking(playoff.stages.get())]
    return next((pk for pk, present in order if present), seeded[0])
