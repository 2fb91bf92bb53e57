"""What the installation of the browser's tests holds: people, bots, a bracket, one bot that fails.

`fill` runs inside the installation (`manage.py shell`); everything goes through the functions that
everybody's calls end in.
"""

import json
from dataclasses import dataclass

GAME = "deca-slayer"
PASSWORD = "correct horse battery staple"
BRACKET = "spring-cup"

# It has learnt tables of three, five and six, so it qualifies; at a table of four it ends.
BRITTLE = """\
import json
import sys

asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        players = message["players"]
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        asked += 1
        if players == 4 and asked == 3:
            raise LookupError("tables of four are not in my book")
        print("asked", asked, "times", file=sys.stderr, flush=True)
        action = message["legal_actions"][0]
        answer = {"id": message["id"], "action": action, "note": f"the first: {action}"}
        print(json.dumps(answer), flush=True)
    else:
        break
"""


@dataclass(frozen=True)
class Season:
    """Names and numbers of what `fill` made: e-mail addresses by handle, bots by their name."""

    people: dict[str, str]
    keys: dict[str, str]
    bots: dict[str, int]


def fill() -> None:
    """Make everything but the bracket, which needs bots that have qualified; prints it as JSON."""
    from bots import accounts, submissions
    from bots.housebots import ensure_house
    from engine import games
    from engine.house import house_package
    from tests.builders import FIRST
    from tournaments import brackets, ladders, seasons

    ladders.open_ladder(GAME)
    ensure_house(GAME)
    people, keys, bots = {}, {}, {}
    for handle in ("olga", "alan", "grace"):
        email = f"{handle}@example.org"
        user, player = accounts.sign_up(
            email=email, password=PASSWORD, handle=handle, name=handle.title()
        )
        if handle == "olga":
            user.is_staff = user.is_superuser = True
            user.save(update_fields=["is_staff", "is_superuser"])
        people[handle] = email
        _, keys[handle] = accounts.make_token(
            user=user, name="tests", scopes=["organise" if user.is_staff else "read", "submit"]
        )
        for owner, name, data in (
            ("alan", "fighter", house_package(GAME, "greedy")),
            ("alan", "gambler", house_package(GAME, "greedy", random_share=0.5)),
            ("grace", "walker", house_package(GAME, "random")),
            ("grace", "brittle", BRITTLE.encode()),
        ):
            if owner == handle:
                bot = submissions.create_bot(player=player, game=GAME, name=name, user=user)
                filename = f"{name}.zip" if data[:2] == b"PK" else f"{name}.py"
                submissions.upload(bot=bot, data=data, filename=filename, user=user, activate=True)
                bots[name] = bot.pk
    # Of every other game there are the plays of one check to be watched.
    for game in games.all():
        if game.name != GAME:
            bot = submissions.create_bot(player=player, game=game.name, name="first", user=user)
            submissions.upload(bot=bot, data=FIRST.encode(), filename="first.py", user=user)
    brackets.create_bracket(
        slug="autumn-cup",
        title="Autumn Cup",
        game=GAME,
        format="swiss",
        rules={"table_size": 3, "rounds": 2},
        organiser=None,
    )
    seasons.create_season(
        slug="winter-league", title="Winter League", game=GAME, rules={}, organiser=None
    )
    print(json.dumps({"people": people, "keys": keys, "bots": bots}))
