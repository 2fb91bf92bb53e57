"""The house's own bots: ordinary packages, uploaded in the ordinary way."""

from bots.models import Bot, Player, Submission
from bots.submissions import create_bot, upload
from engine.house import house_names, house_package
from engine.package import read

HANDLE = "house"


def house_player() -> Player:
    """The player that the house's bots belong to."""
    return Player.objects.get_or_create(
        handle=HANDLE, defaults={"name": "The house", "house": True}
    )[0]


def ensure_house(game: str) -> list[Submission]:
    """Upload the house's bots of one game where their package has changed; returns the new ones.

    They become active as soon as they qualify.
    """
    player = house_player()
    new = []
    for name in house_names(game):
        data = house_package(game, name)
        filename = f"{name}.zip"
        bot = Bot.objects.filter(player=player, game=game, name=name).first() or create_bot(
            player=player, game=game, name=name, user=None
        )
        last = bot.submissions.order_by("number").last()
        if last is None or last.sha256 != read(data, filename=filename, game=game).sha256:
            new.append(upload(bot=bot, data=data, filename=filename, user=None, activate=True))
    return new
