"""Setting up a bracket: its rules, and who takes part. Nothing here draws or plays."""

from collections.abc import Mapping
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
from tournaments.models import Bracket, Entry, Stage
from tournaments.standings import TIE_BREAKS

State = Bracket.State
Format = Stage.Format
MOST_ROUNDS = 50
MOST_DEALS = 100
LONGEST_REASON = 500
RULES = ("table_size", "min_size", "deals", "rounds", "round_minutes", "tie_breaks")


def check_organiser(user: User | None, bracket: Bracket | None = None) -> None:
    """NotAllowed unless the user organises; user None is the service itself."""
    if user is None or user.is_staff:
        return
    what = f"the bracket {bracket.slug!r}" if bracket else "brackets"
    raise NotAllowed(f"Only an organiser may change {what}")


def _whole(rules: Mapping[str, Any], name: str, default: int | None, least: int, most: int) -> Any:
    value = rules.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise UserFault(
            f"{name} must be a whole number from {least} to {most}, not {value!r}",
            field=f"rules.{name}",
        )
    return value


def check_rules(format: str, rules: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """A stage's rules, complete; UserFault names the first that is wrong.

    table_size, min_size: seats of a table and of a short table; deals: matches a table;
    rounds: of a Swiss; round_minutes: a round closes after as many (null: when it is played);
    tie_breaks: in order.
    """
    if format not in Format.values:
        raise UserFault(
            f"Unknown format {format!r}; known: {', '.join(Format.values)}", field="format"
        )
    for name in rules:
        if name not in RULES:
            raise UserFault(f"Unknown rule {name!r}; known: {', '.join(RULES)}", field="rules")
    least, most = max(2, game.min_players), game.max_players
    table_size = _whole(rules, "table_size", min(max(4, least), most), least, most)
    full = {
        "table_size": table_size,
        "min_size": _whole(rules, "min_size", max(least, table_size - 1), least, table_size),
        "deals": _whole(rules, "deals", 1, 1, MOST_DEALS),
        "round_minutes": rules.get("round_minutes"),
        "tie_breaks": rules.get("tie_breaks", list(TIE_BREAKS)),
    }
    if format == Format.SWISS:
        full["rounds"] = _whole(rules, "rounds", None, 1, MOST_ROUNDS)
    elif rules.get("rounds") is not None:
        raise UserFault("A round robin has as many rounds as it needs", field="rules.rounds")
    if full["round_minutes"] is not None:
        _whole(rules, "round_minutes", None, 1, 60 * 24 * 60)
    known = ", ".join(TIE_BREAKS)
    ties = full["tie_breaks"]
    if not isinstance(ties, list) or not all(isinstance(t, str) and t in TIE_BREAKS for t in ties):
        raise UserFault(f"tie_breaks must be a list of: {known}", field="rules.tie_breaks")
    if len(set(ties)) != len(ties):
        raise UserFault("tie_breaks names one twice", field="rules.tie_breaks")
    return full


@transaction.atomic
def create_bracket(
    *,
    slug: str,
    title: str,
    game: str,
    format: str,
    rules: Mapping[str, Any],
    organiser: User | None,
    options: Mapping[str, Any] | None = None,
    time_control: Mapping[str, Any] | None = None,
    rated: bool = True,
    follow_active: bool = False,
) -> Bracket:
    """A bracket with one stage, open for entries. Raises UserFault, Conflict or NotAllowed."""
    check_organiser(organiser)
    try:
        handle_rule(slug)
    except ValidationError as error:
        raise UserFault(error.messages[0], field="slug") from None
    if not title.strip() or not title.isprintable():
        raise UserFault("A bracket needs a title, of characters that can be printed", field="title")
    if len(slug) > 60 or len(title.strip()) > 120:
        raise UserFault(
            "The slug has at most 60 characters, the title 120",
            field="slug" if len(slug) > 60 else "title",
        )
    try:
        played = games.get(game)
    except UnknownGame as error:
        raise UserFault(str(error), field="game") from None
    full = check_rules(format, rules, played)
    try:
        full_options = played.check_options(dict(options or {}), full["table_size"])
    except ValueError as error:
        raise UserFault(str(error), field="options") from None
    try:
        clock = TimeControl.from_dict(TimeControl().to_dict() | dict(time_control or {}))
    except ValueError as error:
        raise UserFault(str(error), field="time_control") from None
    size = full["table_size"]
    dispatch.check_fits(played, players=size, options=full_options, time=clock, plays=size)
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
            )
    except IntegrityError:
        raise taken from None
    Stage.objects.create(bracket=bracket, format=format, rules=full)
    accounts.record_act(user=organiser, verb="create", target=f"bracket {bracket.slug}")
    return bracket


@transaction.atomic
def enter(*, bracket: Bracket, bot: Bot, user: User | None, seeding: int | None = None) -> Entry:
    """Enter a bot: its owners and organisers may. Its active version is pinned, unless the
    bracket follows the active one. Raises UserFault, Conflict or NotAllowed."""
    bracket = Bracket.objects.select_for_update().get(pk=bracket.pk)
    bot = Bot.objects.select_related("player", "active").get(pk=bot.pk)
    if user is not None and not user.is_staff and not accounts.may_manage(user, bot.player):
        raise NotAllowed(f"Only members of {bot.player.handle!r} or an organiser enter this bot")
    if bracket.state != State.DRAFT:
        raise Conflict(f"{bracket.slug} is {bracket.state}: entries are closed")
    if bot.game != bracket.game:
        raise UserFault(
            f"{bot} plays {bot.game}; {bracket.slug} is for {bracket.game}", field="bot"
        )
    if bot.active is None:
        raise Conflict(f"{bot} has no active version; activate one first", field="bot")
    entry, made = Entry.objects.get_or_create(
        bracket=bracket,
        bot=bot,
        defaults={
            "submission": None if bracket.follow_active else bot.active,
            "seeding": seeding,
        },
    )
    if not made:
        raise Conflict(f"{bot} has entered already", field="bot")
    return entry


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


def playing_submission(entry: Entry) -> Submission | None:
    """The version that plays for an entry now; None when it has none that may play."""
    submission = entry.submission or entry.bot.active
    if submission is None or submission.state != Submission.State.QUALIFIED:
        return None
    return submission
