"""Making a season, and who takes part."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Bot, User
from engine.contract import Game
from tournaments import lifecycle
from tournaments.brackets import check_conditions, check_names, known_game
from tournaments.models import Season, SeasonEntry
from tournaments.seasons.rules import check_rules, playoff_seats

State = Season.State


@transaction.atomic
def create_season(
    *,
    slug: str,
    title: str,
    game: str,
    rules: Mapping[str, Any],
    organiser: User | None,
    options: Mapping[str, Any] | None = None,
    time_control: Mapping[str, Any] | None = None,
    rated: bool = True,
    starts_at: datetime | None = None,
    previous: Season | None = None,
) -> Season:
    """A season, open for entries. Raises UserFault, Conflict or NotAllowed.

    previous: the season before, whose divisions this one starts from (see `roll_over`, which makes
    such a season with its entries).
    """
    if organiser is not None and not organiser.is_staff:
        raise NotAllowed("Only an organiser may make seasons")
    check_names(slug, title, what="A season", longest=(50, 100))
    if starts_at is not None and starts_at.tzinfo is None:
        raise UserFault("starts_at needs a time zone, like 2027-01-31T18:00:00Z", field="starts_at")
    played = known_game(game)
    full = check_rules(rules, played)
    sizes = {full["table_size"], *([playoff_seats(played)] if full["playoff"] else [])}
    full_options, clock = check_conditions(
        played, sizes=sizes, options=options, time_control=time_control
    )
    if previous is not None:
        _check_previous(previous, played)
    taken = Conflict(f"There is a season {slug!r} already", field="slug")
    if Season.objects.filter(slug=slug).exists():
        raise taken
    try:
        with transaction.atomic():
            season = Season.objects.create(
                slug=slug,
                title=title.strip(),
                game=played.name,
                edition=played.edition,
                options=full_options,
                time_control=clock.to_dict(),
                rated=rated,
                rules=full,
                number=1 if previous is None else previous.number + 1,
                previous=previous,
                organiser=organiser,
                starts_at=starts_at,
            )
    except IntegrityError:
        raise taken from None
    accounts.record_act(user=organiser, verb="create", target=f"season {season.slug}")
    return season


def _check_previous(previous: Season, game: Game) -> None:
    if previous.game != game.name:
        raise UserFault(f"{previous.slug} was a season of {previous.game}", field="previous")
    if previous.state != State.FINISHED:
        raise Conflict(f"{previous.slug} is {previous.state}; the next starts from its end")
    if Season.objects.filter(previous=previous).exists():
        raise Conflict(f"{previous.slug} has a next season already")


@transaction.atomic
def enter_season(
    *, season: Season, bot: Bot, user: User | None, level: int | None = None
) -> SeasonEntry:
    """Enter a bot: its owners and organisers may.

    Its active version is pinned, unless the season follows the active one. Once the season runs it
    is a late entrant, of the lowest division, from the next match day on. level: the division that
    it has earned in the season before. Raises UserFault, Conflict or NotAllowed.
    """
    season = Season.objects.select_for_update().get(pk=season.pk)
    bot = Bot.objects.select_related("player", "active").get(pk=bot.pk)
    if user is not None and not user.is_staff and not accounts.may_manage(user, bot.player):
        raise NotAllowed(f"Only members of {bot.player.handle!r} or an organiser enter this bot")
    if bot.game != season.game:
        raise UserFault(f"{bot} plays {bot.game}; {season.slug} is for {season.game}", field="bot")
    if bot.active is None:
        raise Conflict(f"{bot} has no active version; activate one first", field="bot")
    if season.state not in (State.ENTRY, State.RUNNING):
        raise Conflict(f"{season.slug} is {season.state}: entries are closed")
    entry, made = SeasonEntry.objects.get_or_create(
        season=season,
        bot=bot,
        defaults={
            "submission": None if season.rules["follow_active"] else bot.active,
            "level": level,
        },
    )
    if not made:
        raise Conflict(f"{bot} has entered already", field="bot")
    if season.state == State.RUNNING:
        _join(season, entry)
        accounts.record_act(
            user=user, verb="enter-late", target=f"bot {bot.pk} in season {season.slug}"
        )
    return entry


def _join(season: Season, entry: SeasonEntry) -> None:
    """Put a late entrant into the lowest division, from the next match day on."""
    lowest = season.divisions.select_related("bracket").order_by("level").last()
    assert lowest is not None  # it runs
    assert lowest.bracket is not None
    size, last = season.rules["division_size"], season.rules["late_until"]
    here = lowest.entries.filter(withdrawn_at=None).count()
    if season.rules["divisions"] is None and 2 * here >= 3 * size:
        raise Conflict(f"{lowest.name} is full: enter the next season")
    joined = lifecycle.enter_late(
        bracket=lowest.bracket, bot=entry.bot, submission=entry.submission
    )
    if joined.first_round > last:
        raise Conflict(
            f"Late entrants of {season.slug} begin on match day {last} at the latest; the next one "
            f"is {joined.first_round}"
        )
    entry.division, entry.first_day = lowest, joined.first_round
    entry.save(update_fields=["division", "first_day"])
