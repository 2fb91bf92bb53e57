"""The page that takes an author to the ladder: everything on it is done here."""

import re

import pytest
from django.conf import settings
from django.urls import resolve

from api.permissions import STAFF_SCOPES
from api.urls import router
from api.views.accounts import Me
from bots import housebots, submissions
from bots.models import Bot, Player, Submission, Token
from engine import games
from engine.referee import KEPT_SENT
from frontend.forms import UploadForm
from tests.builders import make_bot, make_submission
from tests.frontend.docs_reader import code, only, plain, tables, words_of
from tests.frontend.docs_shell import Shell
from tests.tournaments.conftest import broker, make_worker  # noqa: F401 (a fixture)
from tournaments import entrants, ladders, outcomes, runner
from tournaments.models import Match

PAGE = "first-bot.md"
BOT = only(PAGE, "python", "Write it")
# The bot whose log the page shows: the page's own, with one line more.
CURIOUS = """\
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        answer = {"type": "ready"}
    elif message["type"] == "decide":
        hand = message["observation"]["cards"]
        answer = {"id": message["id"], "action": message["legal_actions"][0]}
    else:
        break
    print(json.dumps(answer), flush=True)
"""

# What each scope opens, by view and action; the page says it in words.
OPENED = {
    "read": {
        "me.get", "tokens.list", "tokens.retrieve", "tokens.destroy", "players.members",
        "notices.list", "notices.read", "submissions.package", "matches.log",
    },
    "submit": {
        "bots.create", "bots.upload", "bots.deactivate", "submissions.activate",
        "brackets.enter", "brackets.withdraw", "seasons.enter", "seasons.withdraw",
    },
    "play": {"matches.create"},
    "organise": {
        "brackets.create", "brackets.start", "brackets.pause", "brackets.resume",
        "brackets.import_document", "brackets.enter_many", "brackets.reseed", "brackets.rules",
        "brackets.disqualify", "brackets.extend", "brackets.void_table",
        "seasons.create", "seasons.enter_many", "seasons.start", "seasons.postpone",
        "seasons.disqualify", "seasons.roll_over",
        "workers.list", "workers.retrieve",
    },
    "admin": set(),
}  # fmt: skip


def check_scopes(table):
    found = {scope: set() for scope in Token.Scope.values}
    views = {name: view for name, view, _ in router.registry} | {"me": Me}
    for name, view in views.items():
        for action, scope in getattr(view, "scopes", {}).items():
            found[scope].add(f"{name}.{action}")
    assert found == OPENED
    assert [plain(cell) for cell in table.column(0)] == Token.Scope.values
    for scope, meaning in table.rows:
        assert ("organisers only" in meaning) == (
            plain(scope) in STAFF_SCOPES and plain(scope) != "admin"
        )


def check_tables_of_the_check(table):
    shown = [
        (int(players), {"guilds": guilds == "`true`", "princesses": int(plain(princesses))})
        for players, guilds, princesses in table.rows
    ]
    game = games.get("deca-slayer")
    played = [
        (players, game.check_options(options, players))
        for players, options in entrants.check_tables(game)
    ]
    assert shown == played


def check_states(table):
    assert [plain(cell) for cell in table.column(0)] == Submission.State.values
    assert f"{settings.CHECK_MINUTES} minutes at most" in table.values()["`checking`"]


CHECKS = {
    "The same by API": check_scopes,
    "The check": check_tables_of_the_check,
    "The check #2": check_states,
}


@pytest.mark.parametrize("table", tables("first-bot.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of(PAGE)
    failed, last = entrants.FAILED_OF_LAST
    assert f"fails in {failed} of its last {last} rated matches" in text
    assert f"or its first {KEPT_SENT:,} bytes" in text
    label = UploadForm().fields["activate"].label
    assert f'Leave "{label}" ticked' in text
    assert UploadForm().fields["activate"].initial is True
    log = re.search(r"`(/api/\S+/log/)`", text)[1]
    log = log.replace("ID", "1").replace("/N/", "/0/").replace("SEAT", "0")
    assert resolve(log).url_name == "match-log"


# ---------------------------------------------------------------- at home


def masked(text: str) -> str:
    """Without what differs from one play or machine to the next: numbers with the space before
    them, seeds, and what isolated the bots."""
    text = re.sub(r"isolated by [^,]+,", "isolated by it,", text)
    return re.sub(r" *\b(?:[0-9a-f]{64}|\d+)\b", " 0", text)


def test_play_at_home_prints_what_the_page_shows(tmp_path):
    # given the bot and the command of the page
    assert len(code("first-bot.md", "python")) == 1
    shell = Shell(tmp_path)
    (shell.folder / "mybot.py").write_text(BOT)

    # when it is typed
    printed = shell.run(only(PAGE, "sh", "Try it at home"))

    # then what comes has the page's form, and nobody failed
    assert masked(printed) == masked(only(PAGE, "text", "Try it at home"))
    # and the same seed gives the same play
    seed, play_hash = re.findall("[0-9a-f]{64}", printed)
    again = shell.run(only(PAGE, "sh", "Try it at home").strip() + f" --seed {seed}")
    assert re.findall("[0-9a-f]{64}", again) == [seed, play_hash]


def test_options_of_the_command_line_are_there(tmp_path):
    told = Shell(tmp_path).run("python3 -m engine play --help; python3 -m engine --help")
    named = set(re.findall(r"`(--[a-z-]+)", words_of(PAGE)))
    assert named >= {"--seed", "--option", "--trust", "--replay", "--json", "--bank-ms"}
    assert all(name in told for name in named)


# ---------------------------------------------------------------- by API and in the check


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db(transaction=True)
def test_author_comes_to_the_ladder_by_the_commands_of_the_page(live_server, tmp_path):
    # given a service, and the bot of the page
    ladder = ladders.open_ladder("deca-slayer")
    shell = Shell(tmp_path)
    (shell.folder / "mybot.py").write_text(BOT)
    at_home, account, bot, look, activate, test = (
        block.text for block in code("first-bot.md", "sh")
    )
    assert "engine play" in at_home

    # when the author types what stands there
    demo = "http://127.0.0.1:8000"
    assert demo in account
    shell.run(account.replace(demo, live_server.url))
    shell.run(bot)
    submission = Submission.objects.get()
    assert str(submission.bot) == "ada/mybot"
    assert submission.activate
    shell.run(look)

    # then a version that has qualified is activated, and stands on the ladder
    assert submissions.start_check(submission)
    assert submissions.qualify(submission, log="")
    shell.run(activate)
    assert Bot.objects.get().active == submission
    assert ladders.table(ladder).get().submission == submission
    assert '"rank":1' in shell.run(look)

    # and can be tested against others
    greedy = make_bot(housebots.house_player(), name="greedy")
    entrants.activate(submission=make_submission(greedy), user=None)
    assert '"kind":"test"' in shell.run(test)


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db(transaction=True)
def test_log_of_a_failed_check_is_as_shown():
    # given a bot that looks for a field that is not there
    player = Player.objects.create(handle="author")
    submission = submissions.upload(
        bot=make_bot(player), data=CURIOUS.encode(), filename="mybot.py", user=None
    )

    # when its check is played
    entrants.check_submissions()
    worker = make_worker("docs@here", tier=runner.sandbox().name)
    while match := Match.objects.filter(state="queued").order_by("id").first():
        runner.play(match_id=match.pk, attempt=match.attempt, worker=worker)
        match.refresh_from_db()
        outcomes.match_over(match)
    submission.refresh_from_db()

    # then it is rejected, with the log of the page, which is cut where it says so
    assert submission.state == "rejected"
    *shown, cut = only(PAGE, "text", "Reading the log of a failed check").splitlines()
    assert cut == "…"
    # Of a bot that ends at once the memory can sometimes not be read.
    real = [line for line in submission.log.splitlines() if "peak memory" not in line]
    for line, true in zip(shown, real[: len(shown)], strict=True):
        begin = line.removesuffix("…")
        true = masked(true if begin == line else true[: len(begin)])
        assert true == masked(begin)
