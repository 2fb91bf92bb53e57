"""The demonstration's players, bots and brackets, and what there is to wait for.

Everything is made through the functions that everybody's calls end in, and only what is not there
yet: a second start goes on with the data of the first.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db.models import Q, QuerySet

from bots import accounts, submissions
from bots.housebots import ensure_house, house_player
from bots.models import Bot, Player, Submission, User
from engine import games
from engine.house import house_names, house_package
from tournaments import brackets, ladders, lifecycle, pictures, seasons
from tournaments.models import Bracket, Division, Match, Round, Season

ORGANISER = "organiser@demo.example"
AUTHOR = "author@demo.example"
LADDER_MATCHES = 12

# Who plays what, strongest first: a house package, and the share of its moves made at random.
FIELD = (
    ("ada", "planner", 0.0),
    ("ben", "planner", 0.1),
    ("cora", "greedy", 0.0),
    ("dan", "greedy", 0.1),
    ("dan", "greedy", 0.2),
    ("cora", "greedy", 0.3),
    ("ben", "greedy", 0.4),
    ("ada", "greedy", 0.5),
    ("ada", "greedy", 0.6),
    ("ben", "greedy", 0.7),
    ("cora", "greedy", 0.85),
    ("dan", "random", 0.0),
)
# Three divisions of four on six match days; two plays of each deal, to be quick.
SEASON = {"division_size": 4, "match_days": 6, "table_size": 4, "rotations": 2, "up": 1}
CUP: list[dict[str, Any]] = [
    {"format": "swiss", "rules": {"table_size": 4, "rounds": 2, "rotations": 2, "advance": 4}},
    {
        "format": "single-elimination",
        "rules": {"table_size": 4, "deals": 2, "rotations": 2, "sequential": False},
    },
]
# `demo --large`: a Swiss of so many bots of one game, each with its own share of random moves.
LARGE_GAME = "deca-slayer"
LARGE_FIELD = 64
LARGE = {"table_size": 4, "rounds": 6, "rotations": 2}
BOTS_A_PLAYER = 4
PENDING = (Submission.State.UPLOADED, Submission.State.CHECKING)


@dataclass(frozen=True)
class Login:
    """An account whose password has just been made: it is shown this once."""

    role: str
    email: str
    password: str


def make_logins() -> list[Login]:
    """The organiser's and the author's accounts; those that are new, with their passwords."""
    new = []
    for role, email, handle in (
        ("organiser", ORGANISER, "organiser"),
        ("author", AUTHOR, FIELD[0][0]),
    ):
        if User.objects.filter(email=email).exists():
            continue
        password = secrets.token_urlsafe(12)
        user, _ = accounts.sign_up(email=email, password=password, handle=handle)
        if role == "organiser":
            user.is_staff = user.is_superuser = True
            user.save(update_fields=["is_staff", "is_superuser"])
        new.append(Login(role, email, password))
    return new


def make_bots(*, large: bool = False) -> None:
    """The house's bots and the players' of every game, uploaded to be checked and activated."""
    for game in games.all():
        ladders.open_ladder(game.name)
        ensure_house(game.name)
        for handle, package, share in FIELD:
            if package in house_names(game.name):
                _make_bot(game.name, handle, package, share)
    if large:
        for number in range(LARGE_FIELD):
            handle = f"swiss-{1 + number // BOTS_A_PLAYER:02}"
            _make_bot(LARGE_GAME, handle, "greedy", number / LARGE_FIELD, f"n{1 + number:02}")


def _make_bot(game: str, handle: str, package: str, share: float, name: str = "") -> None:
    player = Player.objects.filter(handle=handle).first()
    if player is None:
        # Nobody logs in here; the password is not kept.
        _, player = accounts.sign_up(
            email=f"{handle}@demo.example", password=secrets.token_urlsafe(24), handle=handle
        )
    user = player.members.get()
    name = name or (f"{package}-{100 - round(100 * share)}" if share else package)
    if Bot.objects.filter(player=player, game=game, name=name).exists():
        return
    bot = submissions.create_bot(player=player, game=game, name=name, user=user)
    submissions.upload(
        bot=bot,
        data=house_package(game, package, random_share=share),
        filename=f"{name}.zip",
        user=user,
        activate=True,
    )


def checks() -> tuple[int, int]:
    """Submissions whose check is over, and all."""
    return Submission.objects.exclude(state__in=PENDING).count(), Submission.objects.count()


def start_seasons(organiser: User) -> list[Season]:
    """Make and start each game's season, where it is not there yet; all of them."""
    found = []
    for game in games.all():
        slug = f"demo-{game.name}"
        season = Season.objects.filter(slug=slug).first()
        if season is None:
            if not house_names(game.name):
                continue
            season = seasons.create_season(
                slug=slug,
                title=f"Demo: {game.title}, season 1",
                game=game.name,
                rules=SEASON,
                organiser=organiser,
            )
        if season.state == Season.State.ENTRY:
            entered = set(season.entries.values_list("bot", flat=True))
            for bot in _contenders(game.name):
                if bot.pk not in entered:
                    seasons.enter_season(season=season, bot=bot, user=None)
            seasons.start_season(season=season, user=organiser)
            season.refresh_from_db()
        found.append(season)
    return found


def next_seasons(organiser: User, played: Iterable[Season]) -> None:
    """Open the next season of each that is finished, where it is not there yet."""
    for season in played:
        slug = f"demo-{season.game}-2"
        season.refresh_from_db()
        if season.state == Season.State.FINISHED and not Season.objects.filter(slug=slug).exists():
            title = season.title.replace("season 1", "season 2")
            seasons.roll_over(season=season, user=organiser, slug=slug, title=title)


def start_brackets(organiser: User, *, large: bool = False) -> list[Bracket]:
    """Make and start each game's cup, where it is not there yet; all of them."""
    found = [
        _start_bracket(
            f"demo-{game.name}-cup",
            f"Demo: {game.title}, cup",
            game.name,
            CUP,
            _contenders(game.name),
            organiser,
        )
        for game in games.all()
        if house_names(game.name)
    ]
    if large:
        bots = list(_contenders(LARGE_GAME, large=True))
        stage = {"format": "swiss", "rules": LARGE}
        title = f"Demo: a Swiss of {len(bots)}"
        found.append(_start_bracket("demo-large", title, LARGE_GAME, [stage], bots, organiser))
    return found


def _start_bracket(
    slug: str,
    title: str,
    game: str,
    stages: list[dict[str, Any]],
    bots: Iterable[Bot],
    organiser: User,
) -> Bracket:
    bracket = Bracket.objects.filter(slug=slug).first()
    if bracket is None:
        bracket = brackets.create_bracket(
            slug=slug, title=title, game=game, stages=stages, organiser=organiser
        )
    if bracket.state == Bracket.State.DRAFT:
        entered = set(bracket.entries.values_list("bot", flat=True))
        for bot in bots:
            if bot.pk not in entered:
                brackets.enter(bracket=bracket, bot=bot, user=None)
        lifecycle.start(bracket=bracket, user=organiser)
        bracket.refresh_from_db()
    return bracket


def _contenders(game: str, *, large: bool = False) -> QuerySet[Bot]:
    """The players' bots of a game that may play; those of the large Swiss, or the others.

    Their order tells nothing of their strength.
    """
    bots = Bot.objects.filter(game=game, active__isnull=False).exclude(player=house_player())
    of_large = Q(player__handle__startswith="swiss-")
    return (
        bots.filter(of_large if large else ~of_large)
        .select_related("player", "active")
        .order_by("active__sha256")
    )


def days_played(found: list[Season]) -> tuple[int, int]:
    """Closed match days of all divisions and finished seasons, and all there will be."""
    pks = [season.pk for season in found]
    divisions = Division.objects.filter(season__in=pks).count()
    closed = Round.objects.filter(match_day__season__in=pks, closed_at__isnull=False).count()
    over = Season.objects.filter(pk__in=pks, state=Season.State.FINISHED).count()
    return closed + over, divisions * SEASON["match_days"] + len(found)


def results(organised: Iterable[Season | Bracket]) -> list[str]:
    """What seasons and brackets came to, as lines, with how well it agrees with what is known."""
    lines = []
    for each in organised:
        if isinstance(each, Season):
            lines += _season_lines(each)
        else:
            order = bracket_order(each)
            right, pairs = known_order(order)
            lines.append(f"{each.title}: {right} of {pairs}; first: {order[0]}")
    return lines


def _season_lines(season: Season) -> list[str]:
    lines, right, pairs = [], 0, 0
    for division in season.divisions.order_by("level"):
        places = list(division.entries.select_related("bot__player").order_by("place"))
        found = known_order(entry.bot for entry in places)
        right, pairs = right + found[0], pairs + found[1]
        lines.append(f"  {division.name}: " + ", ".join(f"{e.bot} ({e.outcome})" for e in places))
    return [f"{season.title}: {right} of {pairs} within its divisions", *lines]


def known_order(bots: Iterable[Bot]) -> tuple[int, int]:
    """Pairs of which the better one is in front, and all pairs.

    Known is that a package is the weaker the more of its moves are random; bots were made in their
    right order, the strongest first.
    """
    pairs = [one < other for one, other in combinations([bot.pk for bot in bots], 2)]
    return sum(pairs), len(pairs)


def bracket_order(bracket: Bracket) -> list[Bot]:
    """The bots of a bracket's last stage, best first."""
    bots = {entry.pk: entry.bot for entry in bracket.entries.select_related("bot__player")}
    stage = bracket.stages.order_by("number").last()
    return [bots[pk] for pk in lifecycle.ranking(stage)] if stage else []


def finished(kind: str) -> int:
    """Finished matches of a kind."""
    return Match.objects.filter(kind=kind, state=Match.State.FINISHED).count()


def order_on_ladder(game: str) -> list[str]:
    """The table of a game's ladder, as lines."""
    ladder = ladders.open_ladder(game)
    picture = pictures.picture(ladder)
    lines = []
    for rating in ladders.table(ladder):
        place = picture.place(rating.mu, rating.sigma, rating.ordinal)
        lines.append(
            f"{place.place:>3}  ({place.best}–{place.worst})  {rating.submission.bot!s:<22} "
            f"{rating.mu:6.2f} ± {2 * rating.sigma:5.2f}  {rating.matches:>3} matches"
        )
    return lines
