"""Brackets with a field of bots, for tests that choose how matches end."""

from bots.models import Bot, Submission
from tests.builders import make_player
from tournaments import brackets
from tournaments.models import Bracket, Entry


def bots(count, game="kunlun"):
    """Qualified active versions of as many bots, by the shortest way: rows alone.

    One player owns them all, so that nothing is rated.
    """
    _, player = make_player()
    made = Bot.objects.bulk_create(
        Bot(player=player, game=game, name=f"b{number}") for number in range(1, count + 1)
    )
    versions = Submission.objects.bulk_create(version_of(bot, 1) for bot in made)
    for bot, version in zip(made, versions, strict=True):
        bot.active = version
    Bot.objects.bulk_update(made, ["active"])
    return made


def version_of(bot, number):
    """A qualified version of a bot, not saved; there is no package."""
    return Submission(
        bot=bot, number=number, package="none", filename="bot.zip", size=1, language="python",
        entry="main.py", sha256=f"{number * 10_000 + bot.pk:064x}", state="qualified",
    )  # fmt: skip


def field_of_bots(count, *, game="kunlun", **kw) -> tuple[Bracket, dict[int, float]]:
    """A bracket of bots seeded 1 … count, and strengths by submission: the better the seed the
    stronger."""
    bracket = brackets.create_bracket(
        **{"slug": "cup", "title": "The Cup", "game": game, "organiser": None, **kw}
    )
    strength = {}
    entries = []
    for seeding, bot in enumerate(bots(count, game), 1):
        pinned = None if bracket.follow_active else bot.active
        entries.append(Entry(bracket=bracket, bot=bot, submission=pinned, seeding=seeding))
        strength[bot.active_id] = float(-seeding)
    Entry.objects.bulk_create(entries)
    return bracket, strength
