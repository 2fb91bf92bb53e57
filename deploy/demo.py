"""The demonstration's players, bots and brackets, and what there is to wait for.

Everything is made through the functions that everybody's calls end in, and only what is not there
yet: a second start goes on with the data of the first.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from bots import accounts, submissions
from bots.housebots import ensure_house, house_player
from bots.models import Bot, Player, Submission, User
from engine import games
from engine.house import house_names, house_package
from tournaments import brackets, ladders, lifecycle, pictures
from tournaments.models import Bracket, Match, Stage

ORGANISER = "organiser@demo.example"
AUTHOR = "author@demo.example"
LADDER_MATCHES = 12

# Who plays what, strongest first: a house package, and the share of its moves made at random.
FIELD = (
    ("ada", "planner", 0.0),
    ("ben", "planner", 0.1),
    ("cora", "greedy", 0.0),
    ("dan", "greedy", 0.3),
    ("eve", "greedy", 0.6),
    ("finn", "random", 0.0),
)
BRACKETS = (
    ("round-robin", Stage.Format.ROUND_ROBIN, {"table_size": 3}),
    ("swiss", Stage.Format.SWISS, {"table_size": 3, "rounds": 3}),
)
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


def make_bots() -> None:
    """The house's bots and the players' of every game, uploaded to be checked and activated."""
    for game in games.all():
        ladders.open_ladder(game.name)
        ensure_house(game.name)
        for handle, package, share in FIELD:
            if package in house_names(game.name):
                _make_bot(game.name, handle, package, share)


def _make_bot(game: str, handle: str, package: str, share: float) -> None:
    player = Player.objects.filter(handle=handle).first()
    if player is None:
        # Nobody logs in here; the password is not kept.
        _, player = accounts.sign_up(
            email=f"{handle}@demo.example", password=secrets.token_urlsafe(24), handle=handle
        )
    user = player.members.get()
    name = f"{package}-{100 - round(100 * share)}" if share else package
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


def start_brackets(organiser: User) -> Iterator[Bracket]:
    """Make and start each game's brackets, where they are not there yet; yields all of them."""
    for game in games.all():
        for name, format, rules in BRACKETS:
            slug = f"demo-{game.name}-{name}"
            bracket = Bracket.objects.filter(slug=slug).first()
            if bracket is None:
                if not house_names(game.name):
                    continue
                size = max(rules["table_size"], game.min_players)
                bracket = brackets.create_bracket(
                    slug=slug,
                    title=f"Demo: {game.title}, {name}",
                    game=game.name,
                    format=format,
                    rules={**rules, "table_size": size},
                    organiser=organiser,
                )
            if bracket.state == Bracket.State.DRAFT:
                _enter_all(bracket)
                lifecycle.start(bracket=bracket, user=organiser)
                bracket.refresh_from_db()
            yield bracket


def _enter_all(bracket: Bracket) -> None:
    entered = bracket.entries.values("bot")
    for bot in (
        Bot.objects.filter(game=bracket.game, active__isnull=False)
        .exclude(player=house_player())
        .exclude(pk__in=entered)
        .order_by("id")
    ):
        brackets.enter(bracket=bracket, bot=bot, user=None)


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
