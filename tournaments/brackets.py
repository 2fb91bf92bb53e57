"""Setting up a bracket: its rules, and who takes part. Nothing here draws or plays."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Bot, Submission, User
from bots.models.player import handle_rule
from engine import UnknownGame, games
from engine.clock import TimeControl
from engine.contract import Game
from tournaments import dispatch
from tournaments.bracket_rules import RULES, check_rules, check_stages
from tournaments.models import Bracket, Entry, Season, Stage

__all__ = [
    "RULES",
    "check_conditions",
    "check_names",
    "check_organiser",
    "check_rules",
    "create_bracket",
    "enter",
    "enter_all",
    "known_game",
    "playing_submission",
    "withdraw",
]

State = Bracket.State
LONGEST_REASON = 500


def check_organiser(user: User | None, bracket: Bracket | None = None) -> None:
    """NotAllowed unless the user organises; user None is the service itself."""
    if user is None or user.is_staff:
        return
    what = f"the bracket {bracket.slug!r}" if bracket else "brackets"
    raise NotAllowed(f"Only an organiser may change {what}")


@transaction.atomic
def create_bracket(
    *,
    slug: str,
    title: str,
    game: str,
    organiser: User | None,
    format: str | None = None,
    rules: Mapping[str, Any] | None = None,
    stages: Sequence[Mapping[str, Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    time_control: Mapping[str, Any] | None = None,
    rated: bool = True,
    follow_active: bool = False,
    season: Season | None = None,
) -> Bracket:
    """A bracket, open for entries. Raises UserFault, Conflict or NotAllowed.

    `stages`: format and rules of each stage, in order; `format` and `rules` are short for one.
    """
    check_organiser(organiser)
    check_names(slug, title, what="A bracket", longest=(60, 120))
    if stages is not None and (format is not None or rules is not None):
        raise UserFault("Give stages, or the format and rules of one; not both", field="stages")
    if stages is None:
        stages = [{"format": format or "", "rules": rules or {}}]
    played = known_game(game)
    full = check_stages(stages, played)
    full_options, clock = check_conditions(
        played,
        sizes={rules["table_size"] for _, rules in full},
        options=options,
        time_control=time_control,
    )
    taken = Conflict(f"There is a bracket {slug!r} already", field="slug")
    if Bracket.objects.filter(slug=slug).exists():
        raise taken
    try:
        with transaction.atomic():
            bracket = Bracket.objects.create(
                slug=slug,
                title=title.strip(),
                game=game,
                edition=played.edition,
                options=full_options,
                time_control=clock.to_dict(),
                rated=rated,
                follow_active=follow_active,
                organiser=organiser,
                season=season,
            )
    except IntegrityError:
        raise taken from None
    Stage.objects.bulk_create(
        Stage(bracket=bracket, number=number, format=of, rules=rules)
        for number, (of, rules) in enumerate(full, 1)
    )
    accounts.record_act(user=organiser, verb="create", target=f"bracket {bracket.slug}")
    return bracket


def check_names(slug: str, title: str, *, what: str, longest: tuple[int, int]) -> None:
    """UserFault unless they can name a bracket or a season; `longest`: characters of each."""
    try:
        handle_rule(slug)
    except ValidationError as error:
        raise UserFault(error.messages[0], field="slug") from None
    if not title.strip() or not title.isprintable():
        raise UserFault(f"{what} needs a title, of characters that can be printed", field="title")
    if len(slug) > longest[0] or len(title.strip()) > longest[1]:
        raise UserFault(
            f"The slug has at most {longest[0]} characters, the title {longest[1]}",
            field="slug" if len(slug) > longest[0] else "title",
        )


def known_game(name: str) -> Game:
    """The game's newest edition; UserFault when there is none."""
    try:
        return games.get(name)
    except UnknownGame as error:
        raise UserFault(str(error), field="game") from None


def check_conditions(
    game: Game,
    *,
    sizes: Collection[int],
    options: Mapping[str, Any] | None,
    time_control: Mapping[str, Any] | None,
) -> tuple[dict[str, Any], TimeControl]:
    """Options and time control, complete; UserFault when tables of these sizes cannot be played."""
    try:
        full = [game.check_options(dict(options or {}), size) for size in sorted(sizes)]
    except ValueError as error:
        raise UserFault(str(error), field="options") from None
    try:
        clock = TimeControl.from_dict(TimeControl().to_dict() | dict(time_control or {}))
    except ValueError as error:
        raise UserFault(str(error), field="time_control") from None
    for size, found in zip(sorted(sizes), full, strict=True):
        dispatch.check_fits(game, players=size, options=found, time=clock, plays=size)
    return full[0], clock


@transaction.atomic
def enter(*, bracket: Bracket, bot: Bot, user: User | None, seeding: int | None = None) -> Entry:
    """Enter a bot: its owners and organisers may. Its active version is pinned, unless the
    bracket follows the active one. Raises UserFault, Conflict or NotAllowed."""
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    bot = Bot.objects.select_related("player", "active").get(pk=bot.pk)
    if user is not None and not user.is_staff and not accounts.may_manage(user, bot.player):
        raise NotAllowed(f"Only members of {bot.player.handle!r} or an organiser enter this bot")
    _check_open(bracket)
    entered = bracket.entries.filter(bot=bot).exists()
    entry = _entry(bracket, bot, seeding, entered=entered)
    entry.save()
    return entry


@transaction.atomic
def enter_all(
    *, bracket: Bracket, bots: Sequence[tuple[Bot, int | None]], user: User | None
) -> list[Entry | UserFault]:
    """Enter all of a list of bots and seedings, or nobody, by the organiser.

    For each its entry, or why it cannot be entered; if any cannot, there are no entries. The bots
    come with their players and active versions. Raises Conflict or NotAllowed.
    """
    check_organiser(user, bracket)
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    _check_open(bracket)
    entered = set(bracket.entries.values_list("bot", flat=True))
    found: list[Entry | UserFault] = []
    for bot, seeding in bots:
        try:
            found.append(_entry(bracket, bot, seeding, entered=bot.pk in entered))
            entered.add(bot.pk)
        except UserFault as fault:
            found.append(fault)
    entries = [each for each in found if isinstance(each, Entry)]
    if len(entries) == len(found):
        Entry.objects.bulk_create(entries)
    return found


def _check_open(bracket: Bracket) -> None:
    if bracket.state != State.DRAFT:
        raise Conflict(f"{bracket.slug} is {bracket.state}: entries are closed")


def _entry(bracket: Bracket, bot: Bot, seeding: int | None, *, entered: bool) -> Entry:
    """An entry that is not saved yet. The caller holds the bracket's row."""
    if bot.game != bracket.game:
        raise UserFault(
            f"{bot} plays {bot.game}; {bracket.slug} is for {bracket.game}", field="bot"
        )
    if bot.active is None:
        raise Conflict(f"{bot} has no active version; activate one first", field="bot")
    if entered:
        raise Conflict(f"{bot} has entered already", field="bot")
    pinned = None if bracket.follow_active else bot.active
    return Entry(bracket=bracket, bot=bot, submission=pinned, seeding=seeding)


@transaction.atomic
def withdraw(*, entry: Entry, user: User | None, reason: str) -> None:
    """Take an entry out: before the start it is gone, later it is not drawn any more.

    Tables that are drawn already are played. Owners and organisers may; it is logged.
    """
    if len(reason) > LONGEST_REASON:
        raise UserFault(f"A reason has at most {LONGEST_REASON} characters", field="reason")
    bracket = Bracket.objects.select_for_update().get(pk=entry.bracket_id)
    player = entry.bot.player
    if user is not None and not user.is_staff and not accounts.may_manage(user, player):
        raise NotAllowed(f"Only members of {player.handle!r} or an organiser withdraw this entry")
    if bracket.season_id is not None:
        raise Conflict(f"{bracket.slug} belongs to a season: withdraw from the season")
    if bracket.state == State.FINISHED:
        raise Conflict(f"{bracket.slug} is finished")
    if bracket.state == State.DRAFT:
        entry.delete()
    elif not Entry.objects.filter(pk=entry.pk, withdrawn_at=None).update(
        withdrawn_at=timezone.now(), withdrawn_reason=reason
    ):
        raise Conflict(f"{entry.bot} has withdrawn already")
    accounts.record_act(
        user=user,
        verb="withdraw",
        target=f"bot {entry.bot_id} from bracket {bracket.slug}",
        reason=reason,
    )


def entry_named(bracket: Bracket, name: str) -> Entry:
    """The entry of "player/bot" in a bracket; UserFault when there is none."""
    handle, _, bot = name.strip().partition("/")
    found = (
        bracket.entries.filter(bot__player__handle=handle, bot__name__iexact=bot)
        .select_related("bot__player")
        .first()
    )
    if found is None:
        raise UserFault(
            f"{name.strip()!r} has not entered {bracket.slug}; a bot is named player/bot",
            field="order",
        )
    return found


def playing_submission(entry: Entry) -> Submission | None:
    """The version that plays for an entry now; None when it has none that may play."""
    submission = entry.submission or entry.bot.active
    if submission is None or submission.state != Submission.State.QUALIFIED:
        return None
    return submission
