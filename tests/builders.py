"""Rows for tests, made through the service's own functions."""

import io
import itertools
import zipfile

from bots import accounts, submissions
from bots.models import Bot, Player, Submission, User

_counter = itertools.count(1)

# The smallest bot there is: it takes the first legal action.
FIRST = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        answer = {"id": message["id"], "action": message["legal_actions"][0]}
        print(json.dumps(answer), flush=True)
    else:
        break
"""
CRASHING = "raise SystemExit('no good')\n"


def package(
    source: str = FIRST,
    *,
    games: tuple[str, ...] = ("deca-slayer",),
    language: str = "python",
    **extra: str,
) -> bytes:
    """A zip with a manifest and one source file; `extra` are further manifest keys."""
    data = io.BytesIO()
    keys = {"language": language, "entry": "main.py", **extra}
    manifest = f"games = {list(games)!r}\n" + "".join(f"{k} = {v!r}\n" for k, v in keys.items())
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.toml", manifest)
        archive.writestr("main.py", source)
    return data.getvalue()


def make_player(handle: str | None = None) -> tuple[User, Player]:
    handle = handle or f"player-{next(_counter)}"
    return accounts.sign_up(
        email=f"{handle}@example.org", password="correct horse battery", handle=handle
    )


def make_bot(
    player: Player | None = None, *, name: str | None = None, game: str = "deca-slayer"
) -> Bot:
    if player is None:
        _, player = make_player()
    return submissions.create_bot(
        player=player, game=game, name=name or f"bot-{next(_counter)}", user=None
    )


def make_submission(
    bot: Bot | None = None, *, source: str = FIRST, qualified: bool = True, **kw: bool
) -> Submission:
    """A version of a bot; `qualified` skips the check's matches. Each package differs."""
    bot = bot or make_bot()
    submission = submissions.upload(
        bot=bot,
        data=package(f"{source}\n# {next(_counter)}\n"),
        filename="bot.zip",
        user=None,
        **kw,
    )
    if qualified:
        assert submissions.start_check(submission)
        assert submissions.qualify(submission, log="")
    return submission
